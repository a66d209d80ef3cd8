# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Job of run.sh for one VM with vsock_loopback: client and server on CID 1.
# lib.sh comes before it.

here() {
	timeout "$LIMIT" iperf3 --vsock -c local "$@"
}

server json iperf3 --vsock -s -D -J --logfile "$RESULTS/json.log"
server text iperf3 --vsock -s -D -p 5202 --logfile "$RESULTS/text.log" \
	-I /run/text.pid
server high iperf3 --vsock -s -D -J -p 4294967294 \
	--logfile "$RESULTS/high.log"

moves() {
	name=$1 direction=$2 streams=$3 bytes=$4
	shift 4
	run "$name" here -J --get-server-output -P "$streams" "$@"
	status_is 0
	check bytes "$direction" "$streams" "$bytes"
}

moves forward-t forward 1 any -t 1
moves reverse-t reverse 1 any -t 1 -R
moves bidir-t bidir 1 any -t 1 --bidir
moves forward-P4 forward 4 any -t 1
moves bidir-P4 bidir 4 any -t 1 --bidir
moves forward-n forward 1 10485760 -n 10M
moves reverse-n reverse 1 10485760 -n 10M -R
moves bidir-n-P4 bidir 4 10485760 -n 10M --bidir
moves forward-n-odd forward 1 102400 -n 100K -l 64K
moves reverse-k reverse 1 1638400 -k 100 -l 16K -R
moves forward-l-1K forward 1 2097152 -n 2M -l 1K
moves forward-l-1M forward 1 8388608 -n 8M -l 1M
moves forward-w-16M forward 1 8388608 -n 8M -w 16M

run window-1M here -J --get-server-output -n 4M -w 1M
status_is 0
check window 1048576

run omit here -J --get-server-output -O 1 -t 2
status_is 0
check omit 3

run cid-1 timeout "$LIMIT" iperf3 --vsock -c 1 -n 1M
says 0 "Connecting to host 1, port 5201" "iperf Done."

run high-port here -J --get-server-output -p 4294967294 -n 1M
status_is 0
check port 4294967294

run json-stream here --json-stream -n 1M
says 0 '"event":"start"' '"event":"end"'
check stream

run no-listener timeout 20 iperf3 --vsock -c local -p 5999
says 1 listener 5999

run no-listener-json timeout 20 iperf3 --vsock -c local -p 5999 -J
status_is 1
check failed listener

run sweep here --sweep=1K,64K -t 1 --json-out "$RESULTS/sweep.json"
says 0 pkt_size " 64K"
NAME=sweep.json check sweep 4

server=$(cat /run/text.pid)
run interrupt-server-client sh -c "iperf3 --vsock -c local -p 5202 -J \
	-t 60 & c=\$!
	until grep -q 'bits/sec' '$RESULTS/text.log'; do usleep 50000; done
	kill \$(cat /run/text.pid)
	wait \$c"
status_is 1
check interrupted "the server has terminated"

# The client hears of the end before the server has ended.
run pid-file-removed timeout 20 sh -c \
	"while [ -d /proc/$server ]; do usleep 50000; done"
if [ -e /run/text.pid ]; then
	not_ok "it is still there"
else
	ok
fi
NAME=json.log check documents
