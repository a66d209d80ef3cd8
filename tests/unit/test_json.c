/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static cJSON *parse(const char *text)
{
	return json_parse_object(text, strlen(text));
}

static void only_objects_are_parsed(void **state)
{
	cJSON *doc = parse(" {\"a\":1} \n");

	(void)state;
	assert_non_null(doc);
	cJSON_Delete(doc);
	assert_null(parse("[1]"));
	assert_null(parse("1"));
	assert_null(parse(""));
	assert_null(parse("{\"a\":1} x"));
	assert_null(parse("{\"a\":"));
	assert_null(json_parse_object("{\"a\":1}", 5));
	doc = json_parse_object("{\"a\":1}trailing", 7);
	assert_non_null(doc);
	cJSON_Delete(doc);
}

static cJSON *nested(int depth, char opening, char closing)
{
	char text[256] = "{\"a\":";
	size_t len = strlen(text);
	cJSON *doc;

	memset(text + len, opening, (size_t)depth - 1);
	len += (size_t)depth - 1;
	memset(text + len, closing, (size_t)depth - 1);
	len += (size_t)depth - 1;
	text[len++] = '}';
	doc = json_parse_object(text, len);
	return doc;
}

static void nesting_is_bounded(void **state)
{
	cJSON *doc = nested(JSON_DEPTH_MAX, '[', ']');

	(void)state;
	assert_non_null(doc);
	cJSON_Delete(doc);
	assert_null(nested(JSON_DEPTH_MAX + 1, '[', ']'));
	doc = parse("{\"a\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}");
	assert_non_null(doc);
	cJSON_Delete(doc);
}

static void reads_state_type_and_range(void **state)
{
	cJSON *doc = parse("{\"i\":5,\"f\":1.5,\"s\":\"text\",\"t\":true,"
			   "\"b\":false,\"big\":1e19,\"inf\":1e999,\"n\":null,"
			   "\"i\":6}");
	const char *text = "old";
	bool flag = false;
	int64_t i = 7;
	double d = 7;

	(void)state;
	assert_non_null(doc);
	assert_int_equal(json_get_i64(doc, "none", 0, 9, &i), JSON_ABSENT);
	assert_int_equal(json_get_i64(doc, "I", 0, 9, &i), JSON_ABSENT);
	assert_int_equal(json_get_i64(doc, "f", 0, 9, &i), JSON_BAD);
	assert_int_equal(json_get_i64(doc, "s", 0, 9, &i), JSON_BAD);
	assert_int_equal(json_get_i64(doc, "i", 6, 9, &i), JSON_BAD);
	assert_int_equal(json_get_i64(doc, "big", INT64_MIN, INT64_MAX, &i),
			 JSON_BAD);
	assert_int_equal(json_get_i64(doc, "inf", INT64_MIN, INT64_MAX, &i),
			 JSON_BAD);
	assert_int_equal(i, 7);
	assert_int_equal(json_get_i64(doc, "i", 0, 9, &i), JSON_OK);
	assert_int_equal(i, 5);
	assert_int_equal(json_get_double(doc, "inf", -HUGE_VAL, HUGE_VAL, &d),
			 JSON_BAD);
	assert_int_equal(json_get_double(doc, "f", 0, 1, &d), JSON_BAD);
	assert_true(d == 7);
	assert_int_equal(json_get_double(doc, "f", 0, 2, &d), JSON_OK);
	assert_true(d == 1.5);
	assert_int_equal(json_get_text(doc, "s", 3, &text), JSON_BAD);
	assert_string_equal(text, "old");
	assert_int_equal(json_get_text(doc, "s", 4, &text), JSON_OK);
	assert_string_equal(text, "text");
	assert_int_equal(json_get_presence(doc, "i", &flag), JSON_BAD);
	assert_int_equal(json_get_presence(doc, "n", &flag), JSON_BAD);
	assert_false(flag);
	assert_int_equal(json_get_presence(doc, "b", &flag), JSON_OK);
	assert_true(flag);
	cJSON_Delete(doc);
}

static void a_key_is_written_once(void **state)
{
	cJSON *doc = cJSON_CreateObject();
	char *text;

	(void)state;
	assert_int_equal(json_put_i64(doc, "a", 1), 0);
	assert_int_equal(json_put_text(doc, "a", "x"), -EEXIST);
	assert_int_equal(json_put_item(doc, "b", NULL), -ENOMEM);
	assert_int_equal(json_put_bool(NULL, "c", true), -ENOMEM);
	text = json_print(doc, false);
	assert_string_equal(text, "{\"a\":1}");
	free(text);
	cJSON_Delete(doc);
}

static void numbers_are_printed_as_iperf3_does(void **state)
{
	cJSON *doc = cJSON_CreateObject();
	char *text;

	(void)state;
	json_put_double(doc, "whole", 10000000);
	json_put_i64(doc, "ms", 1796034921071);
	json_put_i64(doc, "petabytes", 4000000000000000);
	json_put_double(doc, "negative", -4e15);
	json_put_double(doc, "small", 4.2e-05);
	json_put_double(doc, "noise", 1.0015649795532227);
	json_put_double(doc, "nan", NAN);
	json_put_text(doc, "text", "a/b\t\"\xc3\xa4\"\x01");
	json_put_item(doc, "none", cJSON_CreateArray());
	text = json_print(doc, false);
	assert_string_equal(
		text,
		"{\"whole\":10000000,\"ms\":1796034921071,"
		"\"petabytes\":4000000000000000,"
		"\"negative\":-4000000000000000,\"small\":4.2e-05,"
		"\"noise\":1.0015649795532227,\"nan\":null,"
		"\"text\":\"a/b\\t\\\"\xc3\xa4\\\"\\u0001\",\"none\":[]}");
	free(text);
	cJSON_Delete(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_objects_are_parsed),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(reads_state_type_and_range),
		cmocka_unit_test(a_key_is_written_once),
		cmocka_unit_test(numbers_are_printed_as_iperf3_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
