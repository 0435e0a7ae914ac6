/* SPDX-License-Identifier: MIT */
/* usage.c - one linear pass over an entry's bytecode, and over that of its processes. */
#include "host/plan/usage.h"

#include <stdlib.h>
#include <string.h>

#include "format/graph/graph_read.h"
#include "ptowsp/workload.h"

struct scan {
	const struct pkg_tables *tables;
	struct ptowsp_workload_header header;
	const uint8_t *instructions, *kernels; /* in WORK; may be unaligned in principle, read by memcpy */
	struct host_usage *usage;
	struct ptowsp_error *error;
	uint32_t entry, at; /* row of ENTR, instruction */
	bool turns;         /* data may decide whether a run comes to it */
};

static ptowsp_status fail(const struct scan *scan, const char *why)
{
	return host_fail(scan->error, PTOWSP_BAD_PACKAGE, "section WORK, instruction %u: %s", scan->at, why);
}

static ptowsp_status header_read(struct scan *scan)
{
	const struct pkg_tables *t = scan->tables;
	struct ptowsp_workload_header *h = &scan->header;
	uint64_t need = sizeof(*h);

	if (t->raw_work_size < need)
		return host_fail(scan->error, PTOWSP_BAD_PACKAGE, "the package has no workload (section WORK is missing or cut)");
	memcpy(h, t->raw_work, sizeof(*h));
	if (h->magic != PTOWSP_WORKLOAD_MAGIC)
		return host_fail(scan->error, PTOWSP_BAD_PACKAGE, "section WORK does not begin with its magic");
	need += (uint64_t)h->num_instructions * sizeof(struct ptowsp_instruction);
	need += ((uint64_t)h->num_axes + h->num_kernels + h->num_tensors) * 4;
	if (need > t->raw_work_size)
		return host_fail(scan->error, PTOWSP_BAD_PACKAGE, "section WORK promises %llu bytes and has %llu", (unsigned long long)need,
				 (unsigned long long)t->raw_work_size);
	scan->instructions = t->raw_work + sizeof(*h);
	scan->kernels = scan->instructions + (uint64_t)h->num_instructions * sizeof(struct ptowsp_instruction) + (uint64_t)h->num_axes * 4;
	return PTOWSP_OK;
}

/* A kernel and the variants that may stand in for it. */
static ptowsp_status row_use(struct scan *scan, uint32_t row)
{
	const struct pkg_tables *t = scan->tables;

	if (row >= t->kernel_count)
		return fail(scan, "the task's kernel is outside KREG");
	scan->usage->kernels[row] = 1;
	for (uint32_t i = 0; i < t->kernel[row].variant_count; i++)
		scan->usage->kernels[t->variant[t->kernel[row].variants + i].kernel] = 1;
	return PTOWSP_OK;
}

static ptowsp_status kernel_use(struct scan *scan, uint32_t operand)
{
	uint32_t row;

	if (operand >= scan->header.num_kernels)
		return fail(scan, "the task's kernel is outside the workload's table");
	memcpy(&row, scan->kernels + (size_t)operand * 4, sizeof(row));
	return row_use(scan, row);
}

/* Nobody gives memory to tensors of another entry: they are its parameters. */
static ptowsp_status tensor_use(struct scan *scan, uint32_t row)
{
	const struct pkg_tables *t = scan->tables;
	const uint32_t owner = t->tensor[row].entry;

	scan->usage->tensors[row] = 1;
	if (owner == PTOWSP_NONE || owner == scan->entry)
		return PTOWSP_OK;
	return host_fail(scan->error, PTOWSP_BAD_PACKAGE, "section WORK, instruction %u: tensor %.60s is one of entry %.60s, and entry %.60s has none of them",
			 scan->at, pkg_string(t, t->tensor[row].name), pkg_string(t, t->entry[owner].name), pkg_string(t, t->entry[scan->entry].name));
}

/* The tensors that hold the rows of a ragged or sparse axis. */
static ptowsp_status axis_use(struct scan *scan, uint32_t operand)
{
	const struct pkg_tables *t = scan->tables;
	const uint8_t *axes = scan->kernels - (uint64_t)scan->header.num_axes * 4;
	ptowsp_status status;
	uint32_t row;

	if (operand >= scan->header.num_axes)
		return fail(scan, "its axis is outside the workload's table");
	memcpy(&row, axes + (size_t)operand * 4, sizeof(row));
	if (row >= t->axis_count)
		return fail(scan, "its axis is outside AXES");
	status = t->axis[row].lengths == PTOWSP_NONE ? PTOWSP_OK : tensor_use(scan, t->axis[row].lengths);
	return status || t->axis[row].indices == PTOWSP_NONE ? status : tensor_use(scan, t->axis[row].indices);
}

static ptowsp_status region_use(struct scan *scan, uint32_t region)
{
	if (region >= scan->tables->region_count)
		return fail(scan, "its region is outside REGN");
	return tensor_use(scan, scan->tables->region[region].tensor);
}

/* An entry is the program of the first device: what it tells itself needs nobody. */
static void partner_find(struct scan *scan, const struct ptowsp_instruction *inst)
{
	bool tells = inst->opcode == PTOWSP_OP_NOTIFY || inst->opcode == PTOWSP_OP_WAIT_NOTIFY;

	scan->turns |= inst->opcode >= PTOWSP_OP_PARALLEL_FOR && inst->opcode <= PTOWSP_OP_BREAK;
	if (tells && inst->operand1 && !scan->turns && scan->usage->partner == PTOWSP_NONE)
		scan->usage->partner = scan->at;
}

static ptowsp_status instruction_use(struct scan *scan, const struct ptowsp_instruction *inst)
{
	scan->usage->opcodes[inst->opcode] = 1;
	partner_find(scan, inst);
	switch (inst->opcode) {
	case PTOWSP_OP_TASK: return kernel_use(scan, inst->operand1);
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return axis_use(scan, inst->operand1);
	case PTOWSP_OP_IO_INPUT:
	case PTOWSP_OP_IO_OUTPUT:
	case PTOWSP_OP_IO_INOUT:
	case PTOWSP_OP_IO_BIND:
	case PTOWSP_OP_SLOT_LOAD:
	case PTOWSP_OP_COPY: return region_use(scan, inst->operand2);
	}
	return PTOWSP_OK;
}

static ptowsp_status scan_entry(struct scan *scan)
{
	struct ptowsp_instruction inst;
	ptowsp_status status = PTOWSP_OK;

	for (; !status && scan->at < scan->header.num_instructions; scan->at++) {
		memcpy(&inst, scan->instructions + (size_t)scan->at * sizeof(inst), sizeof(inst));
		if (inst.opcode == PTOWSP_OP_HALT)
			return PTOWSP_OK;
		status = instruction_use(scan, &inst);
	}
	return status ? status : fail(scan, "the entry does not end with halt");
}

/* A pipeline runs every process of the package behind its own instructions. */
static ptowsp_status processes_use(struct scan *scan, uint32_t entry)
{
	const struct pkg_tables *t = scan->tables;
	ptowsp_status status = PTOWSP_OK;

	if (!(t->entry[entry].flags & PTOWSP_ENTRY_PIPELINE))
		return PTOWSP_OK;
	for (uint32_t i = 0; i < t->process_count && !status; i++) {
		scan->at = t->process[i].instruction;
		scan->turns = true;
		status = scan_entry(scan);
	}
	for (uint32_t i = 0; i < t->channel_count; i++)
		scan->usage->channels |= UINT32_C(1) << (t->channel[i].kind & 31);
	return status;
}

/* An entry that is one task of a kernel has no bytecode to look through. */
static ptowsp_status entry_use(struct scan *scan, uint32_t entry)
{
	const struct pkg_tables *t = scan->tables;

	if (!(t->entry[entry].flags & PTOWSP_ENTRY_KERNEL))
		return scan_entry(scan);
	scan->usage->opcodes[PTOWSP_OP_TASK] = 1;
	for (uint32_t i = 0; i < t->tensor_count; i++)
		if (t->tensor[i].entry == entry)
			scan->usage->tensors[i] = 1;
	return row_use(scan, t->entry[entry].instruction);
}

static void instruction_of_graph(struct host_usage *usage, const struct pkg_graph_inst *inst)
{
	usage->graph[inst->form->op] |= 1;
	if (inst->form->op == PTOWSP_MC_FENCE)
		usage->graph[PTOWSP_MC_FENCE] |= (uint8_t)(2u << inst->values[0]);
}

/* The parts of a graph program that did not become bytecode are known from its binary alone. */
static ptowsp_status graph_use(struct scan *scan, uint32_t entry)
{
	const struct pkg_tables *t = scan->tables;
	const struct pkg_place place = {.file = "section GRPH", .error = scan->error};
	struct pkg_graphs graphs;
	ptowsp_status status = pkg_graphs_read(&graphs, t, &place);

	for (uint32_t i = 0; !status && i < graphs.count; i++)
		for (uint32_t k = 0;
		     graphs.rows[i].name && !strcmp(pkg_string(t, graphs.rows[i].name), pkg_string(t, t->entry[entry].name)) && k < graphs.rows[i].inst_count;
		     k++)
			instruction_of_graph(scan->usage, &graphs.rows[i].insts[k]);
	pkg_graphs_finish(&graphs);
	return status;
}

ptowsp_status host_usage_scan(struct host_usage *usage_out, const struct pkg_tables *tables, uint32_t entry, struct ptowsp_error *error)
{
	struct scan scan = {.tables = tables, .usage = usage_out, .error = error, .entry = entry, .at = tables->entry[entry].instruction};
	ptowsp_status status;

	*usage_out =
		(struct host_usage){.partner = PTOWSP_NONE, .kernels = calloc(tables->kernel_count + 1u, 1), .tensors = calloc(tables->tensor_count + 1u, 1)};
	if (!usage_out->kernels || !usage_out->tensors)
		status = host_fail(error, PTOWSP_NO_MEMORY, "no memory to look through the workload");
	else
		status = header_read(&scan);
	if (!status)
		status = entry_use(&scan, entry);
	if (!status)
		status = processes_use(&scan, entry);
	if (!status)
		status = graph_use(&scan, entry);
	if (status)
		host_usage_finish(usage_out);
	return status;
}

void host_usage_finish(struct host_usage *usage)
{
	free(usage->kernels);
	free(usage->tensors);
	*usage = (struct host_usage){.kernels = NULL};
}
