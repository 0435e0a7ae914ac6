/* SPDX-License-Identifier: MIT */
#include "numerics.h"

#include "ptowsp/caps.h"
#include <stdio.h>
#include <string.h>

#define MOST 900u /* bytes of the sentence, which the host cuts behind 1023 */

struct telling {
	char text[1024];
	size_t used;
	uint32_t said, left; /* instructions that stand in it, and for which it had no room */
};

static const char *unit_text(double unit)
{
	return unit == 0x1p-53 ? "2^-53" : "2^-24";
}

static void bound_add(struct telling *t, const struct base_kernel *kernel, const struct isa_bound *bound)
{
	char line[24] = "";

	if (t->used > MOST) {
		t->left++;
		return;
	}
	if (bound->line)
		snprintf(line, sizeof(line), " line %lu", (unsigned long)bound->line);
	t->used += (size_t)snprintf(t->text + t->used, sizeof(t->text) - t->used, "%s %.32s%s %s: k %llu, u %s, %.2g%s", t->said ? ";" : "", kernel->name, line,
				    bound->mnemonic, (unsigned long long)bound->roundings, unit_text(bound->unit), bound->relative,
				    bound->rounded ? ", then rounded once to its type" : "");
	t->said++;
}

void base_numerics_tell(const struct base_kernels *kernels)
{
	const struct ptowsp_host *host = kernels->instance->host;
	struct telling t = {.said = 0};
	struct isa_bound bound;

	if (!kernels->instance->options->fast)
		return;
	t.used = (size_t)snprintf(t.text, sizeof(t.text),
				  "numerics=fast: sums of floats may be fused with their products and reordered, and are off by at most "
				  "k u / (1 - k u) times the sum of |a||b| (of |a| in trowsum):");
	for (uint32_t i = 0; i < kernels->count; i++)
		for (uint32_t inst = 0; kernels->rows[i].isa && !kernels->rows[i].ref.fn && isa_program_bound(kernels->rows[i].isa, &inst, &bound);)
			bound_add(&t, &kernels->rows[i], &bound);
	if (!t.said)
		t.used += (size_t)snprintf(t.text + t.used, sizeof(t.text) - t.used, " there are none in portable kernels of this program");
	if (t.left)
		t.used += (size_t)snprintf(t.text + t.used, sizeof(t.text) - t.used, "; and %lu more", (unsigned long)t.left);
	host->diagnose(host->context, PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), PTOWSP_STATE_DIAGNOSED, t.text, strlen(t.text));
}
