# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Where the lab's kernels come from: a Debian package, downloaded once and
# unpacked below the cache folder (nothing is installed), or the caller's own
# image and modules. Sourced by lab.sh. Functions print their answer.

# Prints the folder of Debian's cloud kernel of a series ("6.1", "6.12").
# Downloads it when the cache has none; afterwards no network is needed.
kernel_debian() {
	local series=$1 dir="$LAB_CACHE/kernels/debian-$1"

	if [ ! -e "$dir/complete" ]; then
		kernel_fetch "$series" "$dir" >&2 || return 1
	fi
	printf '%s\n' "$dir"
}

# The newest signed cloud kernel of the series that apt knows.
kernel_package() {
	local pattern="^linux-image-${1//./\\.}\\..*-cloud-amd64\$"

	apt-cache search --names-only "$pattern" | cut -d' ' -f1 |
		sort -V | tail -n 1
}

kernel_fetch() {
	local series=$1 dir=$2 package work

	package=$(kernel_package "$series")
	if [ -z "$package" ]; then
		say "apt knows no Debian cloud kernel $series." \
			"Try: apt-get update, or give --kernel and --modules."
		return 1
	fi
	say "downloading $package"
	mkdir -p "$LAB_CACHE/kernels"
	work=$(mktemp -d "$LAB_CACHE/kernels/.new.XXXXXX")
	# apt's own unprivileged user cannot enter a cache in root's home.
	(cd "$work" && apt-get -qq -o APT::Sandbox::User="$(id -un)" \
		download "$package" && dpkg -x ./*.deb root) || {
		rm -rf "$work"
		say "could not download $package with apt-get"
		return 1
	}
	printf '%s\n' "$package" >"$work/root/complete"
	# A rename, so that an interrupted download leaves nothing half done.
	rm -rf "$dir" && mv "$work/root" "$dir" && rm -rf "$work"
}

# The image below an unpacked kernel package.
kernel_image_of() {
	local image

	for image in "$1"/boot/vmlinuz-*; do
		[ -e "$image" ] && printf '%s\n' "$image" && return 0
	done
	say "no boot/vmlinuz-* in $1"
	return 1
}

# The release string in the header of a bzImage; empty for another format.
# Boot protocol: offset 0x202 has the magic "HdrS", 0x20e the string's place.
kernel_release() {
	local magic offset

	magic=$(dd if="$1" bs=1 skip=514 count=4 2>/dev/null | tr -d '\0')
	[ "$magic" = HdrS ] || return 0
	offset=$(od -An -tu2 -j526 -N2 "$1")
	dd if="$1" bs=1 skip=$((offset + 512)) count=120 2>/dev/null |
		tr '\0' '\n' | sed -n '1s/ .*//p'
}

# Prints a form of the kernel that boots without unpacking itself, which
# takes seconds in nested emulation: the ELF file inside a bzImage, if it can
# be started directly (a PVH entry); else the image as it is.
kernel_unpacked() {
	local image=$1 file key

	key=$(sha256sum <"$image" | cut -c1-24)
	file=$LAB_CACHE/images/vmlinux-$key
	if [ ! -e "$file" ]; then
		if ! kernel_unpack "$image" >"$file.new" 2>/dev/null ||
			! has_pvh_entry "$file.new"; then
			cp "$image" "$file.new"
		fi
		mv "$file.new" "$file"
	fi
	printf '%s\n' "$file"
}

# A little-endian number of 1, 2 or 4 bytes at an offset of a file.
number_at() {
	od -An -v -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# Boot protocol: setup sectors at 0x1f1, the packed kernel's offset and length
# at 0x248; its last four bytes are the unpacked size in every format.
kernel_unpack() {
	local image=$1 start length size magic

	[ -n "$(kernel_release "$image")" ] || return 1
	start=$((($(number_at "$image" 497 1) + 1) * 512 + \
		$(number_at "$image" 584 4)))
	length=$(number_at "$image" 588 4)
	size=$(number_at "$image" $((start + length - 4)) 4)
	magic=$(od -An -tx1 -j "$start" -N 2 "$image" | tr -d ' ')
	tail -c "+$((start + 1))" "$image" | head -c "$length" |
		case $magic in
		28b5) zstd -qdc ;;
		0221) lz4 -qdc ;;
		fd37) xz -qdc ;;
		1f8b) gzip -qdc ;;
		esac >"$LAB_WORK/vmlinux"
	# The unpackers frown at the four bytes; the size is the judge.
	[ "$(stat -c %s "$LAB_WORK/vmlinux")" = "$size" ] || return 1
	cat "$LAB_WORK/vmlinux"
}

# An ELF note of owner "Xen" and type 18 is the PVH entry.
has_pvh_entry() {
	LC_ALL=C grep -qaP \
		'\x04\x00{3}[\x04\x08]\x00{3}\x12\x00{3}Xen\x00' "$1"
}

# Prints the folder with modules.order for DIR, which is that folder itself
# or a root with lib/modules/RELEASE below it.
modules_of() {
	local dir=$1 release=$2 candidate

	for candidate in "$dir" "$dir/lib/modules/$release" \
		"$dir/usr/lib/modules/$release" "$dir/$release"; do
		if [ -e "$candidate/modules.order" ]; then
			(cd "$candidate" && pwd -P)
			return 0
		fi
	done
	say "no modules of kernel ${release:-(unknown release)} in $dir:" \
		"give the folder that 'make modules_install' filled"
	return 1
}

# modules.dep of a module folder, made on the fly where depmod never ran.
# The temporary root has the layout that depmod wants, whatever DIR's is.
modules_dep() {
	local dir=$1 root release

	if [ -s "$dir/modules.dep" ]; then
		cat "$dir/modules.dep"
		return
	fi
	release=$(basename "$dir")
	root=$(mktemp -d "$LAB_WORK/depmod.XXXXXX")
	mkdir -p "$root/usr/lib/modules"
	ln -s usr/lib "$root/lib"
	ln -s "$dir" "$root/usr/lib/modules/$release"
	# -n also prints aliases and symbols; the dependency lines come first.
	depmod -n -b "$root" "$release" 2>/dev/null |
		sed -n '/^kernel\/[^ ]*:/p; /^[a-z]*\/[^ ]*\.ko[.a-z]*:/p' |
		awk '!seen[$0]++'
}

# Prints the module files that NAMES need, dependencies included. A name with
# "?" at its end is optional; a required one must be a module or built in.
modules_closure() {
	local dir=$1 dep=$2

	shift 2
	printf '%s\n' "$@" | awk -v dep="$dep" \
		-v builtin="$dir/modules.builtin" '
		function noun(path) {
			sub(/.*\//, "", path); sub(/\.ko.*/, "", path)
			gsub(/-/, "_", path); return path
		}
		BEGIN {
			while ((getline line < dep) > 0) {
				split(line, part, ":")
				needs[noun(part[1])] = part[1] part[2]
			}
			while ((getline line < builtin) > 0)
				have[noun(line)] = 1
		}
		{ optional = sub(/\?$/, ""); name = noun($0) }
		name in needs {
			n = split(needs[name], file, " ")
			for (i = 1; i <= n; i++)
				if (!seen[file[i]]++)
					print file[i]
			next
		}
		!(name in have) && !optional { missing = missing " " $0 }
		END {
			if (missing == "")
				exit 0
			print "missing in this kernel:" missing >"/dev/stderr"
			exit 1
		}'
}
