# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What the lab's machines boot from. Sourced by lab.sh.
#
# An initramfs is a row of cpio archives, so the big parts (busybox, modules,
# the guest's kernel) are made once and kept in the cache under a key of
# their content, and only the small archive with the job and the added
# programs is new for each run. QEMU and its libraries, which the host VM
# needs to start its guest, are an ext4 disk made without mount or root.

# shellcheck disable=SC2034 # lab.sh uses the lists

# Names ending in "?" are optional, see modules_closure.
HOST_MODULES=(virtio_pci virtio_blk ext4 vsock vsock_diag? vsockmon?
	vsock_loopback)
PAIR_MODULES=(kvm_amd vhost_vsock)
GUEST_MODULES=(virtio_pci vsock vmw_vsock_virtio_transport vsock_diag?
	vsockmon? virtio_console)

# Packs the current folder, every file owned by root, as a cpio archive.
pack_here() {
	find . -mindepth 1 | LC_ALL=C sort |
		cpio -o -H newc -R 0:0 --reproducible --quiet
}

# Short key of what stdin says.
content_key() {
	sha256sum | cut -c1-24
}

# The cached archive of a machine without its kernel: init, busybox, modules.
# image_base ROLE KERNEL MODULES-DIR NAMES... prints the archive's path.
image_base() {
	local role=$1 modules=$3 list="$LAB_WORK/$1.modules" file

	: >"$list"
	if [ -n "$modules" ]; then
		modules_dep "$modules" >"$LAB_WORK/$role.dep"
		modules_closure "$modules" "$LAB_WORK/$role.dep" "${@:4}" \
			>"$list" || return 1
	fi
	file="$LAB_CACHE/images/$role-$(base_key "$@" <"$list").cpio"
	[ -e "$file" ] || base_build "$role" "$modules" "$file" "${@:4}" \
		<"$list" || return 1
	printf '%s\n' "$file"
}

# Covers the modules' content: a developer rebuilds one without a new kernel.
base_key() {
	local role=$1 modules=$3

	{
		printf '%s\n' "${@:4}"
		cat "$LAB_DIR/image.sh" "$LAB_DIR/$role-init"
		sha256sum <"$(command -v busybox)"
		sed "s|^|$modules/|" | tr '\n' '\0' | xargs -0r sha256sum
	} | content_key
}

base_build() {
	local role=$1 modules=$2 file=$3 root="$LAB_WORK/$1.root"

	rm -rf "$root"
	mkdir -p "$root"/{bin,dev,proc,sys,run,tmp,lab/bin,root} \
		"$(dirname "$file")"
	cp "$(command -v busybox)" "$root/bin/busybox"
	busybox --list | grep -vx busybox | while read -r name; do
		ln -s busybox "$root/bin/$name"
	done
	install -m 755 "$LAB_DIR/$role-init" "$root/init"
	if [ -n "$modules" ]; then
		base_modules "$root" "$modules" "${@:4}" || return 1
	fi
	(cd "$root" && pack_here) >"$file.new" && mv "$file.new" "$file"
}

# Copies the module files named on stdin, unpacked, and their dependencies.
base_modules() {
	local root=$1 modules=$2 release path

	release=$(basename "$modules")
	local to="$root/usr/lib/modules/$release"
	mkdir -p "$to"
	ln -s usr/lib "$root/lib"
	while read -r path; do
		mkdir -p "$to/$(dirname "$path")"
		unpack_module "$modules/$path" "$to/${path%.ko*}.ko" || return 1
	done
	cp "$modules"/modules.{order,builtin,builtin.modinfo} "$to/" \
		2>/dev/null
	depmod -b "$root" "$release"
	# The names to load at boot: without what is optional and absent, or
	# inside the kernel.
	printf '%s\n' "${@:3}" | sed 's/?$//; s/[-_]/[-_]/g' |
		while read -r path; do
			grep -o "/$path\.ko:" "$to/modules.dep" |
				sed 's|^/||; s|\.ko:||'
		done >"$root/lab/modules"
}

unpack_module() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -qdc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac >"$2"
}

# The guest's kernel and base archive as an archive for the host VM.
image_guest_payload() {
	local kernel=$1 base=$2 root="$LAB_WORK/payload" file

	file="$LAB_CACHE/images/payload-$({
		sha256sum <"$kernel"
		basename "$base"
	} | content_key).cpio"
	if [ ! -e "$file" ]; then
		rm -rf "$root"
		mkdir -p "$root/lab/guest"
		cp "$kernel" "$root/lab/guest/vmlinuz"
		cp "$base" "$root/lab/guest/base.cpio"
		(cd "$root" && pack_here) >"$file.new" &&
			mv "$file.new" "$file" || return 1
	fi
	printf '%s\n' "$file"
}

# The disk with QEMU, its libraries and the firmware of the guest's machine.
image_tools() {
	local qemu root="$LAB_WORK/tools" file

	qemu=$(command -v qemu-system-x86_64)
	file="$LAB_CACHE/images/tools-$(tools_files "$qemu" |
		tr '\n' '\0' | xargs -0 sha256sum | content_key).ext4"
	if [ ! -e "$file" ]; then
		rm -rf "$root"
		mkdir -p "$root" "$(dirname "$file")"
		tools_files "$qemu" | while read -r path; do
			cp -L "$path" "$root/"
		done
		mv "$root/$(basename "$(loader_of "$qemu")")" "$root/ld.so"
		rm -f "$file.new"
		mke2fs -q -t ext4 -O ^has_journal -m 0 -b 4096 -d "$root" \
			"$file.new" "$(($(du -sm "$root" | cut -f1) + 8))M" \
			>/dev/null &&
			mv "$file.new" "$file" || return 1
	fi
	printf '%s\n' "$file"
}

loader_of() {
	ldd "$1" | sed -n 's|^[[:space:]]*\(/[^ ]*ld-linux[^ ]*\) .*|\1|p'
}

tools_files() {
	local name dir

	printf '%s\n' "$1"
	loader_of "$1"
	ldd "$1" | sed -n 's|.* => \(/[^ ]*\) .*|\1|p'
	for name in bios-256k.bin linuxboot_dma.bin pvh.bin \
		kvmvapic.bin; do
		for dir in /usr/share/seabios /usr/share/qemu \
			/usr/share/qemu-kvm /usr/share/seavgabios; do
			if [ -e "$dir/$name" ]; then
				printf '%s\n' "$dir/$name"
				break
			fi
		done
	done
}

# The archive of this run's programs, the same for host and guest.
image_added() {
	local root="$LAB_WORK/added" spec name

	mkdir -p "$root/lab/bin"
	for spec in "$@"; do
		name=${spec##*:}
		[ "$name" != "$spec" ] || name=$(basename "$spec")
		install -m 755 "${spec%:*}" "$root/lab/bin/$name" || return 1
	done
	(cd "$root" && pack_here) >"$LAB_WORK/added.cpio"
}

# The archive of this run's job: script, arguments, settings, library.
# The guest's share of the programs travels inside it as a file.
image_job() {
	local job=$1 root="$LAB_WORK/job"

	mkdir -p "$root/lab"
	cp "$LAB_DIR/lib-host.sh" "$root/lab/"
	cp "$LAB_WORK/added.cpio" "$root/lab/"
	cp "$job" "$root/lab/job.sh"
	cp "$LAB_WORK/env" "$root/lab/env"
	printf 'set --%s\n' "$(quoted "${@:2}")" >"$root/lab/args"
	(cd "$root" && pack_here) >"$LAB_WORK/job.cpio"
}

# The arguments as one string that any shell reads back as the same words.
quoted() {
	local word

	for word in "$@"; do
		printf " '%s'" "${word//\'/\'\\\'\'}"
	done
}
