/* SPDX-License-Identifier: MIT */
/* kernels.c - kernels of somebody's design: from shared objects, or from C that is compiled into one. */
#include "tools/aie/aie.h"

#include "aie/sim/aie_cost.h"
#include "base/command.h"
#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <ffi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 64, PATH_BYTES = 128 };
struct aie_kernels {
	struct kernel {
		const char *name, *file;
		char stem[80]; /* of the files that it is compiled to; "": it is none */
		void *library;
		void (*call)(void);
		uint64_t cycles; /* of a call, 0: nobody said */
		bool called;
	} * rows;
	int count;
	uint64_t absent_cycles, calls, absent;
	char folder[32]; /* of compiled ones; "": none */
	bool refused;    /* by the compiler, whose words stay there */
};

/* ---- opening -------------------------------------------------------------------------------------------------------- */

static bool is_c(const char *path)
{
	const size_t length = strlen(path);

	return length > 2 && !strcmp(path + length - 2, ".c");
}

static ptowsp_status folder_make(struct aie_kernels *kernels, struct ptowsp_error *error)
{
	if (*kernels->folder)
		return PTOWSP_OK;
	strcpy(kernels->folder, "/tmp/ptowsp-aie-XXXXXX");
	if (mkdtemp(kernels->folder))
		return PTOWSP_OK;
	*kernels->folder = '\0';
	return base_fail(error, PTOWSP_IO, "no folder for compiled kernels can be made in /tmp");
}

/* As the user calls it, where that is a name of a file, too. */
static void stem_make(struct kernel *kernel, int number)
{
	const bool plain = strspn(kernel->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(kernel->name);

	if (plain && strlen(kernel->name) < sizeof(kernel->stem) - sizeof("kernel "))
		snprintf(kernel->stem, sizeof(kernel->stem), "kernel %s", kernel->name);
	else
		snprintf(kernel->stem, sizeof(kernel->stem), "kernel %d of the command line", number + 1);
}

static ptowsp_status compile(struct aie_kernels *kernels, int number, const char *file, char path[PATH_BYTES], struct ptowsp_error *error)
{
	struct base_command command = {.count = 0};
	ptowsp_status status = folder_make(kernels, error);
	struct kernel *kernel = &kernels->rows[number];
	char *whole = realpath(file, NULL);

	if (!status && !whole)
		status = base_fail(error, PTOWSP_IO, "kernel %s: %s cannot be read", kernels->rows[number].name, file);
	if (!status) {
		stem_make(kernel, number);
		snprintf(path, PATH_BYTES, "%s/%s.so", kernels->folder, kernel->stem);
		base_command_begin(&command, "PTOWSP_CC", "cc");
		base_command_add(&command, "-O2");
		base_command_add(&command, "-fPIC");
		base_command_add(&command, "-shared");
		base_command_add(&command, "-I%.*s", (int)(strrchr(whole, '/') - whole), whole); /* emitted kernels include by the folder kernels/ */
		base_command_add(&command, "-I%.*s/..", (int)(strrchr(whole, '/') - whole), whole);
		base_command_add(&command, "-o");
		base_command_add(&command, "%s", path);
		base_command_add(&command, "%s", whole);
		base_command_add(&command, "-lm");
		status = base_command_compile(&command, kernels->folder, kernel->stem, "", error);
		base_command_finish(&command);
		kernels->refused = status != PTOWSP_OK;
	}
	free(whole);
	return status;
}

static ptowsp_status kernel_open(struct aie_kernels *kernels, int number, struct ptowsp_error *error)
{
	struct kernel *kernel = &kernels->rows[number];
	char path[PATH_BYTES];
	char *whole;
	ptowsp_status status = PTOWSP_OK;

	if (is_c(kernel->file)) {
		status = compile(kernels, number, kernel->file, path, error);
		kernel->library = status ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
	} else {
		whole = realpath(kernel->file, NULL);
		kernel->library = dlopen(whole ? whole : kernel->file, RTLD_NOW | RTLD_LOCAL);
		free(whole);
	}
	if (status)
		return status;
	if (!kernel->library)
		return base_fail(error, PTOWSP_IO, "kernel %s: %s", kernel->name, dlerror());
	*(void **)(void *)&kernel->call = dlsym(kernel->library, kernel->name);
	return kernel->call ? PTOWSP_OK
			    : base_fail(error, PTOWSP_INVALID, "%s has no function %s; in C++ it has to be extern \"C\"", kernel->file, kernel->name);
}

/* The cycles that the options give it. INVALID: no number from 1 on. */
static ptowsp_status cycles_take(struct kernel *kernel, const struct aie_pairs *cycles, struct ptowsp_error *error)
{
	for (int i = 0; i < cycles->count; i++) {
		char *stop;

		if (strcmp(cycles->rows[i].name, kernel->name) != 0)
			continue;
		cycles->rows[i].met = true;
		errno = 0;
		kernel->cycles = *cycles->rows[i].file == '-' ? 0 : strtoull(cycles->rows[i].file, &stop, 10);
		if (!kernel->cycles || errno || *stop || kernel->cycles >> 40)
			return base_fail(error, PTOWSP_INVALID, "--cycles %s=%s: a number of cycles from 1 on, below 2^40, is needed", kernel->name,
					 cycles->rows[i].file);
	}
	return PTOWSP_OK;
}

/* INVALID: cycles of what no --kernel names. */
static ptowsp_status cycles_check(const struct aie_pairs *cycles, struct ptowsp_error *error)
{
	for (int i = 0; i < cycles->count; i++)
		if (!cycles->rows[i].met)
			return base_fail(error, PTOWSP_INVALID, "--cycles %s: no --kernel names it; --no-kernels=CYCLES says what absent ones take",
					 cycles->rows[i].name);
	return PTOWSP_OK;
}

ptowsp_status aie_kernels_open(struct aie_kernels **kernels_out, const struct aie_options *options, struct ptowsp_error *error)
{
	struct aie_kernels *kernels = calloc(1, sizeof(*kernels));
	ptowsp_status status = PTOWSP_OK;

	if (kernels)
		kernels->rows = calloc((size_t)options->kernels.count + 1, sizeof(*kernels->rows));
	if (!kernels || !kernels->rows) {
		free(kernels);
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for kernels");
	}
	kernels->absent_cycles = options->no_kernels;
	for (int i = 0; !status && i < options->kernels.count; i++) {
		kernels->rows[kernels->count++] = (struct kernel){.name = options->kernels.rows[i].name, .file = options->kernels.rows[i].file};
		status = cycles_take(&kernels->rows[i], &options->cycles, error);
		if (!status)
			status = kernel_open(kernels, i, error);
	}
	if (!status)
		status = cycles_check(&options->cycles, error);
	if (status)
		aie_kernels_close(kernels);
	else
		*kernels_out = kernels;
	return status;
}

void aie_kernels_close(struct aie_kernels *kernels)
{
	char path[PATH_BYTES];

	if (!kernels)
		return;
	for (int i = 0; i < kernels->count; i++)
		if (kernels->rows[i].library)
			dlclose(kernels->rows[i].library);
	for (int i = 0; *kernels->folder && i < kernels->count; i++) {
		snprintf(path, sizeof(path), "%s/%s.so", kernels->folder, kernels->rows[i].stem);
		unlink(path);
		snprintf(path, sizeof(path), "%s/%s.log", kernels->folder, kernels->rows[i].stem);
		if (!kernels->refused)
			unlink(path);
	}
	if (*kernels->folder && !kernels->refused)
		rmdir(kernels->folder);
	free(kernels->rows);
	free(kernels);
}

/* ---- calling -------------------------------------------------------------------------------------------------------- */

static ffi_type *ffi_of(const struct aie_type *type)
{
	switch (type->kind) {
	case AIE_TYPE_MEMREF: return &ffi_type_pointer;
	case AIE_TYPE_INDEX: return &ffi_type_sint32; /* of a core */
	case AIE_TYPE_INT:
		return type->bits <= 8 ? &ffi_type_sint8 : type->bits <= 16 ? &ffi_type_sint16 : type->bits <= 32 ? &ffi_type_sint32 : &ffi_type_sint64;
	case AIE_TYPE_F32: return &ffi_type_float;
	case AIE_TYPE_BF16:
	case AIE_TYPE_F16: return &ffi_type_uint16;
	default: return NULL;
	}
}

/* What the core takes for what the host's processor did: as somebody said, or all arguments once as vectors by the model. */
static uint64_t cycles_of(const struct kernel *kernel, const struct aie_function *function)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < function->type->inputs; i++)
		if (function->type->parts[i]->kind == AIE_TYPE_MEMREF)
			bytes += aie_type_bytes(function->type->parts[i]);
	return kernel->cycles ? kernel->cycles : aie_cost_call(aie_cost_vector(bytes, 0, 0, 0));
}

/* The kernel that runs: what a handler of signals reads. */
static const char *volatile running;

/* Memory of the array is as it was in the middle of a call, so that nothing can go on. */
static void on_fault(int number)
{
	char text[160];
	const int length = snprintf(text, sizeof(text), "ptowsp-aie: kernel %.80s ended with signal %d; its arguments have the sizes that the design says\n",
				    running, number);

	if (write(STDERR_FILENO, text, (size_t)length) == length)
		_exit(1);
	_exit(2);
}

/* Of what a kernel does wrong; on a stack of its own, for one that has used up the other. */
static void faults_take(void (*handler)(int))
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	static char stack[65536];
	struct sigaction action = {.sa_flags = SA_ONSTACK};

	action.sa_handler = handler;
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

static ptowsp_status kernel_do(const struct kernel *kernel, const struct aie_sim_call *call, struct ptowsp_error *error)
{
	const struct aie_type *type = call->function->type;
	ffi_type *types[ARGUMENTS];
	void *values[ARGUMENTS], *pointers[ARGUMENTS];
	uint64_t scalars[ARGUMENTS], result[2] = {0}; /* libffi widens what is smaller than a register */
	ffi_type *given = &ffi_type_void;
	ffi_cif cif;

	if (type->inputs > ARGUMENTS)
		return base_fail(error, PTOWSP_UNSUPPORTED, "kernel @%s takes more than %d arguments", kernel->name, ARGUMENTS);
	for (uint32_t i = 0; i < type->inputs; i++) {
		types[i] = ffi_of(type->parts[i]);
		if (!types[i])
			return base_fail(error, PTOWSP_UNSUPPORTED, "argument %u of kernel @%s is of a type that C has no counterpart of here", i,
					 kernel->name);
		pointers[i] = call->memrefs[i];
		scalars[i] = call->scalars[i];
		values[i] = type->parts[i]->kind == AIE_TYPE_MEMREF ? (void *)&pointers[i] : (void *)&scalars[i];
	}
	if (type->part_count > type->inputs)
		given = type->part_count == type->inputs + 1 ? ffi_of(type->parts[type->inputs]) : NULL;
	if (!given || ffi_prep_cif(&cif, FFI_DEFAULT_ABI, type->inputs, given, types) != FFI_OK)
		return base_fail(error, PTOWSP_UNSUPPORTED, "kernel @%s cannot be called here: C gives one number or none", kernel->name);
	running = kernel->name;
	faults_take(on_fault);
	ffi_call(&cif, kernel->call, result, values);
	faults_take(SIG_DFL);
	if (type->part_count > type->inputs)
		memcpy(call->results, result, sizeof(uint64_t));
	return PTOWSP_OK;
}

static ptowsp_status on_call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct aie_kernels *kernels = context;

	kernels->calls++;
	for (int i = 0; i < kernels->count; i++)
		if (!strcmp(kernels->rows[i].name, call->function->name)) {
			kernels->rows[i].called = true;
			*cycles_out = cycles_of(&kernels->rows[i], call->function);
			return kernel_do(&kernels->rows[i], call, error);
		}
	kernels->absent++;
	*cycles_out = kernels->absent_cycles;
	if (kernels->absent_cycles)
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_UNSUPPORTED, "kernel @%s is not there; name it with --kernel %s=FILE.so or FILE.c, or say --no-kernels",
			 call->function->name, call->function->name);
}

struct aie_sim_kernels aie_kernels_table(struct aie_kernels *kernels)
{
	return (struct aie_sim_kernels){.context = kernels, .call = on_call};
}

void aie_kernels_counts(const struct aie_kernels *kernels, uint64_t *calls_out, uint64_t *absent_out)
{
	*calls_out = kernels->calls;
	*absent_out = kernels->absent;
}
