#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Userspace instructions per block of 1 KiB, sending and receiving, unpaced
# TCP on this machine, ours beside a released iperf3 in the same run.
#
# callgrind counts the instructions of all threads of a client. A run with a
# small -n is subtracted from one with a large -n, so that start, end and
# output fall out; what is left is divided by the KiB between the two.

set -u

program='' peer='' max='' small=8M large=40M block=1K
usage() {
	cat <<'END'
Usage: instructions.sh --program FILE [OPTIONS]

  --program FILE  our iperf3
  --peer FILE     a released iperf3 to measure in the same run; "" for none
                  (default: the one in PATH, if it is not ours)
  --max N         fail if ours needs more than N per KiB in either direction
  --small SIZE    -n of the run that is subtracted (default 8M)
  --large SIZE    -n of the other run (default 40M)
  --block SIZE    -l of all runs (default 1K)
  --help          this text

Receiving with a released 3.12 depends on how much the sender has queued;
its figure varies by some percent from run to run.
END
}

fail() {
	echo "instructions.sh: $*" >&2
	exit 2
}

is_ours() {
	"$1" -v 2>/dev/null | grep -q iperf3-vsock
}

peer=$(command -v iperf3)
[ -z "$peer" ] || ! is_ours "$peer" || peer=
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage && exit 0 ;;
	--program | --peer | --max | --small | --large | --block)
		[ $# -ge 2 ] || fail "$1 needs a value"
		printf -v "${1#--}" '%s' "$2"
		shift
		;;
	*) fail "unknown option $1; see --help" ;;
	esac
	shift
done
[ -x "$program" ] || fail "--program must name our iperf3"
command -v valgrind >/dev/null || fail "valgrind is not installed"

work=$(mktemp -d)
server=
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Starts a one-off server on a port of the kernel's choice; sets $port. A
# port that is taken shows in a server that ends without its banner.
start_server() {
	local line try

	for try in 1 2 3 4 5; do
		port=$((20000 + (RANDOM + try) % 12000))
		exec {said}< <(exec "$1" -s -1 -p "$port" --forceflush 2>&1)
		server=$!
		while read -r -t 20 -u "$said" line; do
			[[ $line != "Server listening"* ]] || return 0
		done
		exec {said}<&-
	done
	fail "$1 -s does not start"
}

# The server's output is read to its end, else it could block on a full pipe.
end_server() {
	cat <&"$said" >/dev/null
	exec {said}<&-
	server=
}

# count PROGRAM SIZE ARGS...: prints instructions and bytes of a client. Runs
# in a subshell, whose own trap ends the server of a run that failed.
count() {
	local what=$1 size=$2
	shift 2

	trap '[ -z "$server" ] || kill "$server" 2>/dev/null' EXIT
	start_server "$what"
	valgrind --tool=callgrind --callgrind-out-file="$work/out" \
		"$what" -c 127.0.0.1 -p "$port" -n "$size" -l "$block" -i 0 \
		-J "$@" >"$work/json" 2>"$work/valgrind" || {
		cat "$work/valgrind" "$work/json" >&2
		fail "a run of $what failed"
	}
	end_server
	awk '/^(summary|totals):/ { n = $2 } END { printf "%.0f ", n }' \
		"$work/out"
	awk -v key="$([ $# -gt 0 ] && echo sum_received || echo sum_sent)" '
		index($0, "\"" key "\"") { here = 1 }
		here && /"bytes"/ { gsub(/[^0-9]/, ""); print; exit }
	' "$work/json"
}

# per_kib PROGRAM ARGS...: prints the difference of two runs.
per_kib() {
	local what=$1 a b
	shift

	a=$(count "$what" "$small" "$@") || exit 2
	b=$(count "$what" "$large" "$@") || exit 2
	awk -v a="$a" -v b="$b" 'BEGIN {
		split(a, x, " ")
		split(b, y, " ")
		if (y[2] <= x[2]) exit 1
		printf "%.1f\n", (y[1] - x[1]) / ((y[2] - x[2]) / 1024)
	}' || fail "the two runs of $what moved the same number of bytes"
}

row() {
	local name

	name=$("$1" -v | head -n 1 | sed 's/ (cJSON.*//')
	printf '%-34s %8s %8s\n' "$name" "$2" "$3"
}

printf '%-34s %8s %8s\n' "instructions per KiB, -l $block" send receive
if [ -n "$peer" ]; then
	send=$(per_kib "$peer") && receive=$(per_kib "$peer" -R) || exit 2
	row "$peer" "$send" "$receive"
fi
send=$(per_kib "$program") && receive=$(per_kib "$program" -R) || exit 2
row "$program" "$send" "$receive"
[ -n "$max" ] || exit 0
awk -v s="$send" -v r="$receive" -v m="$max" 'BEGIN {
	exit s > m || r > m
}' || {
	echo "more than $max" >&2
	exit 1
}
