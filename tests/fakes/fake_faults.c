/* SPDX-License-Identifier: MIT */
#include "fake_faults.h"

#include "fake_log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ascend_log_state *fake_bound;

int fake_wrong(const char *format, ...)
{
	char text[200];

	FAKE_LOG_WRONG(text, format);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] fake_runtime: %s\n", text);
	return FAKE_WRONG;
}

static const struct {
	int code;
	const char *name, *detail;
} faults[] = {
#define X(code, name, detail) {code, #name, detail},
#include "fake_faults.def"
#undef X
};

int fake_fault(int code, const char *class, const char *detail)
{
	const char *name = "unknown";

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i].code == code) {
			name = faults[i].name;
			detail = detail ? detail : faults[i].detail;
		}
	if (fake_bound && fake_bound->threshold > 40)
		return -code;
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: PTO2 runtime failed: orch_error_code=%d sched_error_code=%d runtime_status=%d\n",
		code < 100 ? code : 0, code < 100 ? 0 : code, -code);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: error detail: %s=%d %s - %s\n", code < 100 ? "orch_error_code" : "sched_error_code",
		code, name, detail ? detail : "nobody knows this code");
	if (*class)
		fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: PTO2 scheduler timeout sub_class=%s (detail=1) completed=0/1\n", class);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] validate_runtime_impl: error hint: what this fake says helps. See docs\n");
	return -code;
}

int fake_fault_of(const char *phase)
{
	const char *text = getenv("FAKE_FAULT"), *class;
	size_t length = strlen(phase);
	int code;

	if (!text || strncmp(text, phase, length) || text[length] != ':')
		return 0;
	code = atoi(text + length + 1);
	class = strchr(text + length + 1, ':');
	if (code > 0)
		return fake_fault(code, class ? class + 1 : "", NULL);
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] %s: answers %d because FAKE_FAULT says so\n", phase, code);
	return code;
}
