/* SPDX-License-Identifier: MIT */
#include "tests/aie/aie_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/sim/aie_cost.h"
#include "ptowsp/ids.h"
#include "tests/check.h"

/* y [32] = x [32] times w [16], again and again, times a factor. */
static ptowsp_status weigh(void *const *memrefs, const uint64_t *scalars, uint64_t *cycles_out)
{
	const uint32_t *x = memrefs[0], *w = memrefs[1];
	uint32_t *y = memrefs[2];

	for (int i = 0; i < 32; i++)
		y[i] = x[i] * w[i % 16] * (uint32_t)scalars[3];
	*cycles_out = aie_cost_call(aie_cost_vector(192, 128, 0, 0));
	return PTOWSP_OK;
}

ptowsp_status aie_trial_kernel(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct aie_function *function = call->function;
	const struct aie_type *const *types = function->type->parts;
	const int16_t *a = call->memrefs[0], *b = call->memrefs[1];
	int32_t *c = call->memrefs[2];

	if (!strcmp(function->name, "weigh"))
		return weigh(call->memrefs, call->scalars, cycles_out);
	if (strcmp(function->name, "mm_i16_i32")) {
		snprintf(error->text, sizeof(error->text), "no model for kernel %s", function->name);
		return PTOWSP_UNSUPPORTED;
	}
	for (int64_t i = 0; i < types[0]->dims[0]; i++)
		for (int64_t j = 0; j < types[1]->dims[1]; j++) {
			uint32_t sum = 0;

			for (int64_t k = 0; k < types[0]->dims[1]; k++)
				sum += (uint32_t)(a[i * types[0]->dims[1] + k] * b[k * types[1]->dims[1] + j]);
			c[i * types[1]->dims[1] + j] = (int32_t)sum;
		}
	*cycles_out =
		aie_cost_call(aie_cost_matmul(context, PTOWSP_I16, (uint64_t)types[0]->dims[0], (uint64_t)types[0]->dims[1], (uint64_t)types[1]->dims[1]));
	return PTOWSP_OK;
}

ptowsp_status aie_trial_run(const char *text, void *const *arguments, uint32_t buffering, struct aie_sim_stats *stats, struct ptowsp_error *error)
{
	struct aie_whole whole;
	ptowsp_status status;

	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR)};
	status = aie_whole_read(&whole, text, error);
	if (!status) {
		const struct aie_arch *arch = whole.design.arch;
		union {
			const struct aie_arch *arch;
			void *context;
		} same = {arch};
		const struct aie_sim_args args = {.design = &whole.design,
						  .routes = &whole.routes,
						  .arguments = arguments,
						  .buffering = buffering,
						  .kernels = {.context = same.context, .call = aie_trial_kernel}};

		status = aie_sim_run(&args, stats, error);
	}
	aie_whole_finish(&whole);
	return status;
}

const struct aie_sim_agent *aie_trial_agent(const struct aie_sim_stats *stats, const char *name)
{
	for (uint32_t i = 0; i < stats->agent_count; i++)
		if (!strcmp(stats->agents[i].name, name))
			return &stats->agents[i];
	CHECK_FAIL("no agent %s", name);
	return &stats->agents[0];
}

/* ---- own designs -------------------------------------------------------------------------------------------------- */

void aie_trial_device(struct written *t)
{
	written_begin(t);
	written_add(t, "\"builtin.module\"() ({\n\"aie.device\"() ({\n");
}

void aie_trial_device_end(struct written *t, int device)
{
	written_add(
		t, "}) {sym_name = \"sequence\"} : () -> ()\n\"aie.end\"() : () -> ()\n}) {device = %d : i32, sym_name = \"main\"} : () -> ()\n}) : () -> ()\n",
		device);
}

void aie_trial_core(struct written *t, int column, int row, long turns)
{
	written_add(t,
		    "%%core%d_%d = \"aie.core\"(%%t%d_%d) ({\n%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%turns = arith.constant %ld : "
		    "index\n"
		    "scf.for %%turn = %%c0 to %%turns step %%c1 {\n",
		    column, row, column, row, turns);
}

void aie_trial_core_end(struct written *t)
{
	written_add(t, "}\n\"aie.end\"() : () -> ()\n}) {stack_size = 1024 : i32} : (index) -> index\n");
}

void aie_trial_words(struct written *t, int words, const char *x, const char *y, const char *memref, int a, int b)
{
	written_add(t,
		    "%%n = arith.constant %d : index\n%%a = arith.constant %d : i32\n%%b = arith.constant %d : i32\nscf.for %%j = %%c0 to %%n step %%c1 {\n"
		    "%%v = memref.load %s[%%j] : %s\n%%w = arith.muli %%v, %%a : i32\n%%u = arith.addi %%w, %%b : i32\nmemref.store %%u, %s[%%j] : %s\n}\n",
		    words, a, b, x, memref, y, memref);
}

char *aie_trial_host(bool sound, const char *words)
{
	struct written t;
	const char *memref = check_fmt("memref<%sxi32>", words);
	const long count = 4 * atol(words);

	aie_trial_device(&t);
	written_tile(&t, 0, 0);
	written_tile(&t, 0, 2);
	written_fifo(&t, "in", "%t0_0", "%t0_2", 1, "2 : i32", memref, false);
	written_fifo(&t, "out", "%t0_2", "%t0_0", 1, "2 : i32", memref, false);
	aie_trial_core(&t, 0, 2, INT32_MAX);
	written_acquire(&t, "%x", "in", 1, memref);
	written_acquire(&t, "%y", "out", 0, memref);
	aie_trial_words(&t, atoi(words), "%x", "%y", memref, 3, 1);
	written_release(&t, "in", 1);
	written_release(&t, "out", 0);
	aie_trial_core_end(&t);
	written_add(&t, "\"aie.runtime_sequence\"() ({\n^bb0(%%p0: memref<%ldxi32>, %%p1: memref<%ldxi32>):\n", count, count);
	memref = check_fmt("memref<%ldxi32>", count);
	written_task(&t, 1, 1, "out", 0, count, memref, true);
	if (!sound)
		written_wait(&t, "out");
	written_task(&t, 0, 0, "in", 0, count, memref, false);
	if (sound)
		written_wait(&t, "out");
	aie_trial_device_end(&t, 4);
	return t.text;
}
