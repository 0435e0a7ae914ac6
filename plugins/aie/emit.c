/* SPDX-License-Identifier: MIT */
#include "aie/emit.h"

#include <stdlib.h>
#include <string.h>

#include "aie/cost.h"
#include "aie/ir_print.h"
#include "base/error.h"

static ptowsp_status give(const struct aie_emit_args *args, const char *path, const char *text, struct ptowsp_error *error)
{
	return text ? args->file(args->context, path, text, strlen(text)) : base_fail(error, PTOWSP_NO_MEMORY, "emit: no memory for %s", path);
}

/* A text of its own, which goes here. */
static ptowsp_status give_made(const struct aie_emit_args *args, const char *path, char *text, struct ptowsp_error *error)
{
	ptowsp_status st = give(args, path, text, error);

	free(text);
	return st;
}

static void say_files(struct aie_text *text, const struct aie_emit_args *args)
{
	aie_text_put(text, "| file | what it is |\n|---|---|\n"
			   "| `design.mlir` | the artifact of record: the module in MLIR's generic form. The simulator reads this text, and nothing else, back and runs it |\n");
	aie_text_add(text, "| `design.custom.mlir` | the same module as people write it, in the syntax of the dialect %s (`--opt epoch=%s`). Printed, not read back |\n",
		     args->epoch_b ? "since August 2026 (epoch B: an acquire gives objects)" : "before August 2026 (epoch A: an acquire gives a view, objects are accessed in it)",
		     args->epoch_b ? "B" : "A");
	aie_text_put(text, "| `design.json` | tiles with what they hold and take of their limits; streams hop by hop, with their bandwidth |\n"
			   "| `array.svg` | a picture of that: open it in a browser, titles of streams stand under the pointer |\n"
			   "| `tiles.txt` | a line per tile: use and limit of memory, channels, buffer descriptors, locks |\n\n");
}

static void say_arguments(struct aie_text *text, const struct aie_emit_args *args)
{
	aie_text_put(text, "Arguments of the runtime sequence:\n\n");
	for (uint32_t i = 0; i < args->design->argument_count; i++) {
		aie_text_add(text, "%u. `", i);
		aie_print_type(text, args->design->arguments[i]);
		aie_text_add(text, "` %s\n", args->arguments[i] ? args->arguments[i] : "(words whose values nobody reads)");
	}
	aie_text_put(text, "\n");
}

static void say_kernels(struct aie_text *text, const struct aie_design *design)
{
	aie_text_put(text, "Functions that cores call and that are only declared; the simulator runs the package's kernels in their place, a device needs an object file with each:\n\n");
	for (uint32_t i = 0; i < design->function_count; i++) {
		if (!design->functions[i].outside)
			continue;
		aie_text_add(text, "- `%s", design->functions[i].name);
		aie_print_signature(text, design->functions[i].type);
		aie_text_put(text, "`\n");
	}
	aie_text_put(text, "\n");
}

static void say_checks(struct aie_text *text, const struct aie_arch *arch, const char *ring)
{
	if (*ring)
		aie_text_add(text, "`%s`. It is legal because a run with bounded buffers came to its end before the design was written, for these values and shapes.\n\n", ring);
	aie_text_add(text, "How much of its %llu bytes of program memory a core takes is not known here: only its compiler says it.\n\n",
		     (unsigned long long)aie_arch_tile(arch, AIE_FIRST_CORE)->limits[AIE_PROGRAM]);
	aie_text_put(text, "What was looked at: the text was read back, and the rules of the dialect that this project knows (`plugins/aie/check.def`) were checked on what was read, "
			   "routes included. Channels, locks and routes in `design.json` are those of this project's allocator and router; the dialect's tools give out their own.\n\n"
			   "What was not run on it: `aie-opt`, `aiecc`, `mlir-opt`, any compiler for cores, any device. Nothing here says that they accept it. "
			   "Times are " AIE_MODEL "'s, not measured.\n\n");
}

static void say_next(struct aie_text *text)
{
	aie_text_put(text, "To go on:\n\n```\n"
			   "sed 's/\"func.call\"/\"aie.call\"/' design.mlir | mlir-opt-22 --allow-unregistered-dialect - -o /dev/null   # syntax, types, SSA; LLVM's tool, which does not know the\n"
			   "                                                                    # dialect and, as it looks for no function from inside a core, refuses each call there: hence sed\n"
			   "aie-opt design.mlir -o /dev/null                                    # the dialect's own reader and rules\n"
			   "aiecc design.mlir                                                   # with an object file per function: xclbin and instructions for a device\n"
			   "ptowsp-run --plugin=aie --opt engine=device PACKAGE                 # all that with the package's kernels as C, and the run, where they are installed: plugins/aie/DEVICE.md\n```\n");
}

static char *readme(const struct aie_emit_args *args)
{
	const struct aie_design *design = args->design;
	struct aie_text text = {0};

	aie_text_add(&text, "# A design for %s\n\n%u of %u cores (%s), %u tiles, %u streams. Made by ptowsp's backend `aie`.\n\n", design->arch->name, design->core_count,
		     design->arch->columns * (design->arch->rows - AIE_FIRST_CORE), design->arch->text, design->tile_count, args->picture->routes->count);
	if (args->picture->grid[0])
		aie_text_add(&text, "The schedule's executors stand on a grid of %u x %u cores.\n\n", args->picture->grid[0],
			     args->picture->grid[1]);
	say_files(&text, args);
	say_arguments(&text, args);
	say_kernels(&text, design);
	say_checks(&text, design->arch, args->ring);
	say_next(&text);
	if (text.failed)
		aie_text_finish(&text);
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
	ptowsp_status st = give(args, "design.mlir", args->text, error);

	if (!st)
		st = give_made(args, "design.custom.mlir", custom(args, error), error);
	if (!st)
		st = give_made(args, "design.json", aie_picture_json(args->picture), error);
	if (!st)
		st = give_made(args, "array.svg", aie_picture_svg(args->picture), error);
	if (!st)
		st = give_made(args, "tiles.txt", aie_channels_report(args->channels, args->design), error);
	return st ? st : give_made(args, "README.md", readme(args), error);
}
