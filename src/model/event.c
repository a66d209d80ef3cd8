/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/event.h"

void sink_emit(struct sink *first, const struct event *ev)
{
	struct sink *sink;

	for (sink = first; sink; sink = sink->next)
		sink->on_event(sink, ev);
}
