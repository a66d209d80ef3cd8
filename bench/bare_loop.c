// SPDX-License-Identifier: BSD-3-Clause
/*
 * bare_loop - send() and recv() over TCP or AF_VSOCK with no protocol.
 *
 * The yardstick of vsock-ratio.sh: what the kernel gives to a program that
 * does nothing but call it. The client sends a header of 16 bytes that says
 * who sends, how large a block is and for how long. Then the sender calls
 * send() with one block until a timer's flag is set, so there is no clock
 * read per block, and ends its direction with SHUT_WR. The receiver calls
 * recv() with one block's buffer until the end of the stream; its seconds
 * run from the first byte to that end. The last 16 bytes go from the
 * receiver to the other side where the server was the receiver.
 *
 * Threads: one. Each connection of the server is served before the next.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#define NSEC_PER_SEC 1000000000ULL
#define HEADER_BYTES 16
#define HEADER_MAGIC 0x62617265U /* "bare" */
#define MAX_BLOCK_BYTES (64U << 20)
#define MAX_SECONDS 86400U

/* What one transfer is. On the wire: four big-endian 32-bit words. */
struct header {
	bool is_reverse; /* the server sends */
	uint32_t block_bytes;
	uint32_t seconds;
};

/* What a receiver measured. On the wire: two big-endian 64-bit words. */
struct result {
	uint64_t bytes;
	uint64_t elapsed_ns; /* first byte to end of stream */
};

struct options {
	const char *address; /* NULL: listen */
	const char *port;
	bool is_vsock;
	bool shows_cpu;
	long count; /* connections to serve; 0: no limit */
	struct header header;
};

static volatile sig_atomic_t time_is_up;

static void on_alarm(int signo)
{
	(void)signo;
	time_is_up = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "bare_loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void die_text(const char *what)
{
	fprintf(stderr, "bare_loop: %s\n", what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* User and system time of this process. */
static double cpu_seconds(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* Returns 0, or -1 with errno; the end of the stream is ECONNRESET. */
static int read_all(int fd, void *buf, size_t bytes)
{
	char *at = buf;

	while (bytes > 0) {
		ssize_t n = recv(fd, at, bytes, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ECONNRESET;
		if (n <= 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int write_all(int fd, const void *buf, size_t bytes)
{
	const char *at = buf;

	while (bytes > 0) {
		ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int send_header(int fd, const struct header *h)
{
	uint32_t word[4] = { htonl(HEADER_MAGIC), htonl(h->is_reverse),
			     htonl(h->block_bytes), htonl(h->seconds) };

	return write_all(fd, word, sizeof(word));
}

static int recv_header(int fd, struct header *h)
{
	uint32_t word[4];

	if (read_all(fd, word, sizeof(word)) < 0)
		return -1;
	h->is_reverse = ntohl(word[1]) != 0;
	h->block_bytes = ntohl(word[2]);
	h->seconds = ntohl(word[3]);
	if (ntohl(word[0]) == HEADER_MAGIC && h->block_bytes > 0 &&
	    h->block_bytes <= MAX_BLOCK_BYTES && h->seconds > 0 &&
	    h->seconds <= MAX_SECONDS)
		return 0;
	errno = EPROTO;
	return -1;
}

/* Sends blocks until the timer fires, then ends this direction. */
static int send_blocks(int fd, const struct header *h, const char *block)
{
	struct itimerval timer = { .it_value.tv_sec = h->seconds };
	struct sigaction action = { .sa_handler = on_alarm };

	/*
	 * Without SA_RESTART a send() that waits for room ends as well. The
	 * timer repeats, for the case that it fires just before a send().
	 */
	timer.it_interval.tv_usec = 100000;
	sigaction(SIGALRM, &action, NULL);
	time_is_up = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	while (!time_is_up) {
		if (send(fd, block, h->block_bytes, MSG_NOSIGNAL) < 0 &&
		    errno != EINTR)
			return -1;
	}
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	return shutdown(fd, SHUT_WR);
}

static int recv_blocks(int fd, const struct header *h, char *block,
		       struct result *result)
{
	uint64_t start_ns = 0;
	uint64_t bytes = 0;
	ssize_t n;

	while ((n = recv(fd, block, h->block_bytes, 0)) > 0) {
		if (bytes == 0)
			start_ns = now_ns();
		bytes += (uint64_t)n;
	}
	if (n < 0)
		return -1;
	result->bytes = bytes;
	result->elapsed_ns = bytes > 0 ? now_ns() - start_ns : 0;
	return 0;
}

static char *new_block(const struct header *h)
{
	char *block = malloc(h->block_bytes);

	if (!block)
		die("memory for a block");
	memset(block, 'b', h->block_bytes);
	return block;
}

/* Answers one connection; returns -1 with errno where it broke. */
static int serve(int fd)
{
	struct header h;
	struct result result;
	uint64_t word[2];
	char *block;
	int rc;

	if (recv_header(fd, &h) < 0)
		return -1;
	block = new_block(&h);
	if (h.is_reverse) {
		rc = send_blocks(fd, &h, block);
		/*
		 * Closing before the peer has read all could lose data. How
		 * the peer's close is told apart differs: 0 or ENOTCONN.
		 */
		if (rc == 0)
			recv(fd, block, 1, 0);
	} else {
		rc = recv_blocks(fd, &h, block, &result);
		if (rc == 0) {
			word[0] = htobe64(result.bytes);
			word[1] = htobe64(result.elapsed_ns);
			rc = write_all(fd, word, sizeof(word));
		}
	}
	free(block);
	return rc;
}

/* Runs the client's side; fills in what the receiver measured. */
static int transfer(int fd, const struct header *h, struct result *result)
{
	uint64_t word[2];
	char *block = new_block(h);
	int rc = send_header(fd, h);

	if (rc == 0 && h->is_reverse) {
		rc = recv_blocks(fd, h, block, result);
	} else if (rc == 0) {
		rc = send_blocks(fd, h, block);
		if (rc == 0)
			rc = read_all(fd, word, sizeof(word));
		if (rc == 0) {
			result->bytes = be64toh(word[0]);
			result->elapsed_ns = be64toh(word[1]);
		}
	}
	free(block);
	return rc;
}

static uint32_t parse_number(const char *text, const char *what, uint32_t max)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (end != text && (*end == 'K' || *end == 'M')) {
		n <<= *end == 'K' ? 10 : 20;
		end++;
	}
	if (errno || end == text || *end || n == 0 || n > max) {
		fprintf(stderr, "bare_loop: bad %s: %s\n", what, text);
		exit(2);
	}
	return (uint32_t)n;
}

static struct sockaddr_vm vsock_address(const struct options *o)
{
	struct sockaddr_vm sa;

	memset(&sa, 0, sizeof(sa));
	sa.svm_family = AF_VSOCK;
	sa.svm_cid = o->address
			     ? parse_number(o->address, "CID", UINT32_MAX - 1)
			     : VMADDR_CID_ANY;
	sa.svm_port = parse_number(o->port, "port", UINT32_MAX - 1);
	return sa;
}

static int open_vsock(const struct options *o)
{
	struct sockaddr_vm sa = vsock_address(o);
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		die("AF_VSOCK socket");
	if (o->address)
		rc = connect(fd, (struct sockaddr *)&sa, sizeof(sa));
	else
		rc = bind(fd, (struct sockaddr *)&sa, sizeof(sa));
	if (rc < 0)
		die(o->address ? "connect" : "bind");
	return fd;
}

static int open_tcp(const struct options *o)
{
	struct sockaddr_in sa = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;
	int rc;

	if (fd < 0)
		die("TCP socket");
	sa.sin_port = htons((uint16_t)parse_number(o->port, "port", 65535));
	if (o->address && inet_pton(AF_INET, o->address, &sa.sin_addr) != 1)
		die_text("the address must be a numeric IPv4 address");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (o->address)
		rc = connect(fd, (struct sockaddr *)&sa, sizeof(sa));
	else
		rc = bind(fd, (struct sockaddr *)&sa, sizeof(sa));
	if (rc < 0)
		die(o->address ? "connect" : "bind");
	return fd;
}

static int run_server(const struct options *o)
{
	int listener = o->is_vsock ? open_vsock(o) : open_tcp(o);
	int status = 0;
	long served;

	if (listen(listener, 8) < 0)
		die("listen");
	printf("listening on port %s\n", o->port);
	fflush(stdout);
	for (served = 0; o->count == 0 || served < o->count; served++) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		if (serve(fd) < 0) {
			perror("bare_loop: transfer");
			status = 1;
		}
		close(fd);
	}
	close(listener);
	return status;
}

static void report(const struct options *o, const struct result *r)
{
	double seconds = (double)r->elapsed_ns / (double)NSEC_PER_SEC;
	double rate_bps = seconds > 0 ? 8.0 * (double)r->bytes / seconds : 0;

	printf("{\"bytes\":%" PRIu64 ",\"seconds\":%.6f,"
	       "\"bits_per_second\":%.0f,\"block\":%" PRIu32 ",\"reverse\":%s",
	       r->bytes, seconds, rate_bps, o->header.block_bytes,
	       o->header.is_reverse ? "true" : "false");
	if (o->shows_cpu)
		printf(",\"cpu_seconds\":%.6f", cpu_seconds());
	printf("}\n");
}

static int run_client(const struct options *o)
{
	int fd = o->is_vsock ? open_vsock(o) : open_tcp(o);
	struct result result;

	if (transfer(fd, &o->header, &result) < 0)
		die("transfer");
	close(fd);
	report(o, &result);
	return 0;
}

static void usage(FILE *to)
{
	fputs("Usage: bare_loop --listen [--vsock] -p PORT [--count N]\n"
	      "       bare_loop --connect ADDRESS [--vsock] -p PORT\n"
	      "                 [-l BYTES] [-t SECONDS] [-R] [--cpu]\n"
	      "Plain send() and recv() over TCP or AF_VSOCK, no protocol;\n"
	      "the client prints what the receiver measured as JSON.\n"
	      "  -l BYTES    block (K and M allowed, default 64K)\n"
	      "  -t SECONDS  for how long the sender sends (default 2)\n"
	      "  -R          the server sends\n"
	      "  --count N   serve N connections, then end\n"
	      "  --cpu       also the client's own CPU seconds\n",
	      to);
}

static const struct option long_options[] = {
	{ "listen", no_argument, NULL, 's' },
	{ "connect", required_argument, NULL, 'c' },
	{ "vsock", no_argument, NULL, 'v' },
	{ "count", required_argument, NULL, 'n' },
	{ "cpu", no_argument, NULL, 'u' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void parse_option(struct options *o, int c)
{
	switch (c) {
	case 's':
		break;
	case 'c':
		o->address = optarg;
		break;
	case 'v':
		o->is_vsock = true;
		break;
	case 'n':
		o->count = parse_number(optarg, "count", 1000000);
		break;
	case 'u':
		o->shows_cpu = true;
		break;
	case 'p':
		o->port = optarg;
		break;
	case 'R':
		o->header.is_reverse = true;
		break;
	case 'l':
		o->header.block_bytes =
			parse_number(optarg, "block", MAX_BLOCK_BYTES);
		break;
	case 't':
		o->header.seconds = parse_number(optarg, "time", MAX_SECONDS);
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options o = {
		.header = { .block_bytes = 64 << 10, .seconds = 2 },
	};
	bool listens = false;
	int c;

	while ((c = getopt_long(argc, argv, "p:l:t:R", long_options, NULL)) !=
	       -1) {
		listens |= c == 's';
		parse_option(&o, c);
	}
	if (!o.port || listens == (o.address != NULL) || optind < argc) {
		usage(stderr);
		return 2;
	}
	return listens ? run_server(&o) : run_client(&o);
}
