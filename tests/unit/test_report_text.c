/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines are those that iperf3 printed on a loopback; docs/COMPATIBILITY.md.
 */
#include "test_report_fixture.h"

#include "base/version.h"
#include "report/columns.h"
#include "report/text.h"

#define SEPARATOR "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
#define KIB 1024ull
#define MIB 1048576ull
#define GIB 1073741824ull

static void open_scene(struct scene *sc, enum role role)
{
	scene_init(sc, role);
	sc->sink = text_sink_new(sc->out, sc->err);
	assert_non_null(sc->sink);
}

static void close_scene(struct scene *sc)
{
	text_sink_free(sc->sink);
	scene_done(sc);
}

static void rate(struct span *s, double bps)
{
	s->bits_per_second = bps;
}

static void a_tcp_client_shows_retransmits_and_window(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_connect(&sc);
	scene_stream(&sc, 4, 56514, GROUP_FORWARD);
	scene_start(&sc);
	rate(scene_span(&sc, 0, 0, 1.0, 1084479242, 6, 1023 * KIB), 8.67e9);
	scene_interval(&sc);
	rate(scene_span(&sc, 0, 1, 2.0, 1191853424, 0, 1023 * KIB), 9.51e9);
	scene_interval(&sc);
	scene_half(&sc, 0, 2, 2276332667, 6, 2.004, 2276332667);
	rate(&sc.half[0].sent, 9.09e9);
	rate(&sc.half[0].received, 9.07e9);
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	assert_string_equal(
		scene_out(&sc),
		"Connecting to host 127.0.0.1, port 30581\n"
		"[  4] local 127.0.0.1 port 56514 connected to 127.0.0.1 port "
		"30581\n"
		"[ ID] Interval           Transfer     Bitrate         Retr  "
		"Cwnd\n"
		"[  4]   0.00-1.00   sec  1.01 GBytes  8.67 Gbits/sec    6   "
		"1023 KBytes       \n"
		"[  4]   1.00-2.00   sec  1.11 GBytes  9.51 Gbits/sec    0   "
		"1023 KBytes       \n" SEPARATOR
		"[ ID] Interval           Transfer     Bitrate         Retr\n"
		"[  4]   0.00-2.00   sec  2.12 GBytes  9.09 Gbits/sec    "
		"6            sender\n"
		"[  4]   0.00-2.00   sec  2.12 GBytes  9.07 "
		"Gbits/sec                  receiver\n"
		"\n"
		"iperf Done.\n");
	assert_string_equal(scene_err(&sc), "");
	close_scene(&sc);
}

static void a_server_shows_its_own_half(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	sc.settings.port = 27196;
	sc.test.peer.port = 59546;
	scene_event(&sc, (struct event){ .kind = EVENT_LISTEN, .number = 1 });
	scene_connect(&sc);
	sc.test.peer.port = 27196;
	scene_stream(&sc, 5, 59560, GROUP_FORWARD);
	scene_start(&sc);
	rate(scene_span(&sc, 0, 0, 1.0, GIB, RETRANSMITS_UNKNOWN, 0), 8.62e9);
	scene_interval(&sc);
	rate(scene_span(&sc, 0, 2, 2.004, 5368709, RETRANSMITS_UNKNOWN, 0),
	     10.4e9);
	scene_interval(&sc);
	scene_half(&sc, 0, 2, 0, RETRANSMITS_UNKNOWN, 2.004, 2276332667);
	rate(&sc.half[0].received, 9.07e9);
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	assert_string_equal(
		scene_out(&sc),
		"-----------------------------------------------------------\n"
		"Server listening on 27196 (test #1)\n"
		"-----------------------------------------------------------\n"
		"Accepted connection from 127.0.0.1, port 59546\n"
		"[  5] local 127.0.0.1 port 27196 connected to 127.0.0.1 port "
		"59560\n"
		"[ ID] Interval           Transfer     Bitrate\n"
		"[  5]   0.00-1.00   sec  1.00 GBytes  8.62 "
		"Gbits/sec                  \n"
		"[  5]   2.00-2.00   sec  5.12 MBytes  10.4 "
		"Gbits/sec                  \n" SEPARATOR
		"[ ID] Interval           Transfer     Bitrate\n"
		"[  5]   0.00-2.00   sec  2.12 GBytes  9.07 "
		"Gbits/sec                  receiver\n");
	close_scene(&sc);
}

static void reverse_with_two_streams_shows_sums(void **state)
{
	struct scene sc;
	const char *text;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.settings.is_reverse = true;
	sc.settings.streams = 2;
	sc.test.peer.port = 30342;
	scene_connect(&sc);
	scene_stream(&sc, 4, 52588, GROUP_REVERSE);
	scene_stream(&sc, 6, 52602, GROUP_REVERSE);
	scene_start(&sc);
	scene_span(&sc, 0, 0, 1, 796 * MIB, RETRANSMITS_UNKNOWN, 0);
	scene_span(&sc, 1, 0, 1, 767 * MIB, RETRANSMITS_UNKNOWN, 0);
	scene_interval(&sc);
	scene_interval(&sc);
	scene_half(&sc, 0, 2, 1600 * MIB, 0, 2, 1592 * MIB);
	scene_half(&sc, 1, 2, 1648 * MIB, 0, 2, 1646 * MIB);
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	text = scene_out(&sc);
	assert_string_equal(
		text,
		"Connecting to host 127.0.0.1, port 30342\n"
		"Reverse mode, remote host 127.0.0.1 is sending\n"
		"[  4] local 127.0.0.1 port 52588 connected to 127.0.0.1 port "
		"30342\n"
		"[  6] local 127.0.0.1 port 52602 connected to 127.0.0.1 port "
		"30342\n"
		"[ ID] Interval           Transfer     Bitrate\n"
		"[  4]   0.00-1.00   sec   796 MBytes  6.68 "
		"Gbits/sec                  \n"
		"[  6]   0.00-1.00   sec   767 MBytes  6.43 "
		"Gbits/sec                  \n"
		"[SUM]   0.00-1.00   sec  1.53 GBytes  13.1 "
		"Gbits/sec                  \n" SEPARATOR
		"[  4]   0.00-1.00   sec   796 MBytes  6.68 "
		"Gbits/sec                  \n"
		"[  6]   0.00-1.00   sec   767 MBytes  6.43 "
		"Gbits/sec                  \n"
		"[SUM]   0.00-1.00   sec  1.53 GBytes  13.1 "
		"Gbits/sec                  \n" SEPARATOR
		"[ ID] Interval           Transfer     Bitrate         Retr\n"
		"[  4]   0.00-2.00   sec  1.56 GBytes  6.71 Gbits/sec    "
		"0            sender\n"
		"[  4]   0.00-2.00   sec  1.55 GBytes  6.68 "
		"Gbits/sec                  receiver\n"
		"[  6]   0.00-2.00   sec  1.61 GBytes  6.91 Gbits/sec    "
		"0            sender\n"
		"[  6]   0.00-2.00   sec  1.61 GBytes  6.90 "
		"Gbits/sec                  receiver\n"
		"[SUM]   0.00-2.00   sec  3.17 GBytes  13.6 Gbits/sec    "
		"0             sender\n"
		"[SUM]   0.00-2.00   sec  3.16 GBytes  13.6 "
		"Gbits/sec                  receiver\n"
		"\n"
		"iperf Done.\n");
	close_scene(&sc);
}

static void both_directions_have_roles_and_groups(void **state)
{
	struct scene sc;
	size_t i;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.settings.is_bidir = true;
	sc.settings.streams = 2;
	sc.settings.unit = 'm';
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 4, 1, GROUP_FORWARD);
	scene_stream(&sc, 6, 2, GROUP_FORWARD);
	scene_stream(&sc, 8, 3, GROUP_REVERSE);
	scene_stream(&sc, 11, 4, GROUP_REVERSE);
	rewind(sc.out);
	for (i = 0; i < 4; i++)
		scene_span(&sc, i, 0, 1, 1310720,
			   i < 2 ? 0 : RETRANSMITS_UNKNOWN,
			   i < 2 ? 1178694 : 0);
	scene_interval(&sc);
	for (i = 0; i < 4; i++)
		scene_half(&sc, i, 2, 2621440, 0, 2.004, 2621440);
	scene_summary(&sc);
	assert_string_equal(
		scene_out(&sc),
		"[ ID][Role] Interval           Transfer     Bitrate         "
		"Retr  Cwnd\n"
		"[  4][TX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    "
		"0   1.12 MBytes       \n"
		"[  6][TX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    "
		"0   1.12 MBytes       \n"
		"[SUM][TX-C]   0.00-1.00   sec  2.50 MBytes  21.0 Mbits/sec    "
		"0             \n"
		"[  8][RX-C]   0.00-1.00   sec  1.25 MBytes  10.5 "
		"Mbits/sec                  \n"
		"[ 11][RX-C]   0.00-1.00   sec  1.25 MBytes  10.5 "
		"Mbits/sec                  \n"
		"[SUM][RX-C]   0.00-1.00   sec  2.50 MBytes  21.0 "
		"Mbits/sec                  \n" SEPARATOR
		"[ ID][Role] Interval           Transfer     Bitrate         "
		"Retr\n"
		"[  4][TX-C]   0.00-2.00   sec  2.50 MBytes  10.5 Mbits/sec    "
		"0            sender\n"
		"[  4][TX-C]   0.00-2.00   sec  2.50 MBytes  10.5 "
		"Mbits/sec                  receiver\n"
		"[  6][TX-C]   0.00-2.00   sec  2.50 MBytes  10.5 Mbits/sec    "
		"0            sender\n"
		"[  6][TX-C]   0.00-2.00   sec  2.50 MBytes  10.5 "
		"Mbits/sec                  receiver\n"
		"[SUM][TX-C]   0.00-2.00   sec  5.00 MBytes  21.0 Mbits/sec    "
		"0             sender\n"
		"[SUM][TX-C]   0.00-2.00   sec  5.00 MBytes  20.9 "
		"Mbits/sec                  receiver\n"
		"[  8][RX-C]   0.00-2.00   sec  2.50 MBytes  10.5 Mbits/sec    "
		"0            sender\n"
		"[  8][RX-C]   0.00-2.00   sec  2.50 MBytes  10.5 "
		"Mbits/sec                  receiver\n"
		"[ 11][RX-C]   0.00-2.00   sec  2.50 MBytes  10.5 Mbits/sec    "
		"0            sender\n"
		"[ 11][RX-C]   0.00-2.00   sec  2.50 MBytes  10.5 "
		"Mbits/sec                  receiver\n"
		"[SUM][RX-C]   0.00-2.00   sec  5.00 MBytes  21.0 Mbits/sec    "
		"0             sender\n"
		"[SUM][RX-C]   0.00-2.00   sec  5.00 MBytes  20.9 "
		"Mbits/sec                  receiver\n");
	close_scene(&sc);
}

static void a_bidir_server_lists_what_it_receives_first(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	sc.settings.is_bidir = true;
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 5, 1, GROUP_FORWARD);
	scene_stream(&sc, 9, 2, GROUP_REVERSE);
	rewind(sc.out);
	scene_half(&sc, 0, 2, 0, RETRANSMITS_UNKNOWN, 2, 970 * MIB);
	scene_half(&sc, 1, 2, 836 * MIB, 20, 2, 0);
	scene_summary(&sc);
	assert_string_equal(
		scene_out(&sc), SEPARATOR
		"[ ID][Role] Interval           Transfer     Bitrate         "
		"Retr\n"
		"[  5][RX-S]   0.00-2.00   sec   970 MBytes  4.07 "
		"Gbits/sec                  receiver\n"
		"[  9][TX-S]   0.00-2.00   sec   836 MBytes  3.51 "
		"Gbits/sec   20            sender\n");
	close_scene(&sc);
}

static void vsock_has_no_retransmit_column(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.test.shape = SHAPE_PLAIN;
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 5, 1, GROUP_FORWARD);
	rewind(sc.out);
	scene_span(&sc, 0, 0, 1, 825 * MIB, RETRANSMITS_UNKNOWN, 0);
	scene_interval(&sc);
	scene_half(&sc, 0, 2, 1780 * MIB, RETRANSMITS_UNKNOWN, 2, 1780 * MIB);
	scene_summary(&sc);
	assert_string_equal(scene_out(&sc),
			    "[ ID] Interval           Transfer     Bitrate\n"
			    "[  5]   0.00-1.00   sec   825 MBytes  6.92 "
			    "Gbits/sec                  \n" SEPARATOR
			    "[ ID] Interval           Transfer     Bitrate\n"
			    "[  5]   0.00-2.00   sec  1.74 GBytes  7.47 "
			    "Gbits/sec                  sender\n"
			    "[  5]   0.00-2.00   sec  1.74 GBytes  7.47 "
			    "Gbits/sec                  receiver\n");
	close_scene(&sc);
}

static void datagrams(struct datagrams *d, int64_t packets, int64_t lost,
		      double jitter_ms)
{
	*d = (struct datagrams){ .packets = packets,
				 .lost = lost,
				 .jitter_ms = jitter_ms };
	d->lost_percent = packets ? 100.0 * (double)lost / (double)packets : 0;
}

static void a_datagram_client_counts_datagrams(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.test.shape = SHAPE_DATAGRAMS;
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 4, 1, GROUP_FORWARD);
	rewind(sc.out);
	scene_span(&sc, 0, 0, 1, 640 * KIB, RETRANSMITS_UNKNOWN, 0);
	sc.span[0].datagrams.packets = 20;
	scene_interval(&sc);
	scene_half(&sc, 0, 1, 80 * MIB, RETRANSMITS_UNKNOWN, 1, 76 * MIB);
	datagrams(&sc.half[0].sent.datagrams, 80010, 0, 0);
	datagrams(&sc.half[0].received.datagrams, 80010, 4139, 0.036);
	scene_summary(&sc);
	assert_string_equal(
		scene_out(&sc),
		"[ ID] Interval           Transfer     Bitrate         Total "
		"Datagrams\n"
		"[  4]   0.00-1.00   sec   640 KBytes  5.24 Mbits/sec  "
		"20  \n" SEPARATOR
		"[ ID] Interval           Transfer     Bitrate         "
		"Jitter    Lost/Total Datagrams\n"
		"[  4]   0.00-1.00   sec  80.0 MBytes   671 Mbits/sec  0.000 "
		"ms  0/80010 (0%)  sender\n"
		"[  4]   0.00-1.00   sec  76.0 MBytes   638 Mbits/sec  0.036 "
		"ms  4139/80010 (5.2%)  receiver\n");
	close_scene(&sc);
}

static void a_datagram_server_notes_reordering(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	sc.test.shape = SHAPE_DATAGRAMS;
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 5, 1, GROUP_FORWARD);
	rewind(sc.out);
	scene_span(&sc, 0, 0, 0.251, 5000, RETRANSMITS_UNKNOWN, 0);
	datagrams(&sc.span[0].datagrams, 6, 1, 0.1);
	scene_interval(&sc);
	scene_half(&sc, 0, 0.251, 0, RETRANSMITS_UNKNOWN, 0.251, 5000);
	datagrams(&sc.half[0].received.datagrams, 6, 1, 0.1);
	sc.half[0].received.datagrams.out_of_order = 1;
	scene_summary(&sc);
	sc.half[0].received.datagrams.out_of_order = 0;
	sc.half[0].is_loss_unknown = true;
	scene_summary(&sc);
	assert_string_equal(
		scene_out(&sc),
		"[ ID] Interval           Transfer     Bitrate         "
		"Jitter    Lost/Total Datagrams\n"
		"[  5]   0.00-0.25   sec  4.88 KBytes   159 Kbits/sec  0.100 "
		"ms  1/6 (17%)  \n" SEPARATOR
		"[ ID] Interval           Transfer     Bitrate         "
		"Jitter    Lost/Total Datagrams\n"
		"[SUM]  0.0- 0.3 sec  1 datagrams received out-of-order\n"
		"[  5]   0.00-0.25   sec  4.88 KBytes   159 Kbits/sec  0.100 "
		"ms  1/6 (17%)  receiver\n" SEPARATOR
		"[ ID] Interval           Transfer     Bitrate         "
		"Jitter    Lost/Total Datagrams\n"
		"[  5]   0.00-0.25   sec  4.88 KBytes   159 Kbits/sec  0.100 "
		"ms  Unknown/6  receiver\n");
	close_scene(&sc);
}

static void datagrams_in_both_directions_leave_room(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.settings.is_bidir = true;
	sc.test.shape = SHAPE_DATAGRAMS;
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 4, 1, GROUP_FORWARD);
	scene_stream(&sc, 8, 1, GROUP_REVERSE);
	rewind(sc.out);
	scene_span(&sc, 0, 0, 1, 251000, RETRANSMITS_UNKNOWN, 0);
	sc.span[0].datagrams.packets = 251;
	scene_span(&sc, 1, 0, 1, 250000, RETRANSMITS_UNKNOWN, 0);
	datagrams(&sc.span[1].datagrams, 250, 0, 0.063);
	scene_interval(&sc);
	assert_string_equal(
		scene_out(&sc),
		"[ ID][Role] Interval           Transfer     Bitrate         "
		"Jitter    Lost/Total Datagrams\n"
		"[  4][TX-C]   0.00-1.00   sec   245 KBytes  2.01 "
		"Mbits/sec            251  \n"
		"[  8][RX-C]   0.00-1.00   sec   244 KBytes  2.00 Mbits/sec  "
		"0.063 ms  0/250 (0%)  \n");
	close_scene(&sc);
}

static void omitted_intervals_say_so(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 4, 1, GROUP_FORWARD);
	rewind(sc.out);
	scene_span(&sc, 0, 0, 1, 1350 * MIB, 4, 895 * KIB)->is_omitted = true;
	scene_interval(&sc);
	assert_string_equal(
		scene_out(&sc),
		"[ ID] Interval           Transfer     Bitrate         Retr  "
		"Cwnd\n"
		"[  4]   0.00-1.00   sec  1.32 GBytes  11.3 Gbits/sec    "
		"4    895 KBytes       (omitted)\n");
	close_scene(&sc);
}

static void the_format_changes_the_bitrate_only(void **state)
{
	static const struct {
		char unit;
		const char *text;
	} rows[] = {
		{ 'k', "10463 Kbits/sec" },
		{ 'K', "1277 KBytes/sec" },
		{ 'm', "10.5 Mbits/sec" },
		{ 't', "0.00 Tbits/sec" },
	};
	struct span span = { .end_s = 1,
			     .bytes = 1310720,
			     .bits_per_second = 10463e3 };
	char line[COLUMNS_LINE_SIZE], expected[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct columns_row row = { .socket = 4,
					   .role = "",
					   .unit = rows[i].unit,
					   .span = &span };

		snprintf(expected, sizeof(expected),
			 "[  4]   0.00-1.00   sec  1.25 MBytes  %s%18s",
			 rows[i].text, "");
		assert_string_equal(columns_interval(&row, line, sizeof(line)),
				    expected);
	}
}

static void an_interrupted_client_has_its_statistics(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 4, 1, GROUP_FORWARD);
	rewind(sc.out);
	scene_half(&sc, 0, 2.49, 3 * MIB, 0, 2.49, 0);
	scene_summary(&sc);
	err_set(&e, ERR_INTERRUPT, 0, "%s",
		"the client has terminated by "
		"signal Interrupt(2)");
	scene_error(&sc, &e);
	assert_string_equal(
		scene_out(&sc), SEPARATOR
		"[ ID] Interval           Transfer     Bitrate         Retr\n"
		"[  4]   0.00-2.49   sec  3.00 MBytes  10.1 Mbits/sec    "
		"0            sender\n"
		"[  4]   0.00-2.49   sec  0.00 Bytes  0.00 "
		"bits/sec                  receiver\n");
	assert_string_equal(
		scene_err(&sc),
		"iperf3: interrupt - the client has terminated by signal "
		"Interrupt(2)\n");
	close_scene(&sc);
}

static void errors_go_to_the_error_output(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_say(&sc, EVENT_OPEN);
	err_set(&e, ERR_ACCESS_DENIED, 0, "%s", "");
	scene_error(&sc, &e);
	assert_string_equal(scene_out(&sc), "");
	assert_string_equal(scene_err(&sc),
			    "iperf3: error - the server is "
			    "busy running a test. try again later\n");
	rewind(sc.err);
	e.is_from_peer = true;
	e.code = ERR_AUTH;
	scene_error(&sc, &e);
	assert_string_equal(scene_err(&sc),
			    "iperf3: SERVER ERROR - test authorization failed\n"
			    "iperf3: error - test authorization failed\n");
	close_scene(&sc);
}

static void a_server_names_a_client_that_left(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	scene_say(&sc, EVENT_OPEN);
	err_set(&e, ERR_CLIENT_TERM, 0, "%s", "");
	scene_error(&sc, &e);
	assert_string_equal(scene_err(&sc),
			    "iperf3: the client has terminated\n");
	close_scene(&sc);
}

static void prefixes_stand_before_each_line(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	settings_set_string(&sc.settings.title, "mytitle");
	settings_set_string(&sc.settings.timestamps, "NOW ");
	scene_connect(&sc);
	scene_say(&sc, EVENT_CLOSE);
	err_set(&e, ERR_CTL_CLOSE, 0, "%s", "");
	scene_error(&sc, &e);
	assert_string_equal(
		scene_out(&sc),
		"NOW mytitle:  Connecting to host 127.0.0.1, port 30581\n"
		"NOW mytitle:  \n"
		"NOW mytitle:  iperf Done.\n");
	assert_string_equal(scene_err(&sc), "NOW iperf3: error - control "
					    "socket has closed unexpectedly\n");
	close_scene(&sc);
}

static void long_lines_are_cut(void **state)
{
	char title[2000];
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	memset(title, 'x', sizeof(title));
	title[sizeof(title) - 1] = '\0';
	settings_set_string(&sc.settings.title, title);
	scene_connect(&sc);
	assert_int_equal(strcspn(scene_out(&sc), "\n"), 1023);
	close_scene(&sc);
}

static void server_output_is_shown_as_it_came(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_say(&sc, EVENT_OPEN);
	scene_event(&sc, (struct event){ .kind = EVENT_SERVER_OUTPUT,
					 .text = "line %s\n" });
	scene_event(&sc, (struct event){ .kind = EVENT_SERVER_OUTPUT,
					 .text = "{}",
					 .is_json = true });
	scene_say(&sc, EVENT_CLOSE);
	assert_string_equal(scene_out(&sc), "\nServer output:\nline %s\n\n"
					    "\nServer JSON output:\n{}\n\n"
					    "\niperf Done.\n");
	close_scene(&sc);
}

static void verbose_adds_iperf3s_lines(void **state)
{
	struct scene sc;
	const char *text;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.settings.is_verbose = true;
	sc.settings.rate_bps = 50000000;
	scene_connect(&sc);
	scene_start(&sc);
	SET_TEXT(sc.summary.congestion_sent, "bbr");
	SET_TEXT(sc.summary.congestion_received, "cubic");
	sc.summary.cpu_local = (struct cpu_percent){ 0.9, 0.2, 0.7 };
	sc.summary.cpu_remote = (struct cpu_percent){ 0.6, 0.2, 0.4 };
	sc.summary.is_cpu_remote_known = true;
	sc.test.stream[0].is_sender = true;
	sc.test.streams = 1;
	scene_half(&sc, 0, 1, 125000, 0, 1, 125000);
	scene_summary(&sc);
	text = scene_out(&sc);
	assert_memory_equal(text, VERSION_TEXT "\nLinux ",
			    strlen(VERSION_TEXT "\nLinux "));
	assert_string_equal(
		strstr(text, "Control"),
		"Control connection MSS 32768\n"
		"Time: Mon, 30 Nov 2026 10:35:21 GMT\n"
		"Connecting to host 127.0.0.1, port 30581\n"
		"      Cookie: mgeu2xz5vma4h5lbvjv5bjmjomns2sb5rxi5\n"
		"      TCP MSS: 32768 (default)\n"
		"      Target Bitrate: 50000000\n"
		"Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, "
		"omitting 0 seconds, 2 second test, tos 0\n" SEPARATOR
		"Test Complete. Summary Results:\n"
		"[ ID] Interval           Transfer     Bitrate         Retr\n"
		"[  0]   0.00-1.00   sec   122 KBytes  1.00 Mbits/sec    "
		"0            sender\n"
		"[  0]   0.00-1.00   sec   122 KBytes  1.00 "
		"Mbits/sec                  receiver\n"
		"CPU Utilization: local/sender 0.9% (0.2%u/0.7%s), "
		"remote/receiver 0.6% (0.2%u/0.4%s)\n"
		"snd_tcp_congestion bbr\n"
		"rcv_tcp_congestion cubic\n");
	close_scene(&sc);
}

static void a_verbose_vsock_server_names_window_and_kernels(void **state)
{
	struct scene sc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	sc.settings.is_verbose = true;
	sc.settings.streams = 2;
	sc.settings.limit_bytes = 1048576;
	sc.test.protocol = "VSOCK";
	sc.test.shape = SHAPE_PLAIN;
	sc.test.has_mss = false;
	sc.test.has_credit_window = true;
	sc.test.window_granted_bytes = 262144;
	scene_say(&sc, EVENT_OPEN);
	scene_stream(&sc, 5, 1, GROUP_FORWARD);
	scene_stream(&sc, 6, 2, GROUP_FORWARD);
	rewind(sc.out);
	scene_start(&sc);
	scene_half(&sc, 0, 1, 0, RETRANSMITS_UNKNOWN, 1, 125000);
	scene_half(&sc, 1, 1, 0, RETRANSMITS_UNKNOWN, 1, 125000);
	sc.test.local.is_known = true;
	SET_TEXT(sc.test.local.kernel, "6.12.1");
	scene_summary(&sc);
	assert_string_equal(
		scene_out(&sc),
		"      Credit window: 262144 bytes\n"
		"Starting Test: protocol: VSOCK, 2 streams, 131072 byte "
		"blocks, omitting 0 seconds, 1048576 bytes to send, "
		"tos 0\n" SEPARATOR "Test Complete. Summary Results:\n"
		"[ ID] Interval           Transfer     Bitrate\n"
		"[  5] (sender statistics not available)\n"
		"[  5]   0.00-1.00   sec   122 KBytes  1.00 "
		"Mbits/sec                  receiver\n"
		"[  6] (sender statistics not available)\n"
		"[  6]   0.00-1.00   sec   122 KBytes  1.00 "
		"Mbits/sec                  receiver\n"
		"[SUM] (sender statistics not available)\n"
		"[SUM]   0.00-1.00   sec   244 KBytes  2.00 "
		"Mbits/sec                  receiver\n"
		"Kernel: local 6.12.1, remote not known\n");
	close_scene(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tcp_client_shows_retransmits_and_window),
		cmocka_unit_test(a_server_shows_its_own_half),
		cmocka_unit_test(reverse_with_two_streams_shows_sums),
		cmocka_unit_test(both_directions_have_roles_and_groups),
		cmocka_unit_test(a_bidir_server_lists_what_it_receives_first),
		cmocka_unit_test(vsock_has_no_retransmit_column),
		cmocka_unit_test(a_datagram_client_counts_datagrams),
		cmocka_unit_test(a_datagram_server_notes_reordering),
		cmocka_unit_test(datagrams_in_both_directions_leave_room),
		cmocka_unit_test(omitted_intervals_say_so),
		cmocka_unit_test(the_format_changes_the_bitrate_only),
		cmocka_unit_test(an_interrupted_client_has_its_statistics),
		cmocka_unit_test(errors_go_to_the_error_output),
		cmocka_unit_test(a_server_names_a_client_that_left),
		cmocka_unit_test(prefixes_stand_before_each_line),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(server_output_is_shown_as_it_came),
		cmocka_unit_test(verbose_adds_iperf3s_lines),
		cmocka_unit_test(
			a_verbose_vsock_server_names_window_and_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
