#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs what the tests need, builds, and runs all of them. Works on a copy
# of the sources, so the tree stays as it is. One line per step; the last line
# is "N passed, N failed", counting every check, and the exit status agrees.

set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
STEPS=(packages source gcc unit loop interop clang asan tsan install
	instructions bench static lab lint selftest distcheck)
# What --quick leaves out.
SLOW=(clang asan tsan lab selftest distcheck)

usage() {
	cat <<END
Usage: test_commands.sh [OPTIONS]

  --quick       one build, unit, loop and interoperability tests, lint
  --no-lab      leave the virtual machines out
  --only STEP   only this step, and the builds it needs; may be repeated
  --out DIR     where builds and logs go (default: a new folder)
  --help        this text

Steps: ${STEPS[*]}

  packages      install missing Debian packages (as root or with sudo)
  gcc, clang    builds outside the source tree, warnings are errors
  unit          unit tests (make check)
  loop          our client against our server over TCP
  interop       ours against the distribution's iperf3 in both roles
  asan, tsan    unit and loop tests with sanitizers
  install       make install with DESTDIR, both names
  instructions  instructions per block, see bench/instructions.sh
  bench         what the scripts in bench/ make of what was measured
  static, lab   the static program; AF_VSOCK between host and guest
  lint          the rules of the style page; selftest: each rule can fail
  distcheck     make distcheck
END
}

# --- options ----------------------------------------------------------------

only=() skipped=() out=
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage && exit 0 ;;
	--quick) skipped+=("${SLOW[@]}") ;;
	--no-lab) skipped+=(lab) ;;
	--only | --out)
		[ $# -ge 2 ] || {
			echo "test_commands.sh: $1 needs a value" >&2
			exit 2
		}
		if [ "$1" = --out ]; then out=$2; else only+=("$2"); fi
		shift
		;;
	*)
		echo "test_commands.sh: unknown option $1; see --help" >&2
		exit 2
		;;
	esac
	shift
done

among() {
	local word=$1 one
	shift

	for one in "$@"; do
		[ "$one" != "$word" ] || return 0
	done
	return 1
}

for step in ${only[@]+"${only[@]}"}; do
	among "$step" "${STEPS[@]}" || {
		echo "test_commands.sh: there is no step $step" >&2
		exit 2
	}
done
[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/iperf3-vsock-test.XXXXXX")
mkdir -p "$out/logs" || exit 2
out=$(cd "$out" && pwd -P)
JOBS=$(nproc)
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C
# mke2fs and depmod are not in everybody's PATH.
PATH=$PATH:/usr/sbin:/sbin

# --- packages ---------------------------------------------------------------

# Command or file, and the Debian package that brings it.
NEEDS=(autoreconf:autoconf automake:automake pkg-config:pkg-config gcc:gcc
	clang:clang make:make cpio:cpio xz:xz-utils file:file
	/usr/include/cjson/cJSON.h:libcjson-dev
	/usr/include/cmocka.h:libcmocka-dev
	/usr/include/openssl/evp.h:libssl-dev
	iperf3:iperf3 python3:python3 clang-format:clang-format
	clang-tidy:clang-tidy cppcheck:cppcheck shellcheck:shellcheck
	valgrind:valgrind ip:iproute2 setarch:util-linux mandoc:mandoc
	dpkg-source:dpkg-dev qemu-system-x86_64:qemu-system-x86
	busybox:busybox-static mke2fs:e2fsprogs depmod:kmod)

has() {
	case $1 in
	/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# clang's sanitizers are in a package with the version in its name.
clang_runtime() {
	local version

	version=$(apt-cache depends clang 2>/dev/null |
		sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
	[ -n "$version" ] && echo "libclang-rt-$version-dev"
}

missing() {
	local need runtime

	for need in "${NEEDS[@]}"; do
		has "${need%:*}" || echo "${need##*:}"
	done
	if ! has clang || ! [ -e "$(clang -print-runtime-dir 2>/dev/null)" ]; then
		runtime=$(clang_runtime) && echo "$runtime"
	fi
	[ -e /usr/share/seabios/bios-256k.bin ] ||
		[ -e /usr/share/qemu/bios-256k.bin ] || echo seabios
}

step_packages() {
	local packages as_root=()

	mapfile -t packages < <(missing)
	if [ ${#packages[@]} -eq 0 ]; then
		echo "nothing to install"
		return 0
	fi
	echo "missing: ${packages[*]}"
	if ! command -v apt-get >/dev/null; then
		echo "not a Debian-like system: install these by hand"
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || {
			echo "neither root nor sudo: install these by hand"
			return 1
		}
		as_root=(sudo)
	fi
	${as_root[@]+"${as_root[@]}"} apt-get -q update &&
		${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
			apt-get -q install -y --no-install-recommends \
			"${packages[@]}" || return 1
	# The package of clang's sanitizers is only known now.
	mapfile -t packages < <(missing)
	[ ${#packages[@]} -eq 0 ] ||
		${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
			apt-get -q install -y --no-install-recommends \
			"${packages[@]}"
}

# --- builds -----------------------------------------------------------------

# What git knows or would add; without git, everything.
source_files() {
	if git -C "$ROOT" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git -C "$ROOT" ls-files -z -co --exclude-standard
	else
		(cd "$ROOT" && find . -type f -print0)
	fi
}

step_source() {
	rm -rf "$out/source"
	mkdir -p "$out/source"
	(cd "$ROOT" && source_files |
		while IFS= read -r -d '' file; do
			[ ! -f "$file" ] || printf '%s\0' "$file"
		done | tar --null -T - -cf -) | tar -xf - -C "$out/source" || return
	cd "$out/source" && ./bootstrap.sh
}

# build NAME CONFIGURE_ARGS...: builds in $out/NAME.
build() {
	local folder=$out/$1
	shift

	rm -rf "$folder"
	mkdir -p "$folder" && cd "$folder" || return
	"$out/source/configure" --enable-werror "$@" && make -j"$JOBS"
}

step_gcc() {
	build gcc CC=gcc CFLAGS="-g -O2"
}

step_clang() {
	build clang CC=clang CFLAGS="-g -O2" && check clang
}

# Runs the unit tests of a build and shows what each program printed.
check() {
	local status log

	cd "$out/$1" || return
	make -j"$JOBS" check
	status=$?
	for log in tests/unit/*.log; do
		[ ! -f "$log" ] || cat "$log"
	done
	return "$status"
}

step_unit() {
	check gcc
}

# --- tests of the program ---------------------------------------------------

# The distribution's iperf3, which must not be ours.
peer() {
	local one

	for one in "$(command -v iperf3)" /usr/bin/iperf3; do
		[ -x "$one" ] || continue
		"$one" -v | grep -q iperf3-vsock || {
			echo "$one"
			return 0
		}
	done
	echo "there is no released iperf3 here" >&2
	return 1
}

loop() {
	local program=$1
	shift

	timeout 900 python3 "$ROOT/tests/loop/run.py" --program "$program" \
		--peer "$(peer)" "$@"
}

step_loop() {
	loop "$out/gcc/iperf3"
}

step_interop() {
	timeout 900 python3 "$ROOT/tests/interop/run.py" \
		--program "$out/gcc/iperf3" --peer "$(peer)"
}

# Findings go to files, so that a daemon's are seen as well.
no_findings() {
	local file found=0

	for file in "$1"/finding.*; do
		[ -f "$file" ] || continue
		cat "$file"
		found=1
	done
	return "$found"
}

step_asan() {
	local dir=$out/asan flags

	flags="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined"
	flags+=" -fno-sanitize-recover=undefined"
	build asan CC=clang CFLAGS="$flags" || return
	export ASAN_OPTIONS="log_path=$dir/finding:exitcode=99"
	export UBSAN_OPTIONS="log_path=$dir/finding:print_stacktrace=1"
	check asan && loop "$dir/iperf3" --core --slow 3
	local status=$?
	no_findings "$dir" && return "$status"
}

# ThreadSanitizer of this age does not know address layouts of new kernels.
without_aslr() {
	setarch -R true 2>/dev/null && echo "setarch -R"
}

step_tsan() {
	local dir=$out/tsan status
	local first_wait=$out/tsan-first-wait.o

	clang -c -o "$first_wait" "$out/source/tests/tsan/first_wait.c" &&
		build tsan CC=clang CFLAGS="-g -O1 -fsanitize=thread" \
			LIBS="$first_wait" || return
	export TSAN_OPTIONS="log_path=$dir/finding:exitcode=66"
	loop "$dir/iperf3" --core --slow 3 --wrap "$(without_aslr)"
	status=$?
	no_findings "$dir" && return "$status"
}

step_install() {
	local dir=$out/destdir name

	rm -rf "$dir"
	cd "$out/gcc" && make install DESTDIR="$dir" || return
	for name in iperf3 iperf3-vsock; do
		"$dir/usr/local/bin/$name" -v | grep iperf3-vsock || return
		[ -e "$dir/usr/local/share/man/man1/$name.1" ] || {
			echo "no manual page $name.1"
			return 1
		}
	done
	make uninstall DESTDIR="$dir" || return
	[ -z "$(find "$dir" -type f)" ] || {
		find "$dir" -type f
		echo "left behind by make uninstall"
		return 1
	}
}

# The bound is the project's own; docs/ has the figures of a full run.
step_instructions() {
	"$ROOT/bench/instructions.sh" --program "$out/gcc/iperf3" \
		--peer "$(peer)" --max 60 --small 4M --large 20M
}

step_bench() {
	"$ROOT/tests/bench/ratio_table.sh"
}

# --- lab --------------------------------------------------------------------

step_static() {
	local cjson=${XDG_CACHE_HOME:-$HOME/.cache}/iperf3-vsock-lab/cjson

	"$out/source/build-aux/static-cjson.sh" "$cjson" || return
	build static --enable-static-bin --without-openssl \
		PKG_CONFIG_PATH="$cjson/lib/pkgconfig" || return
	! ldd "$out/static/iperf3" >/dev/null 2>&1
}

step_lab() {
	"$ROOT/tests/lab/run.sh" --program "$out/static/iperf3" \
		--out "$out/lab"
}

# --- the tree itself --------------------------------------------------------

step_lint() {
	"$ROOT/tests/lint/run.sh" --program "$out/gcc/iperf3"
}

step_selftest() {
	"$ROOT/tests/lint/selftest.sh"
}

step_distcheck() {
	cd "$out/gcc" && make distcheck
}

# --- running them -----------------------------------------------------------

passed=0 failed=0
declare -A result=()

# Adds up what a log tells: our runners' last lines, cmocka's results.
count_log() {
	awk '
		/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
		/^\[  PASSED  \] [0-9]+ test/ { p += $4 }
		/^\[  FAILED  \] [0-9]+ test/ { f += $4 }
		END { print p + 0, f + 0 }
	' "$1"
}

# What a step needs before it.
before() {
	case $1 in
	unit | loop | interop | install | instructions | lint | distcheck)
		echo gcc ;;
	gcc | clang | asan | tsan | static) echo source ;;
	lab) echo static ;;
	esac
}

# The lines of a failed step that say why, then its end.
show() {
	grep -n '^not ok \|^\[  FAILED  \]\| error: ' "$1" | head -n 40
	echo "... the end of $1:"
	tail -n 30 "$1"
}

run_step() {
	local name=$1 log=$out/logs/$1.log need began=$SECONDS p f

	[ -z "${result[$name]:-}" ] || return 0
	need=$(before "$name")
	[ -z "$need" ] || run_step "$need"
	if [ -n "$need" ] && [ "${result[$need]}" != ok ]; then
		result[$name]=failed
		failed=$((failed + 1))
		echo "not ok $name: it needs the step $need"
		return
	fi
	if (set -o pipefail && "step_$name") >"$log" 2>&1 </dev/null; then
		result[$name]=ok
	else
		result[$name]=failed
	fi
	read -r p f < <(count_log "$log")
	# A step is one check if nothing in it was counted.
	if [ "${result[$name]}" = ok ]; then
		[ $((p + f)) -gt 0 ] || p=1
	else
		[ "$f" -gt 0 ] || f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	if [ "${result[$name]}" = ok ] && [ "$f" -eq 0 ]; then
		echo "ok $name ($((SECONDS - began)) s, passed: $p)"
		[ "$name" != instructions ] || sed 's/^/   /' "$log"
	else
		show "$log" | sed 's/^/   /'
		echo "not ok $name ($p passed, $f failed," \
			"$((SECONDS - began)) s): $log"
	fi
}

chosen=("${STEPS[@]}")
[ ${#only[@]} -eq 0 ] || chosen=("${only[@]}")
for step in "${chosen[@]}"; do
	if [ ${#skipped[@]} -gt 0 ] && among "$step" "${skipped[@]}"; then
		echo "skip $step"
		continue
	fi
	run_step "$step"
done
echo "builds and logs: $out ($SECONDS s)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
