/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/ctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <arpa/inet.h>

#include "base/clock.h"

#define READ_BYTES 4096
#define WORD_BYTES 4

void ctl_init(struct ctl *c)
{
	c->conn = CONN_NONE;
	buf_init(&c->in, WORD_BYTES + CTL_RESULTS_MAX_BYTES + READ_BYTES);
}

int ctl_attach(struct ctl *c, const struct conn *conn)
{
	c->conn = *conn;
	return sock_set_blocking(conn->fd, false);
}

void ctl_done(struct ctl *c)
{
	if (c->conn.transport)
		c->conn.transport->close(&c->conn);
	buf_done(&c->in);
	c->conn = CONN_NONE;
}

int ctl_fill(struct ctl *c, size_t max_bytes)
{
	char chunk[READ_BYTES];
	size_t want;
	ssize_t n;
	int rc;

	if (c->in.len >= max_bytes)
		return -EMSGSIZE;
	want = max_bytes - c->in.len;
	if (want > sizeof(chunk))
		want = sizeof(chunk);
	do
		n = recv(c->conn.fd, chunk, want, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if (n == 0)
		return 0;
	rc = buf_append(&c->in, chunk, (size_t)n);
	return rc ? rc : 1;
}

static void ctl_drop(struct ctl *c, size_t len)
{
	memmove(c->in.data, c->in.data + len, c->in.len - len);
	c->in.len -= len;
}

int ctl_take_cookie(struct ctl *c, char cookie[COOKIE_SIZE])
{
	if (c->in.len < COOKIE_SIZE)
		return 0;
	memcpy(cookie, c->in.data, COOKIE_SIZE);
	/* Compared and printed as text, so it must end. */
	cookie[COOKIE_SIZE - 1] = '\0';
	ctl_drop(c, COOKIE_SIZE);
	return 1;
}

int ctl_take_state(struct ctl *c, int *state)
{
	if (c->in.len < 1)
		return 0;
	*state = (signed char)c->in.data[0];
	ctl_drop(c, 1);
	return 1;
}

static uint32_t ctl_word(const struct ctl *c, size_t offset)
{
	uint32_t word;

	memcpy(&word, c->in.data + offset, WORD_BYTES);
	return ntohl(word);
}

int ctl_take_json(struct ctl *c, size_t max_bytes, cJSON **out)
{
	cJSON *json;
	uint32_t len;

	if (c->in.len < WORD_BYTES)
		return 0;
	len = ctl_word(c, 0);
	if (len == 0 || len > max_bytes)
		return -EINVAL;
	if (c->in.len - WORD_BYTES < len)
		return 0;
	json = json_parse_object(c->in.data + WORD_BYTES, len);
	ctl_drop(c, WORD_BYTES + len);
	if (!json)
		return -EINVAL;
	*out = json;
	return 1;
}

int ctl_take_error(struct ctl *c, bool is_closed, int *number, int *os_errno)
{
	size_t have = c->in.len - 1;

	if (have < 2 * WORD_BYTES && !is_closed)
		return 0;
	*number = have >= WORD_BYTES ? (int)ctl_word(c, 1) : 0;
	*os_errno = have >= 2 * WORD_BYTES ? (int)ctl_word(c, 1 + WORD_BYTES)
					   : 0;
	ctl_drop(c, c->in.len);
	return 1;
}

int ctl_send(struct ctl *c, const void *data, size_t len)
{
	struct patience p = {
		.deadline_ns = clock_deadline_ms(CTL_WRITE_MS),
		.stop_fd = -1,
	};

	return sock_send_all(c->conn.fd, data, len, &p);
}

int ctl_send_state(struct ctl *c, int state)
{
	signed char byte = (signed char)state;

	return ctl_send(c, &byte, 1);
}

int ctl_send_json(struct ctl *c, const cJSON *json)
{
	char *text = cJSON_PrintUnformatted(json);
	size_t len = text ? strlen(text) : 0;
	uint32_t prefix = htonl((uint32_t)len);
	struct buf out;
	int rc = text ? 0 : -ENOMEM;

	/* One write, so that prefix and body travel in one segment. */
	buf_init(&out, WORD_BYTES + len);
	if (!rc)
		rc = buf_append(&out, &prefix, sizeof(prefix));
	if (!rc)
		rc = buf_append(&out, text, len);
	if (!rc)
		rc = ctl_send(c, out.data, out.len);
	buf_done(&out);
	free(text);
	return rc;
}

int ctl_send_error(struct ctl *c, int number, int os_errno)
{
	unsigned char message[1 + 2 * WORD_BYTES];
	uint32_t words[2] = {
		htonl((uint32_t)number),
		htonl((uint32_t)os_errno),
	};

	message[0] = (unsigned char)STATE_SERVER_ERROR;
	memcpy(message + 1, words, sizeof(words));
	return ctl_send(c, message, sizeof(message));
}
