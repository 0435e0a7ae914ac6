/* SPDX-License-Identifier: MIT */
/* layers.c - from the text of an option to a chain of layers. */
#include "host/layers/layers.h"

#include <stdio.h>
#include <string.h>

#include "host/host_error.h"

/* In the order in which they see calls. fault is last: what it answers itself the others have seen. */
static const struct {
	const char *name;
	host_layer_make *make;
	bool parameter;
} known[] = {
	{"trace", host_layer_trace, true},
	{"validate", host_layer_validate, false},
	{"threads", host_layer_threads, false},
	{"fault", host_layer_fault, true},
};
enum { KNOWN = sizeof(known) / sizeof(*known), PARAMETER = 512 };

/* The layer's word in the text; NULL if it has none. *parameter_out: behind the colon, NULL without one. */
static const char *word_find(const char *text, const char *name, size_t *length_out)
{
	for (const char *at = text; at && *at; at += *at == ',') {
		const size_t length = strcspn(at, ",");

		if (strcspn(at, ":,") == strlen(name) && !memcmp(at, name, strlen(name))) {
			*length_out = length;
			return at;
		}
		at += length;
	}
	return NULL;
}

bool host_layers_have(const char *text, const char *name)
{
	size_t length;

	return word_find(text, name, &length) != NULL;
}

static ptowsp_status words_check(const char *text, struct ptowsp_error *error)
{
	for (const char *at = text; *at; at += *at == ',') {
		const size_t length = strcspn(at, ","), word = strcspn(at, ":,");
		const char *names[KNOWN];
		char copy[48];
		unsigned i = 0;
		size_t other;

		while (i < KNOWN && (strlen(known[i].name) != word || memcmp(known[i].name, at, word)))
			i++;
		for (unsigned k = 0; k < KNOWN; k++)
			names[k] = known[k].name;
		snprintf(copy, sizeof(copy), "%.*s", (int)(word < 40 ? word : 40), at);
		if (i == KNOWN)
			return reg_fail_unknown(error, PTOWSP_INVALID, "layer", copy, names, KNOWN);
		if (word < length && !known[i].parameter)
			return host_fail(error, PTOWSP_INVALID, "layer %s takes no parameter", known[i].name);
		if (word_find(text, known[i].name, &other) != at)
			return host_fail(error, PTOWSP_INVALID, "layer %s is named twice", known[i].name);
		at += length;
	}
	return PTOWSP_OK;
}

ptowsp_status host_layers_create(struct host_caller *caller, const char *text, struct host_breaches *breaches, struct ptowsp_error *error)
{
	struct host_layer **end = &caller->layers;
	ptowsp_status status = words_check(text, error);

	for (unsigned i = 0; i < KNOWN && !status; i++) {
		char parameter[PARAMETER];
		size_t length;
		const char *word = word_find(text, known[i].name, &length);
		const size_t name = strlen(known[i].name) + 1;

		if (!word)
			continue;
		if (length >= name + sizeof(parameter))
			return host_fail(error, PTOWSP_INVALID, "the parameter of layer %s is too long", known[i].name);
		snprintf(parameter, sizeof(parameter), "%.*s", (int)(length > name ? length - name : 0), length > name ? word + name : "");
		status = known[i].make(end, parameter, breaches, error);
		if (!status) {
			(*end)->place = i;
			end = &(*end)->next;
		}
	}
	return status;
}
