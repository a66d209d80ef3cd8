#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a job on a vsock host with a vsock guest, on any x86-64 Linux machine.
#
# Where this machine has a working /dev/kvm and vhost_vsock it is the host
# itself and boots one guest (native.sh). Everywhere else a machine emulated
# in software plays the host, and its own QEMU boots the guest. README.md has
# the picture. This file reads the options, prepares the images (kernels.sh,
# image.sh) and follows the run by its events (run.sh).

set -u
LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
LAB_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/iperf3-vsock-lab
# mke2fs and depmod are not in everybody's PATH.
PATH=$PATH:/usr/sbin:/sbin

usage() {
	cat <<'END'
Usage: lab.sh [OPTIONS] JOB.sh [ARGS...]
       lab.sh --install

Runs JOB.sh, a busybox sh script, as root on a vsock host whose guest is up.
Its output and exit status become those of lab.sh. In the job:

  guest CMD ARGS...            run CMD in the guest
  guest_bg [--until TEXT] CMD  start CMD there; wait until it prints TEXT
  guest_log, guest_kill        read the output of that command; end it
  $GUEST_CID, $RESULTS         the guest's CID; a folder that is kept

Options:
  --add FILE[:NAME]     put a program into the PATH of host and guest
  --loopback            no guest: one VM with vsock_loopback (CID 1), quicker
  --debian SERIES       Debian's cloud kernel, 6.12 (default) or 6.1;
                        --host-debian and --guest-debian for one of the two
  --kernel IMAGE        a kernel of your own (bzImage) for host and guest;
                        --host-kernel and --guest-kernel for one of the two
  --modules DIR         its modules, as 'make modules_install' left them;
                        --host-modules, --guest-modules
  --module NAME         load one more module on both sides
  --jobs-env K=V        a variable for the job
  --out DIR             where logs and results go (default: a new folder)
  --timeout SECONDS     time limit of the job itself (default 600)
  --cpus N              CPUs of the emulated host (default 2)
  --guest-cpus N        CPUs of the guest (default 1)
  --emulate             two emulated machines even where KVM works
  --strict              fail if a kernel log has a warning, bug or stall
  --install             install the Debian packages the lab needs, then stop
  --help                this text

Exit status: the job's; 123 the job failed and the emulated guest had died, 124
job over its time limit, 125 the lab itself failed (the reason is on stderr),
126 --strict found something.
END
}

say() {
	printf 'lab: %s\n' "$*" >&2
}

fail() {
	say "$@"
	exit 125
}

# shellcheck source=/dev/null
. "$LAB_DIR/kernels.sh"
# shellcheck source=/dev/null
. "$LAB_DIR/image.sh"
# shellcheck source=/dev/null
. "$LAB_DIR/run.sh"
# shellcheck source=/dev/null
. "$LAB_DIR/native.sh"

# --- packages ---------------------------------------------------------------

# Program to look for, and the Debian package that brings it.
NEEDS=(qemu-system-x86_64:qemu-system-x86 busybox:busybox-static
	mke2fs:e2fsprogs cpio:cpio xz:xz-utils depmod:kmod dpkg:dpkg
	flock:util-linux zstd:zstd lz4:lz4)

missing_packages() {
	local need

	for need in "${NEEDS[@]}"; do
		command -v "${need%%:*}" >/dev/null ||
			printf '%s\n' "${need#*:}"
	done
	[ -e /usr/share/seabios/bios-256k.bin ] ||
		[ -e /usr/share/qemu/bios-256k.bin ] || echo seabios
	# A busybox with a loader would need libraries inside the machines.
	if command -v busybox >/dev/null &&
		ldd "$(command -v busybox)" >/dev/null 2>&1; then
		echo busybox-static
	fi
}

install_packages() {
	local packages as_root=()

	mapfile -t packages < <(missing_packages)
	if [ ${#packages[@]} -eq 0 ]; then
		say "nothing to install"
		return
	fi
	command -v apt-get >/dev/null ||
		fail "not a Debian-like system; install: ${packages[*]}"
	[ "$(id -u)" -eq 0 ] || as_root=(sudo)
	if ! "${as_root[@]}" apt-get -q update >&2 ||
		! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
			-q install -y --no-install-recommends \
			"${packages[@]}" >&2; then
		fail "apt-get could not install: ${packages[*]}"
	fi
}

check_packages() {
	local packages

	mapfile -t packages < <(missing_packages)
	[ ${#packages[@]} -eq 0 ] ||
		fail "missing packages: ${packages[*]};" \
			"'$0 --install' installs them"
}

# --- options ----------------------------------------------------------------

declare -A opt=([mode]=pair [host-debian]=6.12 [guest-debian]=6.12
	[host-kernel]='' [guest-kernel]='' [host-modules]=''
	[guest-modules]='' [out]='' [timeout]=600 [cpus]=2 [guest-cpus]=1
	[emulate]='' [strict]='')
added=()
extra_modules=()
job_env=()
job=()

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--help | -h) usage && exit 0 ;;
		--install) install_packages && exit 0 ;;
		--loopback) opt[mode]=loopback ;;
		--emulate | --strict) opt[${1#--}]=yes ;;
		--) shift && break ;;
		-*)
			[ $# -ge 2 ] || fail "$1 needs a value"
			parse_value "$1" "$2"
			shift
			;;
		*) break ;;
		esac
		shift
	done
	job=("$@")
	[ $# -gt 0 ] || fail "no job given; see --help"
	[ -r "$1" ] || fail "cannot read the job $1"
}

parse_value() {
	case $1 in
	--add) added+=("$2") ;;
	--module) extra_modules+=("$2") ;;
	--jobs-env | --env) job_env+=("$2") ;;
	--kernel | --modules | --debian)
		opt[host-${1#--}]=$2
		opt[guest-${1#--}]=$2
		;;
	--host-kernel | --guest-kernel | --host-modules | --guest-modules | \
		--host-debian | --guest-debian | --out | --timeout | --cpus | \
		--guest-cpus) opt[${1#--}]=$2 ;;
	*) fail "unknown option $1; see --help" ;;
	esac
}

# Turns a side's options into an image and the folder of its modules.
resolve_kernel() {
	local side=$1 root release

	if [ -z "${opt[$side-kernel]}" ]; then
		root=$(kernel_debian "${opt[$side-debian]}") || exit 125
		opt[$side-kernel]=$(kernel_image_of "$root") || exit 125
		opt[$side-modules]=$root
	fi
	[ -r "${opt[$side-kernel]}" ] ||
		fail "cannot read the kernel ${opt[$side-kernel]}"
	release=$(kernel_release "${opt[$side-kernel]}")
	[ -n "${opt[$side-modules]}" ] || return 0
	opt[$side-modules]=$(modules_of "${opt[$side-modules]}" "$release") ||
		exit 125
	[ -z "$release" ] ||
		[ "$(basename "${opt[$side-modules]}")" = "$release" ] ||
		fail "the $side kernel is $release, its modules are of" \
			"$(basename "${opt[$side-modules]}")"
}

# --- preparation ------------------------------------------------------------

prepare() {
	local names

	image_added "${added[@]}" || fail "cannot read an --add file"
	if [ "${opt[mode]}" != loopback ]; then
		resolve_kernel guest
		names=("${GUEST_MODULES[@]}" "${extra_modules[@]}")
		opt[guest-base]=$(image_base guest "${opt[guest-kernel]}" \
			"${opt[guest-modules]}" "${names[@]}") ||
			fail "cannot build the guest's image"
		opt[guest-boot]=$(kernel_unpacked "${opt[guest-kernel]}")
	fi
}

# What only the emulated host needs.
prepare_host() {
	local names=("${HOST_MODULES[@]}" "${extra_modules[@]}")

	resolve_kernel host
	[ "${opt[mode]}" = loopback ] || names+=("${PAIR_MODULES[@]}")
	opt[host-base]=$(image_base host "${opt[host-kernel]}" \
		"${opt[host-modules]}" "${names[@]}") ||
		fail "cannot build the host's image"
	opt[host-boot]=$(kernel_unpacked "${opt[host-kernel]}")
	[ "${opt[mode]}" = loopback ] && return
	opt[payload]=$(image_guest_payload "${opt[guest-boot]}" \
		"${opt[guest-base]}") || fail "cannot pack the guest's image"
	opt[tools]=$(image_tools) || fail "cannot build the disk with QEMU"
}

# Level 5 shows warnings and worse on the console. The second set is for
# emulated machines: their clocks are what they are, and mitigations protect
# nobody. The guest's XSAVE state does not add up there (a kernel warning).
CMDLINE='console=ttyS0 loglevel=5 panic=-1'
EMULATED_CMDLINE="$CMDLINE nokaslr tsc=reliable mitigations=off"
# shellcheck disable=SC2034 # run.sh uses it
HOST_CMDLINE="$EMULATED_CMDLINE maxcpus=1"

# Settings of both sides, as the shell reads them; $1 is native or emulated.
write_env() {
	local pair cpus=later

	if [ "$1" = native ]; then
		GUEST_CMDLINE=$CMDLINE cpus=all
	else
		GUEST_CMDLINE="$EMULATED_CMDLINE noxsave"
	fi
	for pair in LAB_MODE="${opt[mode]}" \
		LAB_CMDLINE="$GUEST_CMDLINE" LAB_CPUS="$cpus" \
		LAB_JOB_LIMIT="${opt[timeout]}" \
		LAB_GUEST_LIMIT="${LAB_GUEST_LIMIT:-120}" \
		LAB_GUEST_MEMORY=256M LAB_GUEST_CPUS="${opt[guest-cpus]}" \
		"${job_env[@]}"; do
		printf 'export %s=%s\n' "${pair%%=*}" \
			"$(quoted "${pair#*=}" | cut -c2-)"
	done >"$LAB_WORK/env"
}

main() {
	parse "$@"
	check_packages
	LAB_WORK=$(mktemp -d "${TMPDIR:-/tmp}/lab-work.XXXXXX") || exit 125
	trap clean_up EXIT
	trap 'exit 130' INT TERM HUP
	[ -n "${opt[out]}" ] ||
		opt[out]=$(mktemp -d "${TMPDIR:-/tmp}/lab-out.XXXXXX")
	mkdir -p "${opt[out]}" || exit 125
	mkdir -p "$LAB_CACHE/images"
	# One run at a time fills the cache; others wait and find it full.
	exec 8>"$LAB_CACHE/lock"
	flock 8
	prepare
	if [ -z "${opt[emulate]}" ] && native_possible; then
		write_env native
		native_run "${job[@]}"
		say "no guest under /dev/kvm here; emulating"
	fi
	prepare_host
	write_env emulated
	exec 8>&-
	emulated_run "${job[@]}"
}

main "$@"
