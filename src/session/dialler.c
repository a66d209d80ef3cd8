/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/dialler.h"

#include <errno.h>

#include "base/clock.h"
#include "base/rand.h"

static int make_cookie(char cookie[COOKIE_SIZE])
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char bytes[COOKIE_SIZE - 1];
	size_t i;
	int rc = rand_bytes(bytes, sizeof(bytes));

	for (i = 0; i < sizeof(bytes); i++)
		cookie[i] = alphabet[bytes[i] % (sizeof(alphabet) - 1)];
	cookie[COOKIE_SIZE - 1] = '\0';
	return rc;
}

static int send_cookie(struct run *r, const struct conn *conn, int code)
{
	struct patience p = {
		.deadline_ns = clock_deadline_ms(CTL_WRITE_MS),
		.stop_fd = r->host->stop_fd,
	};
	int rc = sock_send_all(conn->fd, r->test.cookie, COOKIE_SIZE, &p);

	return rc ? err_set(&r->error, code, -rc, "sending the cookie") : 0;
}

int dialler_control(struct run *r)
{
	const struct settings *s = &r->settings;
	struct conn conn = CONN_NONE;
	struct dial how = {
		.patience = {
			.deadline_ns = clock_deadline_ms(s->connect_timeout_ms),
			.stop_fd = r->host->stop_fd,
		},
	};
	int rc;

	if (make_cookie(r->test.cookie))
		return err_set(&r->error, ERR_INIT_TEST, EIO,
			       "no random numbers");
	rc = r->transport->control->dial(s, &how, &conn, &r->error);
	if (rc)
		return rc;
	rc = ctl_attach(&r->ctl, &conn);
	if (rc)
		return err_set(&r->error, ERR_NONBLOCKING, -rc, "control");
	return send_cookie(r, &r->ctl.conn, ERR_SEND_COOKIE);
}

int dialler_stream(struct run *r, int index, uint64_t deadline_ns)
{
	struct conn conn = CONN_NONE;
	struct dial how = {
		.control = &r->ctl.conn,
		.index = index,
		.patience = {
			.deadline_ns = deadline_ns,
			.stop_fd = r->host->stop_fd,
		},
	};
	int rc = r->transport->dial(&r->settings, &how, &conn, &r->error);

	if (rc)
		return rc;
	if (!(r->transport->caps & TRANSPORT_GREETS))
		rc = send_cookie(r, &conn, ERR_STREAM_CONNECT);
	if (rc) {
		conn.transport->close(&conn);
		return rc;
	}
	return run_add_stream(r, &conn);
}
