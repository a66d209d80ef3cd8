/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/vaddr.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define CID_DIGITS_MAX 10

static const struct {
	const char *name;
	uint32_t cid;
} vaddr_names[] = {
	{ "hypervisor", VADDR_CID_HYPERVISOR },
	{ "local", VADDR_CID_LOCAL },
	{ "host", VADDR_CID_HOST },
	{ "any", VADDR_CID_ANY },
};

/* strtoul would take signs and blanks and wrap silently. */
static int parse_decimal(const char *text, uint32_t *out)
{
	uint64_t value = 0;
	size_t len = strlen(text);
	size_t i;

	if (len == 0 || len > CID_DIGITS_MAX)
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	if (value > UINT32_MAX)
		return -EINVAL;
	*out = (uint32_t)value;
	return 0;
}

static int parse_cid(const char *text, uint32_t *out)
{
	size_t i;

	for (i = 0; i < sizeof(vaddr_names) / sizeof(vaddr_names[0]); i++) {
		if (!strcmp(text, vaddr_names[i].name)) {
			*out = vaddr_names[i].cid;
			return 0;
		}
	}
	return parse_decimal(text, out);
}

int vaddr_parse(const char *text, struct vaddr *out)
{
	struct vaddr v = { .is_sibling = text[0] == 's' };

	if (parse_cid(v.is_sibling ? text + 1 : text, &v.cid))
		return -EINVAL;
	if (v.cid == VADDR_CID_ANY)
		return -EINVAL;
	*out = v;
	return 0;
}

int vaddr_parse_bind(const char *text, uint32_t *cid)
{
	return parse_cid(text, cid);
}
