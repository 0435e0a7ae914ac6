/* SPDX-License-Identifier: MIT */
/* files.c - the files that a command line names: none that is written is one that is read. */
#include <stdio.h>
#include <string.h>

#include "tools/apart.h"
#include "tools/run/run_run.h"

typedef ptowsp_status (*side_fn)(const char *path, const char *what, struct ptowsp_error *error);

static ptowsp_status one(side_fn side, const char *path, const char *what, struct ptowsp_error *error)
{
	return path ? side(path, what, error) : PTOWSP_OK;
}

static ptowsp_status pairs(side_fn side, const struct flag_pairs *list, const char *flag, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < list->count && !status; i++) {
		char what[81];

		snprintf(what, sizeof(what), "%s %s", flag, list->rows[i].name);
		status = side(list->rows[i].value, what, error);
	}
	return status;
}

/* The log of the layer trace, which the host writes while it runs. */
static ptowsp_status log_apart(const char *layers, struct ptowsp_error *error)
{
	char path[4096] = "ptowsp.calls";

	for (const char *at = layers; at && *at; at += strcspn(at, ","), at += *at == ',') {
		const size_t length = strcspn(at, ",");

		if (length < 5 || strncmp(at, "trace", 5) || (length > 5 && at[5] != ':'))
			continue;
		if (length > 6)
			snprintf(path, sizeof(path), "%.*s", (int)(length - 6), at + 6);
		return apart_output(path, "the log of --layer=trace", error);
	}
	return PTOWSP_OK;
}

static bool is_out(const struct run_options *o, const char *path)
{
	for (uint32_t i = 0; i < o->out.count; i++)
		if (apart_same(o->out.rows[i].value, path))
			return true;
	return false;
}

/* A tensor's file may be replaced by what the run makes of it: the new one is whole before the old one goes. */
static ptowsp_status ins_apart(const struct run_options *o, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < o->in.count && !status; i++) {
		char what[81];

		snprintf(what, sizeof(what), "--in %s", o->in.rows[i].name);
		if (!is_out(o, o->in.rows[i].value))
			status = apart_input(o->in.rows[i].value, what, error);
	}
	return status;
}

/* A checkpoint may follow itself, too. */
ptowsp_status run_files_apart(const struct run_options *o, struct ptowsp_error *error)
{
	ptowsp_status status = apart_input(o->package, "the package", error);

	if (!status && o->plugin && strchr(o->plugin, '/'))
		status = run_plugin_apart(o->plugin, error);
	if (!status)
		status = ins_apart(o, error);
	if (!status)
		status = pairs(apart_input, &o->expect, "--expect", error);
	if (!status && o->restore && !(o->checkpoint && !strcmp(o->restore, o->checkpoint)))
		status = apart_input(o->restore, "--restore", error);
	if (!status)
		status = pairs(apart_output, &o->out, "--out", error);
	if (!status)
		status = one(apart_output, o->trace, "--trace", error);
	if (!status && o->graph && strcmp(o->graph, "-") != 0)
		status = apart_output(o->graph, "--graph", error);
	if (!status)
		status = one(apart_output, o->report, "--report", error);
	if (!status)
		status = one(apart_output, o->checkpoint, "--checkpoint", error);
	return status ? status : log_apart(o->layer, error);
}

ptowsp_status run_plugin_apart(const char *path, struct ptowsp_error *error)
{
	return path && *path ? apart_input(path, "the plugin", error) : PTOWSP_OK;
}
