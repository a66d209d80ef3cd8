#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The table this program is for, with one command, on any x86-64 Linux
# machine: builds the static program, boots a host and a guest (lab/), runs
# the server in the guest and a sweep over block sizes from the host, prints
# the table, and keeps the JSON document of the same run.

set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(dirname "$here")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/iperf3-vsock-lab
sizes=1K,2K,4K,8K,16K,32K,64K,128K,256K,512K
seconds=3
program=
out=
lab_options=()
ATTEMPTS=3
GUEST_DIED=123 # how lab.sh says so
# What a run leaves in $out.
LEFT=(job.log host-console.log guest-console.log host-dmesg.log
	guest-dmesg.log qemu.log lab.json server.log table.txt sweep.json)

usage() {
	cat <<'END'
Usage: host-guest-table.sh [OPTIONS] [-- LAB-OPTIONS]

Options:
  --sizes LIST      block sizes (default 1K,2K,4K,...,512K)
  --time SECONDS    length of one run (default 3)
  --program BIN     a static program to use instead of building one
  --kernel IMAGE    a kernel of your own (bzImage) for host and guest
  --modules DIR     its modules, as 'make modules_install' left them
  --debian SERIES   Debian's cloud kernel 6.12 (default) or 6.1
  --out DIR         where sweep.json, table.txt and the logs go
                    (default: a new folder)
  --help            this text
  -- LAB-OPTIONS    more options for lab/lab.sh

Missing Debian packages are installed with apt-get, through sudo unless this
is root. Where the guest is emulated and dies, as it does now and then, its logs
are put aside and all is done again, three times at most. Kernels and libraries are kept in ~/.cache/iperf3-vsock-lab, and a
second run needs no network.
END
}

say() {
	printf '%s\n' "host-guest-table: $*" >&2
}

fail() {
	say "$@"
	exit 2
}

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--help | -h) usage && exit 0 ;;
		--) shift && break ;;
		-*)
			[ $# -ge 2 ] || fail "$1 needs a value"
			parse_value "$1" "$2"
			shift
			;;
		*) fail "what is $1? see --help" ;;
		esac
		shift
	done
	lab_options+=("$@")
	[[ $sizes =~ ^[0-9]+[KMG]?(,[0-9]+[KMG]?)*$ ]] ||
		fail "bad --sizes $sizes"
	[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "bad --time $seconds"
	[ -z "$program" ] || [ -x "$program" ] ||
		fail "$program is not an executable"
}

parse_value() {
	case $1 in
	--sizes) sizes=$2 ;;
	--time) seconds=$2 ;;
	--program) program=$2 ;;
	--out) out=$2 ;;
	--kernel | --modules | --debian) lab_options+=("$1" "$2") ;;
	*) fail "unknown option $1; see --help" ;;
	esac
}

# Command to look for, and the Debian package that brings it.
install_build_packages() {
	local need missing=() as_root=()

	for need in gcc:gcc make:make autoreconf:autoconf automake:automake \
		pkg-config:pkg-config dpkg-source:dpkg-dev; do
		command -v "${need%%:*}" >/dev/null || missing+=("${need#*:}")
	done
	[ -e /usr/include/stdlib.h ] || missing+=(libc6-dev)
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || fail "please install: ${missing[*]}"
	[ "$(id -u)" -eq 0 ] || as_root=(sudo)
	say "installing ${missing[*]}"
	"${as_root[@]}" apt-get -q update >&2
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q \
		install -y --no-install-recommends "${missing[@]}" >&2
}

# What the program is made of; a build is kept under the key of its content.
source_key() {
	(cd "$top" && find . \( -name '*.[ch]' -o -name '*.am' \
		-o -name '*.ac' \) -print0 | LC_ALL=C sort -z |
		xargs -0 sha256sum) | sha256sum | cut -c1-16
}

# Builds in a copy: the source folder is left alone, whether somebody has
# configured it in place or cannot write there.
build_program() {
	local done=$1

	install_build_packages
	"$top/build-aux/static-cjson.sh" "$cache/cjson"
	work=$(mktemp -d "$cache/build/.new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/source" "$work/build"
	tar -C "$top" -cf - --exclude=./.git --exclude='*.[oa]' \
		--exclude=config.status --exclude=./Makefile \
		--exclude=./iperf3 . | tar -C "$work/source" -xf -
	"$work/source/bootstrap.sh"
	cd "$work/build"
	"$work/source/configure" --enable-static-bin --without-openssl \
		PKG_CONFIG_PATH="$cache/cjson/lib/pkgconfig"
	make -j "$(nproc)" iperf3
	mv iperf3 "$done"
}

# Sets $program, to an earlier build of the same sources if there is one.
find_program() {
	program=$cache/build/iperf3-$(source_key)
	[ ! -x "$program" ] || return 0
	say "building the program"
	mkdir -p "$cache/build"
	# A process of its own: inside a condition set -e would not work.
	bash -euo pipefail "${BASH_SOURCE[0]}" --build "$program" \
		>"$out/build.log" 2>&1 || {
		tail -n 30 "$out/build.log" >&2
		fail "the build failed; its log is $out/build.log"
	}
}

# Each size takes its seconds in both directions, and some to start.
time_limit() {
	local list

	IFS=, read -r -a list <<<"$sizes"
	echo $((${#list[@]} * 2 * (seconds + 5) + 60))
}

# Runs the sweep in the lab once. An emulated guest dies now and then; what
# it left goes into a folder of its own, for a kernel that dies each time.
run_once() {
	local status=0 file

	"$here/lab/lab.sh" --add "$program:iperf3" --out "$out" \
		--timeout "$(time_limit)" "${lab_options[@]}" \
		"$here/lab/jobs/sweep.sh" "$sizes" "$seconds" >&2 || status=$?
	[ "$status" -eq "$GUEST_DIED" ] || return "$status"
	mkdir -p "$out/died-$1"
	for file in "${LEFT[@]}"; do
		[ ! -e "$out/$file" ] || mv "$out/$file" "$out/died-$1"
	done
	say "the guest died (attempt $1 of $ATTEMPTS): $out/died-$1"
	return "$status"
}

main() {
	local status attempt

	parse "$@"
	[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/host-guest.XXXXXX")
	mkdir -p "$out"
	if [ -z "$program" ]; then
		find_program
	fi
	"$here/lab/lab.sh" --install
	for attempt in $(seq "$ATTEMPTS"); do
		status=0
		run_once "$attempt" || status=$?
		[ "$status" -eq "$GUEST_DIED" ] || break
	done
	[ "$status" -ne "$GUEST_DIED" ] || fail "the guest died each time"
	[ ! -s "$out/table.txt" ] || cat "$out/table.txt"
	say "JSON: $out/sweep.json, table: $out/table.txt"
	return "$status"
}

if [ "${1:-}" = --build ]; then
	build_program "$2"
else
	main "$@"
fi
