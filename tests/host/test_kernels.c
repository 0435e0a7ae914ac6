/* SPDX-License-Identifier: MIT */
/* test_kernels.c - kernels of the embedding program: the registry, signatures, and calls through thunks and libffi. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "host/ptowsp_host.h"
#include "host/run/kernels_ffi.h"
#include "registry/registry_kernels.h"

static struct ptowsp_error error;

static void nothing(void)
{
}

static void other(void)
{
}

TEST(signatures_print_as_they_are_written)
{
	static const char *const texts[] = {"v()", "v(p,p,p,i64,f32)", "i32(u8,u16,u32,u64,i8,i16,f64)", "p(p)"};
	struct reg_signature signature;
	char text[REG_SIGNATURE_TEXT];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		CHECK_INT(reg_signature_parse(&signature, texts[i], &error), 0);
		reg_signature_print(&signature, text);
		CHECK_STR(text, texts[i]);
	}
	CHECK_INT(reg_signature_parse(&signature, " v ( p , i64 ) ", &error), 0);
	reg_signature_print(&signature, text);
	CHECK_STR(text, "v(p,i64)");
}

TEST(wrong_signatures_are_refused_with_a_sentence)
{
	static const char *const rows[][2] = {
		{"", "signature \"\" does not begin with a result type; write it like v(p,p,i64,f32)"},
		{"x(p)", "signature \"x(p)\" does not begin with a result type; write it like v(p,p,i64,f32)"},
		{"v", "signature \"v\" has no '(' behind its result; write it like v(p,p,i64,f32)"},
		{"v(", "signature \"v(\": \"\" is no argument type; types are i8..i64, u8..u64, f32, f64, p"},
		{"v(p", "signature \"v(p\" has no ')' where it should end; write it like v(p,p,i64,f32)"},
		{"v(p,)", "signature \"v(p,)\": \"\" is no argument type; types are i8..i64, u8..u64, f32, f64, p"},
		{"v(q)", "signature \"v(q)\": \"q\" is no argument type; types are i8..i64, u8..u64, f32, f64, p"},
		{"v(v)", "signature \"v(v)\": \"v\" is no argument type; types are i8..i64, u8..u64, f32, f64, p"},
		{"v(float*)", "signature \"v(float*)\": \"float*\" is no argument type; types are i8..i64, u8..u64, f32, f64, p"},
		{"v(p) x", "signature \"v(p) x\" goes on behind its ')'; write it like v(p,p,i64,f32)"},
		{"v(i128)", "signature \"v(i128)\": \"i128\" is no argument type; types are i8..i64, u8..u64, f32, f64, p"},
		{"v(p p)", "signature \"v(p p)\" has no ')' where it should end; write it like v(p,p,i64,f32)"},
	};
	struct reg_signature signature;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(reg_signature_parse(&signature, rows[i][0], &error), PTOWSP_INVALID);
		CHECK_STR(error.text, rows[i][1]);
	}
}

TEST(thirty_two_arguments_are_the_most)
{
	char text[256] = "v(p";
	struct reg_signature signature;

	for (int i = 1; i < 32; i++)
		strcat(text, ",i8");
	strcat(text, ")");
	CHECK_INT(reg_signature_parse(&signature, text, &error), 0);
	CHECK_UINT(signature.count, 32);
	text[strlen(text) - 1] = '\0';
	strcat(text, ",i8)");
	CHECK_INT(reg_signature_parse(&signature, text, &error), PTOWSP_INVALID);
	CHECK_STR(error.text,
		  "signature \"v(p,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8\" has more than 32 arguments; write it like v(p,p,i64,f32)");
}

TEST(names_are_found_with_their_signature)
{
	reg_function fn;

	CHECK_INT(ptowsp_kernel_register("axpy", "v(p, p, f32)", nothing), 0);
	CHECK_INT(ptowsp_kernel_register("axpy", "v(p,p,f32)", nothing), 0); /* the same again */
	CHECK(ptowsp_kernel_has("axpy"));
	CHECK_INT(reg_kernel_find("axpy", "v(p,p,f32)", &fn, &error), 0);
	CHECK(fn == nothing);
	CHECK_INT(reg_kernel_find("axpy", "v(p,p)", &fn, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "kernel \"axpy\" is registered as v(p,p,f32), the package wants v(p,p)");
	CHECK(fn == NULL);
	CHECK_INT(reg_kernel_find("apxy", "v(p,p,f32)", &fn, &error), PTOWSP_NOT_FOUND);
	CHECK_STR(error.text, "registered kernel \"apxy\" is unknown; known: axpy");
	CHECK(ptowsp_kernel_unregister("axpy"));
	CHECK(!ptowsp_kernel_unregister("axpy"));
	CHECK(!ptowsp_kernel_has("axpy"));
	CHECK_INT(reg_kernel_find("axpy", "", &fn, &error), PTOWSP_NOT_FOUND);
	CHECK_STR(error.text, "registered kernel \"axpy\" is unknown; known: none");
}

TEST(any_number_of_functions_is_found)
{
	enum { MANY = 500 };
	reg_function fn;

	for (int i = 0; i < MANY; i++)
		REQUIRE_INT(ptowsp_kernel_register(check_fmt("k%d", i), i % 2 ? "v(p)" : "v(p,p)", i % 3 ? nothing : other), 0);
	for (int i = 0; i < MANY; i += 5)
		CHECK(ptowsp_kernel_unregister(check_fmt("k%d", i)));
	for (int i = 0; i < MANY; i++) {
		CHECK_INT(reg_kernel_find(check_fmt("k%d", i), i % 2 ? "v(p)" : "v(p,p)", &fn, &error), i % 5 ? 0 : PTOWSP_NOT_FOUND);
		CHECK(fn == (i % 5 == 0 ? NULL : i % 3 ? nothing : other));
	}
	for (int i = 0; i < MANY; i++)
		CHECK_INT(ptowsp_kernel_unregister(check_fmt("k%d", i)), i % 5 != 0);
}

TEST(a_name_is_not_taken_over)
{
	reg_function fn;

	CHECK_INT(ptowsp_kernel_register("k", "v(p)", nothing), 0);
	CHECK_INT(ptowsp_kernel_register("k", "v(p)", other), PTOWSP_INVALID);
	CHECK_STR(ptowsp_last_error(), "kernel \"k\" is already registered as v(p) with another function or signature; unregister that first");
	CHECK_INT(ptowsp_kernel_register("k", "v(p,p)", nothing), PTOWSP_INVALID);
	CHECK_STR(ptowsp_last_error(), "kernel \"k\" is already registered as v(p) with another function or signature; unregister that first");
	CHECK_INT(reg_kernel_find("k", "", &fn, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "kernel \"k\" is registered as v(p), the package wants a uniform kernel");
	CHECK(ptowsp_kernel_unregister("k"));
	CHECK_INT(ptowsp_kernel_register("", "v(p)", nothing), PTOWSP_INVALID);
	CHECK_STR(ptowsp_last_error(), "kernel name \"\" must have 1 to 63 bytes");
	CHECK_INT(ptowsp_kernel_register("k", "v(p)", NULL), PTOWSP_INVALID);
	CHECK_STR(ptowsp_last_error(), "kernel \"k\" is registered without a function");
	CHECK_INT(ptowsp_kernel_register("k", "v(pp)", nothing), PTOWSP_INVALID);
	CHECK_STR(ptowsp_last_error(), "signature \"v(pp)\": \"pp\" is no argument type; types are i8..i64, u8..u64, f32, f64, p");
	CHECK_INT(ptowsp_kernel_register("k", "", nothing), 0);
	CHECK_INT(ptowsp_kernel_register("k", "", other), PTOWSP_INVALID);
	CHECK_STR(ptowsp_last_error(), "kernel \"k\" is already registered as a uniform kernel with another function or signature; unregister that first");
	CHECK_INT(reg_kernel_find("k", "v(p)", &fn, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "kernel \"k\" is registered as a uniform kernel, the package wants v(p)");
	CHECK(ptowsp_kernel_unregister("k"));
	CHECK(!ptowsp_kernel_has("k"));
}

/* ---- calls -------------------------------------------------------------------------------------------------- */

static float memory[4][8];
static uint64_t args[32];

/* Binds fn and calls it with tensors memory[0..] and scalars args[0..]; how it was bound, "" after a failure. */
static const char *call(const char *signature, ptowsp_native_fn fn, uint32_t tensors, uint32_t scalars)
{
	struct ptowsp_tensor_arg rows[4] = {{.data = memory[0]}, {.data = memory[1]}, {.data = memory[2]}, {.data = memory[3]}};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(struct ptowsp_task, TASK),
				   .args = args,
				   .tensors = rows,
				   .arg_count = scalars,
				   .tensor_count = tensors,
				   .tensor_stride = sizeof(rows[0])};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(struct ptowsp_kernel_out, KERNEL_OUT), .cycles = 42, .error = &error};
	struct ptowsp_kernel_ref ref;
	struct host_kernel *kernel;
	const char *how = "";
	const void *native;

	memcpy(&native, &fn, sizeof(native));
	error.text[0] = '\0';
	if (host_kernel_bind(&kernel, "k", signature, native, &ref, &error))
		return "";
	if (!ref.fn(ref.context, &task, &out)) {
		how = kernel->how;
		CHECK_UINT(out.cycles, 42); /* the registry's model stays */
	}
	host_kernels_destroy(kernel);
	return how;
}

static void add_n(float *d, const float *a, const float *b, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		d[i] = a[i] + b[i];
}

static int8_t seen_i8;
static uint16_t seen_u16;
static double seen_f64;
static float seen_f32;
static const void *seen_p[2];

static double odd_order(int8_t a, void *p, uint16_t b, double c, void *q, float d)
{
	seen_i8 = a;
	seen_p[0] = p;
	seen_u16 = b;
	seen_f64 = c;
	seen_p[1] = q;
	seen_f32 = d;
	return 1;
}

TEST(common_shapes_go_through_a_thunk)
{
	for (int i = 0; i < 8; i++)
		memory[1][i] = (float)i, memory[2][i] = 10;
	memset(memory[0], 0, sizeof(memory[0]));
	args[0] = 6;
	CHECK_STR(call("v(p,p,p,i64)", (ptowsp_native_fn)add_n, 3, 1), "thunk");
	CHECK_NEAR(memory[0][5], 15, 0);
	CHECK_NEAR(memory[0][6], 0, 0);
}

TEST(other_shapes_go_through_libffi)
{
	double number = -2.5;
	float single = 0.75f;

	args[0] = (uint64_t)-3;
	args[1] = 65535;
	memcpy(&args[2], &number, 8);
	args[3] = 0;
	memcpy(&args[3], &single, 4);
	CHECK_STR(call("f64(i8,p,u16,f64,p,f32)", (ptowsp_native_fn)odd_order, 2, 4), "libffi");
	CHECK_INT(seen_i8, -3);
	CHECK_UINT(seen_u16, 65535);
	CHECK_NEAR(seen_f64, -2.5, 0);
	CHECK_NEAR(seen_f32, 0.75, 0);
	CHECK(seen_p[0] == memory[0] && seen_p[1] == memory[1]);
}

static uint64_t sum;

static void thirty_two(int64_t a0, int64_t a1, int64_t a2, int64_t a3, int64_t a4, int64_t a5, int64_t a6, int64_t a7, int64_t a8, int64_t a9, int64_t a10,
		       int64_t a11, int64_t a12, int64_t a13, int64_t a14, int64_t a15, int64_t a16, int64_t a17, int64_t a18, int64_t a19, int64_t a20,
		       int64_t a21, int64_t a22, int64_t a23, int64_t a24, int64_t a25, int64_t a26, int64_t a27, int64_t a28, int64_t a29, int64_t a30,
		       int64_t a31)
{
	sum = (uint64_t)(a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 +
			 a24 + a25 + a26 + a27 + a28 + a29 + a30 + 2 * a31);
}

TEST(thirty_two_arguments_arrive)
{
	char text[256] = "v(i64";

	for (int i = 1; i < 32; i++)
		strcat(text, ",i64");
	strcat(text, ")");
	for (uint64_t i = 0; i < 32; i++)
		args[i] = i;
	CHECK_STR(call(text, (ptowsp_native_fn)thirty_two, 0, 32), "libffi");
	CHECK_UINT(sum, 31 * 32 / 2 + 31);
}

static ptowsp_status uniform(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	sum = task->tensor_count * 100 + task->arg_count;
	return PTOWSP_OK;
}

TEST(an_empty_signature_is_the_uniform_kernel)
{
	CHECK_STR(call("", (ptowsp_native_fn)uniform, 3, 2), "uniform");
	CHECK_UINT(sum, 302);
}

TEST(a_task_that_brings_too_little_is_an_error)
{
	CHECK_STR(call("v(p,p,p,i64)", (ptowsp_native_fn)add_n, 2, 1), "");
	CHECK_CONTAINS(error.text, "takes 3 tensors and 1 scalars, its task brings 2 and 1");
	CHECK_STR(call("f64(i8,p,u16,f64,p,f32)", (ptowsp_native_fn)odd_order, 2, 3), "");
	CHECK_CONTAINS(error.text, "brings 2 and 3");
}

TEST(functions_that_cannot_be_called_are_refused_when_bound)
{
	CHECK_STR(call("v(struct)", (ptowsp_native_fn)add_n, 3, 1), "");
	CHECK_CONTAINS(error.text, "struct");
}
