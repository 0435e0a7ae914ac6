/* SPDX-License-Identifier: MIT */
/* kernels.c - kernels of somebody's design: from shared objects, or from C that is compiled into one. */
#include "tools/aie/aie.h"

#include "aie/sim/aie_cost.h"
#include "base/command.h"
#include "base/error.h"
#include "tools/scratch.h"
#include "tools/standard.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <ffi.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = PATH_MAX + 32 };
struct aie_kernels {
	struct kernel {
		const char *name, *file;
		char *path; /* of the shared object, owned; NULL: not found */
		void *library;
		void (*call)(void);
		uint64_t cycles; /* of a call, 0: nobody said */
		struct aie_guard guard;
	} * rows;
	uint32_t count;
	uint64_t absent_cycles;
	struct aie_calls calls;
};

/* ---- making --------------------------------------------------------------------------------------------------------- */

static bool is_c(const char *path)
{
	const size_t length = strlen(path);

	return length > 2 && !strcmp(path + length - 2, ".c");
}

/* What the compiler said goes to stderr, where its user expects it. false: it said nothing. */
static bool said_show(const char *path)
{
	char line[400];
	bool any = false;
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file))
		any = fputs(line, stderr) >= 0;
	if (file)
		fclose(file);
	return any;
}

static ptowsp_status compiler_run(const struct kernel *kernel, struct base_command *command, struct ptowsp_error *error)
{
	char said[PATH_BYTES];
	pid_t program;
	int code;

	if (command->full)
		return base_fail(error, PTOWSP_INVALID, "the command that compiles %s is too long; use shorter paths", kernel->file);
	code = scratch_start(command->words, "said", &program);
	code = code ? code : scratch_wait(program);
	if (!code)
		return PTOWSP_OK;
	snprintf(said, sizeof(said), "%s/said", scratch_path());
	if (code == 127)
		return base_fail(error, PTOWSP_NO_DEVICE, "%s, which compiles the kernel %s, cannot be run; install it, or set PTOWSP_CC", command->words[0],
				 kernel->name);
	if (said_show(said))
		return base_fail(error, PTOWSP_NO_DEVICE, "the kernel %s cannot be compiled: %s says above why", kernel->name, command->words[0]);
	return base_fail(error, PTOWSP_NO_DEVICE, "the kernel %s cannot be compiled: %s, which is to do that, ends with %d and says nothing; look at PTOWSP_CC",
			 kernel->name, command->words[0], code);
}

static ptowsp_status compile(const struct kernel *kernel, const char *source, const char *object, struct ptowsp_error *error)
{
	const int folder = (int)(strrchr(source, '/') - source);
	struct base_command command = {.count = 0};
	ptowsp_status status = *scratch_path() ? PTOWSP_OK : scratch_open("ptowsp-aie", error);

	if (status)
		return status;
	base_command_begin(&command, "PTOWSP_CC", "cc");
	base_command_add(&command, "-O2");
	base_command_add(&command, "-fPIC");
	base_command_add(&command, "-shared");
	base_command_add(&command, "-I%.*s", folder, source); /* emitted kernels include by the folder kernels/ */
	base_command_add(&command, "-I%.*s/..", folder, source);
	base_command_add(&command, "-o");
	base_command_add(&command, "%s", object);
	base_command_add(&command, "%s", source);
	base_command_add(&command, "-lm");
	status = compiler_run(kernel, &command, error);
	base_command_finish(&command);
	return status;
}

/* C becomes the object number `number` of the scratch folder. */
static ptowsp_status kernel_make(struct kernel *kernel, uint32_t number, struct ptowsp_error *error)
{
	char object[PATH_BYTES];
	ptowsp_status status;

	kernel->path = realpath(kernel->file, NULL);
	if (!is_c(kernel->file))
		return PTOWSP_OK; /* a library may be one of the system */
	if (!kernel->path)
		return base_fail(error, PTOWSP_IO, "kernel %s: %s cannot be read: %s", kernel->name, kernel->file, strerror(errno));
	snprintf(object, sizeof(object), "kernel_%u.so", number);
	status = compile(kernel, kernel->path, object, error);
	if (status)
		return status;
	snprintf(object, sizeof(object), "%s/kernel_%u.so", scratch_path(), number);
	free(kernel->path);
	kernel->path = strdup(object);
	return kernel->path ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for kernels");
}

/* The cycles that the options give it. INVALID: no number from 1 on. */
static ptowsp_status cycles_take(struct kernel *kernel, const struct flag_pairs *cycles, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < cycles->count; i++) {
		char *stop;

		if (strcmp(cycles->rows[i].name, kernel->name) != 0)
			continue;
		cycles->rows[i].met = true;
		errno = 0;
		kernel->cycles = *cycles->rows[i].value == '-' ? 0 : strtoull(cycles->rows[i].value, &stop, 10);
		if (!kernel->cycles || errno || *stop || kernel->cycles >> 40)
			return base_fail(error, PTOWSP_INVALID, "--cycles %s=%s: a number of cycles from 1 on, below 2^40, is needed", kernel->name,
					 cycles->rows[i].value);
	}
	return PTOWSP_OK;
}

/* INVALID: cycles of what no --kernel names. */
static ptowsp_status cycles_check(const struct flag_pairs *cycles, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < cycles->count; i++)
		if (!cycles->rows[i].met)
			return base_fail(error, PTOWSP_INVALID, "--cycles %s: no --kernel names it; --no-kernels=CYCLES says what absent ones take",
					 cycles->rows[i].name);
	return PTOWSP_OK;
}

ptowsp_status aie_kernels_make(struct aie_kernels **kernels_out, const struct aie_options *options, struct ptowsp_error *error)
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
	for (uint32_t i = 0; !status && i < options->kernels.count; i++) {
		kernels->rows[kernels->count++] = (struct kernel){.name = options->kernels.rows[i].name, .file = options->kernels.rows[i].value};
		status = cycles_take(&kernels->rows[i], &options->cycles, error);
		if (!status)
			status = kernel_make(&kernels->rows[i], i, error);
	}
	if (!status)
		status = cycles_check(&options->cycles, error);
	*kernels_out = kernels;
	return status;
}

void aie_kernels_close(struct aie_kernels *kernels)
{
	for (uint32_t i = 0; kernels && i < kernels->count; i++) {
		if (kernels->rows[i].library)
			dlclose(kernels->rows[i].library);
		aie_guard_finish(&kernels->rows[i].guard);
		free(kernels->rows[i].path);
	}
	if (kernels)
		free(kernels->rows);
	free(kernels);
}

/* ---- loading -------------------------------------------------------------------------------------------------------- */

/* Whether it is code, which a variable of that name is not. */
static bool is_function(const void *address)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	return !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT;
}

static ptowsp_status library_refuse(const struct kernel *kernel, const char *why, struct ptowsp_error *error)
{
	char begin[SELFMAG] = "";
	FILE *file = kernel->path ? fopen(kernel->path, "rb") : NULL;
	const bool is_other = file && (fread(begin, 1, SELFMAG, file) < SELFMAG || memcmp(begin, ELFMAG, SELFMAG) != 0);

	if (file)
		fclose(file);
	if (!is_other) /* dlerror begins with the path, which may be that of an object of the scratch folder */
		return base_fail(error, PTOWSP_IO, "kernel %s: %s cannot be loaded: %s", kernel->name, kernel->file,
				 strstr(why, ": ") ? strstr(why, ": ") + 2 : why);
	return base_fail(
		error, PTOWSP_INVALID,
		"kernel %s: %s is neither C (FILE.c) nor a shared object; make one of it, of C++ by c++ -shared -fPIC with extern \"C\" before the function",
		kernel->name, kernel->file);
}

static ptowsp_status kernel_open(struct kernel *kernel, struct ptowsp_error *error)
{
	void *address;

	aie_child_does(AIE_IS_LOADING, kernel->name, kernel->file);
	standard_lend();
	kernel->library = dlopen(kernel->path ? kernel->path : kernel->file, RTLD_NOW | RTLD_LOCAL);
	standard_take_back();
	if (!kernel->library)
		return library_refuse(kernel, dlerror(), error);
	address = dlsym(kernel->library, kernel->name);
	if (!address)
		return base_fail(error, PTOWSP_INVALID, "%s has no function %s; in C++ it has to be extern \"C\"", kernel->file, kernel->name);
	if (!is_function(address))
		return base_fail(error, PTOWSP_INVALID, "kernel %s: in %s that is a variable, no function", kernel->name, kernel->file);
	*(void **)(void *)&kernel->call = address;
	return PTOWSP_OK;
}

static void faults_take(void);

ptowsp_status aie_kernels_open(struct aie_kernels *kernels, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < kernels->count; i++)
		status = kernel_open(&kernels->rows[i], error);
	if (kernels->count)
		faults_take();
	return status;
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

/* Cycles of the core for what the host's processor did: as somebody said, or all arguments once as vectors by the model. */
static uint64_t cycles_of(const struct kernel *kernel, const struct aie_function *function)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < function->type->inputs; i++)
		if (function->type->parts[i]->kind == AIE_TYPE_MEMREF)
			bytes += aie_type_bytes(function->type->parts[i]);
	return kernel->cycles ? kernel->cycles : aie_cost_call(aie_cost_vector(bytes, 0, 0, 0));
}

/* The kernel that runs, for a handler of signals. */
static const struct kernel *volatile running;

/* Says where the fault was; behind it the signal comes again, and ends the process. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	struct aie_touch touch;

	(void)number;
	(void)context;
	if (running && aie_guard_find(&running->guard, info->si_addr, &touch))
		aie_child_touches(&touch);
}

/* On a stack of its own, for a kernel that has used up the other. */
static void faults_take(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS};
	static char stack[65536];
	struct sigaction action = {.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESETHAND};

	action.sa_sigaction = on_fault;
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

/* What it prints is not what this tool says, and goes to stderr. */
static void foreign_call(const struct kernel *kernel, ffi_cif *cif, void *result, void **values)
{
	running = kernel;
	aie_child_does(AIE_IS_CALLING, kernel->name, kernel->file);
	standard_lend();
	ffi_call(cif, kernel->call, result, values);
	standard_take_back();
	aie_child_does(AIE_IS_RUNNING, NULL, NULL);
	running = NULL;
}

static ptowsp_status kernel_do(struct kernel *kernel, const struct aie_sim_call *call, struct ptowsp_error *error)
{
	const struct aie_type *type = call->function->type;
	ffi_type *types[AIE_GUARD_ARGUMENTS];
	void *values[AIE_GUARD_ARGUMENTS], *pointers[AIE_GUARD_ARGUMENTS];
	uint64_t scalars[AIE_GUARD_ARGUMENTS], result[2] = {0}; /* libffi widens what is smaller than a register */
	ffi_type *given = &ffi_type_void;
	ptowsp_status status;
	ffi_cif cif;

	if (type->inputs > AIE_GUARD_ARGUMENTS)
		return base_fail(error, PTOWSP_UNSUPPORTED, "kernel @%s takes more than %d arguments", kernel->name, AIE_GUARD_ARGUMENTS);
	for (uint32_t i = 0; i < type->inputs; i++) {
		types[i] = ffi_of(type->parts[i]);
		if (!types[i])
			return base_fail(error, PTOWSP_UNSUPPORTED, "argument %u of kernel @%s is of a type that C has no counterpart of here", i,
					 kernel->name);
		scalars[i] = call->scalars[i];
		values[i] = type->parts[i]->kind == AIE_TYPE_MEMREF ? (void *)&pointers[i] : (void *)&scalars[i];
	}
	if (type->part_count > type->inputs)
		given = type->part_count == type->inputs + 1 ? ffi_of(type->parts[type->inputs]) : NULL;
	if (!given || ffi_prep_cif(&cif, FFI_DEFAULT_ABI, type->inputs, given, types) != FFI_OK)
		return base_fail(error, PTOWSP_UNSUPPORTED, "kernel @%s cannot be called here: C gives one number or none", kernel->name);
	status = aie_guard_lend(&kernel->guard, call, pointers, error);
	if (status)
		return status;
	foreign_call(kernel, &cif, result, values);
	if (type->part_count > type->inputs)
		memcpy(call->results, result, sizeof(uint64_t));
	return aie_guard_take(&kernel->guard, kernel->name, error);
}

static ptowsp_status on_call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct aie_kernels *kernels = context;

	kernels->calls.all++;
	for (uint32_t i = 0; i < kernels->count; i++)
		if (!strcmp(kernels->rows[i].name, call->function->name)) {
			kernels->calls.guessed += !kernels->rows[i].cycles;
			*cycles_out = cycles_of(&kernels->rows[i], call->function);
			return kernel_do(&kernels->rows[i], call, error);
		}
	kernels->calls.absent++;
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

struct aie_calls aie_kernels_counts(const struct aie_kernels *kernels)
{
	return kernels->calls;
}
