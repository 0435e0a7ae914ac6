/* SPDX-License-Identifier: MIT
 * test_aie_ir.c - MLIR as text: what is read gives the same text again, and what cannot be read is said in a sentence with its place. Golden texts are
 * tests/aie/designs/NAME.FORM; with PTOWSP_UPDATE=1 in the environment they are written. */
#include "aie/ir/ir.h"
#include "aie/ir/ir_read.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The generic text, to be freed; NULL and a failed check where it cannot be read. */
static char *text_of(const char *what, const char *text, size_t length)
{
	struct ptowsp_error error = {0};
	struct aie_module module = {0};
	char *printed = NULL;

	if (aie_module_read(&module, text, length, &error)) {
		CHECK_FAIL("%s: %s", what, error.text);
		return NULL;
	}
	CHECK_INT(aie_module_print(&module, AIE_FORM_GENERIC, &printed, &error), PTOWSP_OK);
	aie_module_finish(&module);
	return printed;
}

static void text_comes_back(const char *what, const char *text, size_t length)
{
	char *first = text_of(what, text, length), *second = first ? text_of(what, first, strlen(first)) : NULL;

	CHECK(second && !strcmp(first, second));
	free(first);
	free(second);
}

static void file_comes_back(const char *path)
{
	size_t size = 0;
	char *text = check_read(path, &size);

	CHECK(text != NULL);
	if (text)
		text_comes_back(path, text, size);
	free(text);
}

TEST(designs_give_their_text_again)
{
	static const char *const files[] = {"pipe", "split", "window", "beside", "forms"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		file_comes_back(check_fmt("%s/tests/aie/designs/%s.mlir", check_root(), files[i]));
}

TEST(examples_of_the_corpus_can_be_read)
{
	static const char *const files[] = {"pass_dict", "two_stage", "matmul", "body"};

	CHECK_NEED_SHARED();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		file_comes_back(check_fmt("%s/reference/aie-files/%s.mlir", check_shared(), files[i]));
}

/* The text of tests/aie/designs/NAME.mlir in this form is that of tests/aie/designs/NAME.KIND. */
static void check_golden(const char *name, enum aie_form form, const char *kind)
{
	const char *golden = check_fmt("%s/tests/aie/designs/%s.%s", check_root(), name, kind);
	size_t size = 0;
	char *text = check_read(check_fmt("%s/tests/aie/designs/%s.mlir", check_root(), name), &size), *printed, *wanted;
	struct aie_module module = {0};

	REQUIRE(text != NULL);
	REQUIRE_INT(aie_module_read(&module, text, size, NULL), PTOWSP_OK);
	REQUIRE_INT(aie_module_print(&module, form, &printed, NULL), PTOWSP_OK);
	if (getenv("PTOWSP_UPDATE"))
		CHECK(check_write(golden, printed, strlen(printed)));
	wanted = check_read(golden, NULL);
	CHECK(wanted != NULL);
	if (wanted)
		CHECK_STR(printed, wanted);
	aie_module_finish(&module);
	free(wanted);
	free(printed);
	free(text);
}

TEST(every_form_has_the_text_of_its_file)
{
	check_golden("forms", AIE_FORM_GENERIC, "generic");
	check_golden("forms", AIE_FORM_EPOCH_B, "epoch_b");
}

TEST(designs_are_written_as_people_do_in_both_epochs)
{
	static const char *const files[] = {"pipe", "split", "window", "beside"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		check_golden(files[i], AIE_FORM_EPOCH_A, "epoch_a");
		check_golden(files[i], AIE_FORM_EPOCH_B, "epoch_b");
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct aie_named_attr *)a)->name, ((const struct aie_named_attr *)b)->name);
}

/* Attributes in the order of their names. */
static void sort_attrs(struct aie_region *region)
{
	for (struct aie_op *op = region->first; op; op = op->next) {
		if (op->attr_count)
			qsort(op->attrs, op->attr_count, sizeof(*op->attrs), by_name);
		for (uint32_t i = 0; i < op->region_count; i++)
			sort_attrs(&op->regions[i]);
	}
}

static char *sorted_text(const char *path)
{
	size_t size = 0;
	char *text = check_read(path, &size), *printed = NULL;
	struct ptowsp_error error = {0};
	struct aie_module module = {0};

	REQUIRE(text != NULL);
	if (aie_module_read(&module, text, size, &error))
		CHECK_FAIL("%s: %s", path, error.text);
	else
		sort_attrs(&module.top->regions[0]);
	if (module.top)
		CHECK_INT(aie_module_print(&module, AIE_FORM_GENERIC, &printed, NULL), PTOWSP_OK);
	aie_module_finish(&module);
	free(text);
	return printed;
}

/* Where all operations are MLIR's own. */
TEST(what_people_read_is_read_as_the_same_module)
{
	char *first = sorted_text(check_fmt("%s/tests/aie/designs/forms.mlir", check_root())),
	     *second = sorted_text(check_fmt("%s/tests/aie/designs/forms.epoch_b", check_root()));

	if (first && second)
		CHECK_STR(second, first);
	free(first);
	free(second);
}

/* Operations that lack what their form needs are printed in the generic one. */
TEST(what_has_no_form_is_printed_in_the_generic_one)
{
	static const char text[] = "\"aie.device\"() : () -> ()\n%a = \"aie.tile\"() {col = 1 : i32} : () -> index\n\"aie.objectfifo\"() : () -> ()\n"
				   "\"aie.core\"() : () -> ()\n\"aiex.npu.dma_memcpy_nd\"() : () -> ()\n\"aie.objectfifo.acquire\"() : () -> ()\n";
	static const char wanted[] =
		"module {\n  \"aie.device\"() : () -> ()\n  %0 = \"aie.tile\"() {col = 1 : i32} : () -> index\n  \"aie.objectfifo\"() : () -> ()\n"
		"  \"aie.core\"() : () -> ()\n  \"aiex.npu.dma_memcpy_nd\"() : () -> ()\n  \"aie.objectfifo.acquire\"() : () -> ()\n}\n";
	struct aie_module module = {0};
	char *printed;

	REQUIRE_INT(aie_module_read(&module, text, sizeof(text) - 1, NULL), PTOWSP_OK);
	REQUIRE_INT(aie_module_print(&module, AIE_FORM_EPOCH_A, &printed, NULL), PTOWSP_OK);
	CHECK_STR(printed, wanted);
	free(printed);
	aie_module_finish(&module);
}

TEST(equal_types_and_names_are_the_same_pointer)
{
	static const int64_t dims[] = {4, 8}, strides[] = {8, 1};
	struct aie_module module = {0};
	const struct aie_type *i32, *memref;
	char name[] = "mm";

	REQUIRE_INT(aie_module_begin(&module, NULL), PTOWSP_OK);
	i32 = aie_type_plain(&module, AIE_TYPE_INT, 32);
	memref = aie_type_memref(&module, i32, 2, dims);
	CHECK(aie_type_plain(&module, AIE_TYPE_INT, 32) == i32);
	CHECK(aie_type_memref(&module, i32, 2, dims) == memref);
	CHECK(aie_type_view(&module, i32, 2, dims, strides, 0) != memref);
	CHECK_UINT(aie_type_bytes(memref), 128);
	CHECK_UINT(aie_type_count(memref), 32);
	CHECK_UINT(aie_type_bytes(aie_type_plain(&module, AIE_TYPE_BF16, 0)), 2);
	CHECK_UINT(aie_type_bytes(aie_type_plain(&module, AIE_TYPE_INDEX, 0)), 4);
	CHECK(aie_attr_int(&module, i32, 7) == aie_attr_int(&module, i32, 7));
	CHECK(aie_attr_int(&module, aie_type_plain(&module, AIE_TYPE_INT, 1), 1) == aie_attr_bool(&module, true));
	CHECK_INT(aie_attr_int(&module, aie_type_plain(&module, AIE_TYPE_INT, 8), 255)->number, -1);
	CHECK(aie_name(&module, name, 2) == aie_name(&module, "mm", 2));
	for (int i = 0; i < 5000; i++)
		CHECK_INT(aie_attr_int(&module, i32, i)->number, i);
	CHECK(aie_attr_int(&module, i32, 7) == aie_attr_int(&module, i32, 7));
	aie_module_finish(&module);
}

TEST(what_is_built_of_nothing_is_nothing)
{
	struct aie_module module = {0};
	struct aie_op *op;

	REQUIRE_INT(aie_module_begin(&module, NULL), PTOWSP_OK);
	CHECK(!aie_type_fifo(&module, NULL));
	CHECK(!aie_attr_type(&module, NULL));
	CHECK(!aie_attr_list(&module, AIE_ATTR_LIST, 1, (const struct aie_attr *const[]){NULL}));
	CHECK(!aie_op_add(&module, module.top, NULL, "a"));
	CHECK(!aie_op_operand(&module, NULL, NULL));
	CHECK(!aie_op_result(&module, NULL, NULL));
	op = aie_op_add(&module, module.top, module.top->regions, "test.op");
	CHECK(!aie_op_attr(&module, op, "a", NULL));
	for (int i = 0; i < AIE_REGIONS; i++)
		CHECK(aie_op_region(&module, op) == &op->regions[i]);
	CHECK(!aie_op_region(&module, op));
	CHECK(aie_op_attr(&module, op, "a", aie_attr_bool(&module, false)));
	CHECK(aie_op_attr(&module, op, "a", aie_attr_bool(&module, true)));
	CHECK_UINT(op->attr_count, 1);
	CHECK_INT(aie_attr_of(op, "a")->number, 1);
	CHECK(!aie_attr_of(op, "b"));
	aie_module_finish(&module);
}

TEST(operations_know_where_they_stood)
{
	static const char text[] = "module {\n  %a = arith.constant 1 : i32\n\t\"test.use\"(%a) : (i32) -> ()\n}\n";
	struct aie_module module = {0};
	const struct aie_op *op;

	REQUIRE_INT(aie_module_read(&module, text, sizeof(text) - 1, NULL), PTOWSP_OK);
	op = module.top->regions[0].first;
	CHECK_UINT(op->line, 2);
	CHECK_UINT(op->column, 8);
	CHECK_UINT(op->next->line, 3);
	CHECK_UINT(op->next->column, 2);
	CHECK(op->next->operands[0] == op->results[0]);
	aie_module_finish(&module);
}

/* ---- what is refused */

static const struct wrong {
	const char *text, *sentence;
} wrongs[] = {
	{"{", "1:1: '{' stands here, expected an operation"},
	{"\"a\"", "1:4: the text ends here, expected '(' and the operands of an operation"},
	{"\"a", "1:1: the string that begins here has no closing quote in its line, expected an operation"},
	{"\x07", "1:1: the byte 0x07 stands here, which begins no token, expected an operation"},
	{"\n  affine", "2:3: 'affine' stands here, expected an operation of aie, aiex, arith, scf, cf, memref or func, or one in quotes (the generic form)"},
	{"\"a b\"() : () -> ()", "1:1: the name of an operation has 1 to 255 letters, digits, '.', '_' and '$'"},
	{"\"a\"(%b) : (i32) -> ()", "1:5: %b is not known here, a value stands before its uses and in a region around them"},
	{"%b = \"a\"(%b) : (i32) -> ()", "1:10: %b is not known here, a value stands before its uses and in a region around them"},
	{"%a = \"a\"() : () -> i32 %a = \"a\"() : () -> i32", "1:24: %a has been defined before, each name is for one value"},
	{"%a:2 = \"a\"() : () -> (i32, i32) \"b\"(%a#2) : (i32) -> ()", "1:37: %a has 2 values, the first of them #0"},
	{"%a = \"a\"() : () -> ()", "1:6: a has 0 results and names for 1"},
	{"%a:0 = \"a\"() : () -> ()", "1:1: a name for 0 results stands here, expected 1 to 4096"},
	{"%a \"a\"", "1:4: '\"a\"' stands here, expected '=' behind the names of results"},
	{"%a#0 = \"a\"", "1:1: '%a#0' stands here, expected the name of a value, %name"},
	{"\"a\"(b)", "1:5: 'b' stands here, expected a value, %name"},
	{"\"a\"() : (i32) -> ()", "1:1: a has 0 operands and types for 1"},
	{"%a = \"a\"() : () -> i32 \"b\"(%a) : (i8) -> ()", "1:24: operand 0 of b has another type than stands behind ':'"},
	{"\"a\"()[^bb1] : () -> ()", "1:7: ^bb1 is no block of this region"},
	{"\"a\"() ({ \"b\"()[^bb2] : () -> () ^bb1: }) : () -> ()", "1:16: ^bb2 is no block of this region"},
	{"\"a\"() ({ ^bb0: \"b\"()[^bb0] : () -> () }) : () -> ()", "1:22: ^bb0 is the first block of its region, to which nothing may go back"},
	{"\"a\"() ({ ^bb0: \"b\"() ({ \"c\"()[^bb1] : () -> () }) : () -> () ^bb1: }) : () -> ()", "1:31: ^bb1 is no block of this region"},
	{"\"a\"() ({ ^bb1: ^bb1: }) : () -> ()", "1:16: ^bb1 stands twice in its region"},
	{"\"a\"() ({ ^bb0: ^bb1(%a: i32, %a: i32): }) : () -> ()", "1:30: %a has been defined before, each name is for one value"},
	{"\"a\"() ({ ^bb0: ^bb1(): }) : () -> ()", "1:21: ')' stands here, expected the name of a value, %name"},
	{"\"a\"() ({ ^bb0(%a: i32, %a: i32): }) : () -> ()", "1:24: %a has been defined before, each name is for one value"},
	{"\"a\"() {a = 1, a} : () -> ()", "1:15: attribute 'a' stands twice in one operation"},
	{"\"a\"() {= 1} : () -> ()", "1:8: '=' stands here, expected the name of an attribute"},
	{"\"a\"() {\"\"} : () -> ()", "1:8: the name of an attribute stands here, which has 1 to 255 bytes"},
	{"\"a\"() {a = } : () -> ()", "1:12: '}' stands here, expected an attribute's value"},
	{"\"a\"() {a = 1 : f32} : () -> ()", "1:12: a whole number stands here, expected one with a point, or its bits as 0x..., as its type is a float's"},
	{"\"a\"() {a = 1.5 : i8} : () -> ()", "1:12: a number with a point stands here, expected a whole one, as its type is an integer's"},
	{"\"a\"() {a = 256 : i8} : () -> ()", "1:12: this number does not fit into its type, expected one of at most 8 bits"},
	{"\"a\"() {a = -129 : i8} : () -> ()", "1:12: this number does not fit into its type, expected one of at most 8 bits"},
	{"\"a\"() {a = 18446744073709551616} : () -> ()", "1:12: this number does not fit into its type, expected one of at most 64 bits"},
	{"\"a\"() {a = 1 : memref<i32>} : () -> ()", "1:12: a number stands here, and its type is none of numbers"},
	{"\"a\"() {a = array<i8: true>} : () -> ()", "1:22: 'true' or 'false' stands here, expected a number, as the type is not i1"},
	{"\"a\"() {a = array<f32: 1.0>} : () -> ()", "1:17: an array of another type than i1 to i64 stands here"},
	{"\"a\"() {a = array<i8: i8>} : () -> ()", "1:22: 'i8' stands here, expected a number"},
	{"\"a\"() {a = \"\\q\"} : () -> ()", "1:12: a string with an escape that is none of \\\" \\\\ \\n \\t and two digits other than 00 stands here"},
	{"\"a\"() {a = #b<c} : () -> ()", "1:12: what begins here has no closing mark within its line and 1024 bytes"},
	{"\"a\"() {a = #aie<bd_dim_layout_arrays[]>} : () -> ()",
	 "1:17: 'bd_dim_layout_arrays' stands here, expected bd_dim_layout_array or bd_dim_layout_array_array"},
	{"\"a\"() {a = #aie<bd_dim_layout_array[<size = 1>]>} : () -> ()", "1:46: '>' stands here, expected ',' behind the size"},
	{"\"a\"() {a = dense<[1, [2]]> : tensor<2xi32>} : () -> ()", "1:22: lists stand deeper inside each other here than before, or more than 5 deep"},
	{"\"a\"() {a = dense<[[1], 2]> : tensor<2xi32>} : () -> ()", "1:24: '2' stands here, expected '[', as in the lists before"},
	{"\"a\"() {a = dense<[[1], [2, 3]]> : tensor<2xi32>} : () -> ()", "1:24: a list of 2 elements stands here, expected 1 as in the one before"},
	{"\"a\"() {a = dense<[1, 2]> : tensor<3xi32>} : () -> ()",
	 "1:17: the elements of a dense value stand here in other lists than its type has dimensions"},
	{"\"a\"() {a = dense<i> : tensor<3xi32>} : () -> ()", "1:18: 'i' stands here, expected a number or '['"},
	{"\"a\"() {a = dense<1> : i32} : () -> ()", "1:23: the type of a dense value stands here, expected tensor<...> of numbers"},
	{"\"a\"() : () -> i65",
	 "1:15: 'i65' stands here, expected a type: index, i1 to i64, bf16, f16, f32, f64, memref<...>, !aie.objectfifo<...> or a function's"},
	{"\"a\"() : () -> ->", "1:15: '->' stands here, expected a type"},
	{"\"a\"() : i32", "1:9: 'i32' stands here, expected '(' and the types of operands"},
	{"\"a\"() : () i32", "1:12: 'i32' stands here, expected '->' and the types of results"},
	{"\"a\"() : () -> !aie.objectfifo<i32>", "1:15: the objects of this fifo are no memrefs, expected !aie.objectfifo<memref<...>>"},
	{"\"a\"() : () -> memref", "1:21: the text ends here, expected '<' behind 'memref'"},
	{"\"a\"() : () -> memref<?xi32>", "1:22: '?' stands here, expected a number: sizes are known before anything runs"},
	{"\"a\"() : () -> memref<1x1x1x1x1x1xi32>", "1:32: a memref has more than 5 dimensions here"},
	{"\"a\"() : () -> memref<9999999999999999xi32>", "1:22: a size is larger than 2^40 here"},
	{"\"a\"() : () -> memref<16 x i32>", "1:22: a size stands here without 'x' behind it, expected 'x' and another size or the type of an element"},
	{"\"a\"() : () -> memref<1048576x1048577xi32>", "1:21: this memref has a negative stride or offset, or more than 2^40 elements"},
	{"\"a\"() : () -> memref<2xi32, strided<[-1]>>", "1:21: this memref has a negative stride or offset, or more than 2^40 elements"},
	{"\"a\"() : () -> memref<2xi32, strided<[1, 1]>>", "1:37: more strides than sizes stand here, expected 1"},
	{"\"a\"() : () -> memref<2x2xi32, strided<[1]>>", "1:39: 1 strides stand here, expected 2, as many as there are sizes"},
	{"\"a\"() : () -> memref<2xi32, a>", "1:29: 'a' stands here, expected 'strided' behind the type of the elements"},
	{"\"a\"() : () -> memref<memref<i32>>", "1:21: a memref of memrefs, fifos or functions stands here, expected one of numbers"},
	{"\"a\"() : () -> memref<1xi32, strided<[x]>>", "1:38: 'x' stands here, expected a whole number"},
	{"\"a\"() : () -> memref<1xi32, strided<[9223372036854775808]>>", "1:38: '9223372036854775808' stands here, expected a number of 64 bits with a sign"},
	{"%a = arith.constant", "1:20: the text ends here, expected an attribute's value"},
	{"%a = arith.constant \"x\"", "1:21: a constant's value stands here, expected a number and its type"},
	{"%a = \"arith.constant\"() {value = 1 : i32} : () -> i8", "1:6: arith.constant has a number of the type of its result as its value"},
	{"%a = \"arith.constant\"() {value = 1 : i32} : () -> ()", "1:6: arith.constant takes nothing and gives one number"},
	{"%a = arith.constant 1.0 : f32 %b = arith.addi %a, %a : f32", "1:36: arith.addi takes two integers of one type and gives one"},
	{"%a = arith.constant 1 : i32 %b = arith.addf %a, %a : i32", "1:34: arith.addf takes two floats of one type and gives one"},
	{"%a = arith.constant 1 : i32 %", "1:29: the text ends behind this '%', expected an operation"},
	{"%a = arith.constant 1 : i32 %b = arith.addi %a, %a : i8", "1:54: operand 0 of arith.addi has another type than stands here: i32, not i8"},
	{"%t = aie.tile(0, 2) %m = aie.buffer(%t) : memref<4x4xi32> aie.dma_bd(%m : memref<16xi32>, 0, 16)",
	 "1:75: operand 0 of aie.dma_bd has another type than stands here: memref<4x4xi32>, not memref<16xi32>"},
	{"aie.runtime_sequence(%a: memref<8xi32>) { aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {metadata = @a} : memref<7xf16> }",
	 "1:124: operand 0 of aiex.npu.dma_memcpy_nd has another type than stands here: memref<8xi32>, not memref<7xf16>"},
	{"%v = aie.objectfifo.acquire @a(Consume, 1) : !aie.objectfifosubview<memref<8xi32>> %e = aie.objectfifo.subview.access %v[0] : "
	 "!aie.objectfifosubview<memref<2xi8>> -> memref<8xi32>",
	 "1:127: operand 0 of aie.objectfifo.subview.access has another type than stands here: !aie.objectfifosubview<memref<8xi32>>, not "
	 "!aie.objectfifosubview<memref<2xi8>>"},
	{"%m = memref.alloc() : memref<4xi32> memref.assume_alignment %m, 4 : memref<4xi8>",
	 "1:69: operand 0 of memref.assume_alignment has another type than stands here: memref<4xi32>, not memref<4xi8>"},
	{"%a = arith.constant 1 : i32 %b = arith.negf %a : i32", "1:34: arith.negf takes a float and gives one of its type"},
	{"%a = arith.constant 1 : i32 %b = arith.cmpi low, %a, %a : i32", "1:45: 'low' stands here, expected how to compare, such as eq, slt or olt"},
	{"%a = arith.constant 1 : i32 %b = arith.cmpf olt, %a, %a : i32", "1:34: arith.cmpf takes two numbers of one type and gives an i1"},
	{"%a = arith.constant 1 : i32 %b = \"arith.cmpi\"(%a, %a) {predicate = 10} : (i32, i32) -> i1", "1:34: arith.cmpi has a predicate that it knows"},
	{"%a = arith.constant 1 : i32 %b = arith.select %a, %a, %a : i32", "1:34: arith.select takes an i1 and two values of one type, and gives one of them"},
	{"%a = arith.constant 1 : i32 %b = arith.extsi %a : i32 to i8", "1:34: arith.extsi converts to more bits"},
	{"%a = arith.constant 1 : i32 %b = arith.trunci %a : i32 to i64", "1:34: arith.trunci converts to fewer bits"},
	{"%a = arith.constant 1 : i32 %b = arith.bitcast %a : i32 to f64", "1:34: arith.bitcast converts between as many bits"},
	{"%a = arith.constant 1 : i32 %b = arith.index_cast %a : i32 to i64", "1:34: arith.index_cast converts between index and an integer"},
	{"%a = arith.constant 1 : i32 %b = arith.extf %a : i32 to f64", "1:34: arith.extf does not convert between these types"},
	{"%a = \"arith.extf\"() : () -> f64", "1:6: arith.extf takes one number and gives one"},
	{"%a = arith.constant 1 : i32 %b = arith.addi %a, %a overflow<1> : i32", "1:61: '1' stands here, expected a flag"},
	{"%a = arith.constant 1 : i32 %b = memref.load %a[] : i32", "1:53: the type of a number stands here, expected a memref"},
	{"%m = memref.alloc() : memref<4xi32> %b = memref.load %m[] : memref<4xi32>",
	 "1:42: memref.load takes a memref and an index for each of its dimensions, and gives an element"},
	{"%m = memref.alloc() : memref<4xi32> memref.store %m, %m[] : memref<4xi32>",
	 "1:37: memref.store takes an element, a memref of such, and an index for each of its dimensions"},
	{"%m = memref.alloc(%a) : memref<4xi32>", "1:19: '%a' stands here, expected ')' as sizes stand in the type"},
	{"%m = memref.alloc() : i32", "1:6: memref.alloc takes nothing and gives a memref without strides"},
	{"%a = arith.constant 1 : i32 \"memref.dealloc\"(%a) : (i32) -> ()", "1:29: memref.dealloc takes a memref"},
	{"%a = arith.constant 1 : i32 \"memref.copy\"(%a, %a) : (i32, i32) -> ()", "1:29: memref.copy takes two memrefs"},
	{"%m = memref.alloc() : memref<4xi32> %n = memref.alloc() : memref<5xi32> memref.copy %m, %n : memref<4xi32> to memref<5xi32>",
	 "1:73: memref.copy takes two memrefs of the same sizes and elements"},
	{"%m = memref.alloc() : memref<4xi32> memref.copy %m, %m : memref<4xi32> to memref<5xi32>",
	 "1:75: operand 1 of memref.copy has another type than stands here: memref<4xi32>, not memref<5xi32>"},
	{"%m = memref.alloc() : memref<4xi32> %i = arith.constant 0 : index %v = memref.view %m[%i][] : memref<4xi32> to memref<1xi8>",
	 "1:72: memref.view takes a memref of bytes (i8) in one dimension"},
	{"%m = memref.alloc() : memref<4xi8> %i = arith.constant 0 : index %v = memref.view %m[%i][] : memref<4xi8> to memref<2xi32>",
	 "1:71: memref.view gives a memref that is not larger than the one it takes"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.view %m[%m][] : memref<4xi8> to memref<2xi8>",
	 "1:41: memref.view takes a memref and an index of bytes, and gives a memref without strides"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.subview %m[3] [2] [1] : memref<4xi8> to memref<2xi8>",
	 "1:41: memref.subview stays within the memref that it takes"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.subview %m[1] [2] [1] : memref<4xi8> to memref<2xi8>",
	 "1:41: memref.subview gives a memref with the sizes, strides and offset that follow from what it takes"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.subview %m[1, 1] [2] [1] : memref<4xi8> to memref<2xi8>",
	 "1:41: memref.subview has static_offsets, static_sizes and static_strides, one for each dimension of what it takes"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.subview %m[%m] [2] [1] : memref<4xi8> to memref<2xi8>",
	 "1:41: memref.subview has an index for each offset that is not a number; sizes and strides are numbers"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.subview %m[1] [2] [1] : memref<4xi8> to memref<2xi16>",
	 "1:41: memref.subview takes a memref and offsets, and gives a memref of the same elements"},
	{"%m = memref.alloc() : memref<4xi8> %v = memref.subview %m[1, 1, 1, 1, 1, 1]",
	 "1:72: ',' stands here, expected ']': a memref has at most five dimensions"},
	{"%i = arith.constant 0 : i32 scf.for %j = %i to %i step %i {}",
	 "1:59: a loop's first value has another type than its counter, which is index where no type stands here"},
	{"%i = arith.constant 0 : index scf.for %j = %i to %i step %i iter_args(%a = %i) -> (index, i32) {}",
	 "1:61: a loop carries 1 values and has types for 2 here"},
	{"%i = arith.constant 0 : index %r = scf.for %j = %i to %i step %i iter_args(%a = %i) -> (index) {}",
	 "1:36: scf.for has a body that ends with scf.yield of its results"},
	{"\"scf.for\"() : () -> ()", "1:1: scf.for takes a first, a last and a step of one type, and a value for each result"},
	{"%i = arith.constant 0 : index \"scf.for\"(%i, %i, %i) ({}) : (index, index, index) -> ()",
	 "1:31: scf.for has a body with the counter and a value for each result as its arguments"},
	{"\"scf.if\"() : () -> ()", "1:1: scf.if takes an i1 and has two regions without arguments"},
	{"%i = arith.constant true %r = scf.if %i -> (i1) { scf.yield %i : i1 }",
	 "1:31: scf.if has regions that end with scf.yield of its results, the second one maybe nothing if there are none"},
	{"func.func @f() { return \"a\"() : () -> () return }", "1:25: an operation stands behind func.return, which ends its region, expected '}'"},
	{"scf.yield", "1:1: scf.yield stands at the end of a region of scf.for or scf.if"},
	{"func.return", "1:1: func.return stands at the end of a func.func"},
	{"func.func @f() {}", "1:16: a function's body that is empty stands here, expected func.return at its end"},
	{"func.func @f() -> i32 { return }", "1:1: func.func has a body that ends with func.return of its results"},
	{"func.func @f(i32, %a: i32)", "1:19: '%a' stands here, expected names for all parameters, or for none"},
	{"func.func f()", "1:11: 'f' stands here, expected a name that begins with '@'"},
	{"\"func.func\"() ({}) : () -> ()", "1:1: func.func has a sym_name, a function_type and one region"},
	{"\"func.func\"() ({ ^bb0(%a: i32): \"func.return\"() : () -> () }) {sym_name = \"f\", function_type = () -> ()} : () -> ()",
	 "1:1: func.func has a body with its inputs as arguments"},
	{"%a = arith.constant 0 : i32 func.func @f() { \"b\"(%a) : (i32) -> () return }",
	 "1:50: %a is not known here, a value stands before its uses and in a region around them"},
	{"call @f() : (i32) -> ()", "1:6: a call has 0 arguments and types for 1"},
	{"%a = arith.constant 0 : i32 call @f(%a) : (i8) -> ()", "1:34: argument 0 of a call has another type than stands behind ':'"},
	{"\"func.call\"() : () -> ()", "1:1: func.call has a callee"},
	{"\"builtin.module\"() : () -> ()", "1:1: builtin.module has one region without arguments, and nothing else"},
};

static void check_wrong(const char *text, size_t length, const char *sentence)
{
	struct ptowsp_error error = {0};
	struct aie_module module = {0};

	CHECK_INT(aie_module_read(&module, text, length, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, sentence);
	aie_module_finish(&module);
}

TEST(what_has_no_model_is_said_to_have_none)
{
	static const char text[] = "%a = arith.constant 1.0 : f32 %b = math.exp %a : f32";
	struct ptowsp_error error = {0};
	struct aie_module module = {0};

	CHECK_INT(aie_module_read(&module, text, sizeof(text) - 1, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text, "1:36: 'math.exp' has no model, or is misspelt; write it by operations of aie, aiex, arith, scf, cf, memref or func that have");
	aie_module_finish(&module);
}

TEST(what_cannot_be_read_is_said_with_its_place)
{
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++)
		check_wrong(wrongs[i].text, strlen(wrongs[i].text), wrongs[i].sentence);
}

/* before, then `each` so many times, then behind; to be freed. */
static char *repeated(const char *before, const char *each, size_t times, const char *behind)
{
	const size_t length = strlen(each), head = strlen(before);
	char *text = malloc(head + length * times + strlen(behind) + 1);

	REQUIRE(text != NULL);
	memcpy(text, before, head);
	for (size_t i = 0; i < times; i++)
		memcpy(text + head + i * length, each, length);
	memcpy(text + head + length * times, behind, strlen(behind) + 1);
	return text;
}

static const struct limit {
	const char *before, *each, *behind, *sentence; /* "" as the sentence: it can be read */
	size_t times;
} limits[] = {
	{"", "\"a\"() ({", "", "1:520: regions, lists and types stand more than 64 deep inside each other here", 65},
	{"\"a\"() {a = ", "[", "", "1:76: regions, lists and types stand more than 64 deep inside each other here", 65},
	{"\"a\"() : ", "() -> (", "", "1:457: regions, lists and types stand more than 64 deep inside each other here", 65},
	{"\"a\"() ({}", ", {}", ") : () -> ()", "1:264: an operation has more than 64 regions here", 64},
	{"\"", "a", "\"() : () -> ()", "1:1: the name of an operation has 1 to 255 letters, digits, '.', '_' and '$'", 256},
	{"\"", "a", "\"() : () -> ()", "", 255},
	{"%", "a", " = \"a\"() : () -> i32", "1:1: a name of more than 255 bytes stands here", 256},
	{"\"a\"() {a = @", "a", "} : () -> ()", "1:12: a name of more than 255 bytes stands here", 256},
	{"\"a\"() {a = @\"", "\\E6", "\"} : () -> ()", "1:12: a name of more than 255 bytes stands here", 256},
	{"\"a\"() {a = @\"", "\\E6", "\"} : () -> ()", "", 255},
	{"\"a\"() {a = #b<", "a", ">} : () -> ()", "1:12: what begins here has no closing mark within its line and 1024 bytes", 1024},
	{"\"a\"() {a = 1.", "0", "} : () -> ()", "1:12: a number of more than 127 characters stands here", 126},
	{"%a = arith.constant 1 : i32 \"a\"(%a", ", %a", ") : () -> ()", "1:16417: an operation has more than 4096 operands here", 4096},
	{"\"a\"() : (i32", ", i32", ") -> ()", "1:20493: a list of types has more than 4096 here", 4096},
	{"%a", ", %a", " = \"a\"() : () -> ()", "1:16385: an operation has more than 4096 results here", 4096},
	{"func.func private @f(i32", ", i32", ")", "1:660: a function has more than 128 parameters here", 128},
	{"%a = arith.constant 0 : index scf.for %i = %a to %a step %a iter_args(%b = %a", ", %b = %a", ") -> () {}",
	 "1:61: a loop carries more than 128 values here", 128},
	{"\"a\"() ({ ^bb0(%a: i32", ", %a: i32", "): }) : () -> ()", "1:24: %a has been defined before, each name is for one value", 4096},
	{"\"a\"() {a = array<i8: 1", ",1", ">} : () -> ()", "1:2097175: an array has more than 1048576 items here", 1 << 20},
	{"\"a\"() {a = [unit", ",unit", "]} : () -> ()", "1:5242897: a list has more than 1048576 items here", 1 << 20},
	{"\"a\"() {a = dense<[1", ",1", "]> : tensor<1xi8>} : () -> ()", "1:2097171: a dense value has more than 1048576 elements here", 1 << 20},
};

TEST(what_is_too_large_is_said_with_its_limit)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct limit *limit = &limits[i];
		char *text = repeated(limit->before, limit->each, limit->times, limit->behind);

		if (*limit->sentence)
			check_wrong(text, strlen(text), limit->sentence);
		else
			text_comes_back(check_fmt("limit %zu", i), text, strlen(text));
		free(text);
	}
}

TEST(attributes_of_one_operation_are_counted)
{
	char text[2048];
	size_t length = (size_t)snprintf(text, sizeof(text), "\"a\"() {");

	for (int i = 0; i < 65; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%sa%d", i ? ", " : "", i);
	check_wrong(text, length, "1:318: an operation has more than 64 attributes here");
}

TEST(operations_and_bytes_are_counted)
{
	char *many = repeated("", "\"a\"():()->()\n", (1 << 20) + 1, ""), *large = repeated("", " ", AIE_READ_BYTES + 1, "");

	check_wrong(many, strlen(many), "1048577:1: the text has more than 1048576 operations");
	check_wrong(large, strlen(large), "1:1: the text has 67108865 bytes, of 67108864 that a module may have");
	free(many);
	free(large);
}

/* Texts that look every name up, intern much and nest: each is read in one pass. */
TEST(long_texts_are_read)
{
	char *text = repeated("%a = arith.constant 1 : i32\n", "\"b\"() ({ \"c\"(%a) {n = \"x\"} : (i32) -> () }) : () -> ()\n", 100000, "");

	text_comes_back("long", text, strlen(text));
	free(text);
}
