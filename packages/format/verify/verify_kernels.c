/* SPDX-License-Identifier: MIT */
/* verify_kernels.c - kernels: their signatures and payloads, and what tasks hand to them. */
#include "format/verify/verify.h"

#include "format/container.h"
#include "format/format_names.h"

#include "ptowsp/task.h"
#include "ptowsp/tile.h"
#include "ptowsp/workload.h"

#include <stdbool.h>
#include <string.h>

#define RUN_LIMIT            65535u /* parameters, payloads, variants of a kernel */
#define SIGNATURE_LIMIT      32u
#define CYCLES_LIMIT         (UINT64_C(1) << 40) /* of a call: so many tasks fit the clock of a run, and no value stands for "not known yet" */
#define LOOKS_LIMIT          0x10000000u         /* parameters and arguments of portable payloads, each for each kernel that has it */
#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* Length of a type at the start of text: p, f32, f64, i8 .. u64, v; 0 if there is none. */
static size_t signature_type_length(const char *text)
{
	static const char *const types[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "p", "v"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(text, types[i], strlen(types[i])))
			return strlen(types[i]);
	return 0;
}

/* type(type,type,...), at most 32 arguments, none of them void. */
static bool signature_is_valid(const char *text)
{
	size_t length = signature_type_length(text);
	unsigned count = 0;

	if (!length || text[length] != '(')
		return false;
	text += length + 1;
	if (!strcmp(text, ")"))
		return true;
	for (;;) {
		length = signature_type_length(text);
		if (!length || *text == 'v' || ++count > SIGNATURE_LIMIT)
			return false;
		text += length;
		if (*text != ',')
			return !strcmp(text, ")");
		text++;
	}
}

ptowsp_status pkg_verify_kernels(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *k = &t->kernel[i];
		const char *signature = pkg_string(t, k->signature);

		MUST(!*signature || signature_is_valid(signature),
		     "KREG[%u].signature is \"%.60s\": write it as v(p,p,i64), types i8 to u64, f32, f64, p, at most 32", (unsigned)i, signature);
		MUST(k->workspace <= PKG_WORKSPACE_LIMIT, "KREG[%u].workspace is %llu bytes, the limit is %llu", (unsigned)i, (unsigned long long)k->workspace,
		     (unsigned long long)PKG_WORKSPACE_LIMIT);
		MUST(k->param_count <= RUN_LIMIT, "KREG[%u].param_count is %u, the limit is %u", (unsigned)i, (unsigned)k->param_count, RUN_LIMIT);
		MUST(k->payload_count <= RUN_LIMIT, "KREG[%u].payload_count is %u, the limit is %u", (unsigned)i, (unsigned)k->payload_count, RUN_LIMIT);
		MUST(k->variant_count <= RUN_LIMIT, "KREG[%u].variant_count is %u, the limit is %u", (unsigned)i, (unsigned)k->variant_count, RUN_LIMIT);
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_payloads(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->payload_count; i++) {
		const struct ptowsp_payload_record *p = &t->payload[i];

		MUST(p->offset % PKG_BLOB_ALIGNMENT == 0, "KPAY[%u].offset is %llu, which is no multiple of %u", (unsigned)i, (unsigned long long)p->offset,
		     PKG_BLOB_ALIGNMENT);
		MUST(p->size, "KPAY[%u].size is 0: a payload has bytes", (unsigned)i);
		MUST(p->entry_offset < p->size, "KPAY[%u].entry_offset is %llu, the payload has %llu bytes", (unsigned)i, (unsigned long long)p->entry_offset,
		     (unsigned long long)p->size);
		MUST(p->cycles <= CYCLES_LIMIT, "KPAY[%u].cycles is %llu, the limit is %llu", (unsigned)i, (unsigned long long)p->cycles,
		     (unsigned long long)CYCLES_LIMIT);
		MUST(p->workspace <= PKG_WORKSPACE_LIMIT, "KPAY[%u].workspace is %llu bytes, the limit is %llu", (unsigned)i, (unsigned long long)p->workspace,
		     (unsigned long long)PKG_WORKSPACE_LIMIT);
		MUST(!p->entry || !p->entry_offset, "KPAY[%u] has both an entry symbol and an entry_offset", (unsigned)i);
	}
	return PTOWSP_OK;
}

/* ---- portable payloads against the kernels that have them ---------------------------------------------------------------------------- */

/* The head of a portable payload and its tables, which may lie at any address. */
struct tiles {
	struct ptowsp_tile_header header;
	const uint8_t *params, *scalars;
};

/* 0: it is none of this version, or cut; whoever runs it says so. */
static bool tiles_find(const struct pkg_tables *t, const struct ptowsp_payload_record *p, struct tiles *out)
{
	const struct ptowsp_tile_header *h = &out->header;
	uint64_t params, tiles, scalars;

	if (p->kind != PTOWSP_PAYLOAD_PTO || p->size < sizeof(*h))
		return false;
	memcpy(&out->header, t->code + p->offset, sizeof(*h));
	params = (uint64_t)h->param_count * sizeof(struct ptowsp_tile_param);
	tiles = (uint64_t)h->tile_count * sizeof(struct ptowsp_tile_tile);
	scalars = (uint64_t)h->scalar_count * sizeof(struct ptowsp_tile_scalar);
	out->params = t->code + p->offset + sizeof(*h);
	if (h->magic != PTOWSP_TILE_MAGIC || h->version != PTOWSP_TILE_VERSION || params + tiles + scalars > p->size - sizeof(*h))
		return false;
	out->scalars = out->params + params + tiles;
	return true;
}

static const char *direction(unsigned access)
{
	static const char *const words[] = {"nothing", "reads", "writes", "reads and writes"};

	return words[access & 3];
}

/* A kernel walks its region tile by tile, so its tiles may be smaller. */
static bool is_beyond(const struct ptowsp_tile_param *tile, const struct ptowsp_param_record *region)
{
	return region->rows && region->columns && (uint64_t)tile->rows * tile->columns > (uint64_t)region->rows * region->columns;
}

static ptowsp_status tensor_check(const struct pkg_check *c, uint32_t payload, uint32_t param, const struct ptowsp_tile_param *x)
{
	const struct ptowsp_param_record *p = &c->tables->param[param];
	const char *want = pkg_word(PKG_WORDS_dtype, p->dtype), *have = pkg_word(PKG_WORDS_dtype, x->dtype);

	MUST(p->dtype == x->dtype, "KPAY[%u]: its tensor for KPRM[%u] is %s, the kernel's %s", (unsigned)payload, (unsigned)param, have ? have : "unknown",
	     want);
	MUST(!(x->access & ~(unsigned)p->access), "KPAY[%u]: its tensor for KPRM[%u] is one that it %s, the kernel says that it %s", (unsigned)payload,
	     (unsigned)param, direction(x->access), direction(p->access));
	MUST(!is_beyond(x, p), "KPAY[%u]: its tensor for KPRM[%u] has tiles of %u x %u, more than the kernel's %u x %u", (unsigned)payload, (unsigned)param,
	     (unsigned)x->rows, (unsigned)x->columns, (unsigned)p->rows, (unsigned)p->columns);
	return PTOWSP_OK;
}

/* The tensors of both in their order. */
static ptowsp_status tensors_check(const struct pkg_check *c, const struct ptowsp_kernel_record *k, uint32_t payload, const struct tiles *x)
{
	uint32_t seen = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = k->params; i < k->params + k->param_count && !status; i++) {
		struct ptowsp_tile_param param;

		if (c->tables->param[i].kind != PTOWSP_PARAM_TENSOR)
			continue;
		if (seen < x->header.param_count) {
			memcpy(&param, x->params + (size_t)seen * sizeof(param), sizeof(param));
			status = tensor_check(c, payload, i, &param);
		}
		seen++;
	}
	if (status)
		return status;
	MUST(seen == x->header.param_count, "KPAY[%u] has %u tensors, its kernel %.60s has %u", (unsigned)payload, (unsigned)x->header.param_count,
	     pkg_string(c->tables, k->name), (unsigned)seen);
	return PTOWSP_OK;
}

static ptowsp_status arguments_check(const struct pkg_check *c, const struct ptowsp_kernel_record *k, uint32_t payload, const struct tiles *x)
{
	struct ptowsp_tile_scalar scalar;
	uint32_t scalars = 0;

	for (uint32_t i = k->params; i < k->params + k->param_count; i++)
		scalars += c->tables->param[i].kind == PTOWSP_PARAM_SCALAR;
	for (uint32_t i = 0; i < x->header.scalar_count; i++) {
		memcpy(&scalar, x->scalars + (size_t)i * sizeof(scalar), sizeof(scalar));
		MUST(scalar.kind != PTOWSP_SCALAR_ARG || scalar.value < scalars, "KPAY[%u] takes scalar argument %llu, its kernel %.60s has %u",
		     (unsigned)payload, (unsigned long long)scalar.value, pkg_string(c->tables, k->name), (unsigned)scalars);
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_portable(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	uint64_t looks = 0; /* rows may be shared by many */
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->kernel_count && !status; i++) {
		const struct ptowsp_kernel_record *k = &t->kernel[i];

		for (uint32_t p = k->payloads; p < k->payloads + k->payload_count && !status; p++) {
			struct tiles x;
			int portable = tiles_find(t, &t->payload[p], &x);

			looks += 1 + (portable ? (uint64_t)k->param_count + x.header.scalar_count : 0);
			MUST(looks <= LOOKS_LIMIT,
			     "KREG[%u]: so many kernels share so many portable payloads that there are more than %u parameters to compare", (unsigned)i,
			     LOOKS_LIMIT);
			if (portable)
				status = tensors_check(c, k, p, &x);
			if (portable && !status)
				status = arguments_check(c, k, p, &x);
		}
	}
	return status;
}

/* ---- tasks against the portable payloads of their kernels ---------------------------------------------------------------------------- */

/* A word of a task that hands a tensor over. */
struct handed {
	const struct pkg_check *check;
	uint32_t kernel; /* of the task, row of KREG */
	uint32_t at;     /* instruction */
	struct ptowsp_instruction word;
	uint64_t *looks; /* rows may be shared by many */
};

/* The access that the word lets the kernel have; -1: no word that hands a tensor over. */
static int access_of(uint8_t opcode)
{
	switch (opcode) {
	case PTOWSP_OP_IO_BIND: return 0;
	case PTOWSP_OP_IO_INPUT: return PTOWSP_READ;
	case PTOWSP_OP_IO_OUTPUT: return PTOWSP_WRITE;
	case PTOWSP_OP_IO_INOUT: return PTOWSP_READ | PTOWSP_WRITE;
	default: return -1;
	}
}

/* A word of a task that hands a number over. */
static bool is_value(uint8_t opcode)
{
	return opcode == PTOWSP_OP_PARAM_CONST || opcode == PTOWSP_OP_PARAM_LOOPVAR || opcode == PTOWSP_OP_PARAM_EXPR;
}

/* The element type that the kernel sees; NONE: the region is not there, which whoever follows the instructions says. */
static uint32_t handed_type(const struct handed *h)
{
	const struct pkg_tables *t = h->check->tables;
	const struct ptowsp_region_record *region = &t->region[h->word.operand2];

	if (h->word.operand2 >= t->region_count)
		return PTOWSP_NONE;
	return region->view ? region->view - 1 : t->tensor[region->tensor].dtype;
}

/* The word that allows that. */
static const char *access_word(unsigned access)
{
	return pkg_word(PKG_WORDS_opcode, access == PTOWSP_READ ? PTOWSP_OP_IO_INPUT : access == PTOWSP_WRITE ? PTOWSP_OP_IO_OUTPUT : PTOWSP_OP_IO_INOUT);
}

static ptowsp_status handed_check(const struct handed *h, const struct ptowsp_kernel_record *k, const struct tiles *x)
{
	const struct pkg_check *c = h->check;
	const char *kernel = pkg_string(c->tables, k->name), *tensor, *have;
	const unsigned allowed = (unsigned)access_of(h->word.opcode);
	const uint32_t type = handed_type(h);
	const struct ptowsp_param_record *named;
	struct ptowsp_tile_param param;
	unsigned lacking;

	if (h->word.operand1 >= x->header.param_count)
		return PTOWSP_OK; /* the check of its instructions says so */
	memcpy(&param, x->params + (size_t)h->word.operand1 * sizeof(param), sizeof(param));
	lacking = param.access & ~allowed & 3u;
	named = pkg_param(c->tables, k, PTOWSP_PARAM_TENSOR, h->word.operand1);
	tensor = named ? pkg_string(c->tables, named->name) : "";
	MUST(!lacking, "WORK[%u]: kernel %.40s %s %%%.40s, which its task does not allow with %s; state %s", (unsigned)h->at, kernel, direction(lacking),
	     tensor, pkg_word(PKG_WORDS_opcode, h->word.opcode), access_word(param.access | allowed));
	have = type == PTOWSP_NONE ? NULL : pkg_word(PKG_WORDS_dtype, type);
	MUST(type == PTOWSP_NONE || type == param.dtype,
	     "WORK[%u]: %%%.40s of kernel %.40s is %s, the tensor that its task hands over is %s; hand one of that type over", (unsigned)h->at, tensor, kernel,
	     pkg_word(PKG_WORDS_dtype, param.dtype), have ? have : "of no known type");
	return PTOWSP_OK;
}

static ptowsp_status payloads_check(const struct handed *h, const struct ptowsp_kernel_record *k)
{
	const struct pkg_tables *t = h->check->tables;
	ptowsp_status status = PTOWSP_OK;

	*h->looks += 1 + k->payload_count;
	for (uint32_t p = k->payloads; p < k->payloads + k->payload_count && !status; p++) {
		struct tiles x;

		if (tiles_find(t, &t->payload[p], &x))
			status = handed_check(h, k, &x);
	}
	return status;
}

/* The kernel of the task and those that stand in for it at some level. */
static ptowsp_status kernels_check(const struct handed *h)
{
	const struct pkg_check *c = h->check;
	const struct pkg_tables *t = c->tables;
	const struct ptowsp_kernel_record *k = &t->kernel[h->kernel];
	ptowsp_status status = payloads_check(h, k);

	for (uint32_t v = k->variants; v < k->variants + k->variant_count && !status; v++)
		status = payloads_check(h, &t->kernel[t->variant[v].kernel]);
	if (!status)
		MUST(*h->looks <= LOOKS_LIMIT, "WORK[%u]: so many tasks have kernels with so many payloads that there are more than %u to compare",
		     (unsigned)h->at, LOOKS_LIMIT);
	return status;
}

ptowsp_status pkg_verify_tasks(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	struct ptowsp_workload_header header = {0};
	uint64_t looks = 0;
	struct handed h = {.check = c, .kernel = PTOWSP_NONE, .looks = &looks};
	const uint8_t *kernels;
	ptowsp_status status = PTOWSP_OK;

	if (!t->raw_work_size)
		return PTOWSP_OK;
	memcpy(&header, t->raw_work, sizeof(header));
	kernels = t->raw_work + sizeof(header) + sizeof(h.word) * (size_t)header.num_instructions + sizeof(h.kernel) * (size_t)header.num_axes;
	for (; h.at < header.num_instructions && !status; h.at++) {
		memcpy(&h.word, t->raw_work + sizeof(header) + sizeof(h.word) * (size_t)h.at, sizeof(h.word));
		if (h.word.opcode == PTOWSP_OP_TASK && h.word.operand1 < header.num_kernels)
			memcpy(&h.kernel, kernels + sizeof(h.kernel) * (size_t)h.word.operand1, sizeof(h.kernel));
		else if (access_of(h.word.opcode) < 0 && !is_value(h.word.opcode))
			h.kernel = PTOWSP_NONE;
		else if (access_of(h.word.opcode) >= 0 && h.kernel != PTOWSP_NONE)
			status = kernels_check(&h);
	}
	return status;
}
