#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the lab tests: AF_VSOCK between two real kernels (pair.sh) and inside
# one (loopback.sh), with one static program. Builds nothing.

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
LAB=$HERE/../../examples/lab/lab.sh

usage() {
	cat <<'END'
Usage: run.sh --program STATIC_PROGRAM [OPTIONS]

  --program FILE   the program, built with --enable-static-bin
  --only JOB       pair or loopback (default: both)
  --out DIR        where logs and results go (default: a new folder)
  --debian SERIES  Debian's kernel series for the lab, see lab.sh
  --help           this text

Prints "ok NAME" or "not ok NAME: why" per check and "N passed, N failed".
END
}

program='' out='' jobs=(loopback pair) lab_options=()

while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage && exit 0 ;;
	--program | --only | --out | --debian)
		[ $# -ge 2 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
		case $1 in
		--program) program=$2 ;;
		--only) jobs=("$2") ;;
		--out) out=$2 ;;
		--debian) lab_options+=(--debian "$2") ;;
		esac
		shift
		;;
	*) echo "run.sh: unknown option $1; see --help" >&2; exit 2 ;;
	esac
	shift
done
if [ ! -x "$program" ]; then
	echo "run.sh: --program must name the static program" >&2
	exit 2
fi
if ldd "$program" >/dev/null 2>&1; then
	echo "run.sh: $program needs libraries; build a static one with" \
		"--enable-static-bin" >&2
	exit 2
fi
[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/lab-tests.XXXXXX")
mkdir -p "$out" || exit 2
# Verdicts of an earlier run would be counted as this one's.
rm -f "$out"/*.verdicts

# The job is one file: what both share, then its own lines.
run_once() {
	local job=$1 options=(--strict --timeout 900)

	[ "$job" != loopback ] || options+=(--loopback)
	rm -rf "${out:?}/$job"
	mkdir -p "$out/$job"
	cat "$HERE/lib.sh" "$HERE/$job.sh" >"$out/$job/job.sh"
	"$LAB" "${options[@]}" "${lab_options[@]}" \
		--add "$program:iperf3" --out "$out/$job" "$out/$job/job.sh" \
		>"$out/$job/lab.log" 2>&1
}

# An emulated guest dies now and then, whatever runs in it: one more attempt,
# and the logs of the first are kept.
run_job() {
	local job=$1 status

	run_once "$job"
	status=$?
	if [ "$status" -eq 123 ]; then
		rm -rf "${out:?}/$job-died"
		mv "$out/$job" "$out/$job-died"
		echo "lab $job: the guest died, once more; see $out/$job-died"
		run_once "$job"
		status=$?
	fi
	cat "$out/$job/lab.log"
	if [ "$status" -eq 0 ] && [ -s "$out/$job/checks" ]; then
		echo "ok lab $job: the job ended and no kernel complained"
	else
		echo "not ok lab $job: lab.sh ended with status $status"
	fi
	[ ! -s "$out/$job/checks" ] || "$HERE/check.py" "$out/$job"
}

for job in "${jobs[@]}"; do
	[ -r "$HERE/$job.sh" ] || {
		echo "run.sh: there is no job $job" >&2
		exit 2
	}
	run_job "$job" | tr -d '\r' | tee "$out/$job.verdicts"
done
passed=$(cat "$out"/*.verdicts | grep -c '^ok ')
failed=$(cat "$out"/*.verdicts | grep -c '^not ok ')
echo "logs and results: $out"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
