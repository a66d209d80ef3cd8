# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The emulated run: starts the host VM, follows its events, collects what it
# left. Sourced by lab.sh.
#
# The host VM's serial lines: console (a log), the job's output (our stdout),
# events (a FIFO that this script reads), the guest's console (a log). Each
# event has a time limit; a boot that fails is tried once more.

HOST_LIMIT=90
SAVE_LIMIT=60
qemu_pid=
tee_pid=

clean_up() {
	[ -z "$qemu_pid" ] || kill "$qemu_pid" 2>/dev/null
	[ -z "$tee_pid" ] || kill "$tee_pid" 2>/dev/null
	rm -rf "$LAB_WORK"
}

emulated_run() {
	local try

	image_job "$@" || fail "cannot pack the job"
	for try in 1 2; do
		emulated_boot
		if follow_boot; then
			follow_job
			finish emulated
		fi
		stop_qemu
		show_boot_failure
		[ "$try" -eq 2 ] || say "trying once more"
	done
	fail "the lab did not boot; logs are in ${opt[out]}"
}

emulated_boot() {
	local work=$LAB_WORK out=${opt[out]} host=()

	cat "${opt[host-base]}" ${opt[payload]:+"${opt[payload]}"} \
		"$work/added.cpio" "$work/job.cpio" >"$work/initrd"
	rm -f "$work"/*.fifo "$work/results.img"
	mkfifo "$work/events.fifo" "$work/job.fifo"
	truncate -s 1G "$work/results.img"
	# Read and write: opening never blocks, whoever comes first.
	exec 7<>"$work/events.fifo"
	tee "$out/job.log" <"$work/job.fifo" 7>&- &
	tee_pid=$!
	[ -z "${opt[tools]:-}" ] || host+=(
		-drive "file=${opt[tools]},if=none,id=t,format=raw,readonly=on"
		-device "virtio-blk-pci,drive=t,serial=tools")
	host+=(
		-drive "file=$work/results.img,if=none,id=r,format=raw"
		-device "virtio-blk-pci,drive=r,serial=results")
	started=$(date +%s.%N)
	host_qemu "${host[@]}" 7>&- >"$work/events.fifo" &
	qemu_job=$!
}

# Runs as a background job that speaks in events itself: the process id, and
# the end. So the end of QEMU is an event like the others.
host_qemu() {
	local work=$LAB_WORK

	qemu-system-x86_64 -accel tcg,thread=multi -cpu max -M q35 -m 2G \
		-smp "${opt[cpus]}" -nodefaults -display none -no-reboot \
		-kernel "${opt[host-boot]}" -initrd "$work/initrd" \
		-append "$HOST_CMDLINE" -serial "file:${opt[out]}/host-console.log" \
		-serial "file:$work/job.fifo" \
		-serial "file:$work/events.fifo" \
		-serial "file:${opt[out]}/guest-console.log" "$@" \
		</dev/null >"${opt[out]}/qemu.log" 2>&1 &
	echo "qemu $!"
	wait $!
	echo "off $?"
}

# Reads events until the one named comes; its words are in $event.
await() {
	local name=$1 limit=$2

	while read -r -t "$limit" -u 7 -a event; do
		case ${event[0]} in
		qemu) qemu_pid=${event[1]} ;;
		off) qemu_pid= ;;
		guest-gone) guest_is_gone=yes ;;
		esac
		[ "${event[0]}" != "$name" ] || return 0
		case ${event[0]} in
		off | guest-failed) return 1 ;;
		esac
	done
	say "no '$name' within $limit seconds"
	return 1
}

follow_boot() {
	await host-up "$HOST_LIMIT" || return 1
	fact[host_uptime]=${event[1]} fact[host_release]=${event[2]}
	fact[host_cpus]=${opt[cpus]}
	[ "${opt[mode]}" = pair ] || return 0
	# The host VM has a limit of its own for each of its two attempts.
	await guest-up 300 || return 1
	fact[guest_ready_at]=${event[1]} fact[guest_release]=${event[2]}
	fact[guest_uptime]=${event[3]}
}

# shellcheck disable=SC2154 # "timeout" is a key of opt
follow_job() {
	status=124
	if await job-end $((opt[timeout] + 30)); then
		status=${event[1]}
		# Whatever the job made of it, it could not go on.
		[ -z "$guest_is_gone" ] || [ "$status" -eq 0 ] || status=123
		fact[job_end_at]=${event[2]}
		await saved "$SAVE_LIMIT" && await off 20
	else
		say "the job did not end; its results are lost"
		[ -n "$qemu_pid" ] || status=125
	fi
	stop_qemu
	tar -xf "$LAB_WORK/results.img" -C "${opt[out]}" 2>/dev/null ||
		say "no results could be read"
}

stop_qemu() {
	[ -z "$qemu_pid" ] || kill "$qemu_pid" 2>/dev/null
	wait "$qemu_job"
	qemu_pid=
	# Where QEMU never opened the FIFO, its reader still waits for that.
	: <>"$LAB_WORK/job.fifo"
	wait "$tee_pid"
	tee_pid=
}

show_boot_failure() {
	local log

	for log in qemu host-console guest-console; do
		[ -s "${opt[out]}/$log.log" ] || continue
		say "the end of $log.log:"
		tail -n 25 "${opt[out]}/$log.log" >&2
	done
}

# --- the end of both ways to run --------------------------------------------

declare -A fact=()
status=125
guest_is_gone=

finish() {
	fact[mode]=$1
	fact[seconds]=$(awk -v a="$started" -v b="$(date +%s.%N)" \
		'BEGIN { printf "%.1f", b - a }')
	write_facts >"${opt[out]}/lab.json"
	if ! kernel_complaints; then
		say "a kernel complained; see ${opt[out]}"
		[ -z "${opt[strict]}" ] || [ "$status" -ne 0 ] || status=126
	fi
	say "status $status, ${fact[seconds]} s, logs and results: ${opt[out]}"
	exit "$status"
}

COMPLAINTS='WARNING: |BUG: |Oops|Kernel panic|general protection'
COMPLAINTS+='|rcu.*(stall|starved)|soft lockup|hard LOCKUP'
COMPLAINTS+='|blocked for more than|KVM internal error'

# What a kernel says when something is broken; prints it, returns 1 if any.
kernel_complaints() {
	local found

	found=$(cd "${opt[out]}" && grep -aHnE "$COMPLAINTS" \
		host-console.log guest-console.log host-dmesg.log \
		guest-dmesg.log qemu.log 2>/dev/null)
	[ -z "$found" ] && return 0
	printf '%s\n' "$found" >&2
	return 1
}

write_facts() {
	fact[accelerator]=tcg
	[ "${fact[mode]}" = emulated ] || fact[accelerator]=kvm
	fact[qemu]=$(qemu-system-x86_64 --version | sed -n '1s/.*version //p')
	fact[host_cmdline]=$HOST_CMDLINE
	fact[guest_cmdline]=$GUEST_CMDLINE
	fact[guest_cpus]=${opt[guest-cpus]}
	fact[guest_memory]=256M
	fact[host_memory]=2G
	fact[machine_cpus]=$(nproc)
	fact[machine_kernel]=$(uname -r)
	fact[status]=$status
	[ "${opt[mode]}" = pair ] || unset 'fact[guest_cpus]' \
		'fact[guest_memory]' 'fact[guest_cmdline]'
	[ "${fact[mode]}" = emulated ] || unset 'fact[host_cpus]' \
		'fact[host_memory]' 'fact[host_cmdline]'
	printf '{\n\t"lab": "%s"' "${opt[mode]}"
	local key
	for key in $(printf '%s\n' "${!fact[@]}" | sort); do
		printf ',\n\t"%s": %s' "$key" "$(json_value "${fact[$key]}")"
	done
	printf '\n}\n'
}

json_value() {
	if [[ $1 =~ ^(0|[1-9][0-9]*)(\.[0-9]+)?$ ]]; then
		printf '%s' "$1"
	else
		printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
	fi
}
