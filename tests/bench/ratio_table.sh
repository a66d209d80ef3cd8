#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What bench/vsock-ratio.sh makes of raw lines: a run that failed is counted
# and takes its pair out, and where no pair is left there is no figure.

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
RATIO=$HERE/../../bench/vsock-ratio.sh
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# verdict NAME EXPECTED SAID
verdict() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
		echo "ok $1"
	else
		failed=$((failed + 1))
		printf 'not ok %s\n  expected: %s\n  said:     %s\n' "$@"
	fi
}

# Two whole pairs, one in either order; three broken ones; a size without any.
cat >"$work/raw.txt" <<'END'
1K host-to-guest bare 100000000
1K host-to-guest program 90000000
bare_loop: a line of somebody else
1K host-to-guest program 110000000
1K host-to-guest bare 100000000
1K host-to-guest bare failed
1K host-to-guest program 900000000
1K host-to-guest program failed
1K host-to-guest bare 900000000
1K host-to-guest bare failed
1K host-to-guest program failed
2K guest-to-host bare failed
2K guest-to-host program 100000000
END
"$RATIO" --raw "$work/raw.txt" >"$work/table" 2>"$work/err"
verdict "exit status with failed runs" 1 "$?"
verdict "pairs that are whole" "1K host-to-guest 100.0 100.0 1.000 2 4" \
	"$(sed -n 3p "$work/table" | xargs)"
verdict "no pair, no figure" "2K guest-to-host - - - 0 1" \
	"$(sed -n 4p "$work/table" | xargs)"
verdict "lines of the table" 4 "$(wc -l <"$work/table")"

# Broken off before the second run of a pair.
sed -n 1,5p "$work/raw.txt" >"$work/whole.txt"
"$RATIO" --raw "$work/whole.txt" >"$work/table" 2>"$work/err"
verdict "exit status without a failed run" 0 "$?"
head -n 1 "$work/raw.txt" >"$work/half.txt"
"$RATIO" --raw "$work/half.txt" >"$work/table" 2>"$work/err"
verdict "half a pair, no figure" "1K host-to-guest - - - 0 0" \
	"$(sed -n 3p "$work/table" | xargs)"
"$RATIO" --raw "$work/no-such-file" >"$work/table" 2>"$work/err"
verdict "a file that isn't there" 2 "$?"
verdict "and its message" 1 "$(grep -c no-such-file "$work/err")"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
