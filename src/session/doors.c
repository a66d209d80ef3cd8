/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/doors.h"

void doors_init(struct doors *d)
{
	*d = (struct doors){ .control = { NULL, -1 }, .streams = { NULL, -1 } };
}

void doors_done(struct doors *d)
{
	sock_close(&d->control.fd);
	sock_close(&d->streams.fd);
	doors_init(d);
}

static int door_open(struct door *door, const struct transport *t,
		     const struct settings *s, struct err *e)
{
	sock_close(&door->fd);
	door->transport = t;
	door->fd = t->listen(s, e);
	return door->fd < 0 ? door->fd : 0;
}

int doors_open(struct doors *d, const struct transport *t,
	       const struct settings *s, struct err *e)
{
	return door_open(&d->control, t, s, e);
}

int doors_open_streams(struct doors *d, const struct transport *t,
		       const struct settings *s, struct err *e)
{
	if (t->door == DOOR_SHARED)
		return t->tune(d->control.fd, s, e);
	/* Two sockets can't listen on one port: the guests of the other
	 * come in here meanwhile, and are told that the server is busy. */
	if (t->door == DOOR_INSTEAD)
		sock_close(&d->control.fd);
	return door_open(&d->streams, t, s, e);
}

int doors_close_streams(struct doors *d, const struct settings *s,
			struct err *e)
{
	sock_close(&d->streams.fd);
	d->streams.transport = NULL;
	if (d->control.fd >= 0)
		return d->control.transport->tune(d->control.fd, s, e);
	return door_open(&d->control, d->control.transport, s, e);
}
