#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Proves that each rule of run.sh finds what it is there to find: a small
# clean tree passes, and each planted violation fails the rule that it breaks.

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

if [ "${1:-}" = --help ]; then
	echo "Usage: selftest.sh"
	echo "Plants a violation of each lint rule and expects it to be found."
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Most verdicts come from the right side of a pipe, that is from a subshell.
verdict() {
	if [ "$1" = 0 ]; then
		echo "ok lint finds: $2"
	else
		echo "not ok lint finds: $2"
	fi | tee -a "$work/verdicts"
}

# A tree without a fault.
fresh() {
	tree=$work/tree
	rm -rf "$tree"
	mkdir -p "$tree/src/base" "$tree/src/engine" "$tree/src/report" \
		"$tree/src/transport" "$tree/src/model" "$tree/src/cli" \
		"$tree/tests/unit"
	cp "$HERE/../../.clang-format" "$HERE/../../.clang-tidy" "$tree"
	cat >"$tree/src/base/one.h" <<'END'
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ONE_H
#define BASE_ONE_H

int one_double(int n); /* comments may mention printf() and vsock */

#endif
END
	cat >"$tree/src/base/one.c" <<'END'
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/one.h"

int one_double(int n)
{
	return 2 * n;
}
END
}

# run RULE: the rule's verdict on the tree; its words are in $work/said.
run() {
	"$HERE/run.sh" --root "$tree" --only "$1" >"$work/said" 2>&1
}

clean() {
	fresh
	run "$1"
	verdict $? "nothing in a clean tree ($1)"
}

# expect RULE WORD NAME: the rule must fail and name the file or the word.
expect() {
	if run "$1"; then
		verdict 1 "$3 ($1)"
	elif grep -q -- "$2" "$work/said"; then
		verdict 0 "$3 ($1)"
	else
		sed 's/^/  /' "$work/said"
		verdict 1 "$3 ($1), for the wrong reason"
	fi
}

# plant RULE NAME FILE WORD: the file's content comes from stdin.
plant() {
	fresh
	mkdir -p "$(dirname "$tree/$3")"
	cat >"$tree/$3"
	expect "$1" "$4" "$2"
}

# In front of a planted C file.
SPDX='/* SPDX-License-Identifier: BSD-3-Clause */'

# c RULE NAME FILE WORD: a C file with these lines, licence line included.
c() {
	{ printf '%s\n' "$SPDX" && cat; } | plant "$@"
}

# A function with so many statements.
function_of() {
	local i

	printf 'int long_one(int n);\n\nint long_one(int n)\n{\n'
	for ((i = 0; i < $1; i++)); do printf '\tn += %d;\n' "$i"; done
	printf '\treturn n;\n}\n'
}

for rule in format arrows length calls names spdx paths generated sleeps \
	shell python cppcheck clang-tidy; do
	clean "$rule"
done

c format "spaces for tabs" src/base/a.c a.c <<'END'
int a(void)
{
    return 1;
}
END
c format "a brace on the line of the function" src/base/a.c a.c <<'END'
int a(void) {
	return 1;
}
END
{
	printf '/* %085d */\n' 0
} | c format "a comment over 80 columns" src/base/a.c 'longer than 80'
c arrows "an upward include" src/base/a.c 'must not include' <<'END'
#include "engine/stream.h"
END
c arrows "report knows the session" src/report/a.c 'must not' <<'END'
#include "session/session.h"
END
c arrows "cli knows more of transport/ than the registry" src/cli/a.c \
	'must not' <<'END'
#include "transport/tcp.h"
END
c arrows "main knows more than cli" src/main.c 'main.c must not' <<'END'
#include "base/one.h"
END
c arrows "an include without its layer" src/base/a.c 'layer/module' <<'END'
#include "one.h"
END
c arrows "a layer that isn't one" src/util/a.c 'not a layer' <<'END'
END
function_of 90 | c length "a long function" src/base/a.c 'long_one has 94'
c length "six parameters" src/base/a.c 'six has 6 parameters' <<'END'
int six(int a, int b, int c, int d, int e,
	int f)
{
	return a + b + c + d + e + f;
}
END
{
	for ((i = 0; i < 710; i++)); do echo; done
} | c length "a long file" src/base/a.c '711 lines'
for call in strcpy strcat sprintf vsprintf atoi atol atof strtok setjmp \
	longjmp select pthread_cancel; do
	c calls "$call" src/report/a.c "$call is banned" <<END
int a(void)
{
	return $call(0);
}
END
done
for call in printf fprintf puts perror; do
	c calls "$call outside report/ and cli/" src/base/a.c \
		"$call: only report" <<END
int a(void)
{
	return $call(0);
}
END
done
c calls "exit outside main and cli/" src/session/a.c 'only main exits' <<'END'
void a(void)
{
	exit(1);
}
END
c names "a transport's name as a string" src/session/a.c '"vsock"' <<'END'
const char *a = "vsock";
END
c names "a transport's name as an identifier" src/report/a.c '"udp"' <<'END'
int udp_jitter;
END
c names "a transport's constant in cli/" src/cli/a.c 'SCTP' <<'END'
int a = IPPROTO_SCTP;
END
plant spdx "a C file without its licence" src/base/a.c a.c <<'END'
int a;
END
plant spdx "a script without its licence" tests/a.sh a.sh <<'END'
#!/bin/sh
END
plant paths "a folder of one machine" tests/a.sh a.sh <<END
#!/bin/sh
cd /${EMPTY:-home}/somebody/iperf3
END
plant generated "a committed configure" configure configure <<'END'
END
plant generated "a committed Makefile.in" Makefile.in Makefile.in <<'END'
END
c sleeps "a sleep in a C test" tests/unit/a.c a.c <<'END'
int a(void)
{
	return sleep(1);
}
END
plant sleeps "a sleep in a Python test" tests/a.py a.py <<'END'
time.sleep(1)
END
plant sleeps "a sleep in a shell test" tests/a.sh a.sh <<'END'
#!/bin/sh
sleep 3
END
plant shell "an unquoted variable" tests/a.sh SC2086 <<'END'
#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
rm $1
END
plant shell "the same in a script without an ending" tests/a SC2086 <<'END'
#!/bin/bash
rm $1
END
plant python "a syntax error" tests/a.py a.py <<'END'
def a(:
    pass
END
c cppcheck "an index out of bounds" src/base/a.c a.c <<'END'
int a(void);

int a(void)
{
	int v[4] = { 0 };

	return v[4];
}
END
c clang-tidy "a null pointer" src/base/a.c a.c <<'END'
int a(int n);

int a(int n)
{
	int *p = n > 3 ? &n : 0;

	return *p;
}
END
c clang-tidy "an unused parameter" \
	src/base/a.c 'unused' <<'END'
static int a(int n)
{
	return 1;
}

int b(void);

int b(void)
{
	return a(3);
}
END
c clang-tidy "nesting of four" src/base/a.c 'function-size' <<'END'
int a(int n);

int a(int n)
{
	if (n > 1) {
		while (n > 2) {
			if (n > 3) {
				do {
					n--;
					if (n == 9) {
						n -= 2;
						n -= n / 3;
					}
				} while (n > 4);
			}
		}
	}
	return n;
}
END

# A help that lacks an option, and a table that lacks the help's.
fresh
cat >"$work/program" <<'END'
#!/bin/sh
echo "  --no-such-option"
END
chmod +x "$work/program"
if "$HERE/run.sh" --only options --program "$work/program" \
	>"$work/said" 2>&1; then
	verdict 1 "a help that differs from the tables (options)"
else
	verdict 0 "a help that differs from the tables (options)"
fi

passed=$(grep -c '^ok ' "$work/verdicts")
failed=$(grep -c '^not ok ' "$work/verdicts")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
