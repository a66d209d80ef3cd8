/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/vaddr.h"

static void assert_goes_to(const char *text, uint32_t cid, bool is_sibling)
{
	struct vaddr v = { .cid = 77 };

	if (vaddr_parse(text, &v))
		fail_msg("\"%s\" was refused", text);
	assert_int_equal(v.cid, cid);
	assert_int_equal(v.is_sibling, is_sibling);
}

static void assert_goes_nowhere(const char *text)
{
	struct vaddr v = { .cid = 77, .is_sibling = true };

	if (vaddr_parse(text, &v) != -EINVAL)
		fail_msg("\"%s\" was taken", text);
	assert_int_equal(v.cid, 77);
	assert_true(v.is_sibling);
}

static void assert_binds(const char *text, uint32_t cid)
{
	uint32_t got = 77;

	if (vaddr_parse_bind(text, &got))
		fail_msg("\"%s\" was refused", text);
	assert_int_equal(got, cid);
}

static void assert_binds_not(const char *text)
{
	uint32_t got = 77;

	if (vaddr_parse_bind(text, &got) != -EINVAL)
		fail_msg("\"%s\" was taken", text);
	assert_int_equal(got, 77);
}

static void names_stand_for_their_cids(void **state)
{
	(void)state;
	assert_goes_to("hypervisor", 0, false);
	assert_goes_to("local", 1, false);
	assert_goes_to("host", 2, false);
	assert_binds("hypervisor", 0);
	assert_binds("local", 1);
	assert_binds("host", 2);
	assert_binds("any", 4294967295u);
}

static void names_are_spelled_exactly(void **state)
{
	static const char *const bad[] = { "Host",  "HOST",  "hosts",
					   "hos",   "guest", "localhost",
					   "host ", " host", "Any",
					   "anyone" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_goes_nowhere(bad[i]);
		assert_binds_not(bad[i]);
	}
}

static void decimal_cids_reach_to_the_last_but_one(void **state)
{
	(void)state;
	assert_goes_to("0", 0, false);
	assert_goes_to("3", 3, false);
	assert_goes_to("4294967294", 4294967294u, false);
	assert_goes_to("0000000003", 3, false);
	assert_binds("0", 0);
	assert_binds("4294967294", 4294967294u);
}

static void any_is_only_to_bind(void **state)
{
	(void)state;
	assert_goes_nowhere("any");
	assert_goes_nowhere("4294967295");
	assert_goes_nowhere("sany");
	assert_goes_nowhere("s4294967295");
	assert_binds("4294967295", VADDR_CID_ANY);
}

static void numbers_do_not_wrap(void **state)
{
	static const char *const bad[] = {
		"4294967296",  "4294967298",	       "9999999999",
		"00000000003", "18446744073709551618", "99999999999999999999",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_goes_nowhere(bad[i]);
		assert_binds_not(bad[i]);
	}
	assert_goes_nowhere("s4294967296");
}

static void only_digits_make_a_number(void **state)
{
	static const char *const bad[] = {
		"",    " ",    "-1",  "+3",  " 3",   "3 ",    "3\n", "\t3",
		"0x3", "3.0",  "1e1", "3,4", "3K",   "3s",    "/3",  ":3",
		"3:5", "./vm", "-",   "--3", "\xb2", "3\xb2",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_goes_nowhere(bad[i]);
		assert_binds_not(bad[i]);
	}
}

static void an_s_in_front_means_a_sibling(void **state)
{
	(void)state;
	assert_goes_to("s4", 4, true);
	assert_goes_to("s0", 0, true);
	assert_goes_to("s4294967294", 4294967294u, true);
	assert_goes_to("shost", 2, true);
	assert_goes_to("slocal", 1, true);
	assert_goes_to("shypervisor", 0, true);
}

static void an_s_alone_or_misplaced_is_no_cid(void **state)
{
	static const char *const bad[] = { "s",	  "ss4", "S4",	   "s 4",
					   "s-1", "s+1", "sguest", "4s" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_goes_nowhere(bad[i]);
}

static void nobody_binds_a_sibling(void **state)
{
	(void)state;
	assert_binds_not("s4");
	assert_binds_not("s");
	assert_binds_not("shost");
	assert_binds_not("sany");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stand_for_their_cids),
		cmocka_unit_test(names_are_spelled_exactly),
		cmocka_unit_test(decimal_cids_reach_to_the_last_but_one),
		cmocka_unit_test(any_is_only_to_bind),
		cmocka_unit_test(numbers_do_not_wrap),
		cmocka_unit_test(only_digits_make_a_number),
		cmocka_unit_test(an_s_in_front_means_a_sibling),
		cmocka_unit_test(an_s_alone_or_misplaced_is_no_cid),
		cmocka_unit_test(nobody_binds_a_sibling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
