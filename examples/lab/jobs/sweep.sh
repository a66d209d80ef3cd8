#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The job of host-guest-table.sh: sweep.sh SIZES SECONDS. The server runs in
# the guest, the client here on the host; one run gives the table and its JSON
# document in $RESULTS. Only the client's progress (its stderr) is seen live.

if ! guest_bg --until istening iperf3 --vsock -s --forceflush; then
	echo "the server in the guest did not start" >&2
	exit 1
fi
iperf3 --vsock -c "$GUEST_CID" --sweep="$1" -t "$2" --forceflush \
	--json-out "$RESULTS/sweep.json" >"$RESULTS/table.txt"
status=$?
guest_log >"$RESULTS/server.log" 2>&1
echo
exit "$status"
