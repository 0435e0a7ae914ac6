/* SPDX-License-Identifier: MIT */
/* process.c - channels, processes and workloads: what has a body, and what it sends through. */
#include "print/print_work.h"

#include "format/format_names.h"

#include <stdlib.h>
#include <string.h>

/* The region of what some process sends into the channel, or takes from it; NULL: none does. */
static const struct ptowsp_region_record *payload_region(const struct print_job *job, uint32_t channel)
{
	for (uint32_t at = 0; at + 1 < job->work.num_instructions; at++) {
		struct ptowsp_instruction inst = print_instruction(job, at);

		if ((inst.opcode == PTOWSP_OP_SEND || inst.opcode == PTOWSP_OP_CONSUME) && inst.operand1 == channel) {
			struct ptowsp_instruction word = print_instruction(job, at + 1);

			if (word.operand2 < job->t->region_count)
				return &job->t->region[word.operand2];
		}
	}
	return NULL;
}

void print_channels(const struct print_job *job, struct print_text *text)
{
	for (uint32_t i = 0; i < job->t->channel_count; i++) {
		const struct ptowsp_channel_record *c = &job->t->channel[i];
		const struct ptowsp_region_record *r = c->kind == PTOWSP_CHANNEL_PAYLOAD ? payload_region(job, i) : NULL;

		print_add(text, "channel %%%s : ", print_string(job, c->name));
		if (r)
			print_add(text, "payload %s[%lu, %lu]", print_dtype(job->t->tensor[r->tensor].dtype), (unsigned long)r->rows,
				  (unsigned long)r->columns);
		else
			print_add(text, "token");
		print_add(text, " capacity %lu latency %llu", (unsigned long)c->capacity, (unsigned long long)c->latency);
		print_end(text);
		if (!r && c->kind == PTOWSP_CHANNEL_PAYLOAD)
			print_inexpressible(text, 0, "what the channel above carries");
	}
}

/* The halt that ends the code that begins there: the last one before other code begins, as what stands behind the first is kept. */
static uint32_t halt_of(const struct print_job *job, uint32_t from)
{
	const uint32_t end = print_start_behind(job, from);

	return end > from ? end - 1 : from;
}

static void code_print(struct print_job *job, struct print_text *text, uint32_t from, uint32_t to)
{
	struct print_work work = {.job = job, .text = text, .depth = 1};

	print_body(&work, from, to);
	print_add(text, "}");
	print_end(text);
}

static void process_print(struct print_job *job, struct print_text *text, const struct ptowsp_process_record *p)
{
	static const char *const words[] = {"produces", "consumes"};
	const struct ptowsp_process_channel_record *uses = job->t->process_channel + p->channels;
	uint32_t end = halt_of(job, p->instruction);

	print_end(text);
	print_add(text, "process @%s", print_string(job, p->name));
	for (uint32_t i = 0; i < p->channel_count; i++) {
		int again = i > 0 && uses[i].direction == uses[i - 1].direction;
		int more = i + 1 < p->channel_count && uses[i].direction == uses[i + 1].direction;

		if (!again)
			print_add(text, " %s(", words[uses[i].direction]);
		print_add(text, "%s%%%s%s", again ? ", " : "", print_string(job, job->t->channel[uses[i].channel].name), more ? "" : ")");
	}
	if (p->replicas != 1)
		print_add(text, " replicate %lu", (unsigned long)p->replicas);
	print_add(text, " {");
	print_end_of(job, text, 0, end);
	code_print(job, text, p->instruction, end);
}

void print_processes(struct print_job *job, struct print_text *text)
{
	struct pkg_ranks order;

	text->out.failed |= !pkg_ranks_init(&order, job->t->process_count);
	for (uint32_t i = 0; order.rows && i < job->t->process_count; i++)
		pkg_ranks_add(&order, job->t->process[i].order, i);
	if (order.rows)
		pkg_ranks_sort(&order);
	for (uint32_t i = 0; i < order.count; i++)
		process_print(job, text, &job->t->process[order.rows[i].row]);
	pkg_ranks_finish(&order);
}

void print_workload(struct print_job *job, struct print_text *text, uint32_t entry)
{
	const struct ptowsp_entry_record *e = &job->t->entry[entry];

	print_add(text, "workload @%s {", print_string(job, e->name));
	print_end_of(job, text, 2, entry);
	code_print(job, text, e->instruction, halt_of(job, e->instruction));
}
