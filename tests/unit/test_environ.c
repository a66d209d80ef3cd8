/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "base/version.h"
#include "session/environ.h"

#define SET(member, text) snprintf(member, sizeof(member), "%s", text)

static void parse(const char *text, struct environment *env)
{
	cJSON *json = json_parse_object(text, strlen(text));

	memset(env, 0x55, sizeof(*env));
	assert_non_null(json);
	environ_from_json(env, json);
	cJSON_Delete(json);
}

static void this_machine_is_described(void **state)
{
	struct environment env;
	struct utsname uts;

	(void)state;
	assert_int_equal(uname(&uts), 0);
	environ_collect(&env);
	assert_true(env.is_known);
	assert_string_equal(env.tool, VERSION_TOOL);
	assert_string_equal(env.kernel, uts.release);
	assert_string_equal(env.kernel_build, uts.version);
	assert_string_equal(env.machine, uts.machine);
	assert_true(env.cpus > 0);
	assert_null(strchr(env.cpu_model, '\n'));
	assert_null(strchr(env.clocksource, '\n'));
	assert_null(strchr(env.boot_id, '\n'));
	assert_string_equal(env.address, "");
	assert_int_equal(env.window_bytes, 0);
}

static void it_survives_the_way_to_the_peer(void **state)
{
	struct environment from = { .is_known = true,
				    .cpus = 64,
				    .window_bytes = 262144 };
	struct environment to;
	cJSON *json;
	char *text;

	(void)state;
	SET(from.tool, "tool 1");
	SET(from.kernel, "6.1.0");
	SET(from.kernel_build, "#1 SMP \"x\"");
	SET(from.machine, "aarch64");
	SET(from.cpu_model, "CPU \\ @ 3 GHz");
	SET(from.address, "3");
	SET(from.clocksource, "kvm-clock");
	SET(from.boot_id, "0a5f");
	json = environ_to_json(&from);
	text = json_print(json, false);
	parse(text, &to);
	assert_true(to.is_known);
	assert_string_equal(to.tool, from.tool);
	assert_string_equal(to.kernel, from.kernel);
	assert_string_equal(to.kernel_build, from.kernel_build);
	assert_string_equal(to.machine, from.machine);
	assert_string_equal(to.cpu_model, from.cpu_model);
	assert_string_equal(to.address, from.address);
	assert_string_equal(to.clocksource, from.clocksource);
	assert_string_equal(to.boot_id, from.boot_id);
	assert_int_equal(to.cpus, 64);
	assert_int_equal(to.window_bytes, 262144);
	free(text);
	cJSON_Delete(json);
}

static void a_collected_one_survives_too(void **state)
{
	struct environment from;
	struct environment to;
	cJSON *json;

	(void)state;
	environ_collect(&from);
	json = environ_to_json(&from);
	environ_from_json(&to, json);
	assert_string_equal(to.tool, from.tool);
	assert_string_equal(to.cpu_model, from.cpu_model);
	assert_string_equal(to.boot_id, from.boot_id);
	assert_int_equal(to.cpus, from.cpus);
	cJSON_Delete(json);
}

static void a_peer_that_is_not_ours_stays_unknown(void **state)
{
	struct environment env = { .is_known = true, .cpus = 3 };
	cJSON *text = cJSON_CreateString("linux");

	(void)state;
	environ_from_json(&env, NULL);
	assert_false(env.is_known);
	assert_int_equal(env.cpus, 0);
	env.is_known = true;
	environ_from_json(&env, text);
	assert_false(env.is_known);
	cJSON_Delete(text);
}

static void what_is_missing_is_empty(void **state)
{
	struct environment env;

	(void)state;
	parse("{}", &env);
	assert_true(env.is_known);
	assert_string_equal(env.tool, "");
	assert_string_equal(env.boot_id, "");
	assert_int_equal(env.cpus, 0);
	assert_int_equal(env.window_bytes, 0);
}

static void wrong_types_and_values_are_left_out(void **state)
{
	struct environment env;

	(void)state;
	parse("{\"tool\":1,\"kernel\":null,\"machine\":[\"x\"],"
	      "\"cpus\":-1,\"window_bytes\":-1}",
	      &env);
	assert_string_equal(env.tool, "");
	assert_string_equal(env.kernel, "");
	assert_string_equal(env.machine, "");
	assert_int_equal(env.cpus, 0);
	assert_int_equal(env.window_bytes, 0);
	parse("{\"cpus\":4294967298,\"window_bytes\":1e300}", &env);
	assert_int_equal(env.cpus, 0);
	assert_int_equal(env.window_bytes, 0);
	parse("{\"cpus\":\"8\",\"window_bytes\":1.5}", &env);
	assert_int_equal(env.cpus, 0);
	assert_int_equal(env.window_bytes, 0);
}

static void a_text_fits_its_member_or_is_left_out(void **state)
{
	struct environment env;

	(void)state;
	parse("{\"machine\":\"1234567890123456789012345678901\","
	      "\"boot_id\":\"1234567890123456789012345678901234567890\"}",
	      &env);
	assert_int_equal(strlen(env.machine), sizeof(env.machine) - 1);
	assert_string_equal(env.boot_id, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_is_described),
		cmocka_unit_test(it_survives_the_way_to_the_peer),
		cmocka_unit_test(a_collected_one_survives_too),
		cmocka_unit_test(a_peer_that_is_not_ours_stays_unknown),
		cmocka_unit_test(what_is_missing_is_empty),
		cmocka_unit_test(wrong_types_and_values_are_left_out),
		cmocka_unit_test(a_text_fits_its_member_or_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
