/* SPDX-License-Identifier: MIT
 * texts.c - what is said where memory runs out in the compiler, the format and the registry: each allocation of a life fails in turn, and every
 * sentence that came out is printed once, sorted. A life without memory ends with NO_MEMORY, a sentence and nothing left behind, or as if
 * nothing had happened.
 *
 *	faults_texts FOLDER PACKAGES     a folder that is written to, and one of packages */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "format/format_code.h"
#include "format/format_file.h"
#include "format/format_plain.h"
#include "format/format_seal.h"
#include "format/json/json.h"
#include "lang/lang.h"
#include "registry/expression.h"
#include "registry/names.h"
#include "registry/npy.h"
#include "registry/registry_kernels.h"
#include "registry/schedule.h"
#include "tests/faults/count.h"
#include "tests/faults/faults.h"

/* ---- other libraries, which have allocators of their own ---- */

EVP_MD_CTX *__real_EVP_MD_CTX_new(void);
int __real_EVP_Digest(const void *data, size_t count, unsigned char *md, unsigned int *size, const EVP_MD *type, ENGINE *impl);
ZSTD_CCtx *__real_ZSTD_createCCtx(void);
size_t __real_ZSTD_compress2(ZSTD_CCtx *cctx, void *dst, size_t room, const void *src, size_t size);
EVP_MD_CTX *__wrap_EVP_MD_CTX_new(void);
int __wrap_EVP_Digest(const void *data, size_t count, unsigned char *md, unsigned int *size, const EVP_MD *type, ENGINE *impl);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
size_t __wrap_ZSTD_compress2(ZSTD_CCtx *cctx, void *dst, size_t room, const void *src, size_t size);

/* One allocation more, which may be the one that fails. */
static int refused(void)
{
	void *memory = malloc(1);

	free(memory);
	return !memory;
}

EVP_MD_CTX *__wrap_EVP_MD_CTX_new(void)
{
	return refused() ? NULL : __real_EVP_MD_CTX_new();
}

int __wrap_EVP_Digest(const void *data, size_t count, unsigned char *md, unsigned int *size, const EVP_MD *type, ENGINE *impl)
{
	return refused() ? 0 : __real_EVP_Digest(data, count, md, size, type, impl);
}

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
	return refused() ? NULL : __real_ZSTD_createCCtx();
}

size_t __wrap_ZSTD_compress2(ZSTD_CCtx *cctx, void *dst, size_t room, const void *src, size_t size)
{
	return refused() ? (size_t)-ZSTD_error_memory_allocation : __real_ZSTD_compress2(cctx, dst, room, src, size);
}

/* ---- lives ---- */

static char source_path[512], named_path[512], npy_path[512];
static struct {
	const char *name;
	void *bytes;
	size_t size;
	char *json;
} packages[8];
static uint32_t package_count;
static uint32_t package; /* the one of the life */

static const char source[] = "kernel @k(%x: f32[4, 4] in) { portable @f }\n"
			     "tensor %x : f32[4, 4] in\n"
			     "axis %a = ragged(2, [1, 2])\n"
			     "func @f(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<4x4xf32>\n  %t = tload %x[0, 0]\n}\n"
			     "workload @main {\n  call @k(%x -> %x)\n}\n"
			     "schedule {\n  dispatch round_robin(2)\n}\n";

static ptowsp_status no_writer(struct ptowsp_error *error)
{
	snprintf(error->text, sizeof(error->text), "there is no writer");
	return error->code = PTOWSP_NO_MEMORY;
}

static ptowsp_status compile(struct ptowsp_error *error)
{
	const struct lang_source one = {"test.pto", source, sizeof(source) - 1};
	struct lang_diagnostics *list = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	void *bytes = NULL;
	size_t size;
	ptowsp_status status;

	if (!writer)
		return no_writer(error);
	status = lang_compile(writer, &one, 1, NULL, &list, error);
	if (!status)
		status = pkg_writer_seal(writer, &bytes, &size, error);
	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	free(bytes);
	return status;
}

static ptowsp_status load(struct ptowsp_error *error)
{
	void *bytes;
	size_t size;
	ptowsp_status status = pkg_file_load(source_path, 1 << 20, &bytes, &size, error);

	free(bytes);
	return status;
}

static ptowsp_status json(struct ptowsp_error *error)
{
	struct pkg *opened = NULL;
	char *text = NULL;
	ptowsp_status status = pkg_open_memory(&opened, packages[package].bytes, packages[package].size, "a.pkg.zst", NULL, error);

	if (!status)
		status = pkg_to_json(opened, &text, error);
	if (!status && strcmp(text, packages[package].json)) {
		snprintf(error->text, sizeof(error->text), "%s reads otherwise", packages[package].name);
		status = error->code = PTOWSP_MISMATCH;
	}
	pkg_close(opened);
	free(text);
	return status;
}

static ptowsp_status from_json(struct ptowsp_error *error)
{
	struct pkg_writer *writer = pkg_writer_create();
	void *bytes = NULL;
	size_t size = 0;
	ptowsp_status status;

	if (!writer)
		return no_writer(error);
	status = pkg_from_json(writer, packages[package].json, strlen(packages[package].json), "a.json", error);
	if (!status)
		status = pkg_writer_seal(writer, &bytes, &size, error);
	if (!status && (size != packages[package].size || memcmp(bytes, packages[package].bytes, size))) {
		snprintf(error->text, sizeof(error->text), "%s is made otherwise", packages[package].name);
		status = error->code = PTOWSP_MISMATCH;
	}
	free(bytes);
	pkg_writer_destroy(writer);
	return status;
}

static ptowsp_status image(struct ptowsp_error *error)
{
	struct pkg_image image;
	void *bytes = NULL;
	size_t size;
	ptowsp_status status = pkg_image_read(&image, packages[package].bytes, packages[package].size, "a.pkg.zst", error);

	if (!status)
		status = pkg_image_seal(&image, &bytes, &size, error);
	pkg_image_finish(&image);
	free(bytes);
	return status;
}

/* The package of `source` as ptowsp-pack --native leaves it, with bytes in the place of an object. */
static int native_make(void **bytes_out, size_t *size_out)
{
	static const char object[100] = "an object";
	const struct lang_source one = {"test.pto", source, sizeof(source) - 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	struct ptowsp_payload_record portable[2], added; /* of f and of k */
	int failed = !writer || lang_compile(writer, &one, 1, NULL, &list, &error);

	if (!failed) {
		portable[0] = added = *(struct ptowsp_payload_record *)pkg_writer_at(writer, PTOWSP_SECTION_KPAY, 0);
		portable[1] = *(struct ptowsp_payload_record *)pkg_writer_at(writer, PTOWSP_SECTION_KPAY, 1);
		pkg_writer_string(writer, PKG_NATIVE_COMPILER);
		added.kind = PTOWSP_PAYLOAD_ELF;
		added.target = pkg_writer_string(writer, "x86_64-linux-gnu");
		added.entry = pkg_writer_string(writer, "k");
		added.offset = pkg_writer_bytes(writer, PTOWSP_SECTION_CODE, object, sizeof(object), 64);
		added.size = sizeof(object);
		pkg_writer_cut(writer, PTOWSP_SECTION_KPAY, 0);
		pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &added, sizeof(added));
		for (uint32_t k = 0; k < 2; k++)
			pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &portable[k], sizeof(portable[k]));
		((struct ptowsp_kernel_record *)pkg_writer_at(writer, PTOWSP_SECTION_KREG, 0))->payload_count = 2;
		((struct ptowsp_kernel_record *)pkg_writer_at(writer, PTOWSP_SECTION_KREG, 1))->payloads++;
		pkg_writer_meta(writer, PKG_NATIVE_COMPILER, "a compiler");
		pkg_writer_meta(writer, PKG_NATIVE_FLAGS, "-O3");
		failed = pkg_writer_seal(writer, bytes_out, size_out, &error) != PTOWSP_OK;
	}
	if (failed)
		fprintf(stderr, "native: %s\n", error.text);
	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	return failed;
}

static void *native_bytes, *source_bytes;
static size_t native_size, source_size;

/* What is left is the package of the source, byte by byte. */
static ptowsp_status plain(struct ptowsp_error *error)
{
	struct pkg *opened = NULL, *left = NULL;
	void *bytes = NULL;
	ptowsp_status status = pkg_open_memory(&opened, native_bytes, native_size, "a.pkg.zst", NULL, error);

	if (!status)
		status = pkg_plain_make(opened, &left, &bytes, error);
	if (!status && (!left || memcmp(bytes, source_bytes, source_size))) {
		snprintf(error->text, sizeof(error->text), "what --native added is not all that was taken away");
		status = error->code = PTOWSP_MISMATCH;
	}
	pkg_close(left);
	pkg_close(opened);
	free(bytes);
	return status;
}

/* Code is handed out whole or not at all. */
static ptowsp_status code(struct ptowsp_error *error)
{
	struct pkg *opened = NULL;
	struct pkg_code *handed = NULL;
	ptowsp_status status = pkg_open_memory(&opened, source_bytes, source_size, "a.pkg.zst", NULL, error);

	if (!status)
		status = pkg_code_open(&handed, opened, error);
	pkg_code_close(handed);
	pkg_close(opened);
	return status;
}

static int source_make(void)
{
	const struct lang_source one = {"test.pto", source, sizeof(source) - 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	const int failed = !writer || lang_compile(writer, &one, 1, NULL, &list, &error) || pkg_writer_seal(writer, &source_bytes, &source_size, &error);

	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	return failed;
}

static void nothing(void)
{
}

static ptowsp_status kernels(struct ptowsp_error *error)
{
	ptowsp_status status = reg_kernel_register("k", "v(p)", nothing, error);

	reg_kernel_unregister("k");
	return status;
}

static ptowsp_status schedule(struct ptowsp_error *error)
{
	static const char *const loops[] = {"i"};
	static const uint32_t strings[] = {1};
	static const struct reg_scope scope = {.loops = loops, .loop_strings = strings, .loop_count = 1};
	struct reg_schedule made;
	ptowsp_status status;

	reg_schedule_init(&made, 1000, 50);
	status = reg_schedule_add(&made, "pipeline_depth=pool,3", &scope, error);
	if (!status)
		status = reg_schedule_add(&made, "dispatch=hash(i * 2, 4)", &scope, error);
	reg_schedule_finish(&made);
	return status;
}

static ptowsp_status unknown_name(struct ptowsp_error *error)
{
	static const struct reg_scope scope = {.loops = NULL};
	struct reg_rows rows = {.base = 0};
	uint32_t row;
	ptowsp_status status = reg_expression_compile("i", 1, &scope, &rows, &row, error);

	reg_rows_finish(&rows);
	return status;
}

static ptowsp_status numbers(struct ptowsp_error *error)
{
	struct npy npy;
	ptowsp_status status = npy_open(&npy, npy_path, error);

	npy_close(&npy);
	return status;
}

/* ---- what they say ---- */

enum { TEXTS = 256 };
static char *texts[TEXTS];
static size_t text_count;

static void text_keep(const char *life, const char *text)
{
	char line[640], *at;

	snprintf(line, sizeof(line), "%s: %s", life, text);
	at = strstr(line, " bytes of section ");
	if (at) { /* they are as large as the packages are just now */
		char *digits = at;

		while (digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		memmove(digits + 1, at, strlen(at) + 1);
		*digits = 'N';
		strcpy(digits + 1 + strlen(" bytes of section "), "S");
	}
	for (size_t i = 0; i < text_count; i++)
		if (!strcmp(texts[i], line))
			return;
	if (text_count < TEXTS)
		texts[text_count++] = strdup(line);
}

static int once(ptowsp_status (*life)(struct ptowsp_error *), uint64_t at, struct ptowsp_error *error)
{
	ptowsp_status status;

	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR)};
	fault_count.count = 0;
	fault_count.fail_at = at;
	status = life(error);
	fault_count.fail_at = 0;
	return status;
}

/* wanted: the status where memory is missing. */
static void life_try(const char *name, ptowsp_status (*life)(struct ptowsp_error *), ptowsp_status wanted)
{
	struct ptowsp_error error;
	ptowsp_status clean = once(life, 0, &error);
	uint64_t count = fault_count.count, used = fault_count.used;

	if (clean == PTOWSP_MISMATCH) /* a life that finds something wrong where nothing failed */
		text_keep(name, "WRONG: without a fault");
	for (uint64_t n = 1; n <= count; n++) {
		ptowsp_status status = once(life, n, &error);
		char kept[640];

		if (fault_count.used != used || (status != clean && (status != wanted || error.code != status))) {
			snprintf(kept, sizeof(kept), "WRONG: allocation %llu: %s, %lld pieces of memory stay behind: %s", (unsigned long long)n,
				 reg_status_name(status), (long long)(fault_count.used - used), error.text);
			text_keep(name, kept);
		} else if (status != clean) {
			text_keep(name, error.text);
		}
		used = fault_count.used; /* texts are memory, too */
	}
}

static void source_cut(void)
{
	if (truncate(source_path, 3))
		perror(source_path);
}

static int file_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	int bad = !file || fwrite(bytes, 1, size, file) != size;

	if (file && fclose(file))
		bad = 1;
	return bad;
}

/* A file that gets shorter between its size and its bytes. */
static void cut_try(void)
{
	struct ptowsp_error error;

	fault_count.instead = source_cut;
	for (uint64_t n = 1; n <= 3; n++) {
		file_write(source_path, source, sizeof(source) - 1);
		if (once(load, n, &error))
			text_keep("cut", error.text);
	}
	fault_count.instead = NULL;
}

static bool package_take(const char *folder, const char *name)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg *opened = NULL;
	char path[600];

	snprintf(path, sizeof(path), "%s/%s.pkg.zst", folder, name);
	packages[package_count].name = name;
	if (pkg_file_load(path, 1 << 28, &packages[package_count].bytes, &packages[package_count].size, &error) ||
	    pkg_open_memory(&opened, packages[package_count].bytes, packages[package_count].size, "a.pkg.zst", NULL, &error) ||
	    pkg_to_json(opened, &packages[package_count].json, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return true;
	}
	pkg_close(opened);
	package_count++;
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"vector_add", "probes/graphs", "probes/channels", "probes/flow"};
	static const uint64_t extents[] = {4};
	char numbers_file[NPY_HEADER + 16] = "";

	if (argc < 3)
		return 2;
	snprintf(source_path, sizeof(source_path), "%s/source.pto", argv[1]);
	snprintf(named_path, sizeof(named_path), "%s/named.bin", argv[1]);
	snprintf(npy_path, sizeof(npy_path), "%s/x.npy", argv[1]);
	fault_count_start();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (package_take(argv[2], names[i]))
			return 1;
	if (file_write(source_path, source, sizeof(source) - 1) || file_write(npy_path, numbers_file, npy_header(numbers_file, PTOWSP_F32, 1, extents) + 16))
		return 1;
	if (source_make() || native_make(&native_bytes, &native_size))
		return 1;
	life_try("compile", compile, PTOWSP_NO_MEMORY);
	life_try("load", load, PTOWSP_NO_MEMORY);
	for (package = 0; package < package_count; package++) {
		life_try("open", json, PTOWSP_NO_MEMORY);
		life_try("json", from_json, PTOWSP_NO_MEMORY);
	}
	package = 0;
	life_try("image", image, PTOWSP_NO_MEMORY);
	life_try("plain", plain, PTOWSP_NO_MEMORY);
	life_try("code", code, PTOWSP_NO_MEMORY);
	free(native_bytes);
	free(source_bytes);
	life_try("kernels", kernels, PTOWSP_NO_MEMORY);
	life_try("schedule", schedule, PTOWSP_NO_MEMORY);
	life_try("unknown name", unknown_name, PTOWSP_NO_MEMORY);
	life_try("numbers", numbers, PTOWSP_IO);
	cut_try();
	qsort(texts, text_count, sizeof(*texts), by_text);
	for (size_t i = 0; i < text_count; i++) {
		size_t folder = strlen(argv[1]);
		char *at = strstr(texts[i], argv[1]); /* paths without the folder */

		if (at)
			memmove(at, at + folder + 1, strlen(at + folder + 1) + 1);
		puts(texts[i]);
	}
	return 0;
}
