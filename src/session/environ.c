/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/environ.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/version.h"

#define CPUS_MAX 1000000
#define CLOCKSOURCE_FILE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

#define TEXT_MEMBER(member)                                       \
	{                                                         \
#member, offsetof(struct environment, member),    \
			sizeof(((struct environment *)0)->member) \
	}

static const struct {
	const char *key;
	size_t offset;
	size_t size;
} environ_texts[] = {
	TEXT_MEMBER(tool),	   TEXT_MEMBER(kernel),
	TEXT_MEMBER(kernel_build), TEXT_MEMBER(machine),
	TEXT_MEMBER(cpu_model),	   TEXT_MEMBER(address),
	TEXT_MEMBER(clocksource),  TEXT_MEMBER(boot_id),
};

#define ENVIRON_TEXTS (sizeof(environ_texts) / sizeof(environ_texts[0]))

static void read_line(const char *file, char *out, size_t size)
{
	FILE *f = fopen(file, "re");

	out[0] = '\0';
	if (!f)
		return;
	if (!fgets(out, (int)size, f))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

static void read_cpu_model(char *out, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];

	out[0] = '\0';
	if (!f)
		return;
	while (!out[0] && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (value && !strncmp(line, "model name", 10)) {
			value[strcspn(value, "\n")] = '\0';
			snprintf(out, size, "%s",
				 value + 1 + strspn(value + 1, " "));
		}
	}
	fclose(f);
}

void environ_collect(struct environment *env)
{
	struct utsname uts;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(env, 0, sizeof(*env));
	env->is_known = true;
	snprintf(env->tool, sizeof(env->tool), "iperf3-vsock %s", VERSION_OWN);
	if (!uname(&uts)) {
		snprintf(env->kernel, sizeof(env->kernel), "%s", uts.release);
		snprintf(env->kernel_build, sizeof(env->kernel_build), "%s",
			 uts.version);
		snprintf(env->machine, sizeof(env->machine), "%.31s",
			 uts.machine);
	}
	env->cpus = cpus > 0 ? (int)cpus : 0;
	read_cpu_model(env->cpu_model, sizeof(env->cpu_model));
	read_line(CLOCKSOURCE_FILE, env->clocksource, sizeof(env->clocksource));
	read_line(BOOT_ID_FILE, env->boot_id, sizeof(env->boot_id));
}

cJSON *environ_to_json(const struct environment *env)
{
	cJSON *json = cJSON_CreateObject();
	int rc = json ? 0 : -1;
	size_t i;

	for (i = 0; i < ENVIRON_TEXTS && !rc; i++)
		rc = json_put_text(json, environ_texts[i].key,
				   (const char *)env + environ_texts[i].offset);
	if (!rc)
		rc = json_put_i64(json, "cpus", env->cpus);
	if (!rc)
		rc = json_put_i64(json, "window_bytes",
				  (int64_t)env->window_bytes);
	if (!rc)
		return json;
	cJSON_Delete(json);
	return NULL;
}

void environ_from_json(struct environment *env, const cJSON *json)
{
	int64_t number = 0;
	size_t i;

	memset(env, 0, sizeof(*env));
	if (!cJSON_IsObject(json))
		return;
	env->is_known = true;
	for (i = 0; i < ENVIRON_TEXTS; i++) {
		const char *text = "";

		json_get_text(json, environ_texts[i].key,
			      environ_texts[i].size - 1, &text);
		snprintf((char *)env + environ_texts[i].offset,
			 environ_texts[i].size, "%s", text);
	}
	if (json_get_i64(json, "cpus", 0, CPUS_MAX, &number) == JSON_OK)
		env->cpus = (int)number;
	if (json_get_i64(json, "window_bytes", 0, INT64_MAX, &number) ==
	    JSON_OK)
		env->window_bytes = (uint64_t)number;
}
