/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rand.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

int rand_bytes(void *out, size_t len)
{
	unsigned char *p = out;

	while (len > 0) {
		ssize_t n = getrandom(p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}
