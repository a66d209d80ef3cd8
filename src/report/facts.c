/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/facts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define MS_PER_S 1000

const char *facts_system(char *buf, size_t size)
{
	struct utsname uts;

	if (uname(&uts))
		memset(&uts, 0, sizeof(uts));
	snprintf(buf, size, "%s %s %s %s %s", uts.sysname, uts.nodename,
		 uts.release, uts.version, uts.machine);
	return buf;
}

const char *facts_gmt(int64_t wall_ms, char *buf, size_t size)
{
	static const char *const days[] = {
		"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat",
	};
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
	};
	time_t seconds = (time_t)(wall_ms / MS_PER_S);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	snprintf(buf, size, "%s, %02d %s %d %02d:%02d:%02d GMT",
		 days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
		 tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return buf;
}

const char *facts_peer_error(const struct err *e, char *buf, size_t size)
{
	char text[FACTS_ERROR_SIZE];
	struct err bare = *e;

	bare.os_errno = 0;
	err_format(&bare, text, sizeof(text));
	snprintf(buf, size, "SERVER ERROR - %s%s%s", text,
		 e->os_errno > 0 ? ", errno: " : "",
		 e->os_errno > 0 ? strerror(e->os_errno) : "");
	return buf;
}
