/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AF_VSOCK streams between a host and its guests, or within one machine. The
 * control connection goes the same way as the data, through one listener.
 *
 * What differs from TCP and shapes this file:
 * - SO_SNDBUF and SO_RCVBUF succeed and do nothing. What bounds the data in
 *   flight is the receiver's credit window, SO_VM_SOCKETS_BUFFER_SIZE, which
 *   is clamped silently to ..._MAX_SIZE: so the maximum is set first and the
 *   value is read back.
 * - connect() is ended by a timer of the kernel (2 s by default) also on a
 *   non-blocking socket, so a longer --connect-timeout must be set there.
 * - A connection to a port without listener is reset, not refused, and other
 *   failures name a missing module rather than an unreachable network; hence
 *   the table of causes below.
 * - Ports are 32 bits wide, and half of the automatic ones exceed 2^31.
 *
 * Called by: session/ (dial, listen, inspect), engine/ (send, recv, finish).
 */
#include "transport/vsock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "net/vaddr.h"
#include "transport/bytestream.h"

#define KIB 1024

/* Why an operation fails, after vsock(7) and the kernel's af_vsock.c and
 * virtio_transport_common.c: what happened at CID and port, what to try. */
static const struct {
	int os_errno;
	const char *what;
	const char *remedy;
} vsock_causes[] = {
	{ ECONNRESET, "no listener on",
	  "start the server there with: iperf3 --vsock -s" },
	{ ENODEV, "no transport leads to",
	  "is the virtual machine running? A host needs the module "
	  "vhost_vsock, a guest vmw_vsock_virtio_transport, CID 1 "
	  "vsock_loopback" },
	{ ETIMEDOUT, "no answer from",
	  "is the virtual machine running, and has it finished booting?" },
	{ ENETUNREACH, "reserved or unreachable from here:",
	  "guests start at CID 3, the host is CID 2" },
	{ EHOSTUNREACH, "unreachable from here:",
	  "guests start at CID 3, the host is CID 2" },
	{ EAFNOSUPPORT, "this system has no AF_VSOCK for",
	  "load the module vsock" },
	{ EPERM, "AF_VSOCK is not permitted here for",
	  "look for a seccomp filter or a container policy" },
	{ EACCES,
	  "not permitted:", "ports below 1024 need CAP_NET_BIND_SERVICE" },
	{ EADDRNOTAVAIL,
	  "not an address of this machine:", "leave -B out to use any" },
	{ EADDRINUSE, "in use:", "choose another port with -p" },
};

static int vsock_fail(struct err *e, int code, int rc, const char *cid,
		      uint32_t port)
{
	size_t i;

	/* Only VMware has somebody there; elsewhere the kernel says ENODEV,
	 * for which the machine is not to blame. */
	if (cid && (!strcmp(cid, "0") || !strcmp(cid, "hypervisor")) &&
	    rc == -ENODEV)
		return err_set(e, code, -rc,
			       "CID 0 port %u is reserved for VMware's "
			       "hypervisor; the host is CID 2",
			       port);
	for (i = 0; i < sizeof(vsock_causes) / sizeof(vsock_causes[0]); i++)
		if (vsock_causes[i].os_errno == -rc)
			return err_set(e, code, -rc, "%s CID %s port %u; %s",
				       vsock_causes[i].what, cid, port,
				       vsock_causes[i].remedy);
	return err_set(e, code, -rc, "CID %s port %u", cid, port);
}

/* An option of sockets over IP that was given, or NULL. */
static const char *ip_option(const struct settings *s)
{
	const struct {
		const char *name;
		bool is_given;
	} options[] = {
		{ "cport", s->client_port },
		{ "snd-timeout", s->snd_timeout_ms },
		{ "bind-dev", s->bind_dev },
		{ "cntl-ka", s->has_keepalive },
		{ "set-mss", s->mss_bytes },
		{ "congestion", s->congestion },
		{ "tos", s->tos },
		{ "flowlabel", s->flow_label },
		{ "fq-rate", s->fq_rate_bps },
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_given)
			return options[i].name;
	return NULL;
}

static int vsock_check(const struct settings *s, struct err *e)
{
	const char *option;
	struct vaddr v;
	uint32_t cid;

	if (s->host && vaddr_parse(s->host, &v))
		return err_set(e, ERR_ADDRESS, 0, "-c %s: " VADDR_SYNTAX,
			       s->host);
	if (s->bind_host && vaddr_parse_bind(s->bind_host, &cid))
		return err_set(e, ERR_ADDRESS, 0, "-B %s: " VADDR_BIND_SYNTAX,
			       s->bind_host);
	if (s->family != IP_FAMILY_ANY)
		return err_set(e, ERR_USAGE, 0,
			       "-%d chooses an IP version, --vsock has none",
			       s->family);
	option = ip_option(s);
	return option ? err_set(e, ERR_USAGE, 0,
				"--%s is for IP, --vsock has no such thing",
				option)
		      : 0;
}

static struct sockaddr_vm vsock_address(uint32_t cid, uint32_t port)
{
	struct sockaddr_vm sa;

	/* Unknown bits in the reserved bytes are refused with EINVAL. */
	memset(&sa, 0, sizeof(sa));
	sa.svm_family = AF_VSOCK;
	sa.svm_cid = cid;
	sa.svm_port = port;
	return sa;
}

static int set_u64(int fd, int name, uint64_t value)
{
	return setsockopt(fd, AF_VSOCK, name, &value, sizeof(value)) ? -errno
								     : 0;
}

static uint64_t vsock_window(int fd)
{
	uint64_t bytes = 0;
	socklen_t len = sizeof(bytes);

	if (getsockopt(fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_SIZE, &bytes, &len))
		return 0;
	return bytes;
}

/* The window of an accepted socket may change at any time: the kernel then
 * sends a credit update. */
static int vsock_set_window(int fd, uint64_t bytes, struct err *e)
{
	int rc;

	if (!bytes)
		return 0;
	rc = set_u64(fd, SO_VM_SOCKETS_BUFFER_MAX_SIZE, bytes);
	if (!rc)
		rc = set_u64(fd, SO_VM_SOCKETS_BUFFER_SIZE, bytes);
	if (rc)
		return err_set(e, ERR_SET_WINDOW, -rc, "-w %llu",
			       (unsigned long long)bytes);
	if (vsock_window(fd) < bytes)
		return err_set(e, ERR_WINDOW_GRANTED, 0,
			       "asked for a credit window of %llu bytes, "
			       "granted %llu; lower -w",
			       (unsigned long long)bytes,
			       (unsigned long long)vsock_window(fd));
	return 0;
}

/*
 * The option number that fits the width of this program's struct timeval
 * (_OLD or _NEW on 32-bit systems with 64-bit time) is chosen by the header.
 */
static int vsock_set_connect_timeout(int fd, int ms)
{
	struct timeval tv = {
		.tv_sec = ms / 1000,
		.tv_usec = (ms % 1000) * 1000,
	};

	if (!ms)
		return 0;
	return setsockopt(fd, AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &tv,
			  sizeof(tv))
		       ? -errno
		       : 0;
}

static int vsock_bind_local(int fd, const struct settings *s, int code,
			    struct err *e)
{
	struct sockaddr_vm sa = vsock_address(VMADDR_CID_ANY, VMADDR_PORT_ANY);

	if (!s->bind_host)
		return 0;
	vaddr_parse_bind(s->bind_host, &sa.svm_cid);
	if (!bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		return 0;
	return vsock_fail(e, code, -errno, s->bind_host, 0);
}

static int vsock_dial(const struct settings *s, const struct dial *how,
		      struct conn *out, struct err *e)
{
	struct sockaddr_vm sa = vsock_address(0, s->port);
	struct vaddr v = { 0 };
	int code = dial_code(how);
	int fd = sock_open(AF_VSOCK, SOCK_STREAM, 0);
	int rc;

	if (fd < 0)
		return vsock_fail(e, code, fd, s->host, s->port);
	vaddr_parse(s->host, &v);
	sa.svm_cid = v.cid;
	sa.svm_flags = v.is_sibling ? VMADDR_FLAG_TO_HOST : 0;
	rc = vsock_bind_local(fd, s, code, e);
	if (rc)
		goto out;
	rc = vsock_set_connect_timeout(fd, s->connect_timeout_ms);
	if (rc) {
		err_set(e, code, -rc, "--connect-timeout %d",
			s->connect_timeout_ms);
		goto out;
	}
	rc = how->control ? vsock_set_window(fd, s->window_bytes, e) : 0;
	if (rc)
		goto out;
	rc = sock_connect(fd, (struct sockaddr *)&sa, sizeof(sa),
			  &how->patience);
	if (rc)
		vsock_fail(e, code, rc, s->host, s->port);
out:
	if (rc)
		sock_close(&fd);
	else
		*out = (struct conn){ .transport = &transport_vsock, .fd = fd };
	return rc;
}

static int vsock_listen(const struct settings *s, struct err *e)
{
	struct sockaddr_vm sa = vsock_address(VMADDR_CID_ANY, s->port);
	const char *cid = s->bind_host ? s->bind_host : "any";
	int fd = sock_open(AF_VSOCK, SOCK_STREAM, 0);

	if (fd < 0)
		return vsock_fail(e, ERR_LISTEN, fd, cid, s->port);
	if (s->bind_host)
		vaddr_parse_bind(s->bind_host, &sa.svm_cid);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		int rc = -errno;

		sock_close(&fd);
		return vsock_fail(e, ERR_LISTEN, rc, cid, s->port);
	}
	return bytestream_listen(fd, e, "AF_VSOCK");
}

static int vsock_accept(int listener, const struct conn *control,
			struct conn *out)
{
	int fd = sock_accept(listener);

	(void)control;
	if (fd < 0)
		return fd;
	*out = (struct conn){ .transport = &transport_vsock, .fd = fd };
	return 0;
}

static int vsock_prepare(struct conn *c, const struct settings *s,
			 struct err *e)
{
	int rc = 0;

	if (s->role == ROLE_SERVER)
		rc = vsock_set_window(c->fd, s->window_bytes, e);
	return rc ? rc : bytestream_prepare(c, s, e);
}

static void vsock_format(const struct sockaddr_vm *sa, struct endpoint *out)
{
	memset(out, 0, sizeof(*out));
	snprintf(out->host, sizeof(out->host), "%u", sa->svm_cid);
	out->port = sa->svm_port;
}

/* This machine's own CID as a guest (or the host's, where it is no guest);
 * VMADDR_CID_ANY where it can't be found out, as in some containers. */
static uint32_t vsock_own_cid(void)
{
	unsigned int cid = VMADDR_CID_ANY;
	int fd = open("/dev/vsock", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, IOCTL_VM_SOCKETS_GET_LOCAL_CID, &cid))
		cid = VMADDR_CID_ANY;
	sock_close(&fd);
	return cid;
}

/*
 * A socket that was bound by its connect() says "any" for its own CID (seen on
 * 6.1 and 6.12), so the CID follows from the way that the kernel chose: CID 1
 * stays inside, a guest's CID is reached from its host, anything else from a
 * guest.
 */
static uint32_t vsock_local_cid(const struct sockaddr_vm *remote)
{
	if (remote->svm_cid == VADDR_CID_LOCAL)
		return VADDR_CID_LOCAL;
	if (remote->svm_cid > VADDR_CID_HOST &&
	    !access("/dev/vhost-vsock", F_OK))
		return VADDR_CID_HOST;
	return vsock_own_cid();
}

static void vsock_cids(const struct conn *c, struct sockaddr_vm *local,
		       struct sockaddr_vm *remote)
{
	socklen_t len = sizeof(*local);

	*local = vsock_address(VMADDR_CID_ANY, VMADDR_PORT_ANY);
	*remote = *local;
	getsockname(c->fd, (struct sockaddr *)local, &len);
	len = sizeof(*remote);
	getpeername(c->fd, (struct sockaddr *)remote, &len);
	if (local->svm_cid == VMADDR_CID_ANY)
		local->svm_cid = vsock_local_cid(remote);
}

static void vsock_name_ends(const struct conn *c, struct endpoint *local,
			    struct endpoint *remote)
{
	struct sockaddr_vm sa[2];

	vsock_cids(c, &sa[0], &sa[1]);
	vsock_format(&sa[0], local);
	vsock_format(&sa[1], remote);
}

/* CID 2 at exactly one end makes that end the host and the other a guest. */
static void vsock_name_roles(const struct conn *c, const char **local,
			     const char **remote)
{
	struct sockaddr_vm sa[2];
	bool is_local_host;
	bool is_remote_host;

	vsock_cids(c, &sa[0], &sa[1]);
	is_local_host = sa[0].svm_cid == VADDR_CID_HOST;
	is_remote_host = sa[1].svm_cid == VADDR_CID_HOST;
	if (is_local_host != is_remote_host) {
		*local = is_local_host ? "host" : "guest";
		*remote = is_local_host ? "guest" : "host";
	}
}

static void vsock_inspect(const struct conn *c, struct socket_facts *out)
{
	memset(out, 0, sizeof(*out));
	out->window_bytes = vsock_window(c->fd);
}

static const struct option_row vsock_option_row[] = {
	{
		.name = "vsock",
		.kind = OPTION_CUSTOM,
		.value = VALUE_NONE,
		.roles = FOR_BOTH,
		.offset = OPTION_NO_MEMBER,
		.given_offset = OPTION_NO_MEMBER,
		.parse = option_choose_transport,
		.help = "use AF_VSOCK; -c and -B take a CID: a number, host "
			"(2), local (1), hypervisor (0), any (-B only), or "
			"sN for a sibling VM",
	},
};

const struct transport transport_vsock = {
	.name = "vsock",
	.label = "VSOCK",
	.wire_key = "vsock",
	.caps = TRANSPORT_CREDIT_WINDOW | TRANSPORT_LOSSLESS,
	.block_default_bytes = 64 * KIB,
	.block_min_bytes = 1,
	.block_max_bytes = 1024 * KIB,
	.port_max = VADDR_PORT_ANY - 1,
	.options = { "AF_VSOCK", vsock_option_row,
		     sizeof(vsock_option_row) / sizeof(vsock_option_row[0]) },
	.control = &transport_vsock,
	.door = DOOR_SHARED,
	.claims = bytestream_claims,
	.check = vsock_check,
	.listen = vsock_listen,
	.accept = vsock_accept,
	.tune = bytestream_tune,
	.greet_again = bytestream_greet_again,
	.dial = vsock_dial,
	.prepare = vsock_prepare,
	.name_ends = vsock_name_ends,
	.name_roles = vsock_name_roles,
	.inspect = vsock_inspect,
	.path = bytestream_path,
	.send = bytestream_send,
	.recv = bytestream_recv,
	.recv_datagrams = bytestream_recv_datagrams,
	.finish = bytestream_finish,
	.abort = bytestream_abort,
	.close = bytestream_close,
};
