#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes a static libcjson out of Debian's (or Ubuntu's) source package, with
# the distribution's patches: static-cjson.sh DIR. Debian ships the shared
# library only, and the static program needs DIR/lib/libcjson.a.
#
# apt needs source entries for that; the machine's own list mostly has none,
# so a temporary list is derived from it and the machine is left as it is.
# Neither root nor, once DIR is filled, a network is needed.

set -eu

usage() {
	cat <<'END'
Usage: static-cjson.sh DIR

Leaves DIR/lib/libcjson.a, DIR/include/cjson/cJSON.h and
DIR/lib/pkgconfig/libcjson.pc; does nothing where they are there already.
Then: ./configure --enable-static-bin PKG_CONFIG_PATH=DIR/lib/pkgconfig
Needs apt, dpkg-dev and a C compiler.
END
}

fail() {
	echo "static-cjson.sh: $*" >&2
	exit 1
}

# The machine's apt sources as source entries, in folder $1. Both formats.
source_entries() {
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -r "$file" ] || sed -n \
			's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file"
	done >"$1/derived.list"
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -r "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" \
			>"$1/$(basename "$file")"
	done
}

# apt with state of its own; run in the folder where sources shall land.
own_apt() {
	apt-get -qq -o Dir::Etc::sourcelist=/dev/null \
		-o Dir::Etc::sourceparts="$work/sources" \
		-o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

get_source() {
	mkdir -p "$work/sources" "$work/lists/partial" \
		"$work/cache/archives/partial" "$work/source"
	source_entries "$work/sources"
	# An archive without sources is no reason to stop; the next step is
	# the judge.
	own_apt update >"$work/log" 2>&1 || :
	(cd "$work/source" && own_apt source cjson) >>"$work/log" 2>&1 || {
		tail -n 20 "$work/log" >&2
		fail "apt-get could not get the source package cjson"
	}
}

build() {
	source=$(find "$work/source" -mindepth 1 -maxdepth 1 -type d)
	[ -e "$source/cJSON.c" ] || fail "no cJSON.c in the source package"
	version=$(sed -n 's/^#define CJSON_VERSION_[A-Z]* \([0-9]*\)/\1/p' \
		"$source/cJSON.h" | paste -s -d .)
	mkdir -p "$work/out/lib/pkgconfig" "$work/out/include/cjson"
	${CC:-cc} -std=c99 -O2 -g -fPIC -c \
		-o "$work/cJSON.o" "$source/cJSON.c"
	${AR:-ar} rcs "$work/out/lib/libcjson.a" "$work/cJSON.o"
	cp "$source/cJSON.h" "$work/out/include/cjson/"
	cat >"$work/out/lib/pkgconfig/libcjson.pc" <<END
prefix=\${pcfiledir}/../..

Name: libcjson
Version: $version
Description: Ultralightweight JSON parser in ANSI C, static
Libs: -L\${prefix}/lib -lcjson -lm
Cflags: -I\${prefix}/include
END
}

# One rename each, and the file that is looked for last of all.
deliver() {
	mkdir -p "$dir/lib/pkgconfig" "$dir/include/cjson"
	for file in include/cjson/cJSON.h lib/libcjson.a \
		lib/pkgconfig/libcjson.pc; do
		mv -f "$work/out/$file" "$dir/$file"
	done
}

case ${1:-} in
--help | -h)
	usage
	exit 0
	;;
'' | -*)
	usage >&2
	exit 2
	;;
esac
[ $# -eq 1 ] || fail "one folder, please; see --help"
[ ! -e "$1/lib/pkgconfig/libcjson.pc" ] || exit 0
for tool in apt-get dpkg-source "${AR:-ar}"; do
	command -v "$tool" >/dev/null ||
		fail "$tool is missing; install dpkg-dev and gcc"
done
mkdir -p "$1"
dir=$(cd "$1" && pwd -P)
# Inside DIR, so that the renames stay within one file system.
work=$(mktemp -d "$dir/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
get_source
build
deliver
