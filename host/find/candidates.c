/* SPDX-License-Identifier: MIT */
/* candidates.c - the list of plugins of the embedding API. */
#include <stdlib.h>

#include "host/host_backend.h"
#include "host/host_error.h"
#include "host/trust/host_policy.h"
#include "host/worker/isolate.h"

struct ptowsp_listing {
	struct host_listing rows;
	uint32_t policy; /* PTOWSP_PLUGINS_x that holds */
	bool grants;     /* as of struct host_search */
};

ptowsp_status ptowsp_listing_create(struct ptowsp_listing **out, const struct ptowsp_backend_options *options, struct ptowsp_error *error)
{
	const struct host_trust_dirs dirs = {options->trust_dirs, options->trust_dir_count};
	struct host_policy policy = {0};
	struct host_search search = host_backend_search(options, &policy);
	struct ptowsp_listing *listing = calloc(1, sizeof(*listing));
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	status = host_policy_init(&policy, options->plugin_trust, &dirs, error);
	if (!status && listing)
		status = host_list(&search, &listing->rows, error);
	else if (!status)
		status = host_fail(error, PTOWSP_NO_MEMORY, "no memory to list plugins");
	if (listing) {
		listing->policy = host_policy_kind(&policy);
		listing->grants = search.grants;
	}
	host_policy_finish(&policy);
	if (status)
		free(listing);
	else
		*out = listing;
	return host_error_leave(status, error);
}

void ptowsp_listing_destroy(struct ptowsp_listing *listing)
{
	if (listing)
		host_listing_finish(&listing->rows);
	free(listing);
}

int ptowsp_listing_row(const struct ptowsp_listing *listing, uint32_t index, struct ptowsp_listing_row *row_out)
{
	const struct host_candidate *c;

	if (index >= listing->rows.count)
		return 0;
	c = &listing->rows.rows[index];
	*row_out = (struct ptowsp_listing_row){c->path,
					       c->note.name,
					       c->note.vendor,
					       c->note.version,
					       c->note.targets,
					       c->reason,
					       c->note.major,
					       c->note.minor,
					       c->usable,
					       c->shadowed,
					       c->usable ? host_isolate_rule(c->path, host_note_driver(&c->note, NULL, 0), listing->policy)
							 : PTOWSP_ISOLATE_DEFAULT,
					       c->note.driver};
	return 1;
}

const char *ptowsp_listing_grants(const struct ptowsp_listing *listing, uint32_t index, uint32_t *given_out)
{
	const struct host_candidate *c = &listing->rows.rows[index];

	*given_out = c->usable && *c->note.grants && (listing->grants || host_isolate_grants(c->path, listing->policy));
	return c->note.grants;
}

const char *ptowsp_listing_option(const struct ptowsp_listing *listing, uint32_t index)
{
	return listing->rows.rows[index].note.driver_option;
}

const char *ptowsp_listing_folder(const struct ptowsp_listing *listing, uint32_t index)
{
	return index < listing->rows.folder_count ? listing->rows.folders[index] : NULL;
}
