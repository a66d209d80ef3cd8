# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Job of run.sh for a real host and a real guest with CID 3. Runs on the host;
# lib.sh and lab.sh's lib-host.sh come before it.

CID=$GUEST_CID

host() {
	timeout "$LIMIT" iperf3 --vsock -c "$CID" "$@"
}

# The guest's client of the server on the host.
inside() {
	guest timeout "$LIMIT" iperf3 --vsock -c host "$@"
}

# Servers that are ready when their command returns. The JSON of the server
# comes back inside the client's: --get-server-output.
server guest-json guest iperf3 --vsock -s -D -J --logfile /run/json.log \
	-I /run/json.pid
server guest-text guest iperf3 --vsock -s -D -p 5202 --logfile /run/text.log
server guest-high-port guest iperf3 --vsock -s -D -J -p 3000000000 \
	--logfile /run/high.log
server guest-bound guest iperf3 --vsock -s -D -p 5203 -B "$CID" \
	--logfile /run/bound.log
server host-json iperf3 --vsock -s -D -J --logfile "$RESULTS/host-json.log" \
	-I /run/host-json.pid

# --- every direction and end, host -> guest and back ------------------------

# moves NAME DIRECTION STREAMS BYTES ARGS...: the client on the host. BYTES is
# what must have been moved, or "any".
moves() {
	name=$1 direction=$2 streams=$3 bytes=$4
	shift 4
	run "$name" host -J --get-server-output -P "$streams" "$@"
	status_is 0
	check bytes "$direction" "$streams" "$bytes"
}

moves forward-t forward 1 any -t 1
moves reverse-t reverse 1 any -t 1 -R
moves bidir-t bidir 1 any -t 1 --bidir
moves forward-P4 forward 4 any -t 1
moves reverse-P4 reverse 4 any -t 1 -R
moves bidir-P4 bidir 4 any -t 1 --bidir
moves forward-n forward 1 3145728 -n 3M
moves reverse-n reverse 1 3145728 -n 3M -R
moves bidir-n bidir 1 3145728 -n 3M --bidir
moves forward-n-P4 forward 4 3145728 -n 3M
moves reverse-n-odd reverse 1 102400 -n 100K -l 64K -R
moves forward-n-1 forward 1 1 -n 1
moves forward-k forward 1 409600 -k 100 -l 4K
moves reverse-k reverse 1 409600 -k 100 -l 4K -R
for size in 1K 4K 32K 33K 512K 1M; do
	moves "forward-l-$size" forward 1 4194304 -n 4M -l "$size"
	moves "reverse-l-$size" reverse 1 4194304 -n 4M -l "$size" -R
done
# Small messages break kernels that count overhead against the window.
moves forward-l-129 forward 1 65536 -n 64K -l 129 -w 1M
check block 129

run default-block host -J -n 128K
status_is 0
check block 65536

run omit host -J --get-server-output -O 1 -t 2
status_is 0
check omit 3

run omit-reverse host -J --get-server-output -O 1 -t 2 -R
status_is 0
check omit 3

# --- the credit window ------------------------------------------------------

run window-default host -J --get-server-output -n 1M
status_is 0
check window 262144

run window-1M host -J --get-server-output -n 4M -w 1M
status_is 0
check window 1048576

run window-1M-reverse host -J --get-server-output -n 4M -w 1M -R
status_is 0
check window 1048576

run window-small host -J --get-server-output -n 1M -w 32K
status_is 0
check window 32768

# --- what it says -----------------------------------------------------------

run text-forward host -p 5202 -t 1
says 0 "Connecting to host $CID, port 5202" "iperf Done." receiver

run text-server guest cat /run/text.log
says 0 "Accepted connection from 2, port" "test #1"

run text-server-output host -p 5202 -n 1M --get-server-output
says 0 "Server output:" "iperf Done."

run high-port host -J --get-server-output -p 3000000000 -n 1M
status_is 0
check port 3000000000

run high-port-text host -p 3000000000 -n 1M
says 0 "port 3000000000"

run bound-server host -p 5203 -n 1M
says 0 "iperf Done."

run bind-client host -B 2 -n 1M
says 0 "local 2 port"

# A flag for the host, which looks at the CID alone when that is its own.
run sibling-flag inside -c s2 -n 64K
says 0 "iperf Done."

# --- what cannot be ---------------------------------------------------------

# fails NAME WORDS -- ARGS...: as text, then as JSON.
fails() {
	name=$1 words=$2
	shift 2
	run "$name" timeout 20 iperf3 --vsock "$@"
	# shellcheck disable=SC2086
	says 1 $words
	run "$name-json" timeout 20 iperf3 --vsock -J "$@"
	status_is 1
	check failed "$words"
}

fails wrong-cid "77 running vhost_vsock" -c 77
fails no-listener "listener CID $CID 5999" -c "$CID" -p 5999
fails cid-0 "host CID" -c 0
fails cid-text "abc CID number host local" -c abc
fails cid-any "any CID number host local" -c any
fails cid-too-big "4294967296 CID" -c 4294967296
fails ip-option "--vsock" -c "$CID" -6

run connect-timeout guest sh -c \
	'timeout 20 iperf3 --vsock -c 99 --connect-timeout 500'
says 1 99

run server-bad-cid timeout 20 iperf3 --vsock -s -p 5204 -B 77
says 1 "not an address of this machine" 77

run server-port-in-use timeout 20 iperf3 --vsock -s
says 1 "5201"

# A busy server, and the first test unharmed.
guest_bg --until bits/sec iperf3 --vsock -c host -t 6 --forceflush
first=$GUEST_PID
run busy guest timeout 20 iperf3 --vsock -c host -t 1
says 1 "the server is busy running a test. try again later"
run busy-first guest sh -c \
	"while kill -0 $first 2>/dev/null; do usleep 100000; done
	cat /run/bg-$first.log"
says 0 "iperf Done."

# --- server on the host, client in the guest --------------------------------

for direction in forward reverse bidir; do
	case $direction in
	forward) option=-4x ;;
	reverse) option=-R ;;
	bidir) option=--bidir ;;
	esac
	[ "$option" != -4x ] || option=-N
	run "guest-$direction-n" inside -J --get-server-output -n 3M "$option"
	status_is 0
	check bytes "$direction" 1 3145728
	run "guest-$direction-t" inside -J --get-server-output -t 1 "$option"
	status_is 0
	check bytes "$direction" 1 any
done
run guest-cid-2 guest timeout "$LIMIT" iperf3 --vsock -c 2 -n 1M
says 0 "Connecting to host 2, port 5201" "iperf Done."
run guest-cid-name inside -n 1M
says 0 "Connecting to host host, port 5201" "iperf Done."
run guest-no-listener guest timeout 20 iperf3 --vsock -c host -p 5999
says 1 listener 5999
run guest-no-listener-json guest timeout 20 iperf3 --vsock -J -c host -p 5999
status_is 1
check failed listener

# --- interrupts -------------------------------------------------------------

run interrupt-client timeout -s INT 3 iperf3 --vsock -c "$CID" -J -t 60
# Some timeouts give the status of the command, some 143 or 124.
case $STATUS in
0 | 124 | 130 | 143) ok ;;
*) not_ok "exit status $STATUS" ;;
esac
check interrupted "the client has terminated by signal Interrupt(2)"
run after-interrupt host -J --get-server-output -n 1M
status_is 0
check bytes forward 1 1048576

# --- the sweep --------------------------------------------------------------

run sweep host --sweep=1K,16K,64K -t 1 --json-out "$RESULTS/sweep.json"
says 0 "host -> guest" "guest -> host" "pkt_size" " 16K"
NAME=sweep.json check sweep 6

run sweep-inside inside --sweep=4K,64K -t 1 -J
status_is 0
check sweep 4

run sweep-inside-table inside --sweep=4K -t 1
says 0 "host -> guest" "guest -> host"

run sweep-forward host --sweep=64K -t 1 --directions forward
says 0 "host -> guest"

# --- the end ----------------------------------------------------------------

# Descriptors of the server that served most of the tests above: after all of
# them as many as one more test leaves.
# shellcheck disable=SC2016
count='ls /proc/$(cat /run/json.pid)/fd | wc -l'
run settle host -J -n 64K -P 4 --bidir
before=$(guest sh -c "$count")
run descriptors host -J -n 64K -P 4 --bidir
# The server closes a little after the client has left.
tries=0
while after=$(guest sh -c "$count") && [ "$before" != "$after" ] &&
	[ "$tries" -lt 50 ]; do
	tries=$((tries + 1))
	usleep 100000
done
if [ "$before" = "$after" ] && [ "$after" -le 12 ]; then
	ok
else
	not_ok "open descriptors: $before, after one more test $after"
fi

run host-server-ends true
kill "$(cat /run/host-json.pid)"
if [ -s "$RESULTS/host-json.log" ]; then
	ok
else
	not_ok "its log is empty"
fi
guest cat /run/json.log >"$RESULTS/guest-json.log"
guest cat /run/text.log >"$RESULTS/guest-text.log"
NAME=guest-json.log check documents
