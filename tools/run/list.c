/* SPDX-License-Identifier: MIT */
/* list.c - --list-plugins, and going through all backends. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tools/plain.h"
#include "tools/run/run_run.h"

/* "a,b" as an array. */
json_t *run_words_json(const char *text)
{
	json_t *words = json_array();

	while (*text) {
		size_t length = strcspn(text, ",");

		json_array_append_new(words, json_stringn(text, length));
		text += length + (text[length] == ',');
	}
	return words;
}

/* "threads,environment" */
static const char *driver_words(uint32_t driver, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (uint32_t bit = 1; ptowsp_driver_text(bit); bit <<= 1)
		if (driver & bit)
			length += (size_t)snprintf(text + length, size - length, "%s%s", length ? "," : "", ptowsp_driver_text(bit));
	return text;
}

static json_t *plugin_json(const struct ptowsp_listing *listing, uint32_t index, const struct ptowsp_listing_row *row)
{
	uint32_t given;
	const char *grants = ptowsp_listing_grants(listing, index, &given);
	char driver[64];

	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:o, s:b, s:b, s:o, s:o, s:s, s:o, s:b}", "isolation", run_isolation_text(row->isolation), "name",
			 row->name, "path", plain_json(row->path), "vendor", row->vendor, "version", row->version, "targets", run_words_json(row->targets),
			 "usable", (int)row->usable, "shadowed", (int)row->shadowed, "reason", plain_json(row->reason), "driver",
			 run_words_json(driver_words(row->driver, driver, sizeof(driver))), "driver_option", ptowsp_listing_option(listing, index), "grants",
			 plain_json(grants), "granted", (int)given);
}

static json_t *listing_json(const struct ptowsp_listing *listing)
{
	json_t *folders = json_array(), *plugins = json_array();
	struct ptowsp_listing_row row;

	for (uint32_t i = 0; ptowsp_listing_folder(listing, i); i++)
		json_array_append_new(folders, plain_json(ptowsp_listing_folder(listing, i)));
	for (uint32_t i = 0; ptowsp_listing_row(listing, i, &row); i++) {
		json_t *plugin = plugin_json(listing, i, &row);

		json_object_set_new(plugin, "abi", json_sprintf("v%u.%u", row.major, row.minor));
		json_array_append_new(plugins, plugin);
	}
	return json_pack("{s:s, s:o, s:o}", "schema", "ptowsp.plugins/1", "folders", folders, "plugins", plugins);
}

static void listing_print(const struct ptowsp_listing *listing)
{
	struct ptowsp_listing_row row;

	const char *grants;
	uint32_t given;

	printf("%-12s %-10s %-8s %-10s %s\n", "plugin", "version", "abi", "state", "file");
	for (uint32_t i = 0; ptowsp_listing_row(listing, i, &row); i++) {
		char abi[24] = "-", driver[64];
		const char *option = row.isolation == PTOWSP_ISOLATE_PROCESS ? "" : ptowsp_listing_option(listing, i);

		if (*row.name)
			snprintf(abi, sizeof(abi), "v%u.%u", row.major, row.minor);
		plain_line(stdout, "%-12s %-10s %-8s %-10s %s", *row.name ? row.name : "-", *row.version ? row.version : "-", abi,
			   row.shadowed ? "shadowed"
			   : row.usable ? "usable"
					: "skipped",
			   row.path);
		if (*row.reason)
			plain_line(stdout, "%12s %s", "", row.reason);
		else if (*row.targets)
			printf("%12s for %s, by %s%s%s%s%s%s\n", "", row.targets, row.vendor,
			       row.driver || row.isolation == PTOWSP_ISOLATE_PROCESS ? "; runs in a process of its own" : "", *option ? " with option " : "",
			       option, row.driver ? ", as its driver declares " : "", driver_words(row.driver, driver, sizeof(driver)));
		grants = ptowsp_listing_grants(listing, i, &given);
		if (!*row.reason && *grants)
			plain_line(stdout, "%12s in a sandbox %s%s", "", grants, given ? "" : ", which is not given (--sandbox-grants=note)");
	}
	printf("searched:");
	for (uint32_t i = 0; ptowsp_listing_folder(listing, i); i++)
		printf(" %s", ptowsp_listing_folder(listing, i));
	printf("\n");
}

static ptowsp_status listing_make(struct ptowsp_listing **out, const struct run_options *options, struct ptowsp_error *error)
{
	struct run_backend_options b;
	ptowsp_status status = run_backend_options(&b, options, error);

	if (!status)
		status = ptowsp_listing_create(out, &b.options, error);
	run_backend_options_finish(&b);
	return status;
}

ptowsp_status run_list_plugins(const struct run_options *options, struct ptowsp_error *error)
{
	struct ptowsp_listing *listing;
	ptowsp_status status = listing_make(&listing, options, error);

	if (status)
		return status;
	if (options->json)
		status = run_json_print(listing_json(listing), error);
	else
		listing_print(listing);
	ptowsp_listing_destroy(listing);
	return status;
}

static void backend_close(const struct run_options *options, struct ptowsp_backend *backend)
{
	fflush(stdout); /* a hanging call takes nothing along */
	run_watchdog(options, RUN_CLOSING);
	ptowsp_backend_close(backend);
	run_watchdog(options, RUN_NOTHING);
}

ptowsp_status run_each_backend(const struct run_options *options, run_backend_fn visit, void *context, struct ptowsp_error *error)
{
	struct run_options one = *options;
	struct ptowsp_listing *listing;
	struct ptowsp_listing_row row;
	struct ptowsp_backend *backend;
	ptowsp_status status;

	if (options->plugin && strcmp(options->plugin, "auto")) { /* which would look through all of them for a package */
		status = run_backend_open(&backend, options, NULL, error);
		if (status)
			return status;
		visit(context, backend);
		backend_close(options, backend);
		return PTOWSP_OK;
	}
	status = listing_make(&listing, options, error);
	if (status)
		return status;
	for (uint32_t i = 0; ptowsp_listing_row(listing, i, &row); i++) {
		if (!row.usable || row.shadowed)
			continue;
		one.plugin = row.path;
		if (run_backend_open(&backend, &one, NULL, error)) {
			fprintf(stderr, "ptowsp-run: %s skipped: %s\n", row.name, error->text);
			continue;
		}
		visit(context, backend);
		backend_close(options, backend);
	}
	ptowsp_listing_destroy(listing);
	return PTOWSP_OK;
}
