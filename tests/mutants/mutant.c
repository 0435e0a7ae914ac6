/* SPDX-License-Identifier: MIT */
#include "mutant.h"

bool mutant_make(struct mutant *out, const struct subject *subjects, uint32_t count, uint64_t *d)
{
	const struct subject *other;

	*out = (struct mutant){.subject = subject_draw(subjects, count, d)};
	other = subject_draw(subjects, count, d);
	out->is_text = !draw(d, 3);
	if (out->is_text)
		out->bytes = mutate_text(out->subject, other, d, &out->size);
	else if (mutate_sections(out->subject, other, d, &out->bytes, &out->size, NULL))
		out->bytes = NULL;
	return out->bytes != NULL;
}
