/* SPDX-License-Identifier: MIT */
/* test_entry.c - the file, loading it, its one function. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/find/file.h"
#include "tools/conform/conform.h"
#include "tools/conform/conform_process.h"

void conform_test_file_passes_the_lint(struct conform *c)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct host_file file;
	size_t length;
	ptowsp_status status = host_file_open(&file, c->path, &error);

	if (!status)
		status = host_file_check(&file, false, &error);
	if (!status)
		status = host_file_name_check(file.path, &file.note, &error);
	CONFORM_MUST(c, !status, "%s (PL1)", error.text);
	CONFORM_MUST(c, host_file_name(file.path, &length), "%s: no host looks for a file of that name; call it libptowsp_%s.so (PL1)", file.path,
		     file.note.name);
	host_file_finish(&file);
}

/* Functions that have no use in a plugin. Functions with one besides (sigaction, write) are watched while the plugin runs. */
static const char *const forbidden[] = {
	"exit",    "_exit",  "_Exit",          "quick_exit",        "atexit", "at_quick_exit", "on_exit",  "fork",
	"vfork",   "daemon", "pthread_atfork", "__register_atfork", "setenv", "putenv",        "unsetenv", "clearenv",
	"chdir",   "fchdir", "chroot",         "setlocale",         "umask",  "signal",        "sigset",   "puts",
	"putchar", "printf", "perror",         "setrlimit",         "setuid", "setgid",        "prctl",    "ptrace",
};

void conform_test_file_imports_nothing_that_changes_the_process(struct conform *c)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct host_symbol symbol;
	struct host_file file;
	struct host_elf elf;

	if (host_file_open(&file, c->path, &error) || host_elf_open(&elf, file.bytes, file.size, file.path, &error))
		conform_skip(c, "the file is no shared object: %.200s", error.text);
	for (uint32_t i = 0; i < elf.symbol_count; i++) {
		if (!host_elf_symbol(&elf, i, &symbol) || symbol.exported)
			continue;
		for (size_t k = 0; k < sizeof(forbidden) / sizeof(*forbidden); k++)
			CONFORM_MUST(c, strcmp(symbol.name, forbidden[k]) != 0, "it uses %s(), which changes the process or its output (PL8)", symbol.name);
	}
	host_file_finish(&file);
}

void conform_test_loading_has_no_effect(struct conform *c)
{
	static struct conform_process before;

	conform_proc_need(c);
	conform_process_look(&before);
	if (!dlopen(c->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
		conform_skip(c, "the dynamic linker refuses it: %s", dlerror());
	conform_process_compare_strict(c, &before, "loading the object");
}

typedef const struct ptowsp_plugin *(*entry_fn)(uint32_t host_minor);

static entry_fn entry_find(struct conform *c)
{
	void *handle, *symbol;
	entry_fn entry;

	conform_load(c);
	handle = dlopen(c->plugin->path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	symbol = handle ? dlsym(handle, PTOWSP_ENTRY_NAME) : NULL;
	if (!symbol)
		conform_fail(c, "the entry cannot be found: %s", dlerror());
	memcpy(&entry, &symbol, sizeof(entry));
	snprintf(c->record->operation, sizeof(c->record->operation), "entry");
	return entry;
}

/* The loader has called it once already; the second call must find nothing left to do, and so must a first one in a fresh process: that is looked at here. */
void conform_test_entry_has_no_effect(struct conform *c)
{
	static struct conform_process before, after;
	void *handle = dlopen(c->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	void *symbol = handle ? dlsym(handle, PTOWSP_ENTRY_NAME) : NULL;
	entry_fn entry;

	conform_proc_need(c);
	if (!symbol)
		conform_skip(c, "the dynamic linker refuses it: %s", dlerror());
	memcpy(&entry, &symbol, sizeof(entry));
	snprintf(c->record->operation, sizeof(c->record->operation), "entry");
	conform_maps_look(&before); /* its own memory is touched before it counts */
	conform_process_look(&before);
	conform_maps_look(&before);
	if (!entry(0))
		conform_fail(c, "the entry answered NULL to minor 0: it was not built for 10.0");
	conform_maps_look(&after);
	CONFORM_MUST(c, before.maps == after.maps, "the entry changed the memory map: %u mappings before, %u after (PL1)", before.map_count, after.map_count);
	conform_process_compare_strict(c, &before, "the entry");
	conform_process_look(&after);
	CONFORM_MUST(c, before.allocated == after.allocated, "the entry allocated %lld bytes; it returns static memory (PL1)",
		     (long long)(after.allocated - before.allocated));
}

enum { CALLERS = 8 };

struct caller {
	entry_fn entry;
	const struct ptowsp_plugin *first;
	bool same;
};

static void *caller_run(void *context)
{
	struct caller *caller = context;

	caller->same = true;
	for (int i = 0; i < 1000; i++)
		caller->same = caller->same && caller->entry(0) == caller->first;
	return NULL;
}

void conform_test_entry_always_answers_the_same(struct conform *c)
{
	static const uint32_t minors[] = {0, 1, 2, 9999, 65535, 65536, UINT32_MAX};
	entry_fn entry = entry_find(c);
	const struct ptowsp_plugin *first = entry(PTOWSP_HOST_MINOR);
	struct caller callers[CALLERS];
	pthread_t threads[CALLERS];

	for (size_t i = 0; i < sizeof(minors) / sizeof(*minors); i++)
		CONFORM_MUST(c, entry(minors[i]), "the entry answered NULL to a host of minor %u, and a descriptor to one of minor %d", minors[i],
			     PTOWSP_HOST_MINOR);
	for (int i = 0; i < CALLERS; i++) {
		callers[i] = (struct caller){entry, first, false};
		conform_thread_start(c, &threads[i], caller_run, &callers[i]);
	}
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(threads[i], NULL);
		CONFORM_MUST(c, callers[i].same, "the entry returned another descriptor on another thread");
	}
}

void conform_test_descriptor_says_what_the_note_says(struct conform *c)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	if (!conform_load_try(c, &error)) /* compares them, field by field */
		conform_fail(c, "%s", error.text);
}
