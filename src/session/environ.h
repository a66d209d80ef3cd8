/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine a test ran on: collected here, carried to the peer in the
 * results message under the key "environment" (docs/PROTOCOL.md).
 *
 * Threads: session.
 */
#ifndef SESSION_ENVIRON_H
#define SESSION_ENVIRON_H

#include "base/json.h"
#include "model/test.h"

/* What is known without a connection. Members that can't be found out are
 * "" or 0. */
void environ_collect(struct environment *env);

/* NULL: no memory. */
cJSON *environ_to_json(const struct environment *env);

/* From a peer's message, bounded; @json may be NULL (a peer that isn't ours),
 * then env.is_known is false. */
void environ_from_json(struct environment *env, const cJSON *json);

#endif
