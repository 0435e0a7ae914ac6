/* SPDX-License-Identifier: MIT */
/* options.c - the plugin's own options: what it declares, and settings checked against that before init. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_backend.h"
#include "host/host_error.h"

/* "0..3": both ends; false if the range is written otherwise. */
static bool range_ends(const char *range, long long *low, long long *high)
{
	char *stop;

	*low = strtoll(range, &stop, 10);
	if (stop == range || strncmp(stop, "..", 2))
		return false;
	range = stop + 2;
	*high = strtoll(range, &stop, 10);
	return stop != range && !*stop;
}

/* "reference|own": value is one of the words. */
static bool range_has(const char *range, const char *value)
{
	size_t length = strlen(value);

	while (*range) {
		size_t word = strcspn(range, "|");

		if (word == length && !memcmp(range, value, word))
			return true;
		range += word + (range[word] == '|');
	}
	return false;
}

static const struct ptowsp_option *named(const struct ptowsp_backend *backend, const char *key)
{
	for (uint32_t i = 0; i < backend->option_count; i++)
		if (!strcmp(backend->options[i]->name, key))
			return backend->options[i];
	return NULL;
}

bool host_option_takes(const struct ptowsp_backend *backend, const char *key, const char *word)
{
	const struct ptowsp_option *option = named(backend, key);

	return option && option->range && range_has(option->range, word);
}

bool host_option_counts(const struct ptowsp_backend *backend, const char *key)
{
	const struct ptowsp_option *option = named(backend, key);

	return option && !strcmp(option->type, "int");
}

static bool is_int(const char *value, long long *number)
{
	char *stop;

	*number = strtoll(value, &stop, 10);
	return stop != value && !*stop;
}

static ptowsp_status value_check(const struct ptowsp_option *option, const char *value, struct ptowsp_error *error)
{
	const char *range = option->range && *option->range ? option->range : !strcmp(option->type, "bool") ? "false|true" : "";
	long long low, high, number;
	bool fine = true;

	if (!strcmp(option->type, "int"))
		fine = is_int(value, &number) && (!range_ends(range, &low, &high) || (number >= low && number <= high));
	else if (strchr(range, '|'))
		fine = range_has(range, value);
	if (fine)
		return PTOWSP_OK;
	return host_fail(error, PTOWSP_INVALID, "option %s takes %s%s%s, not \"%.40s\"", option->name, option->type, *range ? " " : "", range, value);
}

static ptowsp_status fail_key(const struct ptowsp_backend *backend, const char *key, struct ptowsp_error *error)
{
	const char **names = calloc(backend->option_count + 1u, sizeof(*names));
	char what[64];
	struct reg_text text;
	ptowsp_status status;

	for (uint32_t i = 0; names && i < backend->option_count; i++)
		names[i] = backend->options[i]->name;
	reg_text_init(&text, what, sizeof(what));
	reg_text_add(&text, "%s option", backend->plugin->note.name);
	status = reg_fail_unknown(error, PTOWSP_INVALID, what, key, names, names ? backend->option_count : 0);
	free(names);
	return status;
}

ptowsp_status host_settings_check(const struct ptowsp_backend *backend, const struct ptowsp_setting *settings, uint32_t count, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < count && !status; i++) {
		uint32_t o = 0;

		while (o < backend->option_count && strcmp(backend->options[o]->name, settings[i].key))
			o++;
		status = o < backend->option_count ? value_check(backend->options[o], settings[i].value, error) : fail_key(backend, settings[i].key, error);
	}
	return status;
}

static int settings_compare(const void *a, const void *b)
{
	const struct ptowsp_setting *x = a, *y = b;

	return strcmp(x->key, y->key);
}

bool host_settings_digest(uint8_t digest_out[PKG_DIGEST_SIZE], const struct ptowsp_setting *settings, uint32_t count, const char *selector)
{
	struct ptowsp_setting *sorted = calloc(count + 1u, sizeof(*sorted));
	char *text = NULL;
	size_t size = 0;
	FILE *out = sorted ? open_memstream(&text, &size) : NULL;
	bool made = out != NULL;

	if (sorted && count)
		memcpy(sorted, settings, count * sizeof(*sorted));
	if (sorted)
		qsort(sorted, count, sizeof(*sorted), settings_compare);
	for (uint32_t i = 0; out && i < count; i++)
		fprintf(out, "%s=%s%c", sorted[i].key, sorted[i].value, '\0');
	if (out)
		fprintf(out, "%s", selector);
	made = (!out || !fclose(out)) && made && pkg_digest_make(digest_out, text, size);
	free(text);
	free(sorted);
	return made;
}
