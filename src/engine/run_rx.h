/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the receiving loops of byte streams (run_rx.c) and of datagrams
 * (datagram_rx.c) share.
 *
 * Threads: worker.
 */
#ifndef ENGINE_RUN_RX_H
#define ENGINE_RUN_RX_H

#include "engine/stream.h"

/* Takes @n received bytes off the budget, and tells the session once when it
 * is used up. */
void rx_spend(struct stream *st, ssize_t n);

/* Receives until the session says that nothing more comes. */
void datagram_rx(struct stream *st);

#endif
