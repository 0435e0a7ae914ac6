/* SPDX-License-Identifier: MIT */
/* npy.c - reading and writing of .npy: the header is one Python dictionary, parsed strictly and within its length. */
#include "registry/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptowsp/ids.h"
#include "registry/common/common_dtype.h"
#include "registry/text.h"

#define MAGIC "\x93NUMPY"
enum { MAGIC_SIZE = 6, HEADER_LIMIT = 1 << 16 };

/* The dictionary's text, and what was found in it. */
struct header {
	const char *at, *end;
	char descr[16];
	bool have_descr, have_order, have_shape, fortran;
	uint64_t extents[NPY_RANK];
	uint32_t rank;
};

static void blanks_skip(struct header *h)
{
	while (h->at < h->end && (*h->at == ' ' || *h->at == '\t' || *h->at == '\n'))
		h->at++;
}

static bool take(struct header *h, char c)
{
	blanks_skip(h);
	if (h->at == h->end || *h->at != c)
		return false;
	h->at++;
	return true;
}

static bool take_word(struct header *h, const char *word)
{
	size_t length = strlen(word);

	blanks_skip(h);
	if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length))
		return false;
	h->at += length;
	return true;
}

/* 'text' or "text" into room bytes; no escapes, as NumPy writes none. */
static bool take_string(struct header *h, char *out, size_t room)
{
	char quote;
	size_t length = 0;

	blanks_skip(h);
	if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
		return false;
	quote = *h->at++;
	while (h->at < h->end && *h->at != quote && length + 1 < room)
		out[length++] = *h->at++;
	out[length] = '\0';
	return take(h, quote);
}

static bool take_number(struct header *h, uint64_t *out)
{
	const char *begin;

	blanks_skip(h);
	begin = h->at;
	for (*out = 0; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
		if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, (uint64_t)(*h->at - '0'), out))
			return false;
	return h->at > begin;
}

/* (), (n,), (n, m), at most NPY_RANK numbers. */
static const char *shape_parse(struct header *h)
{
	if (!take(h, '('))
		return "its shape is no tuple";
	while (!take(h, ')')) {
		if (h->rank == NPY_RANK)
			return "it has more than 4 dimensions";
		if (!take_number(h, &h->extents[h->rank++]))
			return "its shape is no tuple of numbers";
		if (!take(h, ',') && (h->at == h->end || *h->at != ')'))
			return "its shape is no tuple of numbers";
	}
	h->have_shape = true;
	return NULL;
}

static const char *item_parse(struct header *h)
{
	char key[24];

	if (!take_string(h, key, sizeof(key)) || !take(h, ':'))
		return "its header is no dictionary";
	if (!strcmp(key, "shape") && !h->have_shape)
		return shape_parse(h);
	if (!strcmp(key, "descr") && !h->have_descr) {
		h->have_descr = true;
		return take_string(h, h->descr, sizeof(h->descr)) ? NULL : "it has no plain element type";
	}
	if (strcmp(key, "fortran_order") || h->have_order)
		return "its header has an unknown or repeated key";
	h->have_order = true;
	h->fortran = take_word(h, "True");
	return h->fortran || take_word(h, "False") ? NULL : "its fortran_order is neither True nor False";
}

static const char *dictionary_parse(struct header *h)
{
	const char *why;

	if (!take(h, '{'))
		return "its header is no dictionary";
	while (!take(h, '}')) {
		why = item_parse(h);
		if (why)
			return why;
		if (!take(h, ',') && (h->at == h->end || *h->at != '}'))
			return "its header is no dictionary";
	}
	blanks_skip(h);
	if (h->at < h->end)
		return "its header goes on behind the dictionary";
	return h->have_descr && h->have_order && h->have_shape ? NULL : "its header lacks descr, fortran_order or shape";
}

static ptowsp_status refuse(struct ptowsp_error *error, const char *name, const char *why)
{
	return reg_fail(error, PTOWSP_INVALID, "%.120s: %s", name, why);
}

/* Length of everything before the data, 0 if the file does not begin like one. */
static size_t preamble_parse(const unsigned char *bytes, size_t size, struct header *h)
{
	size_t length, begin;

	if (size < MAGIC_SIZE + 4 || memcmp(bytes, MAGIC, MAGIC_SIZE) || bytes[6] < 1 || bytes[6] > 3 || bytes[7])
		return 0;
	length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
	begin = MAGIC_SIZE + 4;
	if (bytes[6] > 1) {
		if (size < MAGIC_SIZE + 6)
			return 0;
		length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
		begin += 2;
	}
	if (length > HEADER_LIMIT || length > size - begin)
		return 0;
	h->at = (const char *)bytes + begin;
	h->end = h->at + length;
	return begin + length;
}

/* A library of bf16 (ml_dtypes) saves it as two bytes that NumPy knows nothing of. */
static const struct common_dtype *dtype_by_descr(const char *descr)
{
	if (!strcmp(descr, "|V2"))
		return common_dtype(PTOWSP_BF16);
	for (unsigned code = 0; common_dtype(code); code++)
		if (code != PTOWSP_BF16 && !strcmp(common_dtype(code)->descr, descr))
			return common_dtype(code);
	return NULL;
}

static bool size_compute(struct npy *npy, uint32_t bytes, uint64_t *size_out)
{
	npy->elements = 1;
	for (uint32_t i = 0; i < npy->rank; i++)
		if (__builtin_mul_overflow(npy->elements, npy->extents[i], &npy->elements))
			return false;
	return !__builtin_mul_overflow(npy->elements, bytes, size_out);
}

ptowsp_status npy_parse(struct npy *npy_out, const void *bytes, size_t size, const char *name, struct ptowsp_error *error)
{
	struct header h = {.at = NULL};
	size_t begin = preamble_parse(bytes, size, &h);
	const struct common_dtype *dtype;
	const char *why;
	uint64_t need = 0;

	*npy_out = (struct npy){.data = NULL};
	if (!begin)
		return refuse(error, name, "this is no whole .npy file of version 1, 2 or 3");
	why = dictionary_parse(&h);
	if (why)
		return refuse(error, name, why);
	if (h.fortran)
		return refuse(error, name, "it is in Fortran order; save it with numpy.ascontiguousarray");
	dtype = dtype_by_descr(h.descr);
	if (!dtype)
		return reg_fail(error, PTOWSP_INVALID,
				"%.120s: element type '%s' is not known; little-endian f2, f4, f8, i1 to i8, u1 "
				"to u8, b1 and bf16 as V2 are",
				name, h.descr);
	npy_out->dtype = dtype->code;
	npy_out->rank = (uint16_t)h.rank;
	memcpy(npy_out->extents, h.extents, sizeof(h.extents));
	if (!size_compute(npy_out, dtype->bytes, &need))
		return refuse(error, name, "its shape has more elements than any memory");
	if (need != size - begin)
		return reg_fail(error, PTOWSP_INVALID, "%.120s: its shape and type need %llu bytes of data, it has %llu", name, (unsigned long long)need,
				(unsigned long long)(size - begin));
	npy_out->data = (const char *)bytes + begin;
	return PTOWSP_OK;
}

static ptowsp_status map_file(struct npy *npy, int fd, const char *path, struct ptowsp_error *error)
{
	struct stat st;

	if (fstat(fd, &st))
		return reg_fail(error, PTOWSP_IO, "%.120s cannot be read: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return reg_fail(error, PTOWSP_IO, "%.120s is no regular file", path);
	if (!st.st_size)
		return refuse(error, path, "the file is empty");
	npy->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (npy->map == MAP_FAILED) {
		npy->map = NULL;
		return reg_fail(error, PTOWSP_IO, "%.120s cannot be mapped: %s", path, strerror(errno));
	}
	npy->map_size = (size_t)st.st_size;
	return PTOWSP_OK;
}

ptowsp_status npy_open(struct npy *npy_out, const char *path, struct ptowsp_error *error)
{
	struct npy mapped = {.data = NULL};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ptowsp_status status;

	*npy_out = mapped;
	if (fd < 0)
		return reg_fail(error, PTOWSP_IO, "%.120s cannot be read: %s", path, strerror(errno));
	status = map_file(&mapped, fd, path, error);
	close(fd);
	if (status)
		return status;
	status = npy_parse(npy_out, mapped.map, mapped.map_size, path, error);
	npy_out->map = mapped.map;
	npy_out->map_size = mapped.map_size;
	if (status)
		npy_close(npy_out);
	return status;
}

void *npy_lend(const struct npy *npy)
{
	void *data = (char *)npy->map + ((const char *)npy->data - (const char *)npy->map);

	return (uintptr_t)data % 64 || mprotect(npy->map, npy->map_size, PROT_READ | PROT_WRITE) ? NULL : data;
}

void npy_close(struct npy *npy)
{
	if (npy->map)
		munmap(npy->map, npy->map_size);
	*npy = (struct npy){.data = NULL};
}

size_t npy_header(char header[NPY_HEADER], uint16_t dtype, uint32_t rank, const uint64_t *extents)
{
	struct reg_text text;
	size_t length;

	reg_text_init(&text, header + 10, NPY_HEADER - 10);
	reg_text_add(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (", common_dtype(dtype)->descr);
	for (uint32_t i = 0; i < rank; i++)
		reg_text_add(&text, "%llu%s", (unsigned long long)extents[i], rank == 1 ? "," : i + 1 < rank ? ", " : "");
	reg_text_add(&text, "), }");
	length = (10 + text.length + 1 + 63) / 64 * 64;
	memset(header + 10 + text.length, ' ', length - 10 - text.length);
	header[length - 1] = '\n';
	memcpy(header, MAGIC "\x01\x00", 8);
	header[8] = (char)((length - 10) & 0xFF);
	header[9] = (char)((length - 10) >> 8);
	return length;
}
