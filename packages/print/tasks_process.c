/* SPDX-License-Identifier: MIT */
/* tasks_process.c - processes of a pipeline as functions that take turns, and their channels. */
#include "print/tasks_parts.h"

#include <inttypes.h>
#include <string.h>

/* --- channels --- */

bool print_c_payload(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at), word = print_c_instruction(p, at + 1);

	if (p->t->channel[inst.operand1].kind != PTOWSP_CHANNEL_PAYLOAD)
		return false;
	p->payloads[inst.operand1] = 1 + word.operand2;
	p->most_tensors = p->most_tensors > 2 ? p->most_tensors : 2;
	if (p->first_pass)
		print_c_region_note(p, PTOWSP_NONE, 0, word.operand2);
	return true;
}

uint32_t print_c_send(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);
	const char *channel = p->channels[inst.operand1];
	const bool payload = print_c_payload(p, at);
	struct print_text from = {0}, token = {0};

	print_c_line(p, "if (!rt_process_room(tasks, o->channel.%s))", channel);
	print_c_line(p, "\treturn PTOWSP_RUN_FAILED;");
	print_c_divisors_check(p, inst.operand2);
	if (payload) {
		const uint32_t region = print_c_instruction(p, at + 1).operand2;

		print_c_divisors_check(p, p->t->region[region].row);
		print_c_divisors_check(p, p->t->region[region].column);
		print_c_block_region(p, &from, region, true);
		print_c_line(p, "rt_process_give(tasks, o->channel.%s%s);", channel, common_text_view(&from.out));
	}
	print_c_expr(p, &token, inst.operand2, PRINT_C_ANY);
	print_c_line(p, "rt_process_send(tasks, o->channel.%s, %s);", channel, common_text_view(&token.out));
	p->body.out.failed |= from.out.failed || token.out.failed;
	print_text_finish(&from);
	print_text_finish(&token);
	return at + 1 + payload;
}

/* In force: the schedule's word, or its own. */
static uint64_t capacity_of(const struct print_tasks *p, uint32_t channel)
{
	uint64_t capacity = p->t->channel[channel].capacity;

	for (uint32_t i = 0; i < p->t->directive_count; i++) {
		const struct ptowsp_directive_record *row = &p->t->directive[i];

		if (row->directive == PTOWSP_DIRECTIVE_CHANNEL_CAPACITY &&
		    !strcmp(pkg_string(p->t, (uint32_t)row->a0), pkg_string(p->t, p->t->channel[channel].name)))
			capacity = (uint64_t)row->a1;
	}
	return capacity;
}

static const struct ptowsp_process_channel_record *use_of(const struct print_tasks *p, uint32_t process, uint32_t number)
{
	return &p->t->process_channel[p->t->process[process].channels + number];
}

static uint64_t consumers_of(const struct print_tasks *p, uint32_t channel)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < p->t->process_count; i++)
		for (uint32_t k = 0; k < p->t->process[i].channel_count; k++)
			if (use_of(p, i, k)->channel == channel && use_of(p, i, k)->direction == PTOWSP_CHANNEL_CONSUMES)
				count += p->t->process[i].replicas;
	return count;
}

void print_c_channels_declare(const struct print_tasks *p, struct print_text *text)
{
	if (!p->pipeline || !p->t->channel_count)
		return;
	print_add(text, "\tstruct {\n\t\tuint32_t ");
	for (uint32_t i = 0; i < p->t->channel_count; i++)
		print_add(text, "%s%s", i ? ", " : "", p->channels[i]);
	print_add(text, ";\n\t} channel; /* numbers of rt_tasks_channel */\n");
}

void print_c_channels_begin(const struct print_tasks *p, struct print_text *text)
{
	for (uint32_t i = 0; p->pipeline && i < p->t->channel_count; i++) {
		const struct ptowsp_region_record *region = p->payloads[i] ? &p->t->region[p->payloads[i] - 1] : NULL;
		const uint64_t capacity = capacity_of(p, i);

		print_add(text, "\to->channel.%s = rt_tasks_channel(tasks, \"%s\", %" PRIu64 ", %" PRIu64 ", %s, %" PRIu32 ", %" PRIu32 ");\n", p->channels[i],
			  p->channels[i], capacity, capacity ? capacity : consumers_of(p, i),
			  print_c_dtype(region ? p->t->tensor[region->tensor].dtype : PTOWSP_I64), region ? region->rows : 0, region ? region->columns : 0);
	}
}

/* --- processes --- */

/* The process of that place; the table says each place once. */
static uint32_t process_at(const struct print_tasks *p, uint32_t order)
{
	uint32_t i = 0;

	while (i + 1 < p->t->process_count && p->t->process[i].order != order)
		i++;
	return i;
}

void print_c_processes_make(struct print_tasks *p)
{
	const struct print_text body = p->body;

	if (!p->pipeline)
		return;
	p->body = (struct print_text){0};
	p->in_process = 1;
	for (uint32_t i = 0; i < p->t->process_count && !p->why.code && !p->body.out.failed; i++) {
		p->depth = 0;
		print_c_line(p, "static ptowsp_status %s_process_%" PRIu32 "(struct rt_tasks *tasks, void *context, uint32_t instance)", p->name, i);
		print_c_line(p, "{");
		print_c_line(p, "\tstruct %s_run *v = context;", p->name);
		print_c_line(p, "\tconst struct %s *o = v->o;", p->name);
		print_c_line(p, "\tuint64_t t = 0;\n");
		print_c_line(p, "\t(void)o, (void)t, (void)tasks, (void)instance;");
		p->depth = 1;
		print_c_block(p, p->t->process[process_at(p, i)].instruction, p->work.num_instructions);
		p->depth = 0;
		print_c_line(p, "\treturn PTOWSP_OK;");
		print_c_line(p, "}\n");
	}
	p->in_process = 0;
	p->processes = p->body;
	p->body = body;
	p->body.out.failed |= p->processes.out.failed;
}

/* Channels at one side, each once; how many. */
static uint32_t ends_print(const struct print_tasks *p, struct print_text *text, uint32_t process, unsigned direction)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->t->process[process].channel_count; i++) {
		const struct ptowsp_process_channel_record *use = use_of(p, process, i);
		bool again = use->direction != direction;

		for (uint32_t k = 0; k < i; k++)
			again |= use_of(p, process, k)->direction == direction && use_of(p, process, k)->channel == use->channel;
		if (!again)
			print_add(text, count++ ? ", o->channel.%s" : "o->channel.%s", p->channels[use->channel]);
	}
	return count;
}

void print_c_processes_run(const struct print_tasks *p, struct print_text *text)
{
	static const char *const names[] = {[PTOWSP_CHANNEL_PRODUCES] = "sends", [PTOWSP_CHANNEL_CONSUMES] = "takes"};
	struct print_text rows = {0};
	uint32_t instances = 0;

	for (uint32_t i = 0; i < p->t->process_count; i++) {
		const uint32_t process = process_at(p, i);
		uint32_t counts[2];

		for (unsigned d = 0; d < 2; d++) {
			print_add(text, "\tconst uint32_t %s_%" PRIu32 "[] = {", names[d], i);
			counts[d] = ends_print(p, text, process, d);
			print_add(text, counts[d] ? "};\n" : "0};\n");
		}
		for (uint32_t r = 0; r < p->t->process[process].replicas; r++, instances++)
			print_add(&rows, "\t\t{%s_process_%" PRIu32 ", %" PRIu32 ", takes_%" PRIu32 ", sends_%" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
				  p->name, i, r, i, i, counts[PTOWSP_CHANNEL_CONSUMES], counts[PTOWSP_CHANNEL_PRODUCES]);
	}
	print_add(text, "\tconst struct rt_tasks_process processes[] = {\n%s\t};\n\n\t(void)t;\n", common_text_view(&rows.out));
	text->out.failed |= rows.out.failed;
	print_text_finish(&rows);
	print_add(text, "%s\treturn rt_tasks_processes(tasks, processes, %" PRIu32 ", v);\n}\n", common_text_view(&p->body.out), instances);
}
