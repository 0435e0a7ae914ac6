/* SPDX-License-Identifier: MIT */
/* packages.c - packages as sections, with memory for their tensors. */
#include "tools/conform/packages.h"

#include <assert.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/json/json.h"
#include "registry/expression.h"
#include "tools/beside.h"

/* A package that stays open. */
struct conform_package {
	char name[40];
	struct ptowsp_package *package;
};

static const char smallest_text[] =
	"{\"schema\": \"" PKG_JSON_SCHEMA "\", \"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}";

/* ---- where they are --------------------------------------------------------------------------------------------- */

static const char *folder(struct conform *c)
{
	static char found[PATH_MAX];

	if (c->probes)
		return c->probes;
	return beside_find("packages/probes", "share/ptowsp/v10/probes", found, sizeof(found)) ? found : "";
}

static struct ptowsp_package *package_keep(struct conform *c, const char *name, struct ptowsp_package *package)
{
	struct conform_package *kept = calloc(1, sizeof(*kept));

	assert(kept && c->package_count < CONFORM_PACKAGES);
	snprintf(kept->name, sizeof(kept->name), "%s", name);
	kept->package = package;
	c->packages[c->package_count++] = kept;
	return package;
}

static struct ptowsp_package *package_find(struct conform *c, const char *name)
{
	char path[PATH_MAX + 128];
	struct ptowsp_package *package;

	for (uint32_t i = 0; i < c->package_count; i++)
		if (!strcmp(c->packages[i]->name, name))
			return c->packages[i]->package;
	snprintf(path, sizeof(path), "%s/%s.pkg.zst", folder(c), name);
	if (ptowsp_package_open(&package, path, 0, NULL))
		return NULL;
	return package_keep(c, name, package);
}

static struct ptowsp_package *smallest_make(struct conform *c)
{
	struct pkg_writer *writer = pkg_writer_create();
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_package *package;
	void *bytes;
	size_t size;

	if (!writer || pkg_from_json(writer, smallest_text, sizeof(smallest_text) - 1, "smallest", &error) || pkg_writer_seal(writer, &bytes, &size, &error) ||
	    ptowsp_package_open_memory(&package, bytes, size, "smallest", 0, &error))
		conform_skip(c, "the smallest package cannot be made here: %s", error.text);
	pkg_writer_destroy(writer);
	return package_keep(c, "smallest", package);
}

/* ---- an entry as arguments -------------------------------------------------------------------------------------- */

/* The shape that the package declares, for the values of p. false: it has more elements than there is memory for. */
static bool shape_read(const struct conform_program *p, const struct ptowsp_tensor_info *info, struct ptowsp_binding *b)
{
	const struct pkg_tables *t = p->plan->tables;
	const struct ptowsp_tensor_record *row = &t->tensor[info->row];
	const struct reg_values values = {p->values, NULL, t->slot_count};
	int64_t extent = 0;

	b->rank = (uint16_t)row->dim_count;
	b->elements = 1;
	for (uint32_t i = 0; i < row->dim_count; i++) {
		if (i == 4 || reg_expression_value(t->expr, t->expr_count, t->dim[row->dims + i].extent, &values, &extent) || extent < 0 ||
		    extent > PROGRAM_ELEMENTS)
			return false;
		b->extents[i] = (uint64_t)extent;
		b->elements *= (uint64_t)extent;
	}
	return b->elements <= PROGRAM_ELEMENTS;
}

/* Each tensor gets the same memory; one without a shape is a row of all of it, one with too large a shape gets none. */
static void binding_make(struct conform_program *p, const struct ptowsp_tensor_info *info)
{
	struct ptowsp_binding *b = &p->bindings[p->binding_count];

	*b = (struct ptowsp_binding){.data = p->memory + (size_t)p->binding_count * PROGRAM_ELEMENTS,
				     .elements = PROGRAM_ELEMENTS,
				     .extents = {PROGRAM_ELEMENTS},
				     .tensor = info->row,
				     .dtype = info->dtype,
				     .rank = 1};
	p->binding_count += (info->flags & PTOWSP_TENSOR_INFO_SHAPELESS) || shape_read(p, info, b);
}

static void program_fill(struct conform *c, struct conform_program *p)
{
	const struct pkg_tables *tables = p->plan->tables;
	struct ptowsp_tensor_info info;

	p->section_count = p->plan->section_count;
	assert(p->section_count <= PROGRAM_SECTIONS);
	memcpy(p->sections, p->plan->sections, p->section_count * sizeof(*p->sections));
	p->load = (struct ptowsp_load_args){.head = PTOWSP_HEAD(p->load, LOAD_ARGS),
					    .sections = p->sections,
					    .section_count = p->section_count,
					    .section_stride = sizeof(*p->sections),
					    .entry = p->plan->entry};
	p->value_count = tables->slot_count;
	p->values = calloc(p->value_count + 1u, sizeof(*p->values));
	p->memory_bytes = (size_t)PROGRAM_TENSORS * PROGRAM_ELEMENTS * sizeof(*p->memory);
	p->memory = aligned_alloc(64, p->memory_bytes);
	if (!p->values || !p->memory)
		conform_skip(c, "this machine has no memory for the test");
	memset(p->memory, 0, p->memory_bytes);
	for (uint32_t i = 0; i < p->value_count; i++)
		p->values[i] = tables->slot[i].flags & PTOWSP_SLOT_HAS_DEFAULT ? tables->slot[i].value : 2;
	for (uint32_t i = 0; ptowsp_plan_tensor(p->plan, i, &info) && p->binding_count < PROGRAM_TENSORS; i++)
		if (info.flags & PTOWSP_TENSOR_INFO_USED)
			binding_make(p, &info);
}

static bool program_make(struct conform *c, struct conform_program *p, struct ptowsp_package *package, const char *name)
{
	const char *entry = strchr(name, ':');
	struct ptowsp_plan_options options = {.entry = entry ? entry + 1 : NULL};

	memset(p, 0, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "%s", name);
	if (!package || ptowsp_plan_create(&p->plan, package, &options, NULL))
		return false;
	program_fill(c, p);
	return true;
}

void conform_smallest(struct conform *c, struct conform_program *program_out)
{
	struct ptowsp_package *package = NULL;

	for (uint32_t i = 0; i < c->package_count; i++)
		if (!strcmp(c->packages[i]->name, "smallest"))
			package = c->packages[i]->package;
	if (!program_make(c, program_out, package ? package : smallest_make(c), "smallest"))
		conform_skip(c, "the smallest package has no plan");
}

bool conform_program_find(struct conform *c, struct conform_program *program_out, const char *name)
{
	char package[40];
	size_t length = strcspn(name, ":");

	assert(length < sizeof(package));
	memcpy(package, name, length);
	package[length] = 0;
	return program_make(c, program_out, package_find(c, package), name);
}

void conform_match_begin(struct conform *c)
{
	struct ptowsp_backend_options options = {.plugin = c->path, .settings = c->settings, .setting_count = c->setting_count};

	if (c->lint_off || ptowsp_backend_open(&c->matcher, &options, NULL))
		c->matcher = NULL;
}

void conform_match_end(struct conform *c)
{
	ptowsp_backend_close(c->matcher);
	c->matcher = NULL;
}

bool conform_program_fits(struct conform *c, const struct conform_program *program)
{
	struct ptowsp_match *match = NULL;
	struct ptowsp_verdict verdict;
	bool fits;

	if (!c->matcher)
		return false;
	fits = !ptowsp_match_create(&match, c->matcher, program->plan, 0, NULL);
	for (uint32_t i = 0; fits && ptowsp_match_row(match, i, &verdict); i++)
		fits = !verdict.refused;
	ptowsp_match_destroy(match);
	return fits;
}

void conform_program_choose(struct conform *c, struct conform_program *program_out, const char *const *names)
{
	bool found = false;

	conform_match_begin(c);
	for (; *names && !found; names++)
		found = conform_program_find(c, program_out, *names) && conform_program_fits(c, program_out);
	conform_match_end(c);
	if (!found)
		conform_smallest(c, program_out);
}

const char *const conform_short_programs[] = {"tasks:nest", "tasks:chain", "tasks:regions", NULL};

void conform_begin(struct conform *c, struct conform_program *program_out, uint32_t threads)
{
	conform_program_choose(c, program_out, conform_short_programs);
	conform_open(c, threads);
	conform_ok(c, conform_program_load(c, c->device, program_out), "load of a package that its rows allow");
}

static int is_package(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 8 && length < 40 && !strcmp(entry->d_name + length - 8, ".pkg.zst");
}

bool conform_program_at(struct conform *c, uint32_t index, char name_out[64])
{
	struct dirent **rows;
	int count = scandir(folder(c), &rows, is_package, alphasort);
	bool found = false;

	for (int i = 0; i < count; i++) {
		struct ptowsp_package *package;
		const char *entry;

		rows[i]->d_name[strlen(rows[i]->d_name) - 8] = 0;
		package = found ? NULL : package_find(c, rows[i]->d_name);
		for (uint32_t k = 0; package && (entry = ptowsp_package_entry(package, k)); k++)
			if (!index--) {
				snprintf(name_out, 64, "%.39s:%.23s", rows[i]->d_name, entry);
				found = true;
				break;
			}
		free(rows[i]);
	}
	if (count >= 0)
		free(rows);
	return found;
}

/* ---- loading ---------------------------------------------------------------------------------------------------- */

ptowsp_status conform_program_load(struct conform *c, struct ptowsp_object *device, struct conform_program *p)
{
	ptowsp_status status;

	snprintf(c->record->package, sizeof(c->record->package), "%s", p->name);
	p->object = NULL;
	p->findings = (struct host_findings){.trusted = p->load.flags & PTOWSP_LOAD_TRUST_NATIVE};
	c->findings = &p->findings;
	status = CONFORM_CALL(c, load, device, &p->load, &p->object, &c->error);
	c->findings = NULL;
	CONFORM_MUST(c, status || p->object, "load answered 0 and left no program");
	if (status) {
		p->object = NULL;
		conform_findings_finish(&p->findings);
	}
	return status;
}

void conform_program_unload(struct conform *c, struct conform_program *p)
{
	if (p->object)
		conform_ok(c, CONFORM_CALL(c, unload, p->object, &c->error), "unload of a program that rests");
	p->object = NULL;
	conform_findings_finish(&p->findings);
}

struct ptowsp_run_args conform_program_run(const struct conform_program *p, uint32_t flags)
{
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS),
				       .program = p->object,
				       .bindings = p->bindings,
				       .binding_count = p->binding_count,
				       .binding_stride = sizeof(*p->bindings),
				       .values = p->values,
				       .value_count = p->value_count,
				       .flags = flags,
				       .max_tasks = 100000};

	if (flags & PTOWSP_RUN_NO_KERNELS)
		args.bindings = NULL, args.binding_count = 0;
	return args;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void poll_once(struct conform *c, struct ptowsp_object *device, uint64_t until_ns)
{
	ptowsp_status status = CONFORM_WAIT(c, poll, device, until_ns, &c->error);

	if (status == PTOWSP_UNIMPLEMENTED)
		usleep(200);
	else if (status != PTOWSP_AGAIN)
		conform_ok(c, status, "poll while runs are in flight");
}

struct conform_token *conform_submit(struct conform *c, struct ptowsp_object *device, struct ptowsp_run_args *args)
{
	uint64_t end = host_now_ns() + UINT64_C(30000000000);
	ptowsp_status status;

	do {
		struct conform_token *token = conform_token_make(&c->services);

		CONFORM_MUST(c, token, "the test ran out of tokens: submit answers AGAIN for ever");
		args->token = token->token;
		status = CONFORM_CALL(c, submit, device, args, &c->error);
		conform_token_answer(&c->services, token, status);
		if (!status)
			return token;
		if (status == PTOWSP_AGAIN)
			poll_once(c, device, host_now_ns() + 10000000);
	} while (status == PTOWSP_AGAIN && host_now_ns() < end);
	CONFORM_MUST(c, status != PTOWSP_AGAIN, "submit answered AGAIN for 30 s while poll was called (PL10)");
	return NULL;
}

bool conform_wait(struct conform *c, struct ptowsp_object *device, const struct conform_token *token, uint64_t limit_ns)
{
	uint64_t end = host_now_ns() + limit_ns;

	while (!atomic_load(&token->done) && host_now_ns() < end)
		poll_once(c, device, host_now_ns() + 20000000);
	return atomic_load(&token->done) != 0;
}

ptowsp_status conform_run(struct conform *c, struct ptowsp_object *device, const struct conform_program *p, uint32_t flags, uint64_t deadline_ns)
{
	struct ptowsp_run_args args = conform_program_run(p, flags);
	struct conform_token *token;

	args.deadline_ns = deadline_ns;
	token = conform_submit(c, device, &args);
	if (!token)
		return c->error.code < 0 ? c->error.code : PTOWSP_INVALID;
	CONFORM_MUST(c, conform_wait(c, device, token, UINT64_C(60000000000)), "a run of %s was accepted and not completed within 60 s (PL5)", p->name);
	snprintf(c->record->operation, sizeof(c->record->operation), "done");
	snprintf(c->error.text, sizeof(c->error.text), "%s", c->services.ended); /* for the sentence about it */
	return atomic_load(&token->status);
}
