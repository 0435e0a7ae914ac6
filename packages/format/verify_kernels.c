/* SPDX-License-Identifier: MIT */
/* verify_kernels.c - kernels: their signatures and payloads. */
#include "verify.h"

#include <string.h>

#define RUN_LIMIT 65535u /* parameters, payloads, variants of a kernel */
#define SIGNATURE_LIMIT 32u
#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* Length of a type at the start of text: p, f32, f64, i8 .. u64, v; 0 if there is none. */
static size_t signature_type_length(const char *text)
{
	static const char *const types[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "p", "v"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(text, types[i], strlen(types[i])))
			return strlen(types[i]);
	return 0;
}

/* type(type,type,...), at most 32 arguments, none of them void. */
static int signature_is_valid(const char *text)
{
	size_t length = signature_type_length(text);
	unsigned count = 0;

	if (!length || text[length] != '(')
		return 0;
	text += length + 1;
	if (!strcmp(text, ")"))
		return 1;
	for (;;) {
		length = signature_type_length(text);
		if (!length || *text == 'v' || ++count > SIGNATURE_LIMIT)
			return 0;
		text += length;
		if (*text != ',')
			return !strcmp(text, ")");
		text++;
	}
}

ptowsp_status pkg_verify_kernels(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *k = &t->kernel[i];
		const char *signature = pkg_string(t, k->signature);

		MUST(!*signature || signature_is_valid(signature),
		     "KREG[%u].signature is \"%.60s\": write it as v(p,p,i64), types i8 to u64, f32, f64, p, at most 32", (unsigned)i,
		     signature);
		MUST(k->param_count <= RUN_LIMIT, "KREG[%u].param_count is %u, the limit is %u", (unsigned)i,
		     (unsigned)k->param_count, RUN_LIMIT);
		MUST(k->payload_count <= RUN_LIMIT, "KREG[%u].payload_count is %u, the limit is %u", (unsigned)i,
		     (unsigned)k->payload_count, RUN_LIMIT);
		MUST(k->variant_count <= RUN_LIMIT, "KREG[%u].variant_count is %u, the limit is %u", (unsigned)i,
		     (unsigned)k->variant_count, RUN_LIMIT);
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_payloads(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->payload_count; i++) {
		const struct ptowsp_payload_record *p = &t->payload[i];

		MUST(p->offset % PKG_BLOB_ALIGNMENT == 0, "KPAY[%u].offset is %llu, which is no multiple of %u", (unsigned)i,
		     (unsigned long long)p->offset, PKG_BLOB_ALIGNMENT);
		MUST(p->size, "KPAY[%u].size is 0: a payload has bytes", (unsigned)i);
		MUST(p->entry_offset < p->size, "KPAY[%u].entry_offset is %llu, the payload has %llu bytes", (unsigned)i,
		     (unsigned long long)p->entry_offset, (unsigned long long)p->size);
		MUST(!p->entry || !p->entry_offset, "KPAY[%u] has both an entry symbol and an entry_offset", (unsigned)i);
	}
	return PTOWSP_OK;
}
