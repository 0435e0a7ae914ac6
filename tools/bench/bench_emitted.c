/* SPDX-License-Identifier: MIT */
#include "tools/bench/bench_emitted.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/emit.h"
#include "registry/variable.h"
#include "tools/pack/flags.h"

static bool file_write(const char *folder, const char *name, const char *text, const char *const *lines)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		return false;
	if (text)
		fputs(text, file);
	for (; lines && *lines; lines++)
		fputs(*lines, file);
	return fclose(file) == 0;
}

static bool command_run(const char *format, const char *a, const char *b, const char *c)
{
	char command[2048];

	return snprintf(command, sizeof(command), format, a, b, c) < (int)sizeof(command) && system(command) == 0;
}

static bool sources_write(const char *folder, const char *text)
{
	bool good = file_write(folder, "kernel.c", text, NULL);

	for (const struct isa_text *header = isa_emit_headers; good && header->path; header++) {
		char inside[128];

		snprintf(inside, sizeof(inside), "%.*s", (int)(strrchr(header->path, '/') - header->path), header->path);
		good = command_run("mkdir -p '%s/%s'%s", folder, inside, "") && file_write(folder, header->path, NULL, header->lines);
	}
	return good;
}

/* In a folder of its own, which is gone afterwards. */
static void library_make(struct bench_emitted *native, const char *text)
{
	const char *cc = reg_variable("CC");
	char folder[] = "/tmp/ptowsp-bench-XXXXXX", path[64];

	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof(path), "%s/kernel.so", folder);
	if (sources_write(folder, text) &&
	    command_run("cd '%s' && %s " PACK_NATIVE_FLAGS " -I. kernel.c -o kernel.so -lm%s", folder, cc && *cc ? cc : "cc", ""))
		native->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	command_run("rm -rf '%s'%s%s", folder, "", "");
}

void bench_emitted_make(struct bench_emitted *native, const struct isa_program *program)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char *text = NULL;
	size_t size;

	*native = (struct bench_emitted){.fn = NULL};
	if (isa_emit_workspace(program, &native->workspace_size, &error) ||
	    isa_emit(program, &isa_emit_targets[0], "bench_chain", &text, &size, &error)) {
		fprintf(stderr, "ptowsp-bench kernels: %s\n", error.text);
		return;
	}
	library_make(native, text);
	free(text);
	native->workspace = aligned_alloc(64, native->workspace_size / 64 * 64 + 64);
	if (native->library && native->workspace)
		*(void **)&native->fn = dlsym(native->library, "bench_chain");
	if (!native->fn)
		fprintf(stderr, "ptowsp-bench kernels: no compiler makes native code here\n");
}

void bench_emitted_finish(struct bench_emitted *native)
{
	if (native->library)
		dlclose(native->library);
	free(native->workspace);
}
