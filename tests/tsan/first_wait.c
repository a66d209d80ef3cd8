/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linked into the ThreadSanitizer build only.
 *
 * The runtime (seen with LLVM 14) keeps what it knows of a thread's signals
 * in a record that the first blocking call makes, without care for a signal
 * that comes meanwhile: its handler makes a record of its own, which is then
 * replaced, and the signal is lost. In a server that call is the poll right
 * after "Server listening", when a test sends its signal. So the first
 * blocking call is made here, before main.
 */
#include <poll.h>
#include <stddef.h>

__attribute__((constructor)) static void make_signal_record(void)
{
	(void)poll(NULL, 0, 0);
}
