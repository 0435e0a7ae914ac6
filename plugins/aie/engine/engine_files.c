/* SPDX-License-Identifier: MIT */
#include "aie/engine/aie_engine_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/ir/ir_print.h"
#include "aie/sim/aie_cost.h"
#include "base/error.h"

static ptowsp_status give(const struct aie_emit_args *args, const char *path, const char *text, struct ptowsp_error *error)
{
	return text ? args->file(args->context, path, text, strlen(text)) : base_fail(error, PTOWSP_NO_MEMORY, "emit: no memory for %s", path);
}

/* A text of its own, which goes here. */
static ptowsp_status give_made(const struct aie_emit_args *args, const char *path, char *text, struct ptowsp_error *error)
{
	ptowsp_status status = give(args, path, text, error);

	free(text);
	return status;
}

/* Each kernel and what it includes. */
static ptowsp_status give_kernels(const struct aie_emit_args *args)
{
	char path[AIE_FILE_NAME + 16];
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t f = 0; !status && f < args->files->count; f++) {
		const struct aie_file *file = &args->files->files[f];

		snprintf(path, sizeof(path), "kernels/%s", file->name);
		status = args->file(args->context, path, file->text, file->size);
	}
	return status;
}

static void say_files(struct common_text *text, const struct aie_emit_args *args)
{
	common_text_put(text, "| file | what it is |\n|---|---|\n"
			      "| `design.mlir` | the artifact of record: the module in MLIR's generic form. The simulator reads this text, and nothing else, "
			      "back and runs it |\n");
	common_text_add(
		text,
		"| `design.custom.mlir` | the same module as people write it, in the syntax of the dialect %s (`--opt epoch=%s`). Printed, not read back |\n",
		args->epoch_b ? "since August 2026 (epoch B: an acquire gives objects)"
			      : "before August 2026 (epoch A: an acquire gives a view, objects are accessed in it)",
		args->epoch_b ? "B" : "A");
	common_text_put(text, "| `design.json` | tiles with what they hold and take of their limits; streams hop by hop, with their bandwidth |\n"
			      "| `build.sh` | compiles it: `sh build.sh PEANO AIECC` leaves `aie.xclbin`, `insts.bin` and `cores` here |\n"
			      "| `array.svg` | a picture of that: open it in a browser, titles of streams stand under the pointer |\n"
			      "| `tiles.txt` | a line per tile: use and limit of memory, channels, buffer descriptors, locks |\n");
	if (args->files->kernel_count)
		common_text_add(text, "| `kernels` | %u kernels as C, a file each, with the headers that they include |\n", args->files->kernel_count);
	if (args->files->object_count)
		common_text_add(text, "| `kernels/*.o` | %u objects of the package or of `--opt objects`, as they were |\n", args->files->object_count);
	common_text_put(text, "\n");
}

static void say_arguments(struct common_text *text, const struct aie_emit_args *args)
{
	common_text_put(text, "Arguments of the runtime sequence:\n\n");
	for (uint32_t i = 0; i < args->design->argument_count; i++) {
		common_text_add(text, "%u. `", i);
		aie_print_type(text, args->design->arguments[i]);
		common_text_add(text, "` %s\n", args->arguments[i] ? args->arguments[i] : "(words whose values nobody reads)");
	}
	common_text_put(text, "\n");
}

static bool calls_any(const struct aie_design *design)
{
	for (uint32_t i = 0; i < design->function_count; i++)
		if (design->functions[i].outside)
			return true;
	return false;
}

static void say_kernels(struct common_text *text, const struct aie_emit_args *args)
{
	const struct aie_design *design = args->design;

	if (!calls_any(design))
		return;
	common_text_put(text, "Functions that cores call, and the object file that each is linked with. The simulator computes them by the package's kernels; "
			      "a device needs the objects, of the sources in "
			      "`kernels/` (C that gives the same bits; of a kernel that has no portable code there is none):\n\n");
	for (uint32_t i = 0; i < design->function_count; i++) {
		const struct aie_attr *object = aie_attr_of(design->functions[i].op, "link_with");

		if (!design->functions[i].outside)
			continue;
		common_text_add(text, "- `%s", design->functions[i].name);
		aie_print_signature(text, design->functions[i].type);
		common_text_add(text, "`: `%s`\n", object && object->kind == AIE_ATTR_STRING ? object->text : "");
	}
	common_text_put(text, "\n");
}

static void say_checks(struct common_text *text, const struct aie_arch *arch, const char *ring)
{
	if (*ring)
		common_text_add(
			text,
			"`%s`. It is legal because a run with bounded buffers came to its end before the design was written, for these values and shapes.\n\n",
			ring);
	common_text_add(text, "How much of its %llu bytes of program memory a core takes is not known here: only its compiler says it.\n\n",
			(unsigned long long)aie_arch_tile(arch, AIE_FIRST_CORE)->limits[AIE_PROGRAM]);
	common_text_put(text,
			"What was looked at: the text was read back, and the rules of the dialect that this project knows (`plugins/aie/design/aie_check.def`) "
			"were checked on what was read, "
			"routes included. Channels, locks and routes in `design.json` are those of this project's allocator and router; the dialect's tools "
			"give out their own.\n\n"
			"What was not run on it: `aie-opt`, `aiecc`, `mlir-opt`, any compiler for cores, any device. Nothing here says that they accept it. "
			"Times are " AIE_MODEL "'s, not measured.\n\n");
}

static void say_next(struct common_text *text, const struct aie_emit_args *args)
{
	const bool calls = calls_any(args->design);

	common_text_put(text, "To go on:\n\n```\n");
	if (calls)
		common_text_put(text, "sed 's/\"func.call\"/\"aie.call\"/' design.mlir | mlir-opt-22 --allow-unregistered-dialect - -o /dev/null   # syntax, "
				      "types, SSA; LLVM's tool, which does not know the\n"
				      "                                                                    # dialect and, as it looks for no function from "
				      "inside a core, refuses each call there: hence sed\n");
	else
		common_text_put(text, "mlir-opt-22 --allow-unregistered-dialect design.mlir -o /dev/null   # syntax, types, SSA; LLVM's tool, which does not "
				      "know the dialect\n");
	common_text_put(text, "aie-opt design.mlir -o /dev/null                                    # the dialect's own reader and rules\n");
	common_text_put(text,
			"sh build.sh PEANO AIECC                                             # kernels by Peano, the rest by aiecc: xclbin and instructions "
			"for a device\n");
	if (args->files->kernel_count)
		common_text_put(text, "for k in kernels/*.c; do clang --target=riscv32 -march=rv32im -mabi=ilp32 -std=gnu11 -Os -DNDEBUG -Ikernels -idirafter "
				      "kernels/bare -c $k; "
				      "done\n"
				      "                                                                    # to see that they compile, by any clang\n");
	common_text_put(text, "ptowsp-run --plugin=aie --opt engine=device PACKAGE                 # all that, and the run, where the tools are installed: "
			      "plugins/aie/DEVICE.md\n```\n");
}

static char *readme(const struct aie_emit_args *args)
{
	const struct aie_design *design = args->design;
	struct common_text text = {0};

	common_text_add(&text, "# A design for %s\n\n%u of %u cores (%s), %u tiles, %u streams. Made by ptowsp's backend `aie`.\n\n", design->arch->name,
			design->core_count, design->arch->columns * (design->arch->rows - AIE_FIRST_CORE), design->arch->text, design->tile_count,
			args->picture->routes->count);
	if (args->picture->grid[0])
		common_text_add(&text, "The schedule's executors stand on a grid of %u x %u cores.\n\n", args->picture->grid[0], args->picture->grid[1]);
	say_files(&text, args);
	say_arguments(&text, args);
	say_kernels(&text, args);
	say_checks(&text, design->arch, args->ring);
	say_next(&text, args);
	if (text.failed)
		common_text_finish(&text);
	return text.bytes;
}

/* As people write it; NULL: no memory. */
static char *custom(const struct aie_emit_args *args, struct ptowsp_error *error)
{
	char *text = NULL;

	return aie_module_print(args->module, args->epoch_b ? AIE_FORM_EPOCH_B : AIE_FORM_EPOCH_A, &text, error) ? NULL : text;
}

ptowsp_status aie_emit(const struct aie_emit_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = give(args, "design.mlir", args->text, error);

	if (!status)
		status = give_made(args, "design.custom.mlir", custom(args, error), error);
	if (!status)
		status = give_made(args, "design.json", aie_picture_json(args->picture), error);
	if (!status)
		status = give_made(args, "array.svg", aie_picture_svg(args->picture), error);
	if (!status)
		status = give_made(args, "tiles.txt", aie_channels_report(args->channels, args->design), error);
	if (!status)
		status = give_kernels(args);
	return status ? status : give_made(args, "README.md", readme(args), error);
}
