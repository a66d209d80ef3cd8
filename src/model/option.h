/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The option table: one row per option says its names, kind of value, range,
 * who may use it, its key in the parameter message and its help. The command
 * line, --help, the parameter message and the checks all walk these rows, so
 * adding an option is adding a row.
 *
 * The tables of the core are in option_core.c and, where several transports
 * share them, in option_ip.c; a transport brings its own rows (transport.h).
 * All of them describe members of struct settings.
 *
 * Threads: any (constant data; functions touch only their arguments).
 */
#ifndef MODEL_OPTION_H
#define MODEL_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "model/settings.h"

enum option_kind {
	OPTION_FLAG, /* bool member becomes true */
	OPTION_INT, /* int member, plain integer */
	OPTION_C_INT, /* int member, as C writes it: 52, 064 or 0x34 */
	OPTION_PORT, /* uint32_t member, plain integer */
	OPTION_BYTES, /* uint64_t member, 1024-based suffixes */
	OPTION_RATE, /* uint64_t member, 1000-based suffixes */
	OPTION_MS, /* int member, a time, 1024-based suffixes */
	OPTION_SECONDS, /* double member */
	OPTION_STRING, /* owned char * member */
	OPTION_CUSTOM, /* row.parse does it */
	OPTION_OBSOLETE, /* no member: accepted with a warning */
	OPTION_HELP, /* no member: the command line acts on these */
	OPTION_VERSION,
};

enum option_value {
	VALUE_NONE,
	VALUE_REQUIRED,
	VALUE_OPTIONAL, /* only in the --name=value form */
};

enum option_role {
	FOR_CLIENT = 1,
	FOR_SERVER = 2,
	FOR_BOTH = FOR_CLIENT | FOR_SERVER,
};

/* When and how a member travels in the parameter message. */
enum wire_rule {
	WIRE_NONE = 0,
	WIRE_ALWAYS, /* number, always */
	WIRE_NONZERO, /* number or string, when set */
	WIRE_TRUE, /* boolean true, or absent */
	WIRE_ONE, /* number 1, or absent */
	WIRE_NONNEGATIVE, /* number, unless negative */
};

struct option_row {
	const char *name; /* long name without dashes; NULL: a key of
				 * the parameter message that some option's
				 * parse function fills, not an option */
	char letter; /* short name, 0: none */
	enum option_kind kind;
	enum option_value value;
	unsigned roles; /* FOR_... */
	size_t offset; /* member of struct settings */
	size_t given_offset; /* a bool member that notes that the option
				 * was given, or OPTION_NO_MEMBER */
	double min; /* range, checked when max > min */
	double max;
	bool is_zero_allowed; /* 0 is fine although below min */
	int range_error; /* enum err_code */
	int (*parse)(struct settings *s, const struct option_row *row,
		     const char *value, struct err *e);
	const char *wire_key;
	enum wire_rule wire;
	const char *metavar; /* "N", "FILE", NULL without a value */
	const char *help; /* one sentence, wrapped by the printer */
	const char *alias_of; /* this row is another spelling of that
				 * long name; not printed on its own */
	const char *needs; /* long name of an option that must be given
				 * too, or NULL */
};

/* Offset 0 is the role, which is no row's "was given" note; so rows that name
 * no such member have none. */
#define OPTION_NO_MEMBER ((size_t)0)

/* The longest text accepted from a parameter message: all of it. */
#define OPTION_WIRE_TEXT_MAX 8192

struct option_table {
	const char *title; /* heading in --help */
	const struct option_row *row;
	size_t rows;
};

/* The rows of the core, in the order of --help. NULL-title ends the array. */
extern const struct option_table option_core[];

/* One of its tables: sockets over IP, whatever runs on them. */
#define OPTION_IP_ROWS 12
extern const struct option_row option_ip[OPTION_IP_ROWS];

/*
 * Stores an address that may end in %DEVICE: the device goes to --bind-dev,
 * but with an IPv6 link-local address, whose zone it is, it stays. An address
 * of nothing but a device is NULL. 0 or negative errno with @e.
 */
int option_set_address(struct settings *s, char **member,
		       const struct option_row *row, const char *value,
		       struct err *e);

/*
 * Parses @value for @row into @s; @value is NULL where the option has none. 0
 * or negative errno with @e set and @s unchanged.
 */
int option_apply(struct settings *s, const struct option_row *row,
		 const char *value, struct err *e);

/* row.parse of a transport's own --NAME: takes the transport of that name,
 * unless another was chosen before. */
int option_choose_transport(struct settings *s, const struct option_row *row,
			    const char *value, struct err *e);

/*
 * Appends the row's member to the parameter message where its wire rule says
 * so. 0 or -ENOMEM.
 */
int option_to_wire(const struct settings *s, const struct option_row *row,
		   struct cJSON *params);

/*
 * Takes the row's member from a parameter message that a stranger may have
 * written: type and range are checked, an absent key leaves the member alone.
 * 0, or negative errno with @e set to the range's error; where that is about
 * the spelling of numbers (ERR_UNIT), to ERR_RECV_PARAMS.
 */
int option_from_wire(struct settings *s, const struct option_row *row,
		     const struct cJSON *params, struct err *e);

#endif
