#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The part of vsock-ratio.sh that runs on the lab's host, see there:
# vsock-ratio-job.sh PROGRAM-NAME SECONDS PAIRS SIZE...
#
# Prints one line per run, "SIZE DIRECTION WHO BITS_PER_SECOND", where WHO is
# bare or program and the last word is "failed" for a run without a result.

program=$1 seconds=$2 pairs=$3
shift 3
BARE_PORT=5300
PORT=5201
[ "$LAB_MODE" = pair ] || exit 125

# Starts both servers in the guest; each says when it listens.
serve() {
	guest_bg --until istening bare_loop --listen --vsock -p "$BARE_PORT" &&
		guest_bg --until istening "$program" --vsock -s -p "$PORT" \
			--forceflush
}

run_bare() {
	bare_loop --connect "$GUEST_CID" --vsock -p "$BARE_PORT" -l "$1" \
		-t "$seconds" ${2:+"$2"}
}

run_program() {
	"$program" --vsock -c "$GUEST_CID" -p "$PORT" -l "$1" -t "$seconds" \
		-J ${2:+"$2"}
}

# Reads JSON of any layout: the first bits_per_second after $1 in it.
bits_after() {
	tr -d '\n' | sed -n "s/.*$1//; s/\"bits_per_second\"[: \t]*/\n/
		s/^[^\n]*\n\([0-9.eE+]*\).*/\1/p"
}

# WHO SIZE DIRECTION REVERSE NUMBER
measure() {
	raw="$RESULTS/$2-$3-$5-$1.json"
	if [ "$1" = bare ]; then
		run_bare "$2" "$4" >"$raw"
		bits=$(bits_after '^' <"$raw")
	else
		run_program "$2" "$4" >"$raw"
		bits=$(bits_after '"sum_received"' <"$raw")
	fi
	echo "$2 $3 $1 ${bits:-failed}"
}

# Who goes first alternates, so that drift and warm caches help both alike.
pair() {
	if [ $(($4 % 2)) -eq 1 ]; then
		measure bare "$@"
		measure program "$@"
	else
		measure program "$@"
		measure bare "$@"
	fi
}

serve || exit 1
for size in "$@"; do
	number=0
	while [ "$number" -lt "$pairs" ]; do
		number=$((number + 1))
		# Says so where the guest is gone: no run can succeed then.
		guest true || exit 1
		pair "$size" host-to-guest '' "$number"
		pair "$size" guest-to-host -R "$number"
	done
done
