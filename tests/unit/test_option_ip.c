/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/option.h"

static struct settings s;
static struct err e;

static int setup(void **state)
{
	(void)state;
	settings_init(&s);
	e = ERR_INIT;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	settings_done(&s);
	return 0;
}

static const struct option_row *find(const char *name)
{
	const struct option_table *t;
	size_t i;

	for (t = option_core; t->title; t++)
		for (i = 0; i < t->rows; i++)
			if (t->row[i].name && !strcmp(t->row[i].name, name))
				return &t->row[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void give(const char *name, const char *value)
{
	err_clear(&e);
	assert_int_equal(option_apply(&s, find(name), value, &e), 0);
	assert_false(err_is_set(&e));
}

static void refuse(const char *name, const char *value, int code)
{
	struct settings before = s;

	err_clear(&e);
	assert_true(option_apply(&s, find(name), value, &e) < 0);
	assert_int_equal(e.code, code);
	assert_non_null(strstr(e.detail, name));
	assert_memory_equal(&before, &s, sizeof(s));
}

static void ranges_carry_iperf3_numbers(void **state)
{
	(void)state;
	refuse("set-mss", "32768", ERR_MSS);
	refuse("set-mss", "-1", ERR_MSS);
	refuse("tos", "256", ERR_TOS);
	refuse("tos", "0x", ERR_TOS);
	refuse("tos", "16x", ERR_TOS);
	refuse("flowlabel", "0", ERR_SET_FLOW);
	refuse("flowlabel", "0x100000", ERR_SET_FLOW);
	refuse("cport", "65536", ERR_PORT);
	refuse("fq-rate", "fast", ERR_UNIT);
}

static void numbers_are_read_as_c_reads_them(void **state)
{
	(void)state;
	give("tos", "52");
	assert_int_equal(s.tos, 52);
	give("tos", "064");
	assert_int_equal(s.tos, 52);
	give("tos", "0x34");
	assert_int_equal(s.tos, 52);
	give("flowlabel", "0xfffff");
	assert_int_equal(s.flow_label, 1048575);
}

static void a_dscp_is_a_number_or_a_name(void **state)
{
	(void)state;
	give("dscp", "46");
	assert_int_equal(s.tos, 0xb8);
	give("dscp", "0x3f");
	assert_int_equal(s.tos, 0xfc);
	give("dscp", "0");
	assert_int_equal(s.tos, 0);
	give("dscp", "EF");
	assert_int_equal(s.tos, 0xb8);
	give("dscp", "af43");
	assert_int_equal(s.tos, 0x98);
	give("dscp", "cs7");
	assert_int_equal(s.tos, 0xe0);
	give("dscp", "LowDelay");
	assert_int_equal(s.tos, 0x10);
	refuse("dscp", "64", ERR_DSCP);
	refuse("dscp", "-1", ERR_DSCP);
	refuse("dscp", "ef1", ERR_DSCP);
	refuse("dscp", "cs8", ERR_DSCP);
	refuse("dscp", "", ERR_DSCP);
}

static void assert_keepalive(int idle_s, int interval_s, int count)
{
	assert_true(s.has_keepalive);
	assert_int_equal(s.keepalive_idle_s, idle_s);
	assert_int_equal(s.keepalive_interval_s, interval_s);
	assert_int_equal(s.keepalive_count, count);
}

static void each_part_of_keepalive_may_be_missing(void **state)
{
	(void)state;
	give("cntl-ka", NULL);
	assert_keepalive(0, 0, 0);
	give("cntl-ka", "11/5/2");
	assert_keepalive(11, 5, 2);
	give("cntl-ka", "/5/");
	assert_keepalive(0, 5, 0);
	give("cntl-ka", "7");
	assert_keepalive(7, 0, 0);
	give("cntl-ka", "//3");
	assert_keepalive(0, 0, 3);
}

static void keepalive_probes_within_its_idle_time(void **state)
{
	(void)state;
	refuse("cntl-ka", "10/5/2", ERR_KEEPALIVE);
	refuse("cntl-ka", "1/30000/100", ERR_KEEPALIVE);
	refuse("cntl-ka", "32768", ERR_KEEPALIVE);
	refuse("cntl-ka", "9/1/128", ERR_KEEPALIVE);
	refuse("cntl-ka", "1/2/3/4", ERR_KEEPALIVE);
	refuse("cntl-ka", "ten", ERR_KEEPALIVE);
	refuse("cntl-ka", "-1", ERR_KEEPALIVE);
}

static void an_address_may_name_its_device(void **state)
{
	(void)state;
	give("bind", "10.0.0.1%eth0");
	assert_string_equal(s.bind_host, "10.0.0.1");
	assert_string_equal(s.bind_dev, "eth0");
	give("client", "server%eth1");
	assert_string_equal(s.host, "server");
	assert_string_equal(s.bind_dev, "eth1");
	give("bind", "2001:db8::1%eth2");
	assert_string_equal(s.bind_host, "2001:db8::1");
	assert_string_equal(s.bind_dev, "eth2");
	give("bind", "%eth3");
	assert_null(s.bind_host);
	assert_string_equal(s.bind_dev, "eth3");
}

static void a_link_local_address_keeps_its_zone(void **state)
{
	(void)state;
	give("client", "fe80::1%eth0");
	assert_string_equal(s.host, "fe80::1%eth0");
	assert_null(s.bind_dev);
	give("bind", "FEBF::1%eth0");
	assert_string_equal(s.bind_host, "FEBF::1%eth0");
	assert_null(s.bind_dev);
	/* Names, and an address outside fe80::/10. */
	give("bind", "fe80%eth0");
	assert_string_equal(s.bind_dev, "eth0");
	give("bind", "fec0::1%eth1");
	assert_string_equal(s.bind_dev, "eth1");
}

static void an_address_needs_its_parts(void **state)
{
	(void)state;
	refuse("bind", "10.0.0.1%", ERR_ADDRESS);
	refuse("client", "server%", ERR_ADDRESS);
	err_clear(&e);
	assert_true(option_apply(&s, find("client"), "%eth0", &e) < 0);
	assert_int_equal(e.code, ERR_ADDRESS);
}

static void a_strangers_parameters_are_checked(void **state)
{
	static const struct {
		const char *row;
		const char *text;
		int code;
	} cases[] = {
		{ "set-mss", "{\"MSS\":32768}", ERR_MSS },
		{ "set-mss", "{\"MSS\":-1}", ERR_MSS },
		{ "tos", "{\"TOS\":256}", ERR_TOS },
		{ "tos", "{\"TOS\":\"ef\"}", ERR_TOS },
		{ "flowlabel", "{\"flowlabel\":0}", ERR_SET_FLOW },
		{ "flowlabel", "{\"flowlabel\":1048576}", ERR_SET_FLOW },
		{ "fq-rate", "{\"fqrate\":-1}", ERR_RECV_PARAMS },
		{ "congestion", "{\"congestion\":5}", ERR_RECV_PARAMS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *json = cJSON_Parse(cases[i].text);

		err_clear(&e);
		assert_true(option_from_wire(&s, find(cases[i].row), json, &e) <
			    0);
		assert_int_equal(e.code, cases[i].code);
		cJSON_Delete(json);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ranges_carry_iperf3_numbers),
		TEST(numbers_are_read_as_c_reads_them),
		TEST(a_dscp_is_a_number_or_a_name),
		TEST(each_part_of_keepalive_may_be_missing),
		TEST(keepalive_probes_within_its_idle_time),
		TEST(an_address_may_name_its_device),
		TEST(a_link_local_address_keeps_its_zone),
		TEST(an_address_needs_its_parts),
		TEST(a_strangers_parameters_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
