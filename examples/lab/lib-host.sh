# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What a job has at hand; host-init (or native.sh) sources it before the job.
#
#   guest CMD ARGS...        runs CMD in the guest: stdout live, then stderr,
#                            and its exit status. Up to four at a time:
#                            `guest CMD & ... wait $!` is fine.
#   guest_bg [--until TEXT] CMD ARGS...
#                            starts CMD in the guest and sets GUEST_PID; with
#                            TEXT returns when a line of its output has TEXT
#   guest_log [PID]          what the command of guest_bg has printed
#   guest_kill [PID]         ends it (SIGTERM)
#
# Also set: GUEST_CID, RESULTS (a folder that is kept), LAB_MODE.
#
# A channel to the guest is a pair of FIFOs that QEMU ties to a serial port,
# see guest-init for what goes over it. The free channels are two-byte tokens
# in one more FIFO; taking one is a single read of two bytes, which no other
# process can split, so the FIFO is lock, queue and list at once.

LAB_MARK=@@lab

# Starts the guest and waits until it says it is ready; sets GUEST_RELEASE
# and GUEST_UPTIME. One retry: early deaths have been seen.
# guest_boot CID SECONDS KERNEL INITRD CONSOLE QEMU...
guest_boot() {
	GUEST_CID=$1
	export GUEST_CID
	for lab_try in first second; do
		lab_channels
		lab_qemu "$@"
		lab_go && lab_ready "$2" && return 0
		echo "the $lab_try attempt to boot the guest failed" >>"$5"
		guest_end
		cat "$LAB_RUN/qemu.log" >>"$5"
	done
	return 1
}

# Ends the guest, as losing power does.
guest_end() {
	lab_cpus 0
	[ ! -s "$LAB_RUN/qemu.pid" ] || \
		kill "$(cat "$LAB_RUN/qemu.pid")" 2>/dev/null
	wait "$lab_qemu_job"
	# shellcheck disable=SC2086 # a list of words
	kill $lab_holders
}

lab_channels() {
	rm -f "$LAB_RUN"/*
	mkfifo "$LAB_RUN/free" "$LAB_RUN/mon.in" "$LAB_RUN/mon.out" \
		"$LAB_RUN/never"
	# Kept open for both directions, by this process and by one more for
	# each channel: what is written to a FIFO is lost as soon as nobody
	# has it open, and QEMU comes late and may go early.
	exec 8<>"$LAB_RUN/mon.in" 9<>"$LAB_RUN/free"
	lab_holders=
	for lab_i in 1 2 3 4; do
		mkfifo "$LAB_RUN/ch$lab_i.in" "$LAB_RUN/ch$lab_i.out"
		(read -r _ 2<>"$LAB_RUN/never" <&2) \
			<>"$LAB_RUN/ch$lab_i.in" 1<>"$LAB_RUN/ch$lab_i.out" &
		lab_holders="$lab_holders $!"
	done
}

# Takes the emulated host's other CPUs away (0) or brings them (1).
#
# KVM's first virtual machine, and the end of its last, patch the scheduler's
# code (the static key of preempt notifiers). QEMU's software emulation
# translates code while it is being patched, and another CPU that happens to
# schedule may keep a breakpoint that is long gone: "Oops: int3" in
# __schedule. With one CPU nobody else is there, so that is when it is done.
lab_cpus() {
	[ "$LAB_CPUS" = later ] || return 0
	for lab_i in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -e "$lab_i" ] || echo "$1" >"$lab_i"
	done
}

# QEMU starts paused. Its monitor answers once the virtual machine is made.
lab_go() {
	echo 'info status' >&8
	timeout 60 awk '/VM status/ { exit }' <"$LAB_RUN/mon.out" || return 1
	[ ! -e "$LAB_RUN/gone" ] || return 1
	lab_cpus 1
	echo cont >&8
}

lab_qemu() {
	lab_cid=$1 lab_kernel=$3 lab_initrd=$4 lab_console=$5
	shift 5
	set -- "$@" -serial file:"$lab_console" -device virtio-serial-pci
	for lab_i in 1 2 3 4; do
		set -- "$@" -chardev pipe,id=ch$lab_i,path="$LAB_RUN/ch$lab_i" \
			-device virtserialport,chardev=ch$lab_i
	done
	{
		"$@" -accel kvm -cpu host -M pc -m "$LAB_GUEST_MEMORY" \
			-smp "$LAB_GUEST_CPUS" -nodefaults -display none \
			-no-reboot -pidfile "$LAB_RUN/qemu.pid" -S \
			-chardev pipe,id=mon,path="$LAB_RUN/mon" \
			-monitor chardev:mon \
			-kernel "$lab_kernel" -initrd "$lab_initrd" \
			-append "$LAB_CMDLINE" \
			-device vhost-vsock-pci,guest-cid="$lab_cid" \
			</dev/null >"$LAB_RUN/qemu.log" 2>&1
		lab_gone
	} &
	lab_qemu_job=$!
}

# QEMU has ended: whoever waits for an answer gets one. The FIFOs are opened
# for both directions, which never blocks.
lab_gone() {
	: >"$LAB_RUN/gone"
	echo 'VM status: gone' 1<>"$LAB_RUN/mon.out"
	for lab_i in 1 2 3 4; do
		printf '\n%s err\nthe guest is gone\n\n%s end 255\n' \
			"$LAB_MARK" "$LAB_MARK" 1<>"$LAB_RUN/ch$lab_i.out"
	done
}

# Waits for the guest's first line and puts the free channels out.
lab_ready() {
	# shellcheck disable=SC2016
	lab_line=$(timeout "$1" awk -v mark="$LAB_MARK" '
		$1 == mark { print; exit }
	' <"$LAB_RUN/ch1.out")
	case $lab_line in
	*" ready "*) ;;
	*) return 1 ;;
	esac
	# Words: mark, "ready", release, uptime, number of channels.
	# shellcheck disable=SC2086
	set -- $lab_line
	# shellcheck disable=SC2034 # host-init reports them
	GUEST_RELEASE=$3 GUEST_UPTIME=$4
	lab_i=0
	while [ "$lab_i" -lt "$5" ]; do
		lab_i=$((lab_i + 1))
		printf '%s\n' "$lab_i" >&9
	done
}

# The arguments as one string that a shell reads back as the same words.
lab_quoted() {
	for lab_word in "$@"; do
		case $lab_word in
		*\'*)
			printf '%s' "$lab_word" |
				sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/' /"
			;;
		*) printf "'%s' " "$lab_word" ;;
		esac
	done
}

# Prints one answer as it comes. A line feed is printed with the line after
# it, so that output without one at its end stays as it is.
lab_answer() {
	awk -v mark="$LAB_MARK" '
		$1 == mark && $2 == "err" { to = "/dev/stderr"; held = ""; next }
		$1 == mark && $2 == "end" { exit $3 }
		{
			if (to == "")
				printf "%s%s", held, $0
			else
				printf "%s%s", held, $0 >to
			fflush()
			held = "\n"
		}'
}

guest() {
	if [ -e "$LAB_RUN/gone" ]; then
		echo "the guest is gone" >&2
		return 255
	fi
	lab_text=$(lab_quoted "$@" | base64 -w 0)
	lab_ch=$(dd bs=2 count=1 <"$LAB_RUN/free" 2>/dev/null)
	printf '%s\n' "$lab_text" >"$LAB_RUN/ch$lab_ch.in"
	lab_answer <"$LAB_RUN/ch$lab_ch.out"
	lab_status=$?
	printf '%s\n' "$lab_ch" >"$LAB_RUN/free"
	return "$lab_status"
}

guest_bg() {
	lab_until=
	if [ "$1" = --until ]; then
		lab_until=$2
		shift 2
	fi
	GUEST_PID=$(guest lab-bg "$lab_until" "$@")
}

guest_log() {
	guest cat "/run/bg-${1:-$GUEST_PID}.log"
}

guest_kill() {
	guest kill "${1:-$GUEST_PID}"
}
