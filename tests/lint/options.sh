#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The option tables, --help and the manual name the same options, short and
# long. Usage: options.sh IPERF3
set -eu

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
	echo "usage: $0 IPERF3 (the built program)" >&2
	exit 2
fi
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# Rows of every array of struct option_row: "--name" and "-x", one a line.
from_tables() {
	awk '
	/struct option_row [a-z0-9_]+\[\] = [{]/ { is_table = 1 }
	/^};/ { is_table = 0 }
	is_table {
		line = $0
		while (match(line, /\.name = "[^"]+"/)) {
			print "--" substr(line, RSTART + 9, RLENGTH - 10)
			line = substr(line, RSTART + RLENGTH)
		}
		line = $0
		while (match(line, /\.letter = \047.\047/)) {
			print "-" substr(line, RSTART + 11, 1)
			line = substr(line, RSTART + RLENGTH)
		}
	}' "$root"/src/model/option_*.c "$root"/src/transport/*.c
}

# "  -p, --port PORT", "      --sweep[=SIZES]" and "(also --bandwidth)".
from_help() {
	"$program" --help | awk '
	match($0, /^  (-., |    )--[a-z0-9-]+/) {
		names = substr($0, RSTART, RLENGTH)
		if (names ~ /^  -/)
			print substr(names, 3, 2)
		sub(/^.*--/, "--", names)
		print names
	}
	match($0, /[(]also --[a-z0-9-]+/) {
		print substr($0, RSTART + 6, RLENGTH - 6)
	}'
}

# ".It Fl p , Fl -port Ar port": one Fl a name, only in section OPTIONS.
from_manual() {
	awk '
	/^\.Sh / { is_options = $2 == "OPTIONS" }
	is_options && /^\.It Fl / {
		for (i = 2; i < NF; i++)
			if ($i == "Fl")
				print "-" $(i + 1)
	}' "$root/docs/iperf3.1"
}

from_tables | sort >"$work/tables"
from_help | sort >"$work/help"
from_manual | sort >"$work/manual"

status=0
if [ ! -s "$work/tables" ]; then
	echo "options.sh: no option found in the tables" >&2
	status=1
fi
for other in help manual; do
	if ! diff "$work/tables" "$work/$other" >"$work/diff"; then
		echo "options.sh: tables (<) and $other (>) differ:" >&2
		grep '^[<>]' "$work/diff" >&2
		status=1
	fi
done
if [ -n "$(uniq -d "$work/tables")" ]; then
	echo "options.sh: two rows share a name:" >&2
	uniq -d "$work/tables" >&2
	status=1
fi
if command -v mandoc >/dev/null; then
	# The data base of manuals may lack pages that are not installed, and
	# so may the machine.
	mandoc -T lint "$root/docs/iperf3.1" 2>&1 |
		grep -v -e 'mandoc\.db' -e 'referenced manual not found' \
			>"$work/lint" || :
	if [ -s "$work/lint" ]; then
		cat "$work/lint" >&2
		status=1
	fi
fi
[ "$status" -ne 0 ] || echo "options.sh: $(wc -l <"$work/tables") names agree"
exit "$status"
