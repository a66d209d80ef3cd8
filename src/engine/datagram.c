/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/datagram.h"

#include <endian.h>
#include <string.h>

#include "base/units.h"

#define US_PER_S (NS_PER_S / NS_PER_US)

/* Where the fields are; the number is as wide as was agreed. */
#define AT_SECONDS 0
#define AT_MICROSECONDS 4
#define AT_NUMBER 8

static void put32(unsigned char *at, uint32_t v)
{
	uint32_t wire = htobe32(v);

	memcpy(at, &wire, sizeof(wire));
}

static uint32_t get32(const unsigned char *at)
{
	uint32_t wire;

	memcpy(&wire, at, sizeof(wire));
	return be32toh(wire);
}

static uint64_t get64(const unsigned char *at)
{
	uint64_t wire;

	memcpy(&wire, at, sizeof(wire));
	return be64toh(wire);
}

void datagram_write(void *datagram, const struct datagram_header *h,
		    bool is_64bit)
{
	unsigned char *d = datagram;
	uint64_t wire = htobe64(h->number);

	put32(d + AT_SECONDS, (uint32_t)(h->sent_ns / NS_PER_S));
	put32(d + AT_MICROSECONDS,
	      (uint32_t)(h->sent_ns % NS_PER_S / NS_PER_US));
	if (is_64bit)
		memcpy(d + AT_NUMBER, &wire, sizeof(wire));
	else
		put32(d + AT_NUMBER, (uint32_t)h->number);
}

bool datagram_read(const void *datagram, size_t len, bool is_64bit,
		   struct datagram_header *out)
{
	const unsigned char *d = datagram;

	if (len < DATAGRAM_HEADER_BYTES(is_64bit))
		return false;
	out->sent_ns = get32(d + AT_SECONDS) * (uint64_t)NS_PER_S +
		       get32(d + AT_MICROSECONDS) * (uint64_t)NS_PER_US;
	out->number = is_64bit ? get64(d + AT_NUMBER) : get32(d + AT_NUMBER);
	return true;
}
