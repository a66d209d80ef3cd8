/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * argv to settings, by walking the option tables of the core and of every
 * transport. No option is named here but those whose combinations can't be.
 *
 * Called by cli.c. Threads: session (getopt keeps global state).
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stddef.h>

#include "base/err.h"
#include "model/option.h"
#include "model/settings.h"

enum opt_action {
	OPT_RUN = 0,
	OPT_HELP,
	OPT_VERSION,
};

/* All tables, the core's first and then the transports'; NULL past the end. */
const struct option_table *opt_table(size_t index);

/*
 * Fills @settings (made by settings_init) from @argv and checks that the
 * combination can be. 0 with @action, or negative errno with @e set to the
 * first mistake. The rest of @argv is read even then, so that
 * settings->is_json says how the mistake is to be reported. Warns on stderr
 * about what it ignores.
 */
int opt_parse(int argc, char **argv, struct settings *settings,
	      enum opt_action *action, struct err *e);

#endif
