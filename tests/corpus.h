/* SPDX-License-Identifier: MIT
 * corpus.h - the shared corpus for tests: its tables, its sources as loaded programs, its arrays. */
#ifndef PTOWSP_TESTS_CORPUS_H
#define PTOWSP_TESTS_CORPUS_H

#include "host/ptowsp_host.h"
#include <stdbool.h>

#define CORPUS_COLUMNS 24u

/* One line of a table with its columns; the texts belong to the table. */
struct corpus_row {
	char *columns[CORPUS_COLUMNS];
};
struct corpus_table {
	char *text;
	struct corpus_row *rows; /* without the header line */
	uint32_t count;
};
/* A tab-separated file; false if it cannot be read. path may end in .gz. */
bool corpus_table_read(struct corpus_table *table_out, const char *path);
void corpus_table_free(struct corpus_table *table);

/* Compiles a source of the corpus, "pto/family/file.pto", into a package; the last one is kept and given again. NULL after a
 * failed check. Borrowed until the next call. */
struct ptowsp_package *corpus_package(const char *source);
/* Any source text as a package. bytes_out: what it borrows, to be freed after it is closed. NULL after a failed check. */
struct ptowsp_package *corpus_compile(const char *name, const char *text, size_t size, void **bytes_out);
/* Which backend of this build the next two take: "cpu_sim", as long as nothing else is said, or "a2a3sim". */
void corpus_plugin(const char *name);
/* With that many threads, at most 16; opened once. NULL after a failed check. */
struct ptowsp_backend *corpus_backend(unsigned threads);
/* Loads entry of a source with a schedule; values: "a=1,b=2" or "-". NULL after a failed check. */
struct ptowsp_program *corpus_load(const char *source, const char *entry, const char *const *schedule, uint32_t schedule_count, const char *values,
				   struct ptowsp_plan **plan_out);

/* A NumPy file of f4; NULL if it is something else. To be freed. */
float *corpus_npy(const char *path, uint64_t *elements_out);
/* Element i of argument arg by the corpus' rule for generated inputs. */
float corpus_random(uint64_t seed, uint64_t arg, uint64_t i, double low, double high);

#endif
