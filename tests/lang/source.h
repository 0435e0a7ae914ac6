/* SPDX-License-Identifier: MIT */
/* source.h - compiling source texts in tests, and packages as text. */
#ifndef TESTS_SOURCE_H
#define TESTS_SOURCE_H

#include "format/format_package.h"
#include "lang/lang.h"

/* A compiled text: its package if there is one, and everything that was said. */
struct source {
	ptowsp_status status;
	struct pkg *package;        /* NULL if the source was refused */
	const struct pkg_tables *t; /* of the package */
	struct lang_diagnostics *list;
	char *messages; /* the list as a terminal shows it, "" if there is none */
	void *bytes;    /* the package file */
	size_t size;
};

/* Compiles a file called test.pto. */
struct source source_compile(const char *text);
/* The same with a name, a size and options. */
struct source source_compile_as(const char *name, const char *text, size_t size, const struct lang_options *options);
/* Several files, up to 4, called a.pto, b.pto ... */
struct source source_compile_set(const char *const *texts, uint32_t count);
void source_free(struct source *source);
/* Options with which a source may name any file: it holds a few bytes, or, called .npy, a hundred f32. */
extern const struct lang_options source_with_files;

/* The pages of the language, packages/LANGUAGE.md and those that it names, the library among them, as one text. To be freed. */
char *source_pages(void);
/* The next block of such a text that is marked pto, from *at on, which moves behind it; NULL if there is none. To be freed. */
char *source_block(const char **at);

/* Rows by name; -1 if there is none. */
int source_kernel(const struct source *source, const char *name);
int source_entry(const struct source *source, const char *name);
int source_tensor(const struct source *source, const char *name);
int source_slot(const struct source *source, const char *name);

/* An entry's code as text, one instruction a line, indented by nesting; expressions spelled out. To be freed. */
char *source_workload(const struct source *source, const char *entry);
/* Checks that a text is compiled without a word, and that the entry's code is that. */
void source_is_workload(const char *text, const char *entry, const char *want);
/* A kernel's program as text, one instruction a line. To be freed. */
char *source_program(const struct source *source, const char *kernel);
/* The same check of a kernel's program. */
void source_is_program(const char *text, const char *kernel, const char *want);

struct print_files;
/* print_source of the package when its code was verified. */
ptowsp_status source_print(struct pkg *package, const struct print_files *files, char **text_out, uint32_t *inexpressible_out, struct ptowsp_error *error);

/* The graphs of a package as source. To be freed. */
char *source_graphs(const struct pkg_tables *tables);

/* A kernel that copies tiles, and one whose operation needs equal shapes. */
#define SOURCE_COPY                                                                                                                                            \
	"func @copy(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>, %n: i32) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n"                            \
	"  %a = tload %x[%n, 0]\n  tstore %a, %y[0, 0]\n}\n"
#define SOURCE_ODD                                                                                                                                             \
	"func @odd(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %b = alloc_tile : !pto.tile<2x1xf32>\n"                           \
	"  %a = tadd %a, %b\n  tstore %a, %x[0, 0]\n}\n"

#endif
