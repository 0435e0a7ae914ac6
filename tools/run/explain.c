/* SPDX-License-Identifier: MIT */
/* explain.c - --explain: what would happen. The program is loaded for the backend to say what it makes of it, and its tasks are counted; no kernel and no native code
 * runs, no tensor has content. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/columns.h"
#include "tools/plain.h"
#include "tools/run/run_element.h"
#include "tools/run/run_run.h"

/* The program of one device; all but match belongs to the run. */
struct part {
	const struct run_options *options;
	const struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_match *match;
	struct ptowsp_program *program; /* NULL: it is refused */
	ptowsp_status status;           /* of a run, as far as it is known */
	struct ptowsp_error refusal;    /* its sentence; with status OK: why not all of it is known, code 0 if it is */
	bool temps;
	char unloaded[256];
};

/* Everything that is explained; finish accepts any prefix. */
struct explanation {
	struct run run; /* which is not executed */
	struct ptowsp_listing *listing;
	struct part *parts; /* owned: one per device */
	uint32_t part_count;
};

static bool temps_used(const struct ptowsp_plan *plan)
{
	struct ptowsp_tensor_info info;

	for (uint32_t i = 0; ptowsp_plan_tensor(plan, i, &info); i++)
		if (info.role == PTOWSP_ROLE_TEMP && info.flags & PTOWSP_TENSOR_INFO_USED)
			return true;
	return false;
}

static bool renames(const struct part *x)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(x->backend, PTOWSP_FEATURE_TEMP_RENAMED);

	return cap && cap->state == PTOWSP_STATE_ENFORCED;
}

/* A package that cannot be loaded is explained all the same. */
static void part_load(struct explanation *x, uint32_t number)
{
	struct part *part = &x->parts[number];
	struct run *run = &x->run;

	if (number) {
		part->status = run_mate_load(run, number - 1, PTOWSP_LOAD_LOOK, &part->refusal);
		part->program = run->mates[number - 1].program;
	} else {
		part->status = run_program_load(&run->program, run->backend, run->plan, run->options, PTOWSP_LOAD_LOOK, &part->refusal);
		part->program = run->program;
	}
}

/* Values that are still to be given are shown, and are no fault of who asks. */
static bool values_wanted(const struct part *x)
{
	struct ptowsp_value_info info;

	for (uint32_t i = 0; ptowsp_plan_value(x->plan, i, &info); i++)
		if (info.flags & PTOWSP_VALUE_NEEDED && !(info.flags & PTOWSP_VALUE_HAS_DEFAULT) && !flag_pairs_find(&x->options->set, info.name))
			return true;
	return false;
}

/* The values of the first run, behind those of all others, which have to be values, too. */
static ptowsp_status values_take(const struct explanation *x, struct part *part)
{
	const uint32_t number = (uint32_t)(part - x->parts);
	ptowsp_status status = PTOWSP_OK;

	if (number)
		return run_mate_values(&x->run.mates[number - 1], &part->refusal);
	for (uint64_t i = run_values_vary(part->options) ? part->options->runs : 1; !status && i-- > 0;)
		status = run_values_set(part->program, part->options, i, &part->refusal);
	return status;
}

/* The answer of a run of the loaded program before it begins. OK also where that takes values or more time. */
static void part_check(struct explanation *x, struct part *part)
{
	ptowsp_status status;

	run_watchdog(part->options, RUN_LOOKING);
	status = values_take(x, part);
	if (!status) {
		status = run_program_check(part->program, part->options, &part->refusal);
		status = status == PTOWSP_DEADLINE || values_wanted(part) ? PTOWSP_OK : status;
	}
	run_watchdog(part->options, RUN_NOTHING);
	part->status = status;
}

/* Then what its backend makes of it. OK also where that takes data or more time. */
static void part_place(struct part *part)
{
	ptowsp_status status;

	run_watchdog(part->options, RUN_LOOKING);
	status = run_program_place(part->program, part->options, &part->refusal);
	run_watchdog(part->options, RUN_NOTHING);
	part->status = status == PTOWSP_DEADLINE || status == PTOWSP_INVALID ? PTOWSP_OK : status;
}

static bool is_known(const struct explanation *x)
{
	bool known = true;

	for (uint32_t i = 0; i < x->part_count; i++)
		known = known && !x->parts[i].status && !x->parts[i].refusal.code && !values_wanted(&x->parts[i]);
	return known;
}

static bool counts(const struct part *x)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(x->backend, PTOWSP_FEATURE_NO_KERNELS);

	return cap && cap->state == PTOWSP_STATE_ENFORCED;
}

/* All runs are counted, as far as they differ; what one of several devices has to say is the run's. OK also where its tasks cannot be known. */
static ptowsp_status tasks_count(struct explanation *x, struct ptowsp_error *error)
{
	const struct run_options *o = x->run.options;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < x->part_count; i++)
		if (!counts(&x->parts[i])) {
			reg_fail(error, PTOWSP_UNSUPPORTED, "%s counts no tasks without their kernels", ptowsp_backend_name(x->parts[i].backend));
			return PTOWSP_OK;
		}
	run_watchdog(o, RUN_LOOKING);
	for (uint64_t i = 0; !status && i < (run_values_vary(o) ? o->runs : 1); i++)
		status = run_look(&x->run, i, error);
	run_watchdog(o, RUN_NOTHING);
	return status == PTOWSP_DEADLINE || status == PTOWSP_INVALID ? PTOWSP_OK : status;
}

static void part_temps(struct part *x)
{
	x->temps = temps_used(x->plan);
	if (x->temps && !renames(x))
		snprintf(x->unloaded, sizeof(x->unloaded), "not renamed: this backend does not");
	else if (x->temps && !x->program)
		snprintf(x->unloaded, sizeof(x->unloaded), "not known, as the package is not loaded: %.200s", x->refusal.text);
}

/* The index-th line about temp tensors, counted from 0; NULL behind the last. */
static const char *temps_line(const struct part *x, uint32_t index)
{
	static struct ptowsp_diagnostic row;
	uint32_t told = 0;

	if (!x->temps || *x->unloaded)
		return x->temps && !index ? x->unloaded : NULL;
	for (uint32_t i = 0; ptowsp_diagnostic_row(x->program, i, &row); i++)
		if (row.feature == PTOWSP_FEATURE_TEMP_RENAMED && told++ == index)
			return row.text;
	return !told && !index ? "all are renamed that have no alloc of their own" : NULL;
}

/* Words of a backend on how it runs a program that it takes otherwise than it stands there. */
static const struct otherwise {
	const char *title;
	uint32_t feature;
} otherwise[] = {
	{"phases", PTOWSP_FEATURE_TENSOR_TO_SLOT},
	{"divided", PTOWSP_FEATURE_KERNEL_CYCLES},
	{"memory", PTOWSP_FEATURE_HIGH_WATER},
#if PTOWSP_ABI_MINOR >= 1
	{"tasks", PTOWSP_FEATURE_DEVICE_TASKS},
#endif
};
enum { OTHERWISE = sizeof(otherwise) / sizeof(*otherwise) };

/* The index-th line of it, from 0; NULL behind the last. */
static const char *otherwise_line(const struct part *x, const struct otherwise *what, uint32_t index)
{
	static struct ptowsp_diagnostic row;
	uint32_t told = 0;

	for (uint32_t i = 0; x->program && ptowsp_diagnostic_row(x->program, i, &row); i++)
		if (row.feature == what->feature && row.state == PTOWSP_STATE_DIAGNOSED && told++ == index)
			return row.text;
	return NULL;
}

/* The backend of one device, and for that of the first one what a run asks of it before anything is loaded. */
static ptowsp_status part_open(struct explanation *x, uint32_t number, struct ptowsp_error *error)
{
	struct part *part = &x->parts[number];
	struct run *run = &x->run;
	ptowsp_status status;

	part->refusal = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	if (number) {
		status = run_mate_open(run, number - 1, error);
		part->options = &run->mates[number - 1].options;
		part->plan = run->mates[number - 1].plan;
		part->backend = run->mates[number - 1].backend;
		return status;
	}
	status = run_backend_open(&run->backend, run->options, run->plan, error);
	part->options = run->options;
	part->plan = run->plan;
	part->backend = run->backend;
	if (!status)
		status = run_plugin_apart(ptowsp_backend_path(run->backend), error);
	if (!status && run->options->emit) {
		run_watchdog(run->options, RUN_LOADING);
		status = run_emit_look(run, error);
		run_watchdog(run->options, RUN_NOTHING);
	}
	return status;
}

static ptowsp_status part_make(struct explanation *x, uint32_t number, struct ptowsp_error *error)
{
	struct part *part = &x->parts[number];
	ptowsp_status status = part_open(x, number, error);

	if (!status)
		status = ptowsp_match_create(&part->match, part->backend, part->plan, run_load_flags(part->options), error);
	if (!status)
		part_load(x, number);
	return status;
}

/* A run is refused for the memory of its tensors while it plans, whatever the backend would have said next: a place has no tensors. */
static void memory_look(struct explanation *x)
{
	struct part *first = &x->parts[0];
	struct ptowsp_error theirs = {.head = PTOWSP_HEAD(theirs, ERROR)};

	if (!x->run.options->max_memory || values_wanted(first) || tasks_count(x, &theirs) != PTOWSP_TOO_BIG)
		return;
	first->status = PTOWSP_TOO_BIG;
	first->refusal = theirs;
}

/* Nothing refuses the run before its backend plans it. */
static void parts_place(struct explanation *x)
{
	struct part *first = &x->parts[0];

	for (uint32_t i = 0; !first->status && i < x->part_count; i++)
		if (!x->parts[i].status && !x->parts[i].refusal.code)
			part_place(&x->parts[i]);
	if (is_known(x))
		first->status = tasks_count(x, &first->refusal);
	else
		memory_look(x);
}

/* All are loaded: as the run binds its files, and goes on. */
static void parts_settle(struct explanation *x)
{
	struct part *first = &x->parts[0];

	first->status = run_tensors_bind(&x->run, &first->refusal);
	if (!first->status)
		first->status = run_mates_join(&x->run, &first->refusal);
	for (uint32_t i = 0; !first->status && i < x->part_count; i++)
		part_check(x, &x->parts[i]);
	if (!first->status && !first->refusal.code)
		first->status = run_expect_check(&x->run, &first->refusal);
	if (!first->status)
		parts_place(x);
}

static ptowsp_status parts_make(struct explanation *x, const struct run_options *options, struct ptowsp_error *error)
{
	uint32_t count = run_mates_wanted(options) + 1, loaded = 0;
	ptowsp_status status = run_mates_make(&x->run, error);

	x->parts = calloc(count, sizeof(*x->parts));
	if (!status && !x->parts)
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for %u devices", count);
	while (!status && x->part_count < count)
		status = part_make(x, x->part_count++, error);
	for (uint32_t i = 0; !status && i < count; i++)
		loaded += !x->parts[i].status;
	if (!status && loaded == count)
		parts_settle(x);
	for (uint32_t i = 0; !status && i < count; i++)
		part_temps(&x->parts[i]);
	return status;
}

static ptowsp_status explanation_make(struct explanation *x, const struct run_options *options, struct ptowsp_error *error)
{
	struct run_backend_options b;
	ptowsp_status status = run_open(&x->run, options, error);

	if (!status)
		status = run_files_open(&x->run, error);
	if (!status)
		status = run_backend_options(&b, options, error);
	if (status)
		return status;
	status = ptowsp_listing_create(&x->listing, &b.options, error);
	run_backend_options_finish(&b);
	return status ? status : parts_make(x, options, error);
}

static void explanation_finish(struct explanation *x)
{
	for (uint32_t i = 0; i < x->part_count; i++)
		ptowsp_match_destroy(x->parts[i].match);
	free(x->parts);
	ptowsp_listing_destroy(x->listing);
	run_finish(&x->run);
}

/* ---- text --------------------------------------------------------------------------------------------------- */

/* The index-th verdict, as the backend has it that has loaded the program: what it met below its row in this one is what a run would be told. */
static int verdict_read(const struct part *x, uint32_t index, struct ptowsp_verdict *verdict_out)
{
	struct ptowsp_diagnostic said;

	if (!ptowsp_match_row(x->match, index, verdict_out))
		return 0;
	for (uint32_t i = 0; x->program && ptowsp_diagnostic_row(x->program, i, &said); i++)
		if (verdict_out->directive && said.feature == verdict_out->feature && said.state < verdict_out->state) {
			verdict_out->state = (uint8_t)said.state;
			verdict_out->reason = said.text;
		}
	return 1;
}

static void verdicts_print(const struct part *x)
{
	struct columns table = {0};
	struct ptowsp_verdict v;

	plain_print(stdout, "verdicts:\n");
	for (uint32_t i = 0; verdict_read(x, i, &v); i++)
		columns_add(&table, "%s\t%s%s%s%s", v.what, reg_state_text(v.state), v.refused ? ", refused" : "", *v.reason ? ": " : "", v.reason);
	columns_print(&table, stdout, 2);
	if (!ptowsp_match_row(x->match, 0, &v))
		plain_print(stdout, "  no directive is set: the defaults hold, and everything that the package needs is enforced\n");
}

static void value_text(const struct ptowsp_value_info *info, char *memory, size_t room)
{
	const struct common_dtype *type = common_dtype(info->dtype);
	struct reg_text text;

	reg_text_init(&text, memory, room);
	if (type && type->class == 'f')
		reg_text_add(&text, "%g", element_get(info->dtype, &info->standard, 0));
	else
		reg_text_add(&text, type && type->class == 'u' ? "%llu" : "%lld", (unsigned long long)info->standard);
}

static void values_print(const struct part *x)
{
	struct columns table = {0};
	struct ptowsp_value_info info;

	if (!ptowsp_plan_value(x->plan, 0, &info))
		return;
	plain_print(stdout, "symbols and slots:\n");
	for (uint32_t i = 0; ptowsp_plan_value(x->plan, i, &info); i++) {
		const char *type = common_dtype(info.dtype) ? common_dtype(info.dtype)->text : "?";
		const char *kind = info.kind == PTOWSP_SLOT_SYMBOL ? "symbol" : "slot";
		char text[48];

		value_text(&info, text, sizeof(text));
		if (info.flags & PTOWSP_VALUE_HAS_DEFAULT)
			columns_add(&table, "%s\t%s\t%s, default %s", info.name, type, kind, text);
		else if (info.flags & PTOWSP_VALUE_NEEDED)
			columns_add(&table, "%s\t%s\t%s, must be set: --set %s=VALUE", info.name, type, kind, info.name);
		else
			columns_add(&table, "%s\t%s\t%s", info.name, type, kind);
	}
	columns_print(&table, stdout, 2);
}

static void tensors_print(const struct part *x)
{
	struct columns table = {0};
	struct ptowsp_tensor_info info;

	plain_print(stdout, "tensors:\n");
	for (uint32_t i = 0; ptowsp_plan_tensor(x->plan, i, &info); i++)
		columns_add(&table, "%s\t%s\t%s\t%s%s%s%s", info.name, common_dtype(info.dtype) ? common_dtype(info.dtype)->text : "?",
			    reg_role_text(info.role), info.flags & PTOWSP_TENSOR_INFO_SHAPELESS ? "shape of the bound file" : "shape of the package",
			    info.flags & PTOWSP_TENSOR_INFO_SAMPLE ? ", sample data" : "", info.flags & PTOWSP_TENSOR_INFO_EXPECTED ? ", expected result" : "",
			    info.flags & PTOWSP_TENSOR_INFO_USED ? "" : ", not used by this entry");
	columns_print(&table, stdout, 2);
}

static void temps_print(const struct part *x)
{
	if (x->temps)
		plain_print(stdout, "temp tensors:\n");
	for (uint32_t i = 0; temps_line(x, i); i++)
		plain_print(stdout, "  %s\n", temps_line(x, i));
}

static void search_print(const struct explanation *x)
{
	struct ptowsp_listing_row row;

	plain_print(stdout, "search path:\n");
	for (uint32_t i = 0; ptowsp_listing_folder(x->listing, i); i++)
		plain_line(stdout, "  %s", ptowsp_listing_folder(x->listing, i));
	for (uint32_t i = 0; ptowsp_listing_row(x->listing, i, &row); i++) {
		if (!row.usable)
			plain_line(stdout, "  skipped %s: %s", row.path, row.reason);
		else
			plain_line(stdout, "  %s %s", row.shadowed ? "shadowed" : "found", row.path);
	}
}

static void part_print(const struct part *x)
{
	const struct ptowsp_device *device = ptowsp_backend_current(x->backend);
	uint32_t given;
	const char *grants = ptowsp_backend_grants(x->backend, &given);

	plain_line(stdout, "backend %s %s, %s", ptowsp_backend_name(x->backend), ptowsp_backend_version(x->backend), ptowsp_backend_path(x->backend));
	if (*ptowsp_backend_trust(x->backend))
		plain_print(stdout, "trust in the plugin: %s\n", ptowsp_backend_trust(x->backend));
	plain_print(stdout, "device %s, engine %s, cycles by the %s model\n", device ? device->name : "none", run_engine(device), run_cycle_model(device));
	plain_print(stdout, "isolation: %s\n", run_isolation_text(ptowsp_backend_isolation(x->backend)));
	if (*grants && ptowsp_backend_isolation(x->backend) == PTOWSP_ISOLATE_SANDBOX)
		plain_line(stdout, "grants: %s: %s", grants, given ? "given" : "not given, --sandbox-grants=note gives them");
	if (x->status)
		plain_print(stdout, "load: refused, exit %d: %s\n", reg_status_exit(x->status), x->refusal.text);
	else if (x->refusal.code)
		plain_print(stdout, "load: the backend takes it; how its run ends is not known: %s\n", x->refusal.text);
	else
		plain_print(stdout, "load: the backend takes it; no kernel was run: what kernels do, and hold meanwhile, only a run tells\n");
	for (uint32_t w = 0; w < OTHERWISE; w++)
		for (uint32_t i = 0; otherwise_line(x, &otherwise[w], i); i++)
			plain_print(stdout, "%s: %s\n", otherwise[w].title, otherwise_line(x, &otherwise[w], i));
	if (*ptowsp_match_trust(x->match))
		plain_print(stdout, "trust in native code: %s\n", ptowsp_match_trust(x->match));
	verdicts_print(x);
	values_print(x);
	tensors_print(x);
	temps_print(x);
}

static void passed_print(void)
{
	for (uint32_t i = 0; run_passed(i); i++)
		plain_line(stdout, "passed over: %s: %s", run_passed(i)->name, run_passed(i)->reason);
}

static void explanation_print(const struct explanation *x)
{
	for (uint32_t i = 0; i < x->part_count; i++) {
		plain_print(stdout, "package %s, entry %s", ptowsp_package_name(x->run.package), ptowsp_plan_entry(x->parts[i].plan));
		plain_print(stdout, i ? ", the program of device %u\n" : "\n", i);
		part_print(&x->parts[i]);
	}
	passed_print();
	search_print(x);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static json_t *verdicts_json(const struct part *x)
{
	json_t *rows = json_array();
	struct ptowsp_verdict v;

	for (uint32_t i = 0; verdict_read(x, i, &v); i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "what", v.what, "state", reg_state_text(v.state), "wanted",
						      v.wanted ? reg_state_text(v.wanted) : "", "refused", (int)v.refused, "directive", (int)v.directive,
						      "reason", v.reason));
	return rows;
}

static json_t *values_json(const struct part *x)
{
	json_t *rows = json_array();
	struct ptowsp_value_info info;

	for (uint32_t i = 0; ptowsp_plan_value(x->plan, i, &info); i++) {
		char text[48];
		json_t *row = json_pack("{s:s, s:s, s:s, s:b}", "name", info.name, "type", common_dtype(info.dtype) ? common_dtype(info.dtype)->text : "?",
					"kind", info.kind == PTOWSP_SLOT_SYMBOL ? "symbol" : "slot", "needed",
					(info.flags & PTOWSP_VALUE_NEEDED) && !(info.flags & PTOWSP_VALUE_HAS_DEFAULT));

		value_text(&info, text, sizeof(text));
		if (info.flags & PTOWSP_VALUE_HAS_DEFAULT)
			json_object_set_new(row, "default", json_string(text));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *tensors_json(const struct part *x)
{
	json_t *rows = json_array();
	struct ptowsp_tensor_info info;

	for (uint32_t i = 0; ptowsp_plan_tensor(x->plan, i, &info); i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:b}", "name", info.name, "type",
						      common_dtype(info.dtype) ? common_dtype(info.dtype)->text : "?", "role", reg_role_text(info.role), "used",
						      (info.flags & PTOWSP_TENSOR_INFO_USED) != 0, "shapeless",
						      (info.flags & PTOWSP_TENSOR_INFO_SHAPELESS) != 0, "sample", (info.flags & PTOWSP_TENSOR_INFO_SAMPLE) != 0,
						      "expected", (info.flags & PTOWSP_TENSOR_INFO_EXPECTED) != 0));
	return rows;
}

static json_t *load_json(const struct part *x)
{
	return json_pack("{s:s, s:i, s:o}", "status", reg_status_name(x->status), "exit", reg_status_exit(x->status), "text", plain_json(x->refusal.text));
}

static json_t *temps_json(const struct part *x)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; temps_line(x, i); i++)
		json_array_append_new(rows, json_string(temps_line(x, i)));
	return rows;
}

static json_t *otherwise_json(const struct part *x, const struct otherwise *what)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; otherwise_line(x, what, i); i++)
		json_array_append_new(rows, json_string(otherwise_line(x, what, i)));
	return rows;
}

static json_t *search_json(const struct explanation *x)
{
	json_t *folders = json_array(), *files = json_array();
	struct ptowsp_listing_row row;

	for (uint32_t i = 0; ptowsp_listing_folder(x->listing, i); i++)
		json_array_append_new(folders, plain_json(ptowsp_listing_folder(x->listing, i)));
	for (uint32_t i = 0; ptowsp_listing_row(x->listing, i, &row); i++)
		json_array_append_new(files, json_pack("{s:o, s:b, s:b, s:o}", "path", plain_json(row.path), "usable", (int)row.usable, "shadowed",
						       (int)row.shadowed, "reason", plain_json(row.reason)));
	return json_pack("{s:o, s:o}", "folders", folders, "files", files);
}

static json_t *passed_json(void)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; run_passed(i); i++)
		json_array_append_new(rows, json_pack("{s:o, s:o}", "name", plain_json(run_passed(i)->name), "reason", plain_json(run_passed(i)->reason)));
	return rows;
}

static json_t *part_json(const struct part *x)
{
	const struct ptowsp_device *device = ptowsp_backend_current(x->backend);
	uint32_t given;
	const char *grants = ptowsp_backend_grants(x->backend, &given);
	json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "isolation",
				   run_isolation_text(ptowsp_backend_isolation(x->backend)), "trust", ptowsp_match_trust(x->match), "entry",
				   ptowsp_plan_entry(x->plan), "plugin", ptowsp_backend_name(x->backend), "plugin_version", ptowsp_backend_version(x->backend),
				   "plugin_path", plain_json(ptowsp_backend_path(x->backend)), "device", device ? device->name : "", "engine",
				   run_engine(device), "cycle_model", run_cycle_model(device), "verdicts", verdicts_json(x), "values", values_json(x),
				   "tensors", tensors_json(x), "temps", temps_json(x), "load", load_json(x));

	if (object && *grants)
		json_object_update_new(object, json_pack("{s:o, s:b}", "grants", plain_json(grants), "granted", (int)given));
	for (uint32_t w = 0; object && w < OTHERWISE; w++)
		if (otherwise_line(x, &otherwise[w], 0))
			json_object_set_new(object, otherwise[w].title, otherwise_json(x, &otherwise[w]));
	return object;
}

/* The first device's part is at the top; of several devices all are in a list, too. */
static json_t *explanation_json(const struct explanation *x)
{
	json_t *object = json_pack("{s:s, s:s}", "schema", "ptowsp.explain/1", "package", ptowsp_package_name(x->run.package));
	json_t *first = part_json(&x->parts[0]), *devices = x->part_count > 1 ? json_array() : NULL;

	if (object && first)
		json_object_update(object, first);
	for (uint32_t i = 0; devices && i < x->part_count; i++)
		json_array_append_new(devices, part_json(&x->parts[i]));
	if (object && devices)
		json_object_set_new(object, "devices", devices);
	if (object)
		json_object_set_new(object, "passed", passed_json());
	if (object)
		json_object_set_new(object, "search", search_json(x));
	json_decref(first);
	return object;
}

/* A run would end with the first of them. */
static ptowsp_status refusal_find(const struct explanation *x, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < x->part_count; i++)
		if (x->parts[i].status) {
			*error = x->parts[i].refusal;
			return x->parts[i].status;
		}
	return PTOWSP_OK;
}

ptowsp_status run_explain(const struct run_options *options, struct ptowsp_error *error)
{
	struct explanation x = {.run = {.options = options}};
	ptowsp_status status = explanation_make(&x, options, error);

	if (!status && options->json)
		status = run_json_print(explanation_json(&x), error);
	else if (!status)
		explanation_print(&x);
	if (!status)
		status = refusal_find(&x, error);
	if (run_emit_was_all(&x.run, status, error))
		status = PTOWSP_OK;
	explanation_finish(&x);
	return status;
}
