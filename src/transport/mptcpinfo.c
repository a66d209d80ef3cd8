/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel tells about an MPTCP connection: a TCP_INFO for each of its
 * subflows (linux/mptcp.h, from Linux 5.16 on; the numbers stand here because
 * the headers of a system may be older than its kernel).
 */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "transport/mptcp.h"
#include "transport/tcp.h"

#define SOL_MPTCP_LEVEL 284
#define OPTION_INFO 1
#define OPTION_TCPINFO 2
#define INFO_BYTES 256 /* more than struct mptcp_info has */

#define SUBFLOWS_MAX 8 /* as the kernel's path manager */

struct subflows {
	/* struct mptcp_subflow_data */
	uint32_t header_bytes;
	uint32_t count; /* of the connection, even above what fits */
	uint32_t kernel_bytes; /* of the kernel's struct tcp_info */
	uint32_t user_bytes; /* of ours, and the distance of the entries */
	struct tcp_info info[SUBFLOWS_MAX];
};

bool mptcpinfo_is_mptcp(int fd)
{
	char info[INFO_BYTES];
	socklen_t len = sizeof(info);

	/* A connection that fell back answers as TCP does: no such option. */
	return !getsockopt(fd, SOL_MPTCP_LEVEL, OPTION_INFO, info, &len);
}

void mptcpinfo_path(const struct conn *c, struct path *out,
		    int64_t *retransmits)
{
	struct subflows sub = {
		.header_bytes = offsetof(struct subflows, info),
		.user_bytes = sizeof(sub.info[0]),
	};
	socklen_t len = sizeof(sub);
	int64_t cwnd_bytes = 0;
	int64_t sum = 0;
	uint32_t i;

	/* The first subflow alone, and all of a connection that fell back. */
	tcpinfo_path(c, out, retransmits);
	if (!out->is_known ||
	    getsockopt(c->fd, SOL_MPTCP_LEVEL, OPTION_TCPINFO, &sub, &len))
		return;
	for (i = 0; i < sub.count && i < SUBFLOWS_MAX; i++) {
		sum += sub.info[i].tcpi_total_retrans;
		cwnd_bytes += (int64_t)sub.info[i].tcpi_snd_cwnd *
			      sub.info[i].tcpi_snd_mss;
	}
	/* A subflow that was closed takes its count along. */
	if (sum > *retransmits)
		*retransmits = sum;
	if (cwnd_bytes > 0)
		out->cwnd_bytes = cwnd_bytes;
}
