# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The short way, where this machine can be the host itself: one guest under
# KVM, and the job runs here. Sourced by lab.sh.

# shellcheck disable=SC2034,SC2154 # lab.sh and run.sh share the variables

# /dev/kvm being there proves nothing: native_run boots the guest and falls
# back to emulation if that does not work.
native_possible() {
	[ "${opt[mode]}" = pair ] || return 1
	[ -w /dev/kvm ] || return 1
	[ -e /dev/vhost-vsock ] || modprobe vhost_vsock 2>/dev/null
	[ -w /dev/vhost-vsock ] || return 1
	# The host's kernel is this machine's; asking for another one is
	# asking for emulation.
	[ "${opt[host-kernel]}" = "${opt[guest-kernel]}" ] &&
		[ -n "${opt[host-kernel]}" ] && return 1
	return 0
}

# Does not return once the guest is up and the job has run.
native_run() {
	local work=$LAB_WORK

	mkdir -p "$work/run" "$work/results"
	cat "${opt[guest-base]}" "$work/added.cpio" >"$work/initrd"
	started=$(date +%s.%N)
	export LAB_DIR
	# The CID must be free on a machine with other guests.
	LAB_RUN=$work/run RESULTS=$work/results \
		busybox sh "$LAB_DIR/native-host" "$((0x10000 + $$))" \
		"${opt[guest-boot]}" "$work" "$(realpath "${opt[out]}")" \
		"$(realpath "$1")" "${@:2}" | tee "${opt[out]}/job.log"
	status=${PIPESTATUS[0]}
	[ ! -e "$work/run/unbootable" ] || return 0
	cp -R "$work/results/." "${opt[out]}/"
	fact[host_release]=$(uname -r)
	read -r 'fact[guest_release]' 'fact[guest_uptime]' <"$work/guest"
	finish native
}
