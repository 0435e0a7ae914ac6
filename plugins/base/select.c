/* SPDX-License-Identifier: MIT */
#include "select.h"

#include "backend.h"
#include "builtin.h"
#include "error.h"
#include "rt/program/rt_error.h"
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#else
#define MACHINE "native"
#endif

/* The result of looking at a kernel's payloads. */
struct found {
	uint32_t portable_elsewhere; /* portable, but for another target */
	uint32_t native_elsewhere;   /* native, but for another machine */
	uint32_t native_skipped;     /* native and for this machine, but the package is not trusted */
};

/* One kernel's payloads and what chooses among them. */
struct choice {
	struct base_kernel *kernel;
	const struct base_instance *instance;
	struct base_sections *sections;
	const struct ptowsp_kernel_record *record;
	uint32_t row, load_flags;
	struct found found;
};

/* Is it the backend's name, or one of its targets? */
static int is_here(const struct base_backend *backend, const char *target)
{
	size_t length;

	if (!*target || !strcmp(target, backend->name))
		return 1;
	for (const char *at = backend->targets; *at; at += length + (at[length] == ',')) {
		length = strcspn(at, ",");
		if (length == strlen(target) && !strncmp(at, target, length))
			return 1;
	}
	return 0;
}

/* Native code names a triple, "x86_64-linux-gnu". */
static bool is_this_machine(const struct base_backend *backend, const char *target)
{
	size_t length = strlen(MACHINE);

	return is_here(backend, target) || (!strncmp(target, MACHINE, length) && (!target[length] || target[length] == '-'));
}

void base_why_set(struct base_kernel *kernel, struct base_sections *sections, uint32_t row, const char *why)
{
	char place[128];

	const char *behind = rt_error_behind(why, kernel->name);

	base_sections_place(sections, row, place, sizeof(place));
	base_text(kernel->why, sizeof(kernel->why), "kernel %s%s%s%s%s%s", kernel->name, *place ? " (" : "", place, *place ? ")" : "", behind ? "" : ": ",
		  behind ? behind : why);
}

static ptowsp_status portable_take(const struct choice *c, const struct ptowsp_payload_record *payload, struct ptowsp_error *error)
{
	struct base_kernel *kernel = c->kernel;
	const void *bytes = NULL;
	ptowsp_status status = base_sections_code(c->sections, payload->offset, payload->size, &bytes, error);

	if (!status)
		status = isa_program_create_at(&kernel->isa, c->instance->options->opt_level, c->instance->options->fast, bytes, payload->size,
					       c->sections->strs.data, c->sections->strs.count, error);
	if (status && error) {
		struct ptowsp_error why = *error;

		return rt_error_behind(why.text, kernel->name) ? status : base_fail(error, status, "kernel %.60s: %s", kernel->name, why.text);
	}
	if (status)
		return status;
	kernel->payload = bytes;
	kernel->payload_size = payload->size;
	kernel->fixed_cycles = kernel->fixed_cycles ? kernel->fixed_cycles : payload->cycles;
	kernel->code = kernel->code ? kernel->code : PTOWSP_KERNEL_PORTABLE;
	if (!kernel->ref.fn && isa_program_unusable(kernel->isa))
		base_why_set(kernel, c->sections, c->row, isa_program_unusable(kernel->isa));
	return PTOWSP_OK;
}

/* A C function reads what its signature says, whatever a task brings: the two must agree where the kernel has parameters. */
static ptowsp_status signature_check(const struct choice *c, const char *signature, struct ptowsp_error *error)
{
	uint32_t tensors = 0, all = 0;

	for (const char *at = strchr(signature, '('); at && at[1] && at[1] != ')'; at = strchr(at + 1, ',')) {
		tensors += at[1] == 'p';
		all++;
	}
	if (!*signature || !c->record->param_count || (tensors == c->record->param_count - c->kernel->arg_count && all == c->record->param_count))
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_BAD_PACKAGE, "kernel %s: its signature %.80s takes %u tensors and %u scalars, it has %u and %u", c->kernel->name,
			 signature, tensors, all - tensors, c->record->param_count - c->kernel->arg_count, c->kernel->arg_count);
}

/* The host decides about trust once more, checks the object and calls it in its signature. */
static ptowsp_status native_take(const struct choice *c, const struct ptowsp_payload_record *payload, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = c->instance->host;
	const struct ptowsp_code_extension *code = host->extension(host->context, PTOWSP_EXTENSION_CODE);
	const struct ptowsp_kernels_extension *kernels = host->extension(host->context, PTOWSP_EXTENSION_KERNELS);
	const char *signature = base_sections_string(c->sections, c->record->signature);
	struct base_kernel *kernel = c->kernel;
	const void *bytes = NULL, *function = NULL;
	ptowsp_status status;

	if (!code || !kernels)
		return base_fail(error, PTOWSP_UNSUPPORTED, "kernel %s carries native code, which this host cannot load", kernel->name);
	status = signature_check(c, signature, error);
	if (!status)
		status = base_sections_code(c->sections, payload->offset, payload->size, &bytes, error);
	if (!status)
		status = code->load(host->context, kernel->name, bytes, payload->size, base_sections_string(c->sections, payload->entry), payload->entry_offset,
				    &function, error);
	if (!status)
		status = kernels->find(host->context, kernel->name, signature, function, &kernel->ref, error);
	if (status)
		return status;
	kernel->code = PTOWSP_KERNEL_NATIVE;
	kernel->fixed_cycles = payload->cycles;
	kernel->workspace = payload->workspace > kernel->workspace ? payload->workspace : kernel->workspace;
	return PTOWSP_OK;
}

static ptowsp_status payload_try(struct choice *c, const struct ptowsp_payload_record *payload, struct ptowsp_error *error)
{
	const char *target = base_sections_string(c->sections, payload->target);
	ptowsp_status status = PTOWSP_OK;

	if (payload->kind == PTOWSP_PAYLOAD_PTO && is_here(c->instance->backend, target))
		status = portable_take(c, payload, error);
	else if (payload->kind == PTOWSP_PAYLOAD_PTO)
		c->found.portable_elsewhere++;
	else if (payload->kind == PTOWSP_PAYLOAD_ELF && !is_this_machine(c->instance->backend, target))
		c->found.native_elsewhere++;
	else if (payload->kind == PTOWSP_PAYLOAD_ELF && !(c->load_flags & PTOWSP_LOAD_TRUST_NATIVE))
		c->found.native_skipped++;
	else if (payload->kind == PTOWSP_PAYLOAD_ELF && !c->kernel->ref.fn)
		status = native_take(c, payload, error);
	return status;
}

/* In their order. Behind native code a portable payload is looked for all the same: it tells cycles and footprint without running. */
static ptowsp_status payloads_try(struct choice *c, struct ptowsp_error *error)
{
	struct ptowsp_payload_record payload;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && !c->kernel->isa && i < c->record->payload_count; i++) {
		status = base_sections_row(&c->sections->kpay, (uint64_t)c->record->payloads + i, &payload, sizeof(payload), error);
		c->kernel->payload_number = i;
		if (!status)
			status = payload_try(c, &payload, error);
	}
	return status;
}

/* The functions of the embedding program. NOT_FOUND is no failure; the names in its text go to known. */
static ptowsp_status registered_try(struct base_kernel *kernel, const struct base_instance *instance, const char *signature, char *known, size_t size,
				    struct ptowsp_error *error)
{
	const struct ptowsp_host *host = instance->host;
	const struct ptowsp_kernels_extension *table = host->extension(host->context, PTOWSP_EXTENSION_KERNELS);
	struct ptowsp_error mine = {.head = PTOWSP_HEAD(mine, ERROR)};
	const char *list;
	ptowsp_status status;

	if (!table)
		return PTOWSP_OK;
	status = table->find(host->context, kernel->symbol, signature, NULL, &kernel->ref, &mine);
	if (!status)
		return PTOWSP_OK;
	kernel->ref = (struct ptowsp_kernel_ref){0};
	if (status != PTOWSP_NOT_FOUND && error)
		*error = mine;
	list = strstr(mine.text, "known: ");
	base_text(known, size, "%s", list ? list + strlen("known: ") : mine.text);
	return status == PTOWSP_NOT_FOUND ? PTOWSP_OK : status;
}

static ptowsp_status builtin_call(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return ((const struct base_builtin *)context)->fn(task, out);
}

static void builtin_try(struct base_kernel *kernel, const char *signature)
{
	const struct base_builtin *builtin = base_builtin_find(kernel->symbol, signature);

	if (builtin)
		kernel->ref = (struct ptowsp_kernel_ref){builtin_call, (void *)(uintptr_t)builtin};
}

/* Nothing serves it: which target was looked for, what there is. */
static void none_say(const struct choice *c, const char *known)
{
	const struct found *found = &c->found;
	struct base_kernel *kernel = c->kernel;
	char builtins[64], why[400], function[96] = "";

	base_builtin_names(builtins, sizeof(builtins));
	if (strcmp(kernel->symbol, kernel->name))
		base_text(function, sizeof(function), " and no function %.64s", kernel->symbol);
	base_text(why, sizeof(why), "no payload for %s%s%s; built in: %s; registered: %s", c->instance->backend->name,
		  found->native_skipped       ? " that runs without --trust=all"
		  : found->portable_elsewhere ? " (only for other targets)"
		  : found->native_elsewhere   ? " (native code for other machines only)"
					      : "",
		  function, builtins, *known ? known : "none");
	base_why_set(kernel, c->sections, c->row, why);
}

static void choice_log(const struct base_kernel *kernel, const struct base_instance *instance)
{
	if (instance->options->debug && *kernel->why)
		base_log(instance, PTOWSP_LOG_INFO, "%s", kernel->why);
	else if (instance->options->debug)
		base_log(instance, PTOWSP_LOG_INFO, "kernel %s: %s", kernel->name,
			 kernel->code == PTOWSP_KERNEL_NATIVE ? "native code of the package"
			 : kernel->isa                        ? "portable payload, interpreted"
			 : kernel->ref.fn == builtin_call     ? "built-in C function"
							      : "C function registered by the program");
	if (instance->options->debug && kernel->isa && !kernel->ref.fn && !*kernel->why)
		base_log(instance, PTOWSP_LOG_INFO, "kernel %s: opt_level %u, %zu bytes of tiles and steps", kernel->name, instance->options->opt_level,
			 isa_program_scratch(kernel->isa));
}

/* How many of its parameters are scalars. */
static ptowsp_status scalars_count(struct base_kernel *kernel, const struct base_sections *sections, const struct ptowsp_kernel_record *record,
				   struct ptowsp_error *error)
{
	struct ptowsp_param_record param;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < record->param_count; i++) {
		status = base_sections_row(&sections->kprm, (uint64_t)record->params + i, &param, sizeof(param), error);
		kernel->arg_count += !status && param.kind == PTOWSP_PARAM_SCALAR;
	}
	return status;
}

/* The function that the program or this backend has under the kernel's name, where the package brings nothing that runs. */
static ptowsp_status function_try(struct choice *c, struct ptowsp_error *error)
{
	const char *signature = base_sections_string(c->sections, c->record->signature);
	struct base_kernel *kernel = c->kernel;
	char known[160] = "";
	ptowsp_status status = registered_try(kernel, c->instance, signature, known, sizeof(known), error);

	if (status)
		return status;
	if (!kernel->ref.fn)
		builtin_try(kernel, signature);
	if (kernel->ref.fn)
		kernel->code = PTOWSP_KERNEL_C;
	else
		none_say(c, known);
	return PTOWSP_OK;
}

ptowsp_status base_select(struct base_kernel *kernel, const struct base_instance *instance, struct base_sections *sections, uint32_t row, uint32_t load_flags,
			  struct ptowsp_error *error)
{
	struct ptowsp_kernel_record record;
	struct choice c = {.kernel = kernel, .instance = instance, .sections = sections, .record = &record, .row = row, .load_flags = load_flags};
	ptowsp_status status = base_sections_row(&sections->kreg, row, &record, sizeof(record), error);

	if (!status) {
		kernel->name = base_sections_string(sections, record.name);
		kernel->unit = record.unit;
		kernel->symbol = base_sections_string(sections, record.symbol ? record.symbol : record.name);
		kernel->blocks = record.blockdim ? record.blockdim : 1;
		kernel->workspace = record.workspace;
		status = scalars_count(kernel, sections, &record, error);
	}
	if (!status)
		status = payloads_try(&c, error);
	if (!status && !kernel->isa && !kernel->ref.fn)
		status = function_try(&c, error);
	if (!status)
		choice_log(kernel, instance);
	return status;
}
