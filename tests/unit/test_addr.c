/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include "net/addr.h"

static struct addr make_v6(const char *text, uint16_t port)
{
	struct addr a = { .len = sizeof(struct sockaddr_in6) };
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a.sa;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	assert_int_equal(inet_pton(AF_INET6, text, &in6->sin6_addr), 1);
	return a;
}

static struct addr make_v4(const char *text, uint16_t port)
{
	struct addr a = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_in *in = (struct sockaddr_in *)&a.sa;

	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	assert_int_equal(inet_pton(AF_INET, text, &in->sin_addr), 1);
	return a;
}

static void assert_shows(struct addr a, const char *host, uint32_t port)
{
	struct endpoint out = { .host = "rubbish", .port = 9 };

	addr_format(&a, &out);
	assert_string_equal(out.host, host);
	assert_int_equal(out.port, port);
}

static void addresses_show_as_literals(void **state)
{
	(void)state;
	assert_shows(make_v4("192.0.2.1", 5201), "192.0.2.1", 5201);
	assert_shows(make_v4("0.0.0.0", 0), "0.0.0.0", 0);
	assert_shows(make_v6("2001:db8::1", 65535), "2001:db8::1", 65535);
	assert_shows(make_v6("::", 1), "::", 1);
}

static void a_mapped_address_shows_as_the_ipv4_it_is(void **state)
{
	(void)state;
	assert_shows(make_v6("::ffff:192.0.2.1", 5201), "192.0.2.1", 5201);
	assert_shows(make_v6("::ffff:255.255.255.255", 1), "255.255.255.255",
		     1);
	/* The old compatible form and the loopback are something else. */
	assert_shows(make_v6("::1", 5201), "::1", 5201);
	assert_shows(make_v6("64:ff9b::192.0.2.1", 7), "64:ff9b::c000:201", 7);
}

static void an_unknown_family_shows_as_nothing(void **state)
{
	struct addr a = { .sa.ss_family = AF_UNIX, .len = 2 };

	(void)state;
	assert_shows(a, "", 0);
}

static void a_port_is_set_in_either_family(void **state)
{
	struct addr v4 = make_v4("192.0.2.1", 1);
	struct addr v6 = make_v6("2001:db8::1", 1);

	(void)state;
	addr_set_port(&v4, 5201);
	addr_set_port(&v6, 5202);
	assert_shows(v4, "192.0.2.1", 5201);
	assert_shows(v6, "2001:db8::1", 5202);
}

static void a_literal_resolves_to_itself(void **state)
{
	struct addr list[ADDR_LIST_MAX];
	const char *why = NULL;

	(void)state;
	assert_int_equal(addr_resolve("192.0.2.7", 5201, AF_UNSPEC, list, &why),
			 1);
	assert_shows(list[0], "192.0.2.7", 5201);
	assert_int_equal(list[0].len, sizeof(struct sockaddr_in));
	assert_int_equal(addr_resolve("2001:db8::7", 80, AF_INET6, list, &why),
			 1);
	assert_shows(list[0], "2001:db8::7", 80);
	assert_null(why);
}

static void a_wildcard_is_of_the_family_asked_for(void **state)
{
	struct addr list[ADDR_LIST_MAX];
	const char *why = NULL;

	(void)state;
	assert_int_equal(addr_resolve(NULL, 5201, AF_INET, list, &why), 1);
	assert_shows(list[0], "0.0.0.0", 5201);
	assert_int_equal(addr_resolve(NULL, 5201, AF_INET6, list, &why), 1);
	assert_shows(list[0], "::", 5201);
}

static void what_does_not_resolve_is_explained(void **state)
{
	struct addr list[ADDR_LIST_MAX];
	const char *why = NULL;

	(void)state;
	assert_int_equal(addr_resolve("2001:db8::7", 80, AF_INET, list, &why),
			 -EHOSTUNREACH);
	assert_non_null(why);
	assert_true(strlen(why) > 0);
}

static int listen_on(const char *host, struct addr *out)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*out = make_v4(host, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&out->sa, out->len), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&out->sa, &out->len);
	return fd;
}

static void both_ends_of_a_socket_are_named(void **state)
{
	struct addr at;
	struct endpoint to;
	struct endpoint local;
	struct endpoint remote;
	int listener = listen_on("127.0.0.1", &at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	addr_format(&at, &to);
	addr_of_socket(fd, &local, &remote);
	assert_string_equal(remote.host, "");
	assert_int_equal(connect(fd, (struct sockaddr *)&at.sa, at.len), 0);
	addr_of_socket(fd, &local, &remote);
	assert_string_equal(local.host, "127.0.0.1");
	assert_string_equal(remote.host, "127.0.0.1");
	assert_int_equal(remote.port, to.port);
	assert_int_not_equal(local.port, to.port);
	close(fd);
	close(listener);
	addr_of_socket(-1, &local, &remote);
	assert_string_equal(local.host, "");
	assert_int_equal(local.port, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_show_as_literals),
		cmocka_unit_test(a_mapped_address_shows_as_the_ipv4_it_is),
		cmocka_unit_test(an_unknown_family_shows_as_nothing),
		cmocka_unit_test(a_port_is_set_in_either_family),
		cmocka_unit_test(a_literal_resolves_to_itself),
		cmocka_unit_test(a_wildcard_is_of_the_family_asked_for),
		cmocka_unit_test(what_does_not_resolve_is_explained),
		cmocka_unit_test(both_ends_of_a_socket_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
