# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What pair.sh and loopback.sh share; run.sh puts it in front of them. Runs in
# a VM, with busybox and without Python. A check of words or of an exit status
# is made here and printed as "ok NAME" or "not ok NAME: why". A check of JSON
# is written to $RESULTS/checks, one a line, and made by check.py outside.

# How long any client may take. Emulation is slow, a hang is endless.
LIMIT=60
export LIMIT
NAME=
STATUS=

ok() {
	echo "ok lab $NAME"
}

not_ok() {
	echo "not ok lab $NAME: $*"
	for log in "$RESULTS/$NAME.out" "$RESULTS/$NAME.err"; do
		[ ! -s "$log" ] || sed 's/^/  | /' "$log" | tail -n 15
	done
}

# run NAME CMD...: keeps what CMD says as NAME.out and NAME.err.
run() {
	NAME=$1
	shift
	"$@" >"$RESULTS/$NAME.out" 2>"$RESULTS/$NAME.err"
	STATUS=$?
}

# Without its server every later test would fail for want of it.
server() {
	NAME=$1
	shift
	if "$@" >"$RESULTS/$NAME.out" 2>"$RESULTS/$NAME.err"; then
		ok
	else
		STATUS=$?
		not_ok "the server did not start, status $STATUS"
	fi
}

# Demands this exit status of the last run.
status_is() {
	if [ "$STATUS" = "$1" ]; then
		ok
	else
		not_ok "exit status $STATUS, not $1"
	fi
}

# Demands an exit status and each of the words in what it said.
says() {
	wanted=$1
	shift
	if [ "$STATUS" != "$wanted" ]; then
		not_ok "exit status $STATUS, not $wanted"
		return
	fi
	for word in "$@"; do
		if ! cat "$RESULTS/$NAME.out" "$RESULTS/$NAME.err" |
			grep -qiF -- "$word"; then
			not_ok "\"$word\" is not in what it said"
			return
		fi
	done
	ok
}

# Leaves a check of the last run's JSON for check.py: check KIND ARGS...
check() {
	printf '%s %s\n' "$NAME" "$*" >>"$RESULTS/checks"
}
