#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The rules of the style page that a machine can check. One line per rule;
# selftest.sh proves that each of them can fail.

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
ROOT=$(cd "$HERE/../.." && pwd -P)
RULES=(format arrows length calls names spdx paths generated sleeps shell
	python options cppcheck clang-tidy)
program=
chosen=()

usage() {
	cat <<END
Usage: run.sh [OPTIONS]

  --program FILE   the built iperf3, for the rule "options" (skipped without)
  --only RULE      only this rule; may be repeated
  --root DIR       check another tree
  --fix            rewrite C files as the rule "format" wants them
  --help           this text

Rules: ${RULES[*]}
END
}

# --- what to look at --------------------------------------------------------

# Every file of the project: what git knows or would add, else all there is.
list_files() {
	if git -C "$ROOT" rev-parse --is-inside-work-tree >/dev/null 2>&1 &&
		[ "$(git -C "$ROOT" rev-parse --show-toplevel)" = "$ROOT" ]; then
		git -C "$ROOT" ls-files -co --exclude-standard
	else
		(cd "$ROOT" && find . -name .git -prune -o \
			-name __pycache__ -prune -o -type f -print) |
			sed 's|^\./||'
	fi | while IFS= read -r file; do
		# Listed but deleted files aren't there.
		[ ! -f "$ROOT/$file" ] || printf '%s\n' "$file"
	done | LC_ALL=C sort
}

# Files whose first line or name says that a shell reads them.
is_shell() {
	case $1 in
	*.sh) return 0 ;;
	*.[a-z]* | LICENSE | Makefile*) return 1 ;;
	esac
	head -n 1 "$ROOT/$1" | grep -qE '^#!.*\b(ba|da)?sh\b|^# shellcheck shell'
}

is_python() {
	case $1 in
	*.py) return 0 ;;
	*.*) return 1 ;;
	esac
	head -n 1 "$ROOT/$1" | grep -q '^#!.*\bpython3'
}

sort_files() {
	local file

	mapfile -t files < <(list_files)
	c_files=() source_files=() shell_files=() python_files=()
	for file in "${files[@]}"; do
		case $file in
		*.[ch]) c_files+=("$file") ;;
		esac
		case $file in
		*.c) source_files+=("$file") ;;
		esac
		if is_shell "$file"; then
			shell_files+=("$file")
		elif is_python "$file"; then
			python_files+=("$file")
		fi
	done
}

# --- the rules: each prints what is wrong and returns 1 ---------------------

need() {
	command -v "$1" >/dev/null && return 0
	echo "$1 is not installed"
	return 1
}

rule_format() {
	need clang-format || return 1
	(cd "$ROOT" && "$HERE/format.py" ${fix:+--fix} "${c_files[@]}")
}

rule_arrows() {
	"$HERE/arrows.py" "$ROOT/src"
}

rule_length() {
	"$HERE/code.py" length "$ROOT" "${c_files[@]}"
}

rule_calls() {
	"$HERE/code.py" calls "$ROOT" "${c_files[@]}"
}

rule_names() {
	"$HERE/code.py" names "$ROOT" "${c_files[@]}"
}

# The licence of every source stands in its first three lines.
rule_spdx() {
	local file found=0

	for file in "${c_files[@]}" "${shell_files[@]}" "${python_files[@]}" \
		Makefile.am configure.ac; do
		[ -f "$ROOT/$file" ] || continue
		head -n 3 "$ROOT/$file" |
			grep -q 'SPDX-License-Identifier: BSD-3-Clause' && continue
		echo "$file: no SPDX line at its head"
		found=1
	done
	return "$found"
}

# Folders that exist on one machine only, and addresses of package servers.
rule_paths() {
	local pattern='(^|[^[:alnum:]_.}])/(home|root|work|Users|mnt|srv)/[[:alnum:]]'

	pattern+='|(pypi|npmjs|crates|golang)\.(org|io|com)'
	cd "$ROOT" || return 1
	! grep -nIE "$pattern" "${files[@]}" /dev/null |
		grep -v '^tests/lint/'
}

# What autotools make is never committed.
rule_generated() {
	local found

	found=$(printf '%s\n' "${files[@]}" | grep -E \
		'(^|/)(configure|Makefile\.in|aclocal\.m4|config\.(log|status|h\.in)|[^/]*\.(o|a|pyc))$')
	[ -z "$found" ] && return 0
	printf '%s: is generated\n' "$found"
	return 1
}

# A test waits for an event; how long is never known beforehand.
rule_sleeps() {
	local file tests=()

	for file in "${files[@]}"; do
		case $file in
		tests/lint/*) ;;
		tests/*.[ch] | tests/*.py | tests/*.sh) tests+=("$file") ;;
		esac
	done
	cd "$ROOT" || return 1
	! grep -nE '^[^#]*\b(sleep|usleep|nanosleep)\(|^[^#]*\bsleep [0-9$]' \
		${tests[@]+"${tests[@]}"} /dev/null
}

rule_shell() {
	need shellcheck || return 1
	[ ${#shell_files[@]} -gt 0 ] || return 0
	(cd "$ROOT" && shellcheck "${shell_files[@]}")
}

rule_python() {
	[ ${#python_files[@]} -gt 0 ] || return 0
	(cd "$ROOT" && PYTHONPYCACHEPREFIX=$work python3 -W error \
		-m py_compile "${python_files[@]}")
}

# The option tables, --help and the manual page name the same options.
rule_options() {
	"$HERE/options.sh" "$program"
}

flags() {
	printf '%s\n' -std=gnu11 -D_GNU_SOURCE "-I$ROOT/src" -DHAVE_OPENSSL=1 \
		'-DPACKAGE_VERSION="0"' -Wall -Wextra -Wshadow \
		-Wstrict-prototypes -Wmissing-prototypes
	pkg-config --cflags libcjson cmocka 2>/dev/null | tr ' ' '\n'
}

rule_cppcheck() {
	need cppcheck || return 1
	(cd "$ROOT" && cppcheck --quiet --std=c11 --inline-suppr \
		--enable=warning,performance,portability \
		--suppress=missingInclude --error-exitcode=1 -D__linux__ \
		-Isrc -j "$(nproc)" "${source_files[@]}" 2>&1)
}

rule_clang-tidy() {
	local arguments

	need clang-tidy || return 1
	mapfile -t arguments < <(flags | grep .)
	(cd "$ROOT" && printf '%s\0' "${source_files[@]}" |
		xargs -0 -P "$(nproc)" -n 1 "$HERE/tidy.sh" \
			"${arguments[@]}" >"$work/tidy" 2>&1)
	# A header's finding is told by every file that includes it.
	! grep -E '(error|warning): ' "$work/tidy" | sort -u | grep .
}

# --- all of them ------------------------------------------------------------

fix=
passed=0 failed=0

run_rule() {
	if [ "$1" = options ] && [ -z "$program" ]; then
		echo "skip lint options: no --program"
		return
	fi
	if "rule_$1" >"$work/said" 2>&1; then
		echo "ok lint $1"
		passed=$((passed + 1))
		return
	fi
	sed 's/^/  /' "$work/said"
	echo "not ok lint $1"
	failed=$((failed + 1))
}

while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage && exit 0 ;;
	--fix) fix=yes ;;
	--program | --only | --root)
		[ $# -ge 2 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
		case $1 in
		--program) program=$(realpath "$2") || exit 2 ;;
		--only) chosen+=("$2") ;;
		--root) ROOT=$(cd "$2" && pwd -P) || exit 2 ;;
		esac
		shift
		;;
	*) echo "run.sh: unknown option $1; see --help" >&2; exit 2 ;;
	esac
	shift
done
[ ${#chosen[@]} -gt 0 ] || chosen=("${RULES[@]}")
for rule in "${chosen[@]}"; do
	[[ " ${RULES[*]} " == *" $rule "* ]] || {
		echo "run.sh: there is no rule $rule" >&2
		exit 2
	}
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sort_files
for rule in "${chosen[@]}"; do
	run_rule "$rule"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
