/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --get-server-output at a server: what its report shows of the current test
 * is made a second time in memory, so that the session can send it to the
 * client. It is text, or with -J the document.
 *
 * Called by cli/ (session_host.server_output). Threads: session.
 */
#ifndef REPORT_CAPTURE_H
#define REPORT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/event.h"

#define CAPTURE_MAX_BYTES (4u << 20)

struct capture;

/* NULL without memory. */
struct capture *capture_new(void);
void capture_free(struct capture *c);

/* The sink to put into the server's chain; lives as long as @c. */
struct sink *capture_sink(struct capture *c);

/*
 * What was shown since the last EVENT_LISTEN: lines of at most 1023 bytes, in
 * all at most CAPTURE_MAX_BYTES, or a JSON object, which is kept whole or not
 * at all. malloc'd for the caller. NULL: the client did not ask, there is
 * nothing, or it is too long.
 */
char *capture_text(struct capture *c, bool *is_json);

#endif
