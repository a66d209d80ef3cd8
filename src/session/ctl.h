/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Framing of the control connection: cookie, state bytes, length-prefixed
 * JSON, error words (PROTOCOL.md 1 to 5). No policy: which item comes next is
 * the caller's knowledge. Reading never blocks: ctl_fill takes what is there,
 * ctl_take_* cut items off its front. Writing waits up to CTL_WRITE_MS.
 *
 * Threads: session.
 */
#ifndef SESSION_CTL_H
#define SESSION_CTL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "model/state.h"
#include "model/test.h"
#include "transport/transport.h"

#define CTL_PARAMS_MAX_BYTES 8192u
/* A server's output may be long; this bounds it all the same. */
#define CTL_RESULTS_MAX_BYTES (16u * 1024 * 1024 - 1)
#define CTL_WRITE_MS 10000

struct ctl {
	struct conn conn; /* owned */
	struct buf in;
};

void ctl_init(struct ctl *c);
/* Takes @conn over and makes it non-blocking. 0 or negative errno. */
int ctl_attach(struct ctl *c, const struct conn *conn);
void ctl_done(struct ctl *c);

#define CTL_FILL_ALL SIZE_MAX

/* Reads what has arrived, until @max_bytes are kept. 1: something, 0: the peer
 * closed, -EAGAIN: nothing yet, -EMSGSIZE: that many are kept, else negative
 * errno. */
int ctl_fill(struct ctl *c, size_t max_bytes);

/* Each: 1 taken, 0 not complete yet, -EINVAL where the bytes can't be one. */
int ctl_take_cookie(struct ctl *c, char cookie[COOKIE_SIZE]);
int ctl_take_state(struct ctl *c, int *state);
int ctl_take_json(struct ctl *c, size_t max_bytes, cJSON **out);
/* A SERVER_ERROR state byte, which the caller saw at the front, and the two
 * words behind it; @is_closed: no more will come, and one
 * word alone is what releases up to 3.19 send. */
int ctl_take_error(struct ctl *c, bool is_closed, int *number, int *os_errno);

/* Each: 0 or negative errno. */
int ctl_send(struct ctl *c, const void *data, size_t len);
int ctl_send_state(struct ctl *c, int state);
int ctl_send_json(struct ctl *c, const cJSON *json);
int ctl_send_error(struct ctl *c, int number, int os_errno);

#endif
