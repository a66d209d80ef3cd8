#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# clang-tidy for one file. Usage: tidy.sh FLAGS... FILE
# A test's helper may take more parameters than other functions.
set -eu
flags=
while [ $# -gt 1 ]; do
	flags="$flags --extra-arg=$1"
	shift
done
checks=
case $1 in
tests/*) checks=--checks=-readability-function-size ;;
esac
# shellcheck disable=SC2086
exec clang-tidy --quiet $checks $flags "$1" --
