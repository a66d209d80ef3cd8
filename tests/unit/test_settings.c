/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/settings.h"

static void defaults_are_those_of_iperf3(void **state)
{
	struct settings s;

	(void)state;
	settings_init(&s);
	assert_int_equal(s.role, ROLE_NONE);
	assert_int_equal(s.port, 5201);
	assert_int_equal(s.streams, 1);
	assert_int_equal(s.time_s, 10);
	assert_int_equal(s.rcv_timeout_ms, 120000);
	assert_int_equal(s.pacing_timer_us, 1000);
	assert_true(s.interval_s == 1);
	assert_int_equal(s.affinity, SETTINGS_CPU_NONE);
	assert_int_equal(s.server_affinity, SETTINGS_CPU_NONE);
	assert_string_equal(s.transport, "tcp");
	settings_done(&s);
}

static void a_copy_owns_its_strings(void **state)
{
	struct settings from, to;

	(void)state;
	settings_init(&from);
	assert_int_equal(settings_set_string(&from.host, "host"), 0);
	assert_int_equal(settings_set_string(&from.title, "title"), 0);
	assert_int_equal(settings_set_string(&from.json_out, "out"), 0);
	from.streams = 7;
	assert_int_equal(settings_copy(&to, &from), 0);
	assert_ptr_not_equal(to.host, from.host);
	settings_done(&from);
	assert_string_equal(to.host, "host");
	assert_string_equal(to.title, "title");
	assert_string_equal(to.json_out, "out");
	assert_null(to.bind_host);
	assert_int_equal(to.streams, 7);
	settings_done(&to);
}

static void done_leaves_defaults_and_takes_null(void **state)
{
	struct settings s;

	(void)state;
	settings_done(NULL);
	settings_init(&s);
	assert_int_equal(settings_set_string(&s.logfile, "x"), 0);
	s.is_bidir = true;
	settings_done(&s);
	assert_null(s.logfile);
	assert_false(s.is_bidir);
	assert_int_equal(s.port, SETTINGS_PORT_DEFAULT);
	settings_done(&s);
}

static void set_string_replaces_and_forgets(void **state)
{
	char *member = NULL;

	(void)state;
	assert_int_equal(settings_set_string(&member, "a"), 0);
	assert_int_equal(settings_set_string(&member, "b"), 0);
	assert_string_equal(member, "b");
	/* Its own text is as good as another's. */
	assert_int_equal(settings_set_string(&member, member), 0);
	assert_string_equal(member, "b");
	assert_int_equal(settings_set_string(&member, NULL), 0);
	assert_null(member);
}

static void directions_decide_who_sends(void **state)
{
	static const struct {
		enum role role;
		bool is_reverse;
		bool is_bidir;
		bool sends;
		bool receives;
	} cases[] = {
		{ ROLE_CLIENT, false, false, true, false },
		{ ROLE_CLIENT, true, false, false, true },
		{ ROLE_CLIENT, false, true, true, true },
		{ ROLE_SERVER, false, false, false, true },
		{ ROLE_SERVER, true, false, true, false },
		{ ROLE_SERVER, false, true, true, true },
		{ ROLE_NONE, false, true, false, false },
	};
	struct settings s;
	size_t i;

	(void)state;
	settings_init(&s);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s.role = cases[i].role;
		s.is_reverse = cases[i].is_reverse;
		s.is_bidir = cases[i].is_bidir;
		assert_int_equal(settings_sends(&s), cases[i].sends);
		assert_int_equal(settings_receives(&s), cases[i].receives);
	}
	settings_done(&s);
}

static void bidir_doubles_the_streams(void **state)
{
	struct settings s;

	(void)state;
	settings_init(&s);
	s.streams = 3;
	assert_int_equal(settings_total_streams(&s), 3);
	assert_int_equal(settings_direction(&s), DIRECTION_FORWARD);
	s.is_bidir = true;
	assert_int_equal(settings_total_streams(&s), 6);
	assert_int_equal(settings_direction(&s), DIRECTION_BOTH);
	settings_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_iperf3),
		cmocka_unit_test(a_copy_owns_its_strings),
		cmocka_unit_test(done_leaves_defaults_and_takes_null),
		cmocka_unit_test(set_string_replaces_and_forgets),
		cmocka_unit_test(directions_decide_who_sends),
		cmocka_unit_test(bidir_doubles_the_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
