/* SPDX-License-Identifier: MIT */
#include "ascend/engine/fault.h"

#include "ascend/engine/pod.h"
#include "rt/program/rt_error.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEDULER_TIMEOUT 100

struct fault {
	int code;
	const char *name;
	ptowsp_status status;
	const char *remedy;
};
static const struct fault faults[] = {
#define X(code, name, status, remedy) {code, #name, PTOWSP_##status, remedy},
#include "ascend/engine/fault.def"
#undef X
};

static const char *const phases[] = {"simpler_init",       "simpler_register_callable", "simpler_prepare_run",
				     "simpler_launch_run", "simpler_wait_run",          "simpler_finalize_run"};

static const struct fault *fault_find(int code)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i].code == code)
			return &faults[i];
	return NULL;
}

/* The number behind a key of the failure line, 0: none. */
static int number_behind(const char *said, const char *key)
{
	const char *at = strstr(said, key);

	return at ? atoi(at + strlen(key)) : 0;
}

/* The rest of the line behind `key`, cut. False: not there. */
static bool line_behind(const char *said, const char *key, char *text, size_t room)
{
	const char *at = strstr(said, key);
	size_t length;

	*text = 0;
	if (!at)
		return false;
	at += strlen(key);
	length = strcspn(at, "\n");
	snprintf(text, room, "%.*s", (int)(length < room ? length : room - 1), at);
	return true;
}

/* The code that it latched is in its failure line. Without one a code from 4 on can only be a fault; 1 to 3 are answers of the interface, too. */
static const struct fault *fault_of(int rc, const char *said)
{
	int orchestrator = number_behind(said, "orch_error_code="), scheduler = number_behind(said, "sched_error_code=");
	const struct fault *fault = fault_find(-rc);

	if (orchestrator || scheduler)
		return fault_find(orchestrator ? orchestrator : scheduler);
	return fault && (-rc > 3 || strstr(said, fault->name)) ? fault : NULL;
}

static ptowsp_status timeout_status(const char *said)
{
	const char *class = strstr(said, "sub_class=S");

	if (class && class[11] == '1')
		return PTOWSP_DEADLINE;
	return class && class[11] == '4' ? PTOWSP_DEADLOCK : PTOWSP_DEVICE_LOST;
}

/* Behind "error detail: orch_error_code=1 SCOPE_DEADLOCK - " stands what it means. */
static const char *meaning(const char *detail)
{
	const char *dash = strstr(detail, " - ");

	return dash ? dash + 3 : detail;
}

/* At most so many bytes of a sentence: whole clauses of it, or else words. */
static int clauses(const char *sentence, size_t room)
{
	size_t clause = 0, word = 0, length = strlen(sentence);

	if (length <= room)
		return (int)length;
	for (size_t i = 0; i <= room; i++) {
		clause = strchr(";,:(", sentence[i]) ? i : clause;
		word = sentence[i] == ' ' ? i : word;
	}
	length = clause > room / 2 ? clause : word ? word : room;
	while (length && sentence[length - 1] == ' ')
		length--;
	return (int)length;
}

#define REPORTS "the pto-runtime reports "

/* As much of it as there is room for beside its name and its remedy. */
static ptowsp_status fault_tell(const struct fault *fault, const char *sentence, struct ptowsp_error *error)
{
	size_t taken = strlen(REPORTS) + strlen(fault->name) + strlen(": ") + strlen("; ") + strlen(fault->remedy);
	size_t room = sizeof(error->text) - 1;

	return rt_fail(error, fault->status, REPORTS "%s: %.*s; %s", fault->name, clauses(sentence, taken + 40 < room ? room - taken : 40), sentence,
		       fault->remedy);
}

static ptowsp_status timeout_tell(const struct fault *fault, char *class, const char *sentence, const char *said, struct ptowsp_error *error)
{
	class[strcspn(class, " ")] = 0;
	return rt_fail(error, timeout_status(said), REPORTS "%s, %.40s: %.*s; %s", fault->name, class, clauses(sentence, 60), sentence, fault->remedy);
}

static ptowsp_status unnamed(enum ascend_phase phase, int rc, const char *said, struct ptowsp_error *error)
{
	char detail[160];

	if (rc == ASCEND_RC_UNSUPPORTED)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "%s of the pto-runtime answers -2, not supported on this platform; use another variant or platform",
			       phases[phase]);
	if (!line_behind(said, "[ERROR] ", detail, sizeof(detail)))
		snprintf(detail, sizeof(detail), "%s", "it wrote nothing about it");
	return rt_fail(error, PTOWSP_RUN_FAILED, "%s of the pto-runtime answers %d: %s", phases[phase], rc, detail);
}

ptowsp_status ascend_fault(enum ascend_phase phase, int rc, const char *said, struct ptowsp_error *error)
{
	const struct fault *fault = fault_of(rc, said);
	char detail[400], class[64];
	const char *sentence = line_behind(said, "error detail: ", detail, sizeof(detail)) ? meaning(detail) : "it wrote nothing about it";
	ptowsp_status status;

	if (!fault)
		status = unnamed(phase, rc, said, error);
	else if (fault->code == SCHEDULER_TIMEOUT && line_behind(said, "sub_class=", class, sizeof(class)))
		status = timeout_tell(fault, class, sentence, said, error);
	else
		status = fault_tell(fault, sentence, error);
	if (error)
		error->native = rc;
	return status;
}
