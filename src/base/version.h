/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two versions that this program has: the iperf3 release it is compatible
 * with, which readers of -v and of JSON's "version" compare, and its own, which
 * configure.ac defines.
 *
 * Threads: any (constants).
 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define VERSION_NAME "iperf3-vsock"
#define VERSION_COMPAT "3.21"

#define VERSION_OWN PACKAGE_VERSION

/* "iperf3-vsock 0.1.0" */
#define VERSION_TOOL VERSION_NAME " " VERSION_OWN

/* The wire key client_version: "3.21 (iperf3-vsock 0.1.0)". */
#define VERSION_CLIENT VERSION_COMPAT " (" VERSION_TOOL ")"

/* -v and JSON: "iperf 3.21 (iperf3-vsock 0.1.0)". The first word and the
 * number keep the form that scripts and the Python binding look for. */
#define VERSION_TEXT "iperf " VERSION_CLIENT

#endif
