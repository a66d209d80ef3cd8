/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program: argv goes to the command line, its status comes back.
 */
#include "cli/cli.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
