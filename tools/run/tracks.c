/* SPDX-License-Identifier: MIT */
/* tracks.c - what --trace shows beside tasks: stalls on a track per resource, both sides of each channel on tracks of
 * their own, and processes, which are executors, by name. Tasks alone are complete events ("X"); what is waited for is a pair of
 * "B" and "E", a token a moment ("i") at both ends of its channel with a flow ("s", "f") from producer to consumer. Where a backend tells its executors they have their
 * own names, processes have tracks apart, and what schedulers do are pairs, too. */
#include <jansson.h>
#include <stdlib.h>

#include "registry/common/common_grow.h"
#include "registry/names.h"
#include "tools/run/run_run.h"

enum { EXECUTORS_NAMED = 4096, LANES = 16384 };
enum { PID_EXECUTORS = RUN_PID_EXECUTORS, PID_RESOURCES, PID_CHANNELS, PID_PROCESSES, PID_THREADS = RUN_PID_THREADS };

/* An executor of which the backend says what it is. */
struct run_executor {
	uint32_t executor, unit;
	uint64_t number;
};

/* The track of one resource of one clock, or of one side of a channel: in the order in which they were first seen. */
struct run_lane {
	uint16_t resource;
	uint32_t row, instance; /* instance: of resources that several clocks may wait for at a time */
	uint64_t end;           /* of what is on it so far */
};

static bool is_channel(unsigned resource)
{
	return resource == PTOWSP_RESOURCE_CHANNEL_FULL || resource == PTOWSP_RESOURCE_CHANNEL_EMPTY;
}

/* NULL without memory, or when there are too many: then the event is not shown. The latest one is the likeliest. */
static struct run_lane *lane_find(struct run_trace *trace, unsigned resource, uint32_t row, uint32_t instance)
{
	uint32_t i = trace->lane_count;

	if (is_channel(resource))
		instance = PTOWSP_NONE;
	while (i-- > 0) {
		struct run_lane *lane = &trace->lanes[i];

		if (lane->resource == resource && lane->row == row && lane->instance == instance)
			return lane;
	}
	if (trace->lane_count == LANES || !COMMON_RESIZE(trace->lanes, trace->lane_count + 1u))
		return NULL;
	trace->lanes[trace->lane_count] = (struct run_lane){.resource = (uint16_t)resource, .row = row, .instance = instance};
	return &trace->lanes[trace->lane_count++];
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

/* The beginning of an event; the caller ends it with "}". */
static FILE *open_event(struct run_trace *trace, const char *ph, unsigned pid, uint32_t tid, uint64_t ts)
{
	FILE *file = trace->output.file;

	fprintf(file, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%llu", trace->any ? "," : "", ph, pid, tid, (unsigned long long)ts);
	trace->any = true;
	return file;
}

static void text_write(FILE *file, const char *text)
{
	json_t *string = json_string(text);
	char *dump = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	fputs(dump ? dump : "\"?\"", file);
	free(dump);
	json_decref(string);
}

/* Instances of processes are no tracks where executors are told. */
static unsigned pid_of_instances(const struct run_trace *trace)
{
	return trace->executor_count ? PID_PROCESSES : PID_EXECUTORS;
}

/* "B" and "E", or a moment where the track is taken: in mode benchmark stalls do not move the clock. */
static void wait_write(struct run_trace *trace, unsigned pid, uint32_t tid, const struct ptowsp_trace_event *e, bool fits)
{
	FILE *file = open_event(trace, fits ? "B" : "i", pid, tid, e->begin);

	fprintf(file, "%s,\"cat\":\"stall\",\"name\":\"%s\",\"args\":{\"cycles\":%llu,\"%s\":%llu", fits ? "" : ",\"s\":\"t\"", reg_stall_text(e->resource),
		(unsigned long long)(e->end - e->begin), is_channel(e->resource) ? "token" : "before_task", (unsigned long long)e->number);
	if (is_channel(e->resource)) {
		fprintf(file, ",\"channel\":");
		text_write(file, ptowsp_plan_channel(trace->plan, e->row));
	}
	fprintf(file, "}}");
	if (fits)
		fprintf(open_event(trace, "E", pid, tid, e->end), "}");
}

static void stall_write(struct run_trace *trace, const struct ptowsp_trace_event *e)
{
	struct run_lane *lane = lane_find(trace, e->resource, e->row, e->instance);

	if (!lane)
		return;
	wait_write(trace, is_channel(e->resource) ? PID_CHANNELS : PID_RESOURCES, (uint32_t)(lane - trace->lanes), e, e->begin >= lane->end);
	if (e->begin >= lane->end)
		lane->end = e->end;
	if (e->instance != PTOWSP_NONE)
		wait_write(trace, pid_of_instances(trace), e->instance, e, true);
}

static void token_write(struct run_trace *trace, const struct ptowsp_trace_event *e, bool sent)
{
	unsigned side = sent ? PTOWSP_RESOURCE_CHANNEL_FULL : PTOWSP_RESOURCE_CHANNEL_EMPTY;
	struct run_lane *lane = lane_find(trace, side, e->row, PTOWSP_NONE);
	FILE *file;

	if (!lane)
		return;
	file = open_event(trace, "i", PID_CHANNELS, (uint32_t)(lane - trace->lanes), e->end);
	fprintf(file, ",\"s\":\"t\",\"cat\":\"channel\",\"name\":\"%s\",\"args\":{\"token\":%llu,\"value\":%lld,\"executor\":%u", sent ? "send" : "consume",
		(unsigned long long)e->number, (long long)e->value, e->instance);
	if (e->bytes)
		fprintf(file, ",\"payload_bytes\":%llu", (unsigned long long)e->bytes);
	fprintf(file, "}}");
	file = open_event(trace, sent ? "s" : "f", pid_of_instances(trace), e->instance, e->end);
	fprintf(file, "%s,\"cat\":\"channel\",\"id\":\"%u.%llu\",\"name\":", sent ? "" : ",\"bp\":\"e\"", e->row, (unsigned long long)e->number);
	text_write(file, ptowsp_plan_channel(trace->plan, e->row));
	fprintf(file, "}");
}

static void work_write(struct run_trace *trace, const struct ptowsp_trace_event *e)
{
	static const char *const works[] = {[PTOWSP_WORK_ISSUE] = "issue",
					    [PTOWSP_WORK_DISPATCH] = "dispatch",
					    [PTOWSP_WORK_COMPLETE] = "complete",
					    [PTOWSP_WORK_NOTIFY] = "notify",
					    [PTOWSP_WORK_HEAR] = "hear"};
	FILE *file;

	if (e->value >= sizeof(works) / sizeof(*works))
		return;
	file = open_event(trace, "B", PID_EXECUTORS, e->instance, e->begin);
	fprintf(file, ",\"cat\":\"scheduler\",\"name\":\"%s\"", works[e->value]);
	if (e->value != PTOWSP_WORK_HEAR)
		fprintf(file, ",\"args\":{\"task\":%llu}", (unsigned long long)e->number);
	fprintf(file, "}");
	fprintf(open_event(trace, "E", PID_EXECUTORS, e->instance, e->end), "}");
}

void run_executor_told(struct run_trace *trace, const struct ptowsp_trace_event *e)
{
	for (uint32_t k = 0; k < trace->executor_count; k++)
		if (trace->executors[k].executor == e->instance)
			return; /* of an earlier run */
	if (trace->executor_count < EXECUTORS_NAMED && COMMON_RESIZE(trace->executors, trace->executor_count + 1u))
		trace->executors[trace->executor_count++] = (struct run_executor){e->instance, e->row, e->value};
}

void run_tracks_write(struct run_trace *trace, const struct ptowsp_trace_event *e)
{
	switch (e->kind) {
	case PTOWSP_TRACE_STALL: stall_write(trace, e); break;
	case PTOWSP_TRACE_SEND:
	case PTOWSP_TRACE_CONSUME: token_write(trace, e, e->kind == PTOWSP_TRACE_SEND); break;
	case PTOWSP_TRACE_WORK: work_write(trace, e); break;
	case PTOWSP_TRACE_EXECUTOR: run_executor_told(trace, e); break;
	default: break; /* processes stand in the statistics, by name */
	}
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static void name_write(struct run_trace *trace, const char *what, unsigned pid, uint32_t tid, const char *name)
{
	FILE *file = open_event(trace, "M", pid, tid, 0);

	fprintf(file, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	text_write(file, name);
	fprintf(file, "}}");
}

static const struct ptowsp_resource_stats *resource_find(const struct ptowsp_run_stats *s, const struct run_lane *lane)
{
	for (uint32_t i = 0; i < s->resource_count; i++)
		if (s->resources[i].resource == lane->resource && s->resources[i].pool == lane->row)
			return &s->resources[i];
	return NULL;
}

/* "process NAME", with a number where there are replicas. */
static void process_name(const struct run *run, const struct ptowsp_run_stats *s, uint32_t at, char *text, size_t size)
{
	const struct ptowsp_process_stats *p = &s->processes[at];
	bool several = p->replica || (at + 1 < s->process_count && s->processes[at + 1].process == p->process);

	if (several)
		snprintf(text, size, "process %.96s.%u", ptowsp_plan_process(run->plan, p->process), p->replica);
	else
		snprintf(text, size, "process %.96s", ptowsp_plan_process(run->plan, p->process));
}

/* Executors are counted on through the pools; with more than one pool its name stands behind. */
static void executor_name(const struct ptowsp_run_stats *s, uint64_t executor, char *text, size_t size)
{
	uint32_t pools = 0;
	const char *name = "";

	for (uint32_t i = 0; i < s->resource_count; i++)
		pools += s->resources[i].resource == PTOWSP_RESOURCE_READY;
	for (uint32_t i = 0; pools > 1 && i < s->resource_count; i++)
		if (s->resources[i].resource == PTOWSP_RESOURCE_READY && s->resources[i].pool == executor / (s->executors / pools))
			name = s->resources[i].name;
	snprintf(text, size, "executor %llu%s%.20s", (unsigned long long)executor, *name ? " " : "", *name ? name + sizeof("ready_") - 1 : "");
}

static void lane_name(const struct run *run, const struct ptowsp_run_stats *s, const struct run_lane *lane, char *text, size_t size)
{
	const struct ptowsp_resource_stats *row = resource_find(s, lane);
	int length;

	if (is_channel(lane->resource)) {
		snprintf(text, size, "channel:%.96s%s", ptowsp_plan_channel(run->plan, lane->row),
			 lane->resource == PTOWSP_RESOURCE_CHANNEL_FULL ? "" : " (consumed)");
		return;
	}
	length = snprintf(text, size, "%.24s", row ? row->name : reg_resource_text(lane->resource));
	if (lane->instance < s->process_count && length > 0) {
		length += snprintf(text + length, size - (size_t)length, ": ");
		process_name(run, s, lane->instance, text + length, size - (size_t)length);
	}
}

/* A moment over all tracks: what is to the left of it is all there was. */
static void failure_write(struct run_trace *trace, uint64_t cycles, const struct ptowsp_error *failure)
{
	FILE *file = open_event(trace, "i", PID_EXECUTORS, 0, cycles);

	fprintf(file, ",\"s\":\"g\",\"cat\":\"end\",\"name\":\"%s\",\"args\":{\"text\":", reg_status_name(failure->code));
	text_write(file, failure->text);
	fprintf(file, "}}");
}

/* Executors by name: cores and schedulers where the backend tells them, processes and executors else. */
static void each_executor(const struct run *run, void (*tell)(void *context, uint32_t executor, const char *name), void *context)
{
	const struct ptowsp_run_stats *s = ptowsp_stats(run->program);
	const struct run_trace *trace = &run->trace;
	char text[192];

	for (uint32_t k = 0; k < trace->executor_count; k++) {
		snprintf(text, sizeof(text), "%s %llu", reg_pool_text(trace->executors[k].unit), (unsigned long long)trace->executors[k].number);
		tell(context, trace->executors[k].executor, text);
	}
	for (uint64_t e = 0; !trace->executor_count && e < s->executors && e < EXECUTORS_NAMED; e++) {
		if (e < s->process_count && s->process_count <= s->executors) /* of fewer executors none is a process */
			process_name(run, s, (uint32_t)e, text, sizeof(text));
		else
			executor_name(s, e, text, sizeof(text));
		tell(context, (uint32_t)e, text);
	}
}

static void executor_track_name(void *context, uint32_t executor, const char *name)
{
	name_write(context, "thread_name", PID_EXECUTORS, executor, name);
}

static void executor_json(void *context, uint32_t executor, const char *name)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", executor);
	json_object_set_new(context, key, json_string(name));
}

json_t *run_executor_names(const struct run *run)
{
	json_t *names = json_object();

	each_executor(run, executor_json, names);
	return names;
}

static void names_write(struct run *run, const struct ptowsp_run_stats *s)
{
	struct run_trace *trace = &run->trace;
	char text[192];

	snprintf(text, sizeof(text), "%s%s",
		 trace->executor_count ? "cores"
		 : s->process_count    ? "processes"
				       : "executors",
		 trace->threads ? ", in cycles" : "");
	name_write(trace, "process_name", PID_EXECUTORS, 0, text);
	each_executor(run, executor_track_name, trace);
	if (trace->threads)
		name_write(trace, "process_name", PID_THREADS, 0, "worker threads, in ns of real time");
	for (uint32_t i = 0; trace->executor_count && i < s->process_count; i++) {
		if (!i)
			name_write(trace, "process_name", PID_PROCESSES, 0, "processes");
		process_name(run, s, i, text, sizeof(text));
		name_write(trace, "thread_name", PID_PROCESSES, i, text);
	}
}

void run_tracks_finish(struct run *run, const struct ptowsp_error *failure)
{
	const struct ptowsp_run_stats *s = ptowsp_stats(run->program);
	struct run_trace *trace = &run->trace;
	char text[192];

	if (failure)
		failure_write(trace, s->total_cycles, failure);
	names_write(run, s);
	for (uint32_t i = 0; i < trace->lane_count; i++) {
		unsigned pid = is_channel(trace->lanes[i].resource) ? PID_CHANNELS : PID_RESOURCES;

		if (!(trace->named & 1u << pid))
			name_write(trace, "process_name", pid, 0, pid == PID_CHANNELS ? "channels" : "resources");
		trace->named |= 1u << pid;
		lane_name(run, s, &trace->lanes[i], text, sizeof(text));
		name_write(trace, "thread_name", pid, i, text);
	}
}
