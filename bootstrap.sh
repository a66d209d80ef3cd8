#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes ./configure out of configure.ac. Needs autoconf, automake and
# pkg-config; nothing that it makes is committed.
set -eu
cd "$(dirname "$0")"
mkdir -p m4
for tool in autoreconf automake pkg-config; do
	command -v "$tool" >/dev/null || {
		echo "bootstrap.sh: $tool is missing: install autoconf," \
			"automake and pkg-config" >&2
		exit 1
	}
done
exec autoreconf --install --force
