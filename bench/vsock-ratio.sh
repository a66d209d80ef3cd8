#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How much of the kernel's vsock throughput the program gets: a bare send()
# and recv() loop and the program take turns between the lab's host and
# guest, for each block size and direction. Turns, because the speed of an
# emulated machine drifts; the ratio of two neighbours does not. The median
# of these ratios is the answer.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
sizes=1K,2K,4K,8K,16K,32K,64K,128K,256K,512K
pairs=5
seconds=2
program=
out=
raw=

usage() {
	cat <<'END'
Usage: vsock-ratio.sh --program BIN [OPTIONS] [-- LAB-OPTIONS]
       vsock-ratio.sh --raw FILE

Options:
  --program BIN     a static program with iperf3's options: --vsock, -s, -c,
                    -p, -l, -t, -J, -R, --forceflush
  --sizes LIST      block sizes (default 1K,2K,4K,...,512K)
  --pairs N         alternations for each size and direction (default 5)
  --time SECONDS    length of one run (default 2)
  --out DIR         keep logs, raw results, ratio.txt and ratio.json there
                    (default: a new folder)
  --raw FILE        run nothing: the table from the raw.txt of another run
  --help            this text
  -- LAB-OPTIONS    for examples/lab/lab.sh, for example --debian 6.1

Prints a table: size, direction, median of the bare loop and of the program
in Mbit/s, median of the ratio within pairs; "-" where no pair is whole. Exit
status 1 if a run failed, 2 if the lab did or an option is wrong.
In emulation single ratios scatter from half to double and the median of nine
by a tenth: for an answer within a few percent take 25 pairs or more.
END
}

fail() {
	printf 'vsock-ratio: %s\n' "$*" >&2
	exit 2
}

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--help | -h) usage && exit 0 ;;
		--) shift && break ;;
		--program | --sizes | --pairs | --time | --out | --raw)
			[ $# -ge 2 ] || fail "$1 needs a value"
			set_option "${1#--}" "$2"
			shift
			;;
		*) fail "unknown option $1; see --help" ;;
		esac
		shift
	done
	lab_options=("$@")
	if [ -n "$raw" ]; then
		[ -r "$raw" ] || fail "cannot read $raw"
		return
	fi
	[ -x "$program" ] || fail "--program must name an executable"
	[[ $sizes =~ ^[0-9]+[KM]?(,[0-9]+[KM]?)*$ ]] ||
		fail "bad --sizes $sizes"
	[[ $pairs$seconds =~ ^[1-9][0-9]*$ ]] || fail "bad --pairs or --time"
}

set_option() {
	case $1 in
	program) program=$2 ;;
	sizes) sizes=$2 ;;
	pairs) pairs=$2 ;;
	time) seconds=$2 ;;
	out) out=$2 ;;
	raw) raw=$2 ;;
	esac
}

# Raw lines in, the table's lines out, in the order of the runs: size,
# direction, pairs, failed runs, both medians, the median ratio, the ratios.
statistics() {
	awk '
	function median(list, n,    i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
				t = list[j]
				list[j] = list[j - 1]
				list[j - 1] = t
			}
		if (n == 0)
			return 0
		return n % 2 ? list[(n + 1) / 2] : \
			(list[n / 2] + list[n / 2 + 1]) / 2
	}
	NF != 4 || ($3 != "bare" && $3 != "program") { next }
	!(($1, $2) in n) { row[++rows] = $1 SUBSEP $2; n[$1, $2] = 0 }
	# Either of a pair comes first; the second one completes it.
	{ value[$3] = $4; bad[$1, $2] += $4 == "failed" }
	++seen % 2 { next }
	# Numbers, not words: "failed" is greater than "0".
	value["bare"] + 0 > 0 && value["program"] + 0 > 0 {
		i = ++n[$1, $2]
		bare[$1, $2, i] = value["bare"]
		ours[$1, $2, i] = value["program"]
	}
	END {
		for (r = 1; r <= rows; r++) {
			key = row[r]; split(key, part, SUBSEP); all = ""
			for (i = 1; i <= n[key]; i++) {
				b[i] = bare[key, i] + 0
				o[i] = ours[key, i] + 0
				q[i] = o[i] / b[i]
				all = all sprintf(",%.4f", q[i])
			}
			printf "%s %s %d %d %.0f %.0f %.4f %s\n", part[1],
				part[2], n[key], bad[key], median(b, n[key]),
				median(o, n[key]), median(q, n[key]),
				all == "" ? "," : all
		}
	}'
}

table() {
	awk '
	BEGIN {
		form = "%-6s %-14s %10s %10s %7s %6s %6s\n"
		printf form, "size", "direction", "bare", "program",
			"ratio", "pairs", "failed"
		printf form, "", "", "Mbit/s", "Mbit/s", "median", "", ""
	}
	function figure(form, value) {
		return has_pairs ? sprintf(form, value) : "-"
	}
	{
		has_pairs = $3 > 0
		printf form, $1, $2, figure("%.1f", $5 / 1e6),
			figure("%.1f", $6 / 1e6), figure("%.3f", $7), $3, $4
	}'
}

json() {
	printf '{\n"lab": '
	cat "$out/lab.json"
	printf ',\n"seconds": %s,\n"rows": [' "$seconds"
	awk '
	function figure(value) {
		return $3 > 0 ? value : "null"
	}
	{
		printf "%s\n{\"size\": \"%s\", \"direction\": \"%s\", ", \
			(NR > 1 ? "," : ""), $1, $2
		printf "\"pairs\": %d, \"failed\": %d, ", $3, $4
		printf "\"bare_bits_per_second\": %s, ", figure($5)
		printf "\"program_bits_per_second\": %s, ", figure($6)
		printf "\"ratio\": %s, \"ratios\": [%s]}", figure($7), \
			substr($8, 2)
	}'
	printf '\n]\n}\n'
}

# A run takes its time and about a second for its start in emulation.
run_lab() {
	local list=${sizes//,/ } count

	# shellcheck disable=SC2086 # a list of words
	set -- $list
	count=$(($# * pairs * 4))
	"$here/../examples/lab/lab.sh" --out "$out" \
		--add "$work/bare_loop" --add "$program:iperf3" \
		--timeout $((count * (seconds + 3) + 60)) \
		"${lab_options[@]}" "$here/vsock-ratio-job.sh" \
		iperf3 "$seconds" "$pairs" "$@"
}

# The table of raw lines, with the rows of the statistics in $work/rows.
report() {
	statistics <"$1" >"$work/rows"
	table <"$work/rows"
}

has_no_failure() {
	awk '$4 > 0 { bad = 1 } END { exit bad }' "$work/rows"
}

main() {
	local status

	parse "$@"
	work=$(mktemp -d "${TMPDIR:-/tmp}/vsock-ratio.XXXXXX") || exit 2
	trap 'rm -rf "$work"' EXIT
	if [ -n "$raw" ]; then
		report "$raw" && has_no_failure
		return
	fi
	[ -n "$out" ] ||
		out=$(mktemp -d "${TMPDIR:-/tmp}/vsock-ratio-out.XXXXXX")
	mkdir -p "$out" || exit 2
	"${CC:-cc}" -std=gnu11 -O2 -static -o "$work/bare_loop" \
		"$here/bare_loop.c" || fail "cannot build bare_loop"
	# The runs as they end, on stderr: this takes minutes.
	run_lab | tee "$out/raw.txt" >&2
	status=${PIPESTATUS[0]}
	report "$out/raw.txt" | tee "$out/ratio.txt"
	[ "$status" -eq 0 ] || fail "the lab run failed; see $out"
	json <"$work/rows" >"$out/ratio.json"
	has_no_failure
}

main "$@"
