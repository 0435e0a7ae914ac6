/* SPDX-License-Identifier: MIT */
/* test_packages.c - packages of all sorts, whole and damaged: loaded or refused, never a fault (PL4). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_hash.h"
#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

void conform_test_every_package_is_loaded_or_refused(struct conform *c)
{
	struct conform_program p;
	char name[64];
	uint32_t loaded = 0;

	conform_open(c, 1);
	conform_smallest(c, &p);
	conform_ok(c, conform_program_load(c, c->device, &p), "load of the smallest package");
	conform_program_unload(c, &p);
	for (uint32_t i = 0; conform_program_at(c, i, name); i++) {
		if (!conform_program_find(c, &p, name))
			continue;
		if (!conform_program_load(c, c->device, &p))
			loaded++;
		conform_program_unload(c, &p);
		ptowsp_plan_destroy(p.plan);
		free(p.values), free(p.memory);
	}
	conform_close(c);
}

/* ---- damage ----------------------------------------------------------------------------------------------------- */

uint32_t conform_subjects_find(struct conform *c, struct conform_program programs[CONFORM_SUBJECTS])
{
	uint32_t count = 1;
	char name[64];

	conform_smallest(c, &programs[0]);
	conform_match_begin(c);
	for (uint32_t i = 0; count < CONFORM_SUBJECTS && conform_program_at(c, i, name); i++)
		if (strcmp(name, "tasks:long") != 0 && conform_program_find(c, &programs[count], name) && conform_program_fits(c, &programs[count]))
			count++;
	conform_match_end(c);
	return count;
}

/* One change: a bit, a byte, a word, a copy of other bytes, a cut. The first 64 bytes, where the header is, are hit as often as the rest. */
static void damage(uint8_t *bytes, uint64_t *size, uint64_t *random)
{
	static const uint64_t words[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x8000000000000000, 64, 65535};
	uint64_t reach = common_random(random) & 1 && *size > 64 ? 64 : *size, at = common_random(random) % reach, word = words[common_random(random) % 9];

	switch (common_random(random) % 6) {
	case 0: bytes[at] ^= (uint8_t)(1u << common_random(random) % 8); break;
	case 1: bytes[at] = (uint8_t)common_random(random); break;
	case 2:
		at &= ~UINT64_C(3);
		memcpy(bytes + at, &word, *size - at < 4 ? (size_t)(*size - at) : 4);
		break;
	case 3:
		at &= ~UINT64_C(7);
		memcpy(bytes + at, &word, *size - at < 8 ? (size_t)(*size - at) : 8);
		break;
	case 4:
		word = common_random(random) % *size;
		memmove(bytes + at, bytes + word, (size_t)((*size - at < *size - word ? *size - at : *size - word) % 65));
		break;
	default: *size = common_random(random) % 4 ? *size : common_random(random) % (*size + 1);
	}
}

static struct ptowsp_section *section_of(struct conform_program *p, uint32_t type)
{
	for (uint32_t i = 0; i < p->section_count; i++)
		if (p->sections[i].type == type)
			return &p->sections[i];
	return NULL;
}

/* Runs what was loaded, for a while; whatever comes of it. */
static void mutant_run(struct conform *c, struct conform_program *p, uint32_t flags)
{
	struct ptowsp_run_args args = conform_program_run(p, flags);
	struct conform_token *token;

	args.max_tasks = 200;
	args.deadline_ns = host_now_ns() + 50000000;
	conform_tokens_forget(&c->services);
	token = conform_submit(c, c->device, &args);
	if (token)
		CONFORM_MUST(c, conform_wait(c, c->device, token, UINT64_C(20000000000)),
			     "a run of %s, damaged by seed %llu, had 50 ms and was not completed within 20 s (PL10)", p->name,
			     (unsigned long long)c->record->seed);
}

bool conform_damage(struct conform *c, struct conform_program *p, uint32_t type, uint64_t seed)
{
	struct ptowsp_section *s = section_of(p, type);
	uint64_t random = seed;
	uint8_t *copy;

	if (!s || !s->count)
		return false;
	copy = conform_lend_copy(c, s->data, s->count);
	if (((uintptr_t)copy & 63) != 0) { /* sections are 64-byte aligned: leave a gap behind */
		copy = conform_lend(c, (s->count + 63) / 64 * 64);
		memcpy(copy, s->data, s->count);
	}
	s->data = copy;
	c->record->seed = seed;
	for (uint64_t i = 0, changes = 1 + common_random(&random) % 4; i < changes && s->count; i++)
		damage(copy, &s->count, &random);
	return true;
}

static void mutant_try(struct conform *c, const struct conform_program *whole, uint32_t type, uint64_t seed, uint32_t flags)
{
	struct conform_program p = *whole;

	p.load.sections = p.sections;
	if (!conform_damage(c, &p, type, seed))
		return;
	if (!conform_program_load(c, c->device, &p))
		mutant_run(c, &p, flags);
	conform_program_unload(c, &p);
	for (; c->lent_count > c->taken;) /* by the thousand: given back */
		conform_lent_drop(c);
}

static void mutants_try(struct conform *c, uint32_t type, uint32_t flags)
{
	static struct conform_program programs[CONFORM_SUBJECTS];
	uint32_t count = conform_subjects_find(c, programs);

	conform_open(c, 1);
	for (uint32_t i = 0; i < c->rounds; i++)
		mutant_try(c, &programs[i % count], type, c->seed + i + 1, flags);
	c->record->seed = 0;
	conform_close(c);
}

void conform_test_damaged_workloads_never_fault(struct conform *c)
{
	mutants_try(c, PTOWSP_SECTION_WORK, PTOWSP_RUN_NO_KERNELS);
}

void conform_test_damaged_kernels_never_fault(struct conform *c)
{
	mutants_try(c, PTOWSP_SECTION_CODE, 0);
}

void conform_test_absent_sections_never_fault(struct conform *c)
{
	static const char *const names[] = {"tasks:regions", "tasks:nest", NULL};
	struct conform_program whole, p;

	conform_program_choose(c, &whole, names);
	conform_open(c, 1);
	for (uint32_t i = 0; i < whole.section_count; i++) {
		p = whole;
		p.load.sections = p.sections;
		memmove(&p.sections[i], &p.sections[i + 1], (p.section_count - i - 1) * sizeof(*p.sections));
		p.load.section_count = p.section_count = whole.section_count - 1;
		conform_program_load(c, c->device, &p);
		conform_program_unload(c, &p);
	}
	for (uint32_t i = 0; i < whole.section_count; i++) {
		uint32_t type = whole.sections[i].type;

		if (type != PTOWSP_SECTION_WORK && type != PTOWSP_SECTION_CODE && type != PTOWSP_SECTION_ENTR)
			continue; /* tables that refer to each other are the host's to verify */
		p = whole;
		p.load.sections = p.sections;
		p.sections[i].count = 0;
		conform_program_load(c, c->device, &p);
		conform_program_unload(c, &p);
	}
	conform_close(c);
}
