/* SPDX-License-Identifier: MIT */
/* match.c - verdicts of the embedding API: collects what a plan needs and lets the registry judge. */
#include "host/plan/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/find/refuse.h"
#include "host/trust/code.h"
#if PTOWSP_ABI_MINOR >= 1
#include "ptowsp/support.h"
#endif
#include "registry/names.h"
#include "registry/registry_kernels.h"

#if defined(__x86_64__)
#define HOST_MACHINE "x86_64"
#elif defined(__aarch64__)
#define HOST_MACHINE "aarch64"
#else
#error "tell match.c the name of this machine in triples"
#endif

/* Is the name the plugin's own or one of its targets? */
static bool serves(const struct host_note *note, const char *target)
{
	size_t length = strlen(target);

	if (!strcmp(note->name, target))
		return true;
	for (const char *at = note->targets; *at;) {
		size_t word = strcspn(at, ",");

		if (word == length && !memcmp(at, target, length))
			return true;
		at += word + (at[word] == ',');
	}
	return false;
}

/* Payloads for this backend's targets that need no trust, and trusted images for its devices. */
static uint32_t kinds_portable(const struct ptowsp_plan *plan, const struct host_note *note, bool trusted, const struct ptowsp_kernel_record *kernel)
{
	const struct pkg_tables *t = plan->tables;
	uint32_t kinds = 0;

	for (uint32_t i = 0; i < kernel->payload_count; i++) {
		const struct ptowsp_payload_record *payload = &t->payload[kernel->payloads + i];
		const char *target = pkg_string(t, payload->target);

		if (payload->kind < 32 && (!reg_payload_needs_trust(payload->kind) || (trusted && payload->kind == PTOWSP_PAYLOAD_IMAGE)) &&
		    payload->kind != PTOWSP_PAYLOAD_SOURCE && (!*target || serves(note, target)))
			kinds |= UINT32_C(1) << payload->kind;
	}
	return kinds;
}

/* Native code names a triple, "x86_64-linux-gnu". */
static bool names_machine(const char *target)
{
	size_t length = strlen(HOST_MACHINE);

	return !*target || (!strncmp(target, HOST_MACHINE, length) && (!target[length] || target[length] == '-'));
}

static bool is_this_machine(const struct host_note *note, const char *target)
{
	return names_machine(target) || serves(note, target);
}

bool host_plan_brings_native(const struct ptowsp_plan *plan)
{
	const struct pkg_tables *t = plan->tables;

	for (uint32_t k = 0; k < t->kernel_count; k++)
		for (uint32_t i = 0; plan->usage.kernels[k] && i < t->kernel[k].payload_count; i++) {
			const struct ptowsp_payload_record *payload = &t->payload[t->kernel[k].payloads + i];

			if (payload->kind == PTOWSP_PAYLOAD_ELF && names_machine(pkg_string(t, payload->target)))
				return true;
		}
	return false;
}

/* The reason for which loading it would be refused; "" if it would not be. */
static void flaw_find(const struct pkg_tables *t, const struct ptowsp_payload_record *payload, struct reg_kernel_need *need)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_code_entry entry;
	char name[HOST_CODE_NAME];

	host_code_name(need->name, name);
	if (host_code_check(t->code + payload->offset, (size_t)payload->size, need->name, pkg_string(t, payload->entry), payload->entry_offset, &entry, &why))
		snprintf(need->flaw, sizeof(need->flaw), "%.140s", host_refuse_sentence(why.text, name));
}

uint32_t host_trust_flags(const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags, char text_out[HOST_TRUST_TEXT])
{
	const struct host_trust_for whom = {backend->plugin->note.name, backend->plugin->minor};
	const struct pkg *package = plan->package->pkg;
	struct pkg_signature rows[PKG_SIGNATURE_ROWS];
	uint32_t count = pkg_signatures(package, rows);
	bool asked = (flags & PTOWSP_LOAD_TRUST_SIGNED) && !(flags & PTOWSP_LOAD_TRUST_NATIVE);

	flags &= ~PTOWSP_LOAD_TRUST_SIGNED;
	text_out[0] = 0;
	if (asked && !backend->keys_read)
		snprintf(text_out, HOST_TRUST_TEXT, "the backend was opened without trusted keys");
	else if (asked && host_trust_judge(&backend->keys, rows, count, PKG_SIGNED_PACKAGE, pkg_header_digest(package), &whom, text_out))
		flags |= PTOWSP_LOAD_TRUST_NATIVE;
	return flags;
}

/* In the order of the payloads, which is that of their maker's preference. */
static void native_collect(const struct ptowsp_plan *plan, const struct host_note *note, const struct ptowsp_kernel_record *kernel, uint32_t flags, bool look,
			   struct reg_kernel_need *need)
{
	const struct pkg_tables *t = plan->tables;
	bool portable = false, trusted = flags & PTOWSP_LOAD_TRUST_NATIVE;

	for (uint32_t i = 0; i < kernel->payload_count; i++) {
		const struct ptowsp_payload_record *payload = &t->payload[kernel->payloads + i];
		const char *target = pkg_string(t, payload->target);
		bool here = is_this_machine(note, target);

		if (payload->kind == PTOWSP_PAYLOAD_IMAGE && !trusted && serves(note, target) && !need->native) {
			need->target = target;
			need->native = REG_NATIVE_UNTRUSTED;
		}
		portable = portable || (payload->kind == PTOWSP_PAYLOAD_PTO && (!*target || serves(note, target)));
		if (payload->kind != PTOWSP_PAYLOAD_ELF || (need->native && (need->native != REG_NATIVE_ELSEWHERE || !here)))
			continue;
		need->target = target;
		need->native = !here ? REG_NATIVE_ELSEWHERE : portable ? REG_NATIVE_SECOND : trusted ? REG_NATIVE_FIRST : REG_NATIVE_UNTRUSTED;
		need->kinds |= here && trusted ? UINT32_C(1) << PTOWSP_PAYLOAD_ELF : 0;
		if (look && need->native == REG_NATIVE_FIRST)
			flaw_find(t, payload, need);
	}
}

/* The first portable payload for this backend's targets. */
static void portable_collect(const struct pkg_tables *t, const struct host_note *note, const struct ptowsp_kernel_record *kernel, struct reg_kernel_need *need)
{
	for (uint32_t i = 0; i < kernel->payload_count && !need->portable; i++) {
		const struct ptowsp_payload_record *payload = &t->payload[kernel->payloads + i];
		const char *target = pkg_string(t, payload->target);

		if (payload->kind == PTOWSP_PAYLOAD_PTO && (!*target || serves(note, target))) {
			need->portable = t->code + payload->offset;
			need->portable_size = (size_t)payload->size;
		}
	}
}

static uint32_t kernels_collect(const struct ptowsp_plan *plan, const struct host_note *note, uint32_t flags, bool look, const char *untrusted,
				struct reg_kernel_need *needs)
{
	const struct pkg_tables *t = plan->tables;
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const char *name = pkg_string(t, t->kernel[i].name);

		if (!plan->usage.kernels[i])
			continue;
		needs[count] = (struct reg_kernel_need){
			.name = name,
			.kinds = kinds_portable(plan, note, flags & PTOWSP_LOAD_TRUST_NATIVE, &t->kernel[i]),
			.carried = t->kernel[i].payload_count > 0,
			.served = reg_kernel_has(name),
			.untrusted = untrusted,
		};
		portable_collect(t, note, &t->kernel[i], &needs[count]);
		native_collect(plan, note, &t->kernel[i], flags, look, &needs[count++]);
	}
	return count;
}

#if PTOWSP_ABI_MINOR >= 1
/* A row of the backend as the registry knows it; one that says nothing of itself is not told. */
static struct reg_support support_read(struct ptowsp_kernel_support *row)
{
	static const uint8_t states[] = {[PTOWSP_SUPPORT_NO] = PTOWSP_STATE_UNSUPPORTED,
					 [PTOWSP_SUPPORT_HOST] = PTOWSP_STATE_DIAGNOSED,
					 [PTOWSP_SUPPORT_DEVICE] = PTOWSP_STATE_ENFORCED};

	row->reason[sizeof(row->reason) - 1] = '\0';
	if (row->verdict == PTOWSP_SUPPORT_UNTOLD || row->verdict >= sizeof(states) / sizeof(*states))
		return (struct reg_support){.told = false};
	return (struct reg_support){states[row->verdict], true, row->opcode < COMMON_TILE_OPS ? row->opcode : PTOWSP_NONE,
				    *row->reason && reg_text_is_plain(row->reason) ? row->reason : "the backend does not say why"};
}

/* The backend judges each used kernel; owned rows that the needs point to, NULL: nothing is said. The load tells what it refuses to judge. Calling it changes nothing of it that a
 * caller sees. */
static struct ptowsp_kernel_support *kernels_judge(const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
						   struct reg_kernel_need *needs)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_caller *caller = (struct host_caller *)&backend->caller;
	const struct ptowsp_load_args args = host_plan_load_args(plan, plan->sections, plan->section_count, flags);
	const struct ptowsp_device *device = ptowsp_backend_current(backend);
	const uint32_t count = plan->tables->kernel_count;
	struct ptowsp_kernel_support *rows;
	uint32_t need = 0;
	ptowsp_status status;

	rows = count && host_caller_offers(caller, backend->instance, HOST_OPERATION_support_judge) ? calloc(count, sizeof(*rows)) : NULL;
	if (!rows)
		return NULL;
	status = host_call_support_judge(caller, backend->instance, device ? device->name : "", &args, rows, sizeof(*rows), count, &error);
	for (uint32_t k = 0; k < count && !status; k++)
		if (plan->usage.kernels[k])
			needs[need++].judged = support_read(&rows[k]);
	return rows;
}
#endif

ptowsp_status host_match_create(struct ptowsp_match **out, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags, bool look,
				struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;
	struct reg_kernel_need *kernels = calloc(t->kernel_count + 1u, sizeof(*kernels));
	struct ptowsp_match *match = calloc(1, sizeof(*match));
	struct reg_caps caps = host_backend_caps(backend);
	struct reg_needs needs = {
		.directives = plan->directives,
		.requirements = t->requirement,
		.kernels = kernels,
		.directive_count = plan->directive_count,
		.requirement_count = t->requirement_count,
		.opcodes = plan->usage.opcodes,
		.graph = plan->usage.graph,
		.channels = plan->usage.channels,
		.memory = t->memory_count > 0,
		.tables = host_plan_expressions(plan),
		.strict = flags & PTOWSP_LOAD_STRICT,
	};
	ptowsp_status status = PTOWSP_NO_MEMORY;
	void *judged = NULL;

	*out = NULL;
	error = host_error_enter(error);
	if (kernels && match) {
		flags = host_trust_flags(backend, plan, flags, match->trust);
		needs.kernel_count = kernels_collect(plan, &backend->plugin->note, flags, look, match->trust, kernels);
#if PTOWSP_ABI_MINOR >= 1
		judged = kernels_judge(backend, plan, flags, kernels);
#endif
		status = reg_match(&needs, &caps, &match->rows, &match->count);
	}
	free(kernels);
	free(judged);
	if (status) {
		free(match);
		return host_error_leave(host_fail(error, status, "no memory to match capabilities"), error);
	}
	*out = match;
	return PTOWSP_OK;
}

ptowsp_status ptowsp_match_create(struct ptowsp_match **out, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags,
				  struct ptowsp_error *error)
{
	return host_match_create(out, backend, plan, flags, true, error);
}

void ptowsp_match_destroy(struct ptowsp_match *match)
{
	if (match)
		free(match->rows);
	free(match);
}

const char *ptowsp_match_trust(const struct ptowsp_match *match)
{
	return match->trust;
}

int ptowsp_match_row(const struct ptowsp_match *match, uint32_t index, struct ptowsp_verdict *verdict_out)
{
	const struct reg_verdict *row;

	if (index >= match->count)
		return 0;
	row = &match->rows[index];
	*verdict_out = (struct ptowsp_verdict){row->feature, row->kind == REG_VERDICT_DIRECTIVE, row->state, row->wanted, row->refused, row->what, row->reason};
	return 1;
}

const struct reg_verdict *host_match_weak(const struct ptowsp_match *match, bool processor)
{
	for (uint32_t i = 0; i < match->count; i++) {
		const struct reg_verdict *row = &match->rows[i];

		if (row->refused || (row->state < PTOWSP_STATE_ENFORCED && row->kind != REG_VERDICT_GRAPH && !(processor && row->kind == REG_VERDICT_TILE)))
			return row;
	}
	return NULL;
}

static ptowsp_status targets_check(const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	uint32_t count;
	const char *const *targets = pkg_targets(plan->package->pkg, &count);
	char list[120];
	struct reg_text text;

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(targets[i], "any") || serves(&backend->plugin->note, targets[i]))
			return PTOWSP_OK;
	if (!count)
		return PTOWSP_OK;
	reg_text_init(&text, list, sizeof(list));
	for (uint32_t i = 0; i < count; i++)
		reg_text_add(&text, "%s%s", i ? ", " : "", targets[i]);
	return host_fail(error, PTOWSP_UNSUPPORTED, "the package is made for %s; %s is none of them", list, ptowsp_backend_name(backend));
}

ptowsp_status host_match_check(const struct ptowsp_match *match, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan,
			       struct ptowsp_error *error)
{
	const struct reg_verdict *row = reg_match_refused(match->rows, match->count);
	ptowsp_status status = targets_check(backend, plan, error);
	struct reg_feature known;

	if (status || !row)
		return status;
	if (row->kind == REG_VERDICT_OPCODE && !reg_feature(row->feature, &known))
		return host_fail(error, PTOWSP_UNKNOWN_OPCODE,
				 "section WORK has opcode 0x%02x, which neither this host nor %s knows; a "
				 "newer ptowsp may run it",
				 (unsigned)(row->feature & 0xFF), ptowsp_backend_name(backend));
	return host_fail(error, PTOWSP_UNSUPPORTED, "%s is %s on %s%s%s: %.170s", row->what, reg_state_text(row->state), ptowsp_backend_name(backend),
			 row->wanted ? " but must be at least " : "", row->wanted ? reg_state_text(row->wanted) : "", row->reason);
}
