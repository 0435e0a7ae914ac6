/* SPDX-License-Identifier: MIT */
/* explain.c - --explain: what would happen, as text or JSON. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/columns.h"
#include "tools/plain.h"
#include "tools/run/explanation.h"
#include "tools/run/run_element.h"

/* ---- text --------------------------------------------------------------------------------------------------- */

/* The index-th verdict, as the backend has it that has loaded the program: what it met below its row in this one is what a run would be told. */
static int verdict_read(const struct explained_part *x, uint32_t index, struct ptowsp_verdict *verdict_out)
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

static void verdicts_print(const struct explained_part *x)
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

static void values_print(const struct explained_part *x)
{
	struct columns table = {0};
	struct ptowsp_value_info info;

	if (!ptowsp_plan_value(x->plan, 0, &info))
		return;
	plain_print(stdout, "symbols and slots:\n");
	for (uint32_t i = 0; ptowsp_plan_value(x->plan, i, &info); i++) {
		const char *type = common_dtype(info.dtype) ? common_dtype(info.dtype)->text : "?";
		const char *kind = info.kind == PTOWSP_SLOT_SYMBOL ? "symbol" : "slot";
		const char *unused = info.flags & PTOWSP_VALUE_NEEDED ? "" : ", not used by this entry";
		char text[48];

		value_text(&info, text, sizeof(text));
		if (info.flags & PTOWSP_VALUE_HAS_DEFAULT)
			columns_add(&table, "%s\t%s\t%s, default %s%s", info.name, type, kind, text, unused);
		else if (info.flags & PTOWSP_VALUE_NEEDED)
			columns_add(&table, "%s\t%s\t%s, must be set: --set %s=VALUE", info.name, type, kind, info.name);
		else
			columns_add(&table, "%s\t%s\t%s%s", info.name, type, kind, unused);
	}
	columns_print(&table, stdout, 2);
}

static void tensors_print(const struct explained_part *x)
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

static void temps_print(const struct explained_part *x)
{
	if (x->temps)
		plain_print(stdout, "temp tensors:\n");
	for (uint32_t i = 0; explained_temps(x, i); i++)
		plain_print(stdout, "  %s\n", explained_temps(x, i));
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

static void part_print(const struct explained_part *x)
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
	for (uint32_t w = 0; w < EXPLAINED_TOPICS; w++)
		for (uint32_t i = 0; explained_note(x, &explained_topics[w], i); i++)
			plain_print(stdout, "%s: %s\n", explained_topics[w].title, explained_note(x, &explained_topics[w], i));
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

static json_t *verdicts_json(const struct explained_part *x)
{
	json_t *rows = json_array();
	struct ptowsp_verdict v;

	for (uint32_t i = 0; verdict_read(x, i, &v); i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "what", v.what, "state", reg_state_text(v.state), "wanted",
						      v.wanted ? reg_state_text(v.wanted) : "", "refused", (int)v.refused, "directive", (int)v.directive,
						      "reason", v.reason));
	return rows;
}

static json_t *values_json(const struct explained_part *x)
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

static json_t *tensors_json(const struct explained_part *x)
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

static json_t *load_json(const struct explained_part *x)
{
	return json_pack("{s:s, s:i, s:o}", "status", reg_status_name(x->status), "exit", reg_status_exit(x->status), "text", plain_json(x->refusal.text));
}

static json_t *temps_json(const struct explained_part *x)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; explained_temps(x, i); i++)
		json_array_append_new(rows, json_string(explained_temps(x, i)));
	return rows;
}

static json_t *topic_json(const struct explained_part *x, const struct explained_topic *topic)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; explained_note(x, topic, i); i++)
		json_array_append_new(rows, json_string(explained_note(x, topic, i)));
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

static json_t *part_json(const struct explained_part *x)
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
	for (uint32_t w = 0; object && w < EXPLAINED_TOPICS; w++)
		if (explained_note(x, &explained_topics[w], 0))
			json_object_set_new(object, explained_topics[w].title, topic_json(x, &explained_topics[w]));
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
