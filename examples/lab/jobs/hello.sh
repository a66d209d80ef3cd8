#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The smallest job: who is where. Run it with: lab.sh jobs/hello.sh [WORDS...]

echo "host:  $(uname -r), $(nproc) CPUs, words: $*"
if [ "$LAB_MODE" = pair ]; then
	echo "guest: $(guest uname -r), CID $GUEST_CID"
	guest sh -c 'echo "it can speak, complain and fail"; echo oh >&2; exit 7'
	echo "status $?"
fi
date >"$RESULTS/hello.txt"
