/* SPDX-License-Identifier: MIT */
/* summary.c - what is in a package, as tables for people. */
#include "tools/inspect/inspect.h"

#include "format/format_names.h"
#include "format/schema.h"
#include "print/print_text.h"
#include "tools/columns.h"
#include "tools/plain.h"

#include <inttypes.h>
#include <string.h>

#define TEXT 240

static void bytes_text(uint64_t bytes, char *text, size_t size)
{
	if (bytes < 10000)
		snprintf(text, size, "%" PRIu64 " bytes", bytes);
	else if (bytes < 10000000)
		snprintf(text, size, "%.1f kB", (double)bytes / 1e3);
	else
		snprintf(text, size, "%.1f MB", (double)bytes / 1e6);
}

/* Appends to a list in text; what does not fit ends in "...". */
static void list_add(char *text, size_t size, const char *item)
{
	size_t used = strlen(text);

	if (used + 1 < size && (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", item) >= size - used)
		memcpy(text + size - 4, "...", 4);
}

static void head_print(const struct pkg *package, const char *path, FILE *to)
{
	const char *version = pkg_meta(package, "version");
	const uint8_t *digest = pkg_digest(package);
	char size[32], targets[TEXT] = "";
	uint32_t count;
	const char *const *target = pkg_targets(package, &count);

	bytes_text(pkg_file_size(package), size, sizeof(size));
	for (uint32_t i = 0; i < count; i++)
		list_add(targets, sizeof(targets), target[i]);
	plain_print(to, "%s%s%s\n", pkg_name(package), version && *version ? " " : "", version ? version : "");
	plain_print(to, "  file     %s, %s\n", path, size);
	plain_print(to, "  abi      %s\n", pkg_abi(package));
	plain_print(to, "  targets  %s\n", count ? targets : "any");
	fputs("  digest   ", to);
	for (int i = 0; i < 32; i++)
		plain_print(to, "%02x", digest[i]);
	fputc('\n', to);
}

static void meta_print(const struct pkg *package, FILE *to)
{
	const struct pkg_tables *t = pkg_tables(package);
	struct columns c = {0};

	for (uint32_t i = 0; i < t->meta_count; i++) {
		const char *key = pkg_string(t, t->meta[i].key);

		if (strcmp(key, "name") && strcmp(key, "version"))
			columns_add(&c, "%.80s\t%.800s", key, pkg_string(t, t->meta[i].value));
	}
	columns_print(&c, to, 2);
}

static void sections_print(const struct pkg *package, FILE *to)
{
	struct columns c = {0};
	struct pkg_content s;

	columns_add(&c, "section\trows\tbytes\tpacked\t");
	for (uint32_t i = 0; pkg_content(package, i, &s); i++) {
		const struct pkg_schema *schema = pkg_schema_find(s.type);
		char rows[24] = "";

		if (schema && schema->fields)
			snprintf(rows, sizeof(rows), "%" PRIu64, s.count);
		columns_add(&c, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s%s", pkg_type_text(s.type).text, rows, s.size, s.packed_size,
			    schema ? schema->text : "unknown to this build", s.required ? "" : " (optional)");
	}
	fputs("\nsections\n", to);
	columns_print(&c, to, 2);
}

/* " S(0)", ",R" */
static void dim_add(unsigned distribution, unsigned mesh_axis, uint32_t dim, char *text, size_t size)
{
	size_t used = strlen(text);

	if (distribution)
		snprintf(text + used, size - used, "%sS(%u)", dim ? "," : " ", mesh_axis);
	else
		snprintf(text + used, size - used, "%sR", dim ? "," : " ");
}

/* " S(0),R" */
static void layout_add(const struct pkg_tables *t, uint32_t param, char *text, size_t size)
{
	uint32_t count;
	const struct ptowsp_param_layout_record *dims = pkg_param_layout(t, param, &count);

	for (uint32_t i = 0; i < count; i++)
		dim_add(dims[i].distribution, dims[i].mesh_axis, i, text, size);
}

/* " mem(nz(16, 16))" */
static void memory_add(const struct ptowsp_memory_record *memory, char *text, size_t size)
{
	char order[PKG_MEMORY_TEXT];

	pkg_memory_text(memory, order);
	snprintf(text + strlen(text), size - strlen(text), " %s", order);
}

static void params_text(const struct pkg_tables *t, const struct ptowsp_kernel_record *k, char *text, size_t size)
{
	static const char *const access[] = {"", " in", " out", " inout"};

	text[0] = 0;
	for (uint32_t i = 0; i < k->param_count && strlen(text) + 1 < size; i++) {
		const struct ptowsp_param_record *p = &t->param[k->params + i];
		struct ptowsp_memory_record memory;
		char one[256];

		snprintf(one, sizeof(one), "%.40s %s%s", pkg_string(t, p->name), pkg_word(PKG_WORDS_dtype, p->dtype),
			 p->kind == PTOWSP_PARAM_SCALAR ? "" : access[p->access & 3]);
		layout_add(t, k->params + i, one, sizeof(one));
		if (pkg_param_memory(t, k->params + i, &memory))
			memory_add(&memory, one, sizeof(one));
		list_add(text, size, one);
	}
}

static void payloads_text(const struct pkg_tables *t, const struct ptowsp_kernel_record *k, char *text, size_t size)
{
	text[0] = 0;
	for (uint32_t i = 0; i < k->payload_count && strlen(text) + 1 < size; i++) {
		const struct ptowsp_payload_record *p = &t->payload[k->payloads + i];
		char one[128];

		snprintf(one, sizeof(one), "%s%s%.40s %" PRIu64 " bytes", pkg_word(PKG_WORDS_payload, p->kind), p->target ? " for " : "",
			 pkg_string(t, p->target), p->size);
		list_add(text, size, one);
	}
	if (!k->payload_count)
		snprintf(text, size, "none: registered or built-in");
}

static void kernels_print(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};
	char params[TEXT], payloads[TEXT];

	if (t->kernel_count)
		columns_add(&c, "kernel\tunit\tpayload\tsignature\tparameters");
	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *k = &t->kernel[i];

		params_text(t, k, params, sizeof(params));
		payloads_text(t, k, payloads, sizeof(payloads));
		columns_add(&c, "%.200s\t%s\t%s\t%.100s\t%s", pkg_string(t, k->name), pkg_word(PKG_WORDS_unit, k->unit), payloads,
			    k->signature ? pkg_string(t, k->signature) : "-", params);
	}
	plain_print(to, "\nkernels: %u\n", (unsigned)t->kernel_count);
	columns_sort(&c, 1);
	columns_print(&c, to, 2);
}

static void shape_text(const struct pkg_tables *t, const struct ptowsp_tensor_record *x, char *text, size_t size)
{
	char extent[48];

	if (x->flags & PTOWSP_TENSOR_SHAPELESS) {
		snprintf(text, size, "of its file");
		return;
	}
	snprintf(text, size, "[");
	for (uint32_t i = 0; i < x->dim_count; i++) {
		size_t used = strlen(text);

		inspect_expression(t, t->dim[x->dims + i].extent, NULL, 0, extent, sizeof(extent));
		snprintf(text + used, size - used, "%s%s", i ? ", " : "", extent);
	}
	snprintf(text + strlen(text), size - strlen(text), "]");
}

/* "gm S(0),R mem(nz(16, 16))": where it lies, how it is distributed, in which order. */
static void place_text(const struct pkg_tables *t, uint32_t row, char *text, size_t size)
{
	const struct ptowsp_tensor_record *x = &t->tensor[row];
	const struct ptowsp_dim_record *dims = t->dim + x->dims;
	int stated = (x->flags & PTOWSP_TENSOR_REPLICATED) != 0;

	snprintf(text, size, "%s", pkg_word(PKG_WORDS_space, x->location));
	for (uint32_t i = 0; i < x->dim_count; i++)
		stated |= dims[i].distribution;
	for (uint32_t i = 0; i < x->dim_count && stated; i++)
		dim_add(dims[i].distribution, dims[i].mesh_axis, i, text, size);
	if (pkg_tensor_memory(t, row))
		memory_add(pkg_tensor_memory(t, row), text, size);
}

static void tensors_print(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};
	char shape[TEXT], place[256];

	if (t->tensor_count)
		columns_add(&c, "tensor\ttype\tshape\trole\tmemory\tentry");
	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const struct ptowsp_tensor_record *x = &t->tensor[i];

		shape_text(t, x, shape, sizeof(shape));
		place_text(t, i, place, sizeof(place));
		columns_add(&c, "%.200s\t%s\t%s\t%s\t%s\t%.100s", pkg_string(t, x->name), pkg_word(PKG_WORDS_dtype, x->dtype), shape,
			    pkg_word(PKG_WORDS_role, x->role), place, x->entry == PTOWSP_NONE ? "" : pkg_string(t, t->entry[x->entry].name));
	}
	plain_print(to, "\ntensors: %u\n", (unsigned)t->tensor_count);
	columns_sort(&c, 1);
	columns_print(&c, to, 2);
}

/* A default is printed as a source writes it; bits of a NaN that no text gives are printed as they are. */
static void default_text(const struct ptowsp_slot_record *slot, char text[40])
{
	*text = 0;
	if (slot->flags & PTOWSP_SLOT_HAS_DEFAULT && !print_number(text, slot->value, slot->dtype))
		snprintf(text, 40, "bits 0x%" PRIX64, slot->value);
}

static void values_print(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};

	if (t->slot_count)
		columns_add(&c, "name\tkind\ttype\tdefault");
	for (uint32_t i = 0; i < t->slot_count; i++) {
		const struct ptowsp_slot_record *s = &t->slot[i];
		char value[40];

		default_text(s, value);
		columns_add(&c, "%.200s\t%s%s\t%s\t%s", pkg_string(t, s->name), pkg_word(PKG_WORDS_slot_kind, s->kind),
			    s->flags & PTOWSP_SLOT_INTERNAL ? ", internal" : "", pkg_word(PKG_WORDS_dtype, s->dtype), value);
	}
	plain_print(to, "\nsymbols and slots: %u\n", (unsigned)t->slot_count);
	columns_sort(&c, 1);
	columns_print(&c, to, 2);
}

static void entries_print(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};
	char needs[TEXT];

	if (t->entry_count)
		columns_add(&c, "entry\tat\t\tneeds");
	for (uint32_t i = 0; i < t->entry_count; i++) {
		const struct ptowsp_entry_record *e = &t->entry[i];

		needs[0] = 0;
		for (uint32_t k = 0; k < e->value_count && strlen(needs) + 1 < sizeof(needs); k++)
			list_add(needs, sizeof(needs), pkg_string(t, t->slot[t->entry_value[e->values + k].slot].name));
		columns_add(&c, "%.200s\t%u\t%s\t%s", pkg_string(t, e->name), (unsigned)e->instruction, e->flags & PTOWSP_ENTRY_DEFAULT ? "default" : "",
			    needs);
	}
	plain_print(to, "\nentries: %u\n", (unsigned)t->entry_count);
	columns_sort(&c, 1);
	columns_print(&c, to, 2);
}

static void arguments_text(const struct pkg_tables *t, const struct ptowsp_directive_record *d, char *text, size_t size)
{
	const int64_t values[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};
	char one[80];

	text[0] = 0;
	for (uint32_t i = 0; i < d->count; i++) {
		switch (d->kinds >> 8 * i & 0xFF) {
		case PTOWSP_ARGUMENT_WORD: snprintf(one, sizeof(one), "%s", pkg_string(t, (uint32_t)values[i])); break;
		case PTOWSP_ARGUMENT_EXPR: inspect_expression(t, (uint32_t)values[i], NULL, 0, one, sizeof(one)); break;
		default: snprintf(one, sizeof(one), "%" PRId64, values[i]);
		}
		list_add(text, size, one);
	}
}

static void schedule_print(const struct pkg_tables *t, FILE *to)
{
	char arguments[TEXT], feature[64];

	plain_print(to, "\nschedule%s\n", t->directive_count ? "" : ": the defaults");
	for (uint32_t i = 0; i < t->directive_count; i++) {
		const struct ptowsp_directive_record *d = &t->directive[i];
		const struct pkg_policy *policy = pkg_policy(d->directive, d->policy);
		int named = !pkg_policy_is_bare(policy);

		arguments_text(t, d, arguments, sizeof(arguments));
		plain_print(to, "  %s = %s%s%s%s%s\n", pkg_word(PKG_WORDS_directive, d->directive), named || d->policy > 1 ? pkg_policy_text(policy).text : "",
			    named && d->count         ? "("
			    : !named && d->policy > 1 ? " "
						      : "",
			    arguments, named && d->count ? ")" : "", d->flags & PTOWSP_DIRECTIVE_MUST ? ", must be enforced" : "");
	}
	for (uint32_t i = 0; i < t->requirement_count; i++) {
		static const char *const states[] = {"", "at least diagnosed", "at least recorded", "enforced"};

		pkg_feature_text(t->requirement[i].feature, feature, sizeof(feature));
		plain_print(to, "  needs %s: %s\n", feature, states[t->requirement[i].state & 3]);
	}
}

static void samples_print(const struct pkg_tables *t, FILE *to)
{
	struct columns c = {0};

	columns_add(&c, "tensor\tas\tshape\tbytes");
	for (uint32_t i = 0; i < t->sample_count; i++) {
		const struct ptowsp_sample_record *s = &t->sample[i];
		const uint64_t extents[4] = {s->extent0, s->extent1, s->extent2, s->extent3};
		char shape[TEXT] = "", one[24];

		for (uint32_t k = 0; k < s->rank; k++) {
			snprintf(one, sizeof(one), "%" PRIu64, extents[k]);
			list_add(shape, sizeof(shape), one);
		}
		columns_add(&c, "%.200s\t%s\t[%s]\t%" PRIu64, pkg_string(t, t->tensor[s->tensor].name), pkg_word(PKG_WORDS_sample_role, s->role), shape,
			    s->size);
	}
	fputs("\nsample data\n", to);
	columns_print(&c, to, 2);
}

void inspect_summary(const struct pkg *package, const char *path, FILE *to)
{
	const struct pkg_tables *t = pkg_tables(package);

	head_print(package, path, to);
	meta_print(package, to);
	sections_print(package, to);
	kernels_print(t, to);
	inspect_memory(t, to);
	inspect_cores(t, to);
	tensors_print(t, to);
	values_print(t, to);
	entries_print(t, to);
	schedule_print(t, to);
	if (t->sample_count)
		samples_print(t, to);
}
