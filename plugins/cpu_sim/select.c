/* SPDX-License-Identifier: MIT */
#include "select.h"

#include <string.h>
#include "builtin.h"
#include "error.h"

#define TARGET "cpu_sim"

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#else
#define MACHINE "native"
#endif

/* What a kernel's payloads came to. */
struct found {
	uint32_t portable_elsewhere; /* portable, but for another target */
	uint32_t native_skipped;     /* native and for this machine, but the package is not trusted */
};

static int is_here(const char *target)
{
	return !*target || !strcmp(target, TARGET);
}

/* Native code names a triple, "x86_64-linux-gnu". */
static int is_this_machine(const char *target)
{
	return is_here(target) || !strncmp(target, MACHINE, strlen(MACHINE));
}

static void why_set(struct cpu_kernel *kernel, const struct cpu_sections *sections, uint32_t row, const char *why)
{
	char place[128];

	cpu_sections_place(sections, row, place, sizeof(place));
	cpu_text(kernel->why, sizeof(kernel->why), "kernel %s%s%s%s: %s", kernel->name, *place ? " (" : "", place,
		 *place ? ")" : "", why);
}

static ptowsp_status portable_take(struct cpu_kernel *kernel, const struct cpu_sections *sections, uint32_t row,
				   const struct ptowsp_payload_record *payload, struct ptowsp_error *error)
{
	const void *bytes = NULL;
	ptowsp_status st = cpu_sections_code(sections, payload->offset, payload->size, &bytes, error);

	if (!st)
		st = isa_program_create(&kernel->isa, bytes, payload->size, sections->strs.data, sections->strs.count, error);
	if (st && error) {
		struct ptowsp_error why = *error;

		return cpu_fail(error, st, "kernel %.60s: %s", kernel->name, why.text);
	}
	if (st)
		return st;
	kernel->fixed_cycles = payload->cycles;
	if (isa_program_unusable(kernel->isa))
		why_set(kernel, sections, row, isa_program_unusable(kernel->isa));
	return PTOWSP_OK;
}

static ptowsp_status payload_try(struct cpu_kernel *kernel, const struct cpu_sections *sections, uint32_t row,
				 const struct ptowsp_payload_record *payload, uint32_t load_flags, struct found *found,
				 struct ptowsp_error *error)
{
	const char *target = cpu_sections_string(sections, payload->target);

	if (payload->kind == PTOWSP_PAYLOAD_PTO && is_here(target))
		return portable_take(kernel, sections, row, payload, error);
	found->portable_elsewhere += payload->kind == PTOWSP_PAYLOAD_PTO;
	if (payload->kind != PTOWSP_PAYLOAD_ELF || !is_this_machine(target))
		return PTOWSP_OK;
	found->native_skipped++;
	if (load_flags & PTOWSP_LOAD_TRUST_NATIVE)
		return cpu_fail(error, PTOWSP_UNSUPPORTED,
				"kernel %s carries native code for %s, and cpu_sim runs portable kernels and registered C functions "
				"only; run it without --trust, or give it a portable body",
				kernel->name, *target ? target : "any machine");
	return PTOWSP_OK;
}

static ptowsp_status payloads_try(struct cpu_kernel *kernel, const struct cpu_sections *sections, uint32_t row,
				  const struct ptowsp_kernel_record *record, uint32_t load_flags, struct found *found,
				  struct ptowsp_error *error)
{
	struct ptowsp_payload_record payload;
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; !st && !kernel->isa && i < record->payload_count; i++) {
		st = cpu_sections_row(&sections->kpay, (uint64_t)record->payloads + i, &payload, sizeof(payload), error);
		if (!st)
			st = payload_try(kernel, sections, row, &payload, load_flags, found, error);
	}
	return st;
}

/* The functions of the embedding program. NOT_FOUND is no failure; the names in its text go to known. */
static ptowsp_status registered_try(struct cpu_kernel *kernel, const struct cpu_instance *instance, const char *signature,
				    char *known, size_t size, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = instance->host;
	const struct ptowsp_kernels_extension *table = host->extension(host->context, PTOWSP_EXTENSION_KERNELS);
	struct ptowsp_error mine = {.head = PTOWSP_HEAD(mine, ERROR)};
	const char *list;
	ptowsp_status st;

	if (!table)
		return PTOWSP_OK;
	st = table->find(host->context, kernel->symbol, signature, NULL, &kernel->ref, &mine);
	if (!st)
		return PTOWSP_OK;
	kernel->ref = (struct ptowsp_kernel_ref){0};
	if (st != PTOWSP_NOT_FOUND && error)
		*error = mine;
	list = strstr(mine.text, "known: ");
	cpu_text(known, size, "%s", list ? list + strlen("known: ") : mine.text);
	return st == PTOWSP_NOT_FOUND ? PTOWSP_OK : st;
}

static ptowsp_status builtin_call(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return ((const struct cpu_builtin *)context)->fn(task, out);
}

static void builtin_try(struct cpu_kernel *kernel, const char *signature)
{
	const struct cpu_builtin *builtin = cpu_builtin_find(kernel->symbol, signature);

	if (builtin)
		kernel->ref = (struct ptowsp_kernel_ref){builtin_call, (void *)(uintptr_t)builtin};
}

/* Nothing serves it: which target was looked for, what there is. */
static void none_say(struct cpu_kernel *kernel, const struct cpu_sections *sections, uint32_t row, const struct found *found,
		     const char *known)
{
	char builtins[64], why[400], function[96] = "";

	cpu_builtin_names(builtins, sizeof(builtins));
	if (strcmp(kernel->symbol, kernel->name))
		cpu_text(function, sizeof(function), " and no function %.64s", kernel->symbol);
	cpu_text(why, sizeof(why), "no payload for " TARGET "%s%s; built in: %s; registered: %s",
		 found->native_skipped	       ? " that runs without --trust"
		 : found->portable_elsewhere ? " (only for other targets)"
						 : "",
		 function, builtins, *known ? known : "none");
	why_set(kernel, sections, row, why);
}

static void choice_log(const struct cpu_kernel *kernel, const struct cpu_instance *instance)
{
	if (instance->options.debug)
		cpu_log(instance, PTOWSP_LOG_INFO, "kernel %s: %s", kernel->name,
			*kernel->why			       ? kernel->why
			: kernel->isa			       ? "portable payload, interpreted"
			: kernel->ref.fn == builtin_call ? "built-in C function"
							       : "C function registered by the program");
}

/* How many of its parameters are scalars. */
static ptowsp_status scalars_count(struct cpu_kernel *kernel, const struct cpu_sections *sections,
				   const struct ptowsp_kernel_record *record, struct ptowsp_error *error)
{
	struct ptowsp_param_record param;
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; !st && i < record->param_count; i++) {
		st = cpu_sections_row(&sections->kprm, (uint64_t)record->params + i, &param, sizeof(param), error);
		kernel->arg_count += !st && param.kind == PTOWSP_PARAM_SCALAR;
	}
	return st;
}

ptowsp_status cpu_select(struct cpu_kernel *kernel, const struct cpu_instance *instance, const struct cpu_sections *sections,
			 uint32_t row, uint32_t load_flags, struct ptowsp_error *error)
{
	struct ptowsp_kernel_record record;
	struct found found = {0};
	char known[160] = "";
	const char *signature = "";
	ptowsp_status st = cpu_sections_row(&sections->kreg, row, &record, sizeof(record), error);

	if (!st) {
		kernel->name = cpu_sections_string(sections, record.name);
		kernel->symbol = cpu_sections_string(sections, record.symbol ? record.symbol : record.name);
		signature = cpu_sections_string(sections, record.signature);
		kernel->blocks = record.blockdim ? record.blockdim : 1;
		st = scalars_count(kernel, sections, &record, error);
	}
	if (!st)
		st = payloads_try(kernel, sections, row, &record, load_flags, &found, error);
	if (!st && !kernel->isa)
		st = registered_try(kernel, instance, signature, known, sizeof(known), error);
	if (!st && !kernel->isa && !kernel->ref.fn)
		builtin_try(kernel, signature);
	if (!st && !kernel->isa && !kernel->ref.fn)
		none_say(kernel, sections, row, &found, known);
	if (!st)
		choice_log(kernel, instance);
	return st;
}
