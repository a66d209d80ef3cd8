/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCP_INFO as struct path. In a file of its own because the kernel's
 * struct tcp_info (linux/tcp.h) and the C library's (netinet/tcp.h) can't be
 * included together, and only the kernel's has all members.
 */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "transport/tcp.h"

void tcpinfo_path(const struct conn *c, struct path *out, int64_t *retransmits)
{
	struct tcp_info ti;
	socklen_t len = sizeof(ti);

	memset(&ti, 0, sizeof(ti));
	if (getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &ti, &len))
		return;
	*retransmits = ti.tcpi_total_retrans;
	*out = (struct path){
		.is_known = true,
		.cwnd_bytes = (int64_t)ti.tcpi_snd_cwnd * ti.tcpi_snd_mss,
		.wnd_bytes = -1,
		.rtt_us = ti.tcpi_rtt,
		.rttvar_us = ti.tcpi_rttvar,
		.pmtu_bytes = ti.tcpi_pmtu,
		.reorder = ti.tcpi_reord_seen,
	};
	/* Linux 5.4 fills it; a shorter reply means an older kernel. */
	if (len >=
	    offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(ti.tcpi_snd_wnd))
		out->wnd_bytes = ti.tcpi_snd_wnd;
}
