/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of transport.h: for every transport that is registered as far
 * as it needs no connection, and on a loopback connection for the one whose
 * control connection is there on every machine.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#include "fixture_pair.h"
#include "transport/bytestream.h"
#include "transport/registry.h"

typedef void (*slot)(void);

static void no_slot_is_empty(void **state)
{
	size_t i;
	size_t at;

	(void)state;
	for (i = 0; i < registry_count(); i++) {
		const struct transport *t = registry_get(i);

		for (at = offsetof(struct transport, claims); at < sizeof(*t);
		     at += sizeof(slot)) {
			slot f;

			memcpy(&f, (const char *)t + at, sizeof(f));
			if (!f)
				fail_msg("%s: slot at %zu", t->name, at);
		}
	}
}

static void block_limits_are_consistent(void **state)
{
	size_t i;

	(void)state;
	assert_true(registry_count() > 0);
	for (i = 0; i < registry_count(); i++) {
		const struct transport *t = registry_get(i);

		assert_true(t->block_min_bytes >= 1);
		assert_true(t->block_min_bytes <= t->block_default_bytes);
		assert_true(t->block_default_bytes <= t->block_max_bytes);
		assert_true(t->block_max_bytes <= SETTINGS_BLOCK_MAX_BYTES);
		assert_true(t->port_max >= SETTINGS_PORT_DEFAULT);
	}
}

static void names_and_keys_are_distinct(void **state)
{
	size_t i;
	size_t k;

	(void)state;
	for (i = 0; i < registry_count(); i++) {
		const struct transport *a = registry_get(i);

		assert_true(strlen(a->name) && strlen(a->label));
		for (k = 0; k < i; k++) {
			const struct transport *b = registry_get(k);

			assert_string_not_equal(a->label, b->label);
			assert_string_not_equal(a->wire_key, b->wire_key);
		}
	}
}

static void a_carrier_of_control_carries_its_own(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < registry_count(); i++) {
		const struct transport *t = registry_get(i);

		assert_non_null(t->control);
		assert_ptr_equal(t->control->control, t->control);
		assert_false(t->control->caps & TRANSPORT_DATAGRAMS);
	}
}

static void options_of_transports_are_complete_rows(void **state)
{
	size_t i;
	size_t k;

	(void)state;
	for (i = 0; i < registry_count(); i++) {
		const struct option_table *table = registry_options(i);

		assert_ptr_equal(table, &registry_get(i)->options);
		assert_non_null(table->title);
		for (k = 0; k < table->rows; k++) {
			const struct option_row *row = &table->row[k];

			assert_non_null(row->name);
			assert_non_null(row->help);
			assert_true(row->roles & FOR_BOTH);
			assert_true(!row->wire_key == !row->wire);
			assert_true(row->kind != OPTION_CUSTOM || row->parse);
		}
	}
}

static void each_is_selected_by_its_name(void **state)
{
	struct settings s;
	size_t i;

	(void)state;
	settings_init(&s);
	for (i = 0; i < registry_count(); i++) {
		s.transport = registry_get(i)->name;
		assert_string_equal(registry_select(&s)->name, s.transport);
	}
	s.transport = "carrier pigeon";
	assert_string_equal(registry_select(&s)->name,
			    SETTINGS_TRANSPORT_DEFAULT);
	settings_done(&s);
}

static int check(const struct settings *s)
{
	struct err e = ERR_INIT;

	return registry_check(s, &e) ? e.code : ERR_NONE;
}

static void limits_are_checked_for_each(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < registry_count(); i++) {
		const struct transport *t = registry_get(i);
		struct settings s;

		settings_init(&s);
		s.transport = t->name;
		assert_int_equal(check(&s), ERR_NONE);
		s.port = t->port_max;
		s.block_bytes = t->block_max_bytes;
		assert_int_equal(check(&s), ERR_NONE);
		s.block_bytes = t->block_max_bytes + 1;
		assert_int_equal(check(&s), ERR_BLOCK_SIZE);
		s.block_bytes = t->block_min_bytes;
		s.port = t->port_max + 1;
		assert_int_equal(check(&s), ERR_PORT);
		settings_done(&s);
	}
}

static int check_vsock(const char *host, const char *bind_host)
{
	struct settings s;
	int code;

	settings_init(&s);
	s.transport = "vsock";
	settings_set_string(&s.host, host);
	settings_set_string(&s.bind_host, bind_host);
	code = check(&s);
	settings_done(&s);
	return code;
}

static void vsock_addresses_are_checked_before_anything_opens(void **state)
{
	(void)state;
	assert_int_equal(check_vsock("3", NULL), ERR_NONE);
	assert_int_equal(check_vsock("s3", "2"), ERR_NONE);
	assert_int_equal(check_vsock(NULL, "any"), ERR_NONE);
	assert_int_equal(check_vsock("any", NULL), ERR_ADDRESS);
	assert_int_equal(check_vsock("localhost", NULL), ERR_ADDRESS);
	assert_int_equal(check_vsock("10.0.0.1", NULL), ERR_ADDRESS);
	assert_int_equal(check_vsock("3", "s4"), ERR_ADDRESS);
	assert_int_equal(check_vsock("3", "eth0"), ERR_ADDRESS);
}

static void vsock_refuses_what_is_for_ip(void **state)
{
	struct settings s;

	(void)state;
	settings_init(&s);
	s.transport = "vsock";
	s.family = IP_FAMILY_6;
	assert_int_equal(check(&s), ERR_USAGE);
	s.family = IP_FAMILY_ANY;
	s.client_port = 5000;
	assert_int_equal(check(&s), ERR_USAGE);
	s.client_port = 0;
	s.snd_timeout_ms = 500;
	assert_int_equal(check(&s), ERR_USAGE);
	s.snd_timeout_ms = 0;
	s.tos = 4;
	assert_int_equal(check(&s), ERR_USAGE);
	s.tos = 0;
	assert_int_equal(check(&s), ERR_NONE);
	settings_set_string(&s.bind_dev, "lo");
	assert_int_equal(check(&s), ERR_USAGE);
	settings_done(&s);
}

/* Both ends of a TCP connection over the loopback interface. */
struct loopback {
	const struct transport *t;
	struct settings server;
	struct settings client;
	int listener;
	struct conn dialled;
	struct conn accepted;
};

static void loopback_listen(struct loopback *l)
{
	struct err e = ERR_INIT;
	struct sockaddr_in at = { 0 };
	socklen_t len = sizeof(at);

	memset(l, 0, sizeof(*l));
	settings_init(&l->server);
	l->server.role = ROLE_SERVER;
	l->server.port = 0;
	l->server.family = IP_FAMILY_4;
	settings_set_string(&l->server.bind_host, "127.0.0.1");
	l->t = registry_select(&l->server);
	l->listener = l->t->listen(&l->server, &e);
	assert_true(l->listener >= 0);
	getsockname(l->listener, (struct sockaddr *)&at, &len);
	settings_init(&l->client);
	l->client.role = ROLE_CLIENT;
	l->client.port = ntohs(at.sin_port);
	settings_set_string(&l->client.host, "127.0.0.1");
}

static void loopback_open(struct loopback *l)
{
	struct dial how = { .patience = pair_patience() };
	struct err e = ERR_INIT;

	loopback_listen(l);
	assert_int_equal(l->t->accept(l->listener, NULL, &l->accepted),
			 -EAGAIN);
	assert_int_equal(l->t->dial(&l->client, &how, &l->dialled, &e), 0);
	assert_int_equal(sock_wait(l->listener, POLLIN, &how.patience), 0);
	assert_int_equal(l->t->accept(l->listener, NULL, &l->accepted), 0);
	assert_int_equal(l->t->prepare(&l->dialled, &l->client, &e), 0);
	assert_int_equal(l->t->prepare(&l->accepted, &l->server, &e), 0);
	assert_false(err_is_set(&e));
}

static void loopback_close(struct loopback *l)
{
	l->t->close(&l->dialled);
	l->t->close(&l->accepted);
	assert_int_equal(l->dialled.fd, -1);
	l->t->close(&l->dialled);
	sock_close(&l->listener);
	settings_done(&l->server);
	settings_done(&l->client);
}

static void an_orderly_end_comes_after_the_last_byte(void **state)
{
	struct loopback l;
	char got[16];

	(void)state;
	loopback_open(&l);
	assert_int_equal(l.t->send(&l.dialled, "block", 5), 5);
	assert_int_equal(l.t->finish(&l.dialled), 0);
	assert_int_equal(l.t->recv(&l.accepted, got, sizeof(got)), 5);
	assert_memory_equal(got, "block", 5);
	assert_int_equal(l.t->recv(&l.accepted, got, sizeof(got)), 0);
	/* The other direction is still open. */
	assert_int_equal(l.t->send(&l.accepted, "back", 4), 4);
	assert_int_equal(l.t->recv(&l.dialled, got, sizeof(got)), 4);
	loopback_close(&l);
}

/* No SIGPIPE either: it would end this program. */
static void an_aborted_connection_moves_nothing_more(void **state)
{
	struct loopback l;
	char c;

	(void)state;
	loopback_open(&l);
	l.t->abort(&l.dialled);
	assert_int_equal(l.t->send(&l.dialled, "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(l.t->recv(&l.dialled, &c, 1), 0);
	loopback_close(&l);
}

static void ends_and_facts_of_a_connection_are_known(void **state)
{
	struct loopback l;
	struct endpoint local;
	struct endpoint remote;
	struct socket_facts facts;
	struct path path = { .is_known = false };
	int64_t retransmits = -7;

	(void)state;
	loopback_open(&l);
	l.t->name_ends(&l.dialled, &local, &remote);
	assert_string_equal(local.host, "127.0.0.1");
	assert_int_equal(remote.port, l.client.port);
	l.t->inspect(&l.dialled, &facts);
	assert_true(facts.mss_bytes > 0);
	assert_true(facts.sndbuf_bytes > 0 && facts.rcvbuf_bytes > 0);
	assert_true(strlen(facts.congestion) > 0);
	assert_int_equal(facts.window_bytes, 0);
	assert_true(l.t->caps & TRANSPORT_PATH);
	l.t->path(&l.dialled, &path, &retransmits);
	assert_true(path.is_known);
	assert_true(path.cwnd_bytes > 0);
	assert_int_equal(retransmits, 0);
	loopback_close(&l);
}

static void a_failed_dial_says_which_connection_it_was(void **state)
{
	struct loopback l;
	struct conn out = CONN_NONE;
	struct err e = ERR_INIT;
	struct dial how = { .patience = pair_patience() };

	(void)state;
	loopback_open(&l);
	sock_close(&l.listener);
	assert_int_equal(l.t->dial(&l.client, &how, &out, &e), -ECONNREFUSED);
	assert_int_equal(e.code, ERR_CONNECT);
	assert_int_equal(e.os_errno, ECONNREFUSED);
	err_clear(&e);
	how.control = &l.dialled;
	assert_int_equal(l.t->dial(&l.client, &how, &out, &e), -ECONNREFUSED);
	assert_int_equal(e.code, ERR_STREAM_CONNECT);
	assert_int_equal(out.fd, -1);
	loopback_close(&l);
}

static void a_taken_port_is_not_listened_on(void **state)
{
	struct loopback l;
	struct err e = ERR_INIT;

	(void)state;
	loopback_listen(&l);
	l.server.port = l.client.port;
	assert_int_equal(l.t->listen(&l.server, &e), -EADDRINUSE);
	assert_int_equal(e.code, ERR_LISTEN);
	l.dialled = l.accepted = CONN_NONE;
	loopback_close(&l);
}

static void nothing_is_said_of_a_path_that_is_not_known(void **state)
{
	struct conn c = CONN_NONE;
	struct path path = { .rtt_us = 77 };
	int64_t retransmits = 77;
	const char *local = "client";
	const char *remote = "server";

	(void)state;
	bytestream_path(&c, &path, &retransmits);
	bytestream_name_roles(&c, &local, &remote);
	assert_int_equal(path.rtt_us, 77);
	assert_int_equal(retransmits, 77);
	assert_string_equal(local, "client");
	assert_string_equal(remote, "server");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_slot_is_empty),
		cmocka_unit_test(block_limits_are_consistent),
		cmocka_unit_test(names_and_keys_are_distinct),
		cmocka_unit_test(a_carrier_of_control_carries_its_own),
		cmocka_unit_test(options_of_transports_are_complete_rows),
		cmocka_unit_test(each_is_selected_by_its_name),
		cmocka_unit_test(limits_are_checked_for_each),
		cmocka_unit_test(
			vsock_addresses_are_checked_before_anything_opens),
		cmocka_unit_test(vsock_refuses_what_is_for_ip),
		cmocka_unit_test(an_orderly_end_comes_after_the_last_byte),
		cmocka_unit_test(an_aborted_connection_moves_nothing_more),
		cmocka_unit_test(ends_and_facts_of_a_connection_are_known),
		cmocka_unit_test(a_failed_dial_says_which_connection_it_was),
		cmocka_unit_test(a_taken_port_is_not_listened_on),
		cmocka_unit_test(nothing_is_said_of_a_path_that_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
