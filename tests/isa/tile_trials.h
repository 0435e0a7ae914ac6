/* SPDX-License-Identifier: MIT
 * tile_trials.h - operations on random values of every type, each of them a few times, and that none was left out. One builder and one task at a time. */
#ifndef TESTS_TILE_TRIALS_H
#define TESTS_TILE_TRIALS_H

#include "isa/isa.h"
#include "tests/check.h"
#include "tests/isa/tile_random.h"
#include "tests/isa/tile_run.h"
#include <stdio.h>
#include <string.h>

enum { TRIALS = 24 };

static struct tile_builder b;
static struct tile_task task;

static inline const char *dtype_text(unsigned dtype)
{
	static const char *const texts[] = {
#define X(name, code, size, cls, word, descr) [code] = word,
#include "ptowsp/dtype.def"
#undef X
	};

	return texts[dtype];
}

static inline bool is_key(unsigned op, unsigned dtype)
{
	const char class = dtype == PTOWSP_BOOL ? 'b' : cell_is_float(dtype) ? 'f' : 'i';

	return strchr(isa_op(op)->keys, class) != NULL;
}

static inline const char *seed_text(void)
{
	return check_fmt("PTOWSP_SEED=%llu", (unsigned long long)random_start());
}

static inline ptowsp_status run(void)
{
	return tile_run_built(&task, &b);
}

static inline void begin(unsigned op, unsigned dtype, unsigned trial)
{
	random_seed = random_start() + op * 7919u + dtype * 104729u + trial;
	random_few = trial % 5 == 4;
	tile_begin(&b, "trial");
	tile_task_begin(&task);
}

/* An operation, and one trial of it: true where it does what its row says. */
struct subject {
	unsigned op;
	bool (*trial)(unsigned dtype, unsigned trial);
};

/* Scalars have no key: they work on every type. */
static inline bool is_pair(unsigned op, unsigned dtype)
{
	return !*isa_op(op)->keys || is_key(op, dtype);
}

/* The test whose name says of which subject. */
static inline void subjects_run(const struct subject *subjects, unsigned count)
{
	for (unsigned k = 0; k < count; k++) {
		const struct subject *s = &subjects[k];

		if (strcmp(check_name(), check_fmt("%s_agrees_with_its_row", isa_op(s->op)->mnemonic)))
			continue;
		for (unsigned i = 0; i < TILE_TYPES; i++) {
			bool good = is_pair(s->op, tile_dtypes[i]);

			for (unsigned trial = 0; trial < TRIALS && good; trial++) {
				good = s->trial(tile_dtypes[i], trial);
				if (!good)
					CHECK_FAIL("%s of %s, trial %u of %s", isa_op(s->op)->mnemonic, dtype_text(tile_dtypes[i]), trial, seed_text());
			}
			if (good)
				pair_mark(s->op, tile_dtypes[i]);
		}
	}
}

/* Must come behind them. Of all operations for which is_here says so; who: the suite. */
static inline void subjects_complete(bool (*is_here)(unsigned op), const char *who)
{
	unsigned pairs = 0;

	for (unsigned op = 0; op < 256; op++)
		for (unsigned i = 0; i < TILE_TYPES && is_here(op); i++) {
			if (!is_pair(op, tile_dtypes[i]))
				continue;
			pairs++;
			if (!(pairs_compared[op] >> tile_dtypes[i] & 1))
				CHECK_FAIL("%s of %s was not compared", isa_op(op)->mnemonic, dtype_text(tile_dtypes[i]));
		}
	printf("# %s: %u pairs of operation and type, %s\n", who, pairs, seed_text());
}

static inline void subjects_add(CU_pSuite s, const struct subject *subjects, unsigned count, CU_TestFunc test)
{
	for (unsigned k = 0; k < count; k++)
		check_add(s, check_fmt("%s_agrees_with_its_row", isa_op(subjects[k].op)->mnemonic), test);
}

#endif
