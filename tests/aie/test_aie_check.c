/* SPDX-License-Identifier: MIT
 * test_aie_check.c - designs with one thing wrong: each is refused by the rule for it, in its sentence. A mutant is a design of tests/aie in which a text, where it
 * stands first, is another one. */
#include "aie/array/array.h"
#include "aie/design/aie_check.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_TASK(id)                                                                                                                                          \
	"\"aiex.npu.dma_memcpy_nd\"(%from) {id = " id " : i64, issue_token = false, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>, "            \
	"static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 32>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xi32>) -> "    \
	"()\n"

static const struct mutant {
	const char *name, *base, *from, *to, *sentence;
} mutants[] = {
	/* what a check by IRDL finds, too */
	{"port_7", "pipe", "port = 1 : i32", "port = 7 : i32",
	 "20:14: aie.objectfifo.acquire: port of fifo 'in' is 7, expected 0 (produce) or 1 (consume) (rule 0.1)"},
	{"tile_without_column", "pipe", "{col = 0 : i32, ", "{", "4:13: aie.tile: attribute 'col' is missing (rule 0.1)"},
	{"misspelt_operation", "pipe", "aie.tile", "aie.til", "4:13: aie.til: this operation is not known in a device (rule 0.4)"},
	{"core_gives_no_index", "pipe", "(index) -> index", "(index) -> i32",
	 "13:14: aie.core: the result of a core on core tile (0,2) is no index (rule 0.2)"},
	{"misspelt_type", "pipe", "!aie.objectfifo", "!aie.objectfif",
	 "7:5: aie.objectfifo: fifo 'in' has objects of another type than a memref without strides (rule 0.1)"},
	{"fifo_without_depth", "pipe", "elemNumber = 2 : i32, ", "", "7:5: aie.objectfifo: attribute 'elemNumber' is missing (rule 0.1)"},
	{"device_3", "pipe", "device = 5", "device = 3", "3:3: aie.device: device 3 is not known, npu1 is 4 and npu2 is 8 (rule 0.3)"},
	{"link_without_ins", "split", "fifoIns = [@in], ", "", "15:5: aie.objectfifo.link: attribute 'fifoIns' is missing (rule 0.1)"},
	{"swapped_arguments", "split", "(%x, %w, %y, %factor)", "(%w, %x, %y, %factor)", "39:19: argument 0 of a call has another type than stands behind ':'"},
	{"unknown_kernel", "split", "call @weigh", "call @way", "39:9: func.call: function 'way' is not known, declare it (rule 0.5)"},
	{"wrong_rank", "pipe", "memref.load %x[%i]", "memref.load %x[%i, %i]",
	 "23:16: memref.load takes a memref and an index for each of its dimensions, and gives an element"},
	/* rules by their numbers */
	{"unknown_attribute", "pipe", "{stack_size", "{dynamic = true, stack_size", "13:14: aie.core: attribute 'dynamic' is not known (rule 0.1)"},
	{"text_for_number", "pipe", "col = 0 : i32", "col = \"0\"", "4:13: aie.tile: attribute 'col' is of another kind than it must be (rule 0.1)"},
	{"core_of_two_tiles", "pipe", "\"aie.end\"() : () -> ()\n    }) {stack_size = 1024 : i32} : (index)",
	 "\"aie.end\"() : () -> ()\n    }, {}) {stack_size = 1024 : i32} : (index)", "13:14: aie.core: it has 2 regions, 1 are needed (rule 0.2)"},
	{"core_with_arguments", "pipe", "\"aie.core\"(%a) ({",
	 "\"aie.core\"(%a) ({ ^bb0(%q: i32):", "13:14: aie.core: the core on core tile (0,2) has arguments, or no aie.end at its end (rule 0.2)"},
	{"no_device", "pipe", "\"aie.device\"() ({", "\"aie.devic\"() ({",
	 "3:3: aie.devic: a module has one aie.device and functions, and nothing else (rule 0.4)"},
	{"unknown_in_core", "pipe", "%three = arith.constant 3", "\"aie.use_lock\"() : () -> () %three = arith.constant 3",
	 "18:7: aie.use_lock: this operation is not known in a core (rule 0.4)"},
	{"unknown_in_sequence", "pipe", "\"aiex.npu.dma_wait\"() {", "\"aiex.npu.sync\"() {",
	 "57:7: aiex.npu.sync: this operation is not known in the host's sequence (rule 0.4)"},
	{"end_in_the_middle", "pipe", "%shim = \"aie.tile\"", "\"aie.end\"() : () -> () %shim = \"aie.tile\"",
	 "4:5: aie.end: it stands before the end of its region (rule 0.4)"},
	{"fifo_twice", "pipe", "sym_name = \"mid\"", "sym_name = \"in\"", "9:5: aie.objectfifo: fifo 'in' stands twice (rule 0.5)"},
	{"unknown_fifo", "pipe", "objFifo_name = @in", "objFifo_name = @im", "20:14: aie.objectfifo.acquire: fifo 'im' is not known (rule 0.5)"},
	{"unknown_fifo_of_link", "split", "[@in_a, @in_b]", "[@in_a, @in_c]", "15:5: aie.objectfifo.link: fifo 'in_c' of a link is not known (rule 0.5)"},
	{"tile_outside", "pipe", "{col = 0 : i32, row = 3", "{col = 1 : i32, row = 3",
	 "6:10: aie.tile: tile (1,3) lies outside of npu1_1col, which has columns 0 to 0 and rows 0 to 5 (rule 1.1)"},
	{"tile_above", "pipe", "row = 3", "row = 6",
	 "6:10: aie.tile: tile (0,6) lies outside of npu1_1col, which has columns 0 to 0 and rows 0 to 5 (rule 1.1)"},
	{"core_on_memory", "split", "\"aie.core\"(%a)", "\"aie.core\"(%mem)",
	 "29:15: aie.core: a core stands on memory tile (0,1), which has none; cores begin in row 2 (rule 1.2)"},
	{"tile_twice", "pipe", "row = 3", "row = 2", "6:10: aie.tile: tile (0,2) stands twice, name it once (rule 1.3)"},
	{"core_twice", "pipe", "\"aie.core\"(%b)", "\"aie.core\"(%a)", "32:15: aie.core: core tile (0,2) has two cores, of 1 (rule 1.3)"},
	{"depths_too_few", "split", "[1 : i32, 1 : i32, 1 : i32]", "[1 : i32, 1 : i32]",
	 "18:5: aie.objectfifo: fifo 'w_all' of memory tile (0,1) has 2 depths, 3 are needed: its producer's and each consumer's (rule 2.1)"},
	{"shim_repeats", "pipe", "elemNumber = 2 : i32", "repeat_count = 2 : i32, elemNumber = 2 : i32",
	 "7:5: aie.objectfifo: fifo 'in' repeats at shim (0,0), let the host move its part again (rule 2.2)"},
	{"shim_has_dimensions", "pipe", "bd_dim_layout_array[]", "bd_dim_layout_array[<size = 32, stride = 1>]",
	 "7:5: aie.objectfifo: fifo 'in' has dimensions at shim (0,0), say them where the host moves (rule 2.2)"},
	{"shim_begins_with_values", "pipe", "elemNumber = 2 : i32", "initValues = [1, 2], elemNumber = 2 : i32",
	 "7:5: aie.objectfifo: fifo 'in' begins with values at shim (0,0), which has no memory (rule 2.2)"},
	{"too_few_values", "pipe", "\"mid\", elemNumber = 2 : i32", "\"mid\", initValues = [1], elemNumber = 2 : i32",
	 "9:5: aie.objectfifo: fifo 'mid' of core tile (0,2) begins with 1 values, its depth is 2 (rule 2.3)"},
	{"values_are_not_modelled", "pipe", "\"mid\", elemNumber = 2 : i32", "\"mid\", initValues = [1, 2], elemNumber = 2 : i32",
	 "9:5: aie.objectfifo: a fifo that begins with values, which no model here knows (rule 0.4)"},
	{"runs_too_often", "split", "\"in\", elemNumber", "\"in\", iter_count = 257 : i32, elemNumber",
	 "9:5: aie.objectfifo: fifo 'in' of shim (0,0) runs 257 times, expected 1 to 256 and a memory tile at an end (rule 2.4)"},
	{"runs_without_memory_tile", "pipe", "\"mid\", elemNumber", "\"mid\", iter_count = 2 : i32, elemNumber",
	 "9:5: aie.objectfifo: fifo 'mid' of core tile (0,2) runs 2 times, expected 1 to 256 and a memory tile at an end (rule 2.4)"},
	{"end_is_no_tile", "pipe", "%b = \"aie.tile\"()", "%b = \"test.tile\"()", "6:10: test.tile: this operation is not known in a device (rule 0.4)"},
	{"consumer_is_no_tile", "pipe", "%second = \"aie.core\"",
	 "\"aie.objectfifo\"(%first, %b) {sym_name = \"x\", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>}\n"
	 " : (index, index) -> () %second = \"aie.core\"",
	 "32:5: aie.objectfifo: end 0 of fifo 'x' is no tile (rule 2.5)"},
	{"consumes_twice", "split", "\"aie.objectfifo\"(%mem, %a, %b)", "\"aie.objectfifo\"(%mem, %a, %a)",
	 "18:5: aie.objectfifo: core tile (0,2) consumes fifo 'w_all' twice, of once (rule 2.5)"},
	{"no_depth", "pipe", "elemNumber = 2", "elemNumber = 0", "7:5: aie.objectfifo: fifo 'in' of shim (0,0) is 0 objects deep, expected 1 to 63 (rule 2.6)"},
	{"too_deep", "pipe", "elemNumber = 2", "elemNumber = 64",
	 "7:5: aie.objectfifo: fifo 'in' of shim (0,0) is 64 objects deep, expected 1 to 63 (rule 2.6)"},
	{"link_does_not_meet", "split", "\"aie.objectfifo\"(%shim, %mem) {sym_name = \"in\"", "\"aie.objectfifo\"(%shim, %a) {sym_name = \"in\"",
	 "15:5: aie.objectfifo.link: fifo 'in' of a link does not end on memory tile (0,1), where the link gives on (rule 3.1)"},
	{"link_begins_elsewhere", "split", "\"aie.objectfifo\"(%mem, %b) {", "\"aie.objectfifo\"(%a, %b) {",
	 "15:5: aie.objectfifo.link: fifo 'in_b' of a link begins on core tile (0,2), the others on memory tile (0,1) (rule 3.1)"},
	{"link_of_two_and_two", "split", "fifoIns = [@in], ", "fifoIns = [@in, @w], ",
	 "15:5: aie.objectfifo.link: a link has 2 fifos in and 2 out, expected 1 on one side and 1 or more on the other (rule 3.2)"},
	{"link_on_core", "split", "%mem = \"aie.tile\"() {col = 0 : i32, row = 1", "%mem = \"aie.tile\"() {col = 0 : i32, row = 4",
	 "15:5: aie.objectfifo.link: a link of 1 and 2 fifos stands on core tile (0,4), which needs a memory tile (rule 3.3)"},
	{"offsets_too_few", "split", "dst_offsets = [0, 32]", "dst_offsets = [0]",
	 "15:5: aie.objectfifo.link: a link on memory tile (0,1) has 1 offsets in 'dst_offsets', 2 are needed (rule 3.4)"},
	{"offsets_on_both_sides", "split", "src_offsets = [], dst_offsets = [0, 32]", "src_offsets = [0], dst_offsets = [0, 32]",
	 "15:5: aie.objectfifo.link: a link on memory tile (0,1) has 1 offsets in 'src_offsets', 0 are needed (rule 3.4)"},
	{"repeat_differently", "split", "sym_name = \"in_b\"", "repeat_count = 2 : i32, sym_name = \"in_b\"",
	 "15:5: aie.objectfifo.link: fifo 'in_b' of a link on memory tile (0,1) repeats 2 times, the first one 1 times (rule 3.5)"},
	{"in_two_links", "split", "fifoIns = [@w]", "fifoIns = [@in]", "20:5: aie.objectfifo.link: fifo 'in' is in 2 links, of 1 (rule 3.6)"},
	{"allocated_out_of_reach", "beside", "%north = \"aie.tile\"() {col = 1 : i32, row = 3", "%north = \"aie.tile\"() {col = 1 : i32, row = 4",
	 "19:5: aie.objectfifo.allocate: fifo 'near_out' is allocated on core tile (1,4), whose memory core tile (1,2) does not see (rule 3.8)"},
	{"allocated_twice", "beside", "\"aie.objectfifo.allocate\"(%west) {objFifo_name = @near_in} : (index) -> ()",
	 "\"aie.objectfifo.allocate\"(%west) {objFifo_name = @near_in} : (index) -> () \"aie.objectfifo.allocate\"(%west) {objFifo_name = @near_in} : "
	 "(index) -> ()",
	 "13:80: aie.objectfifo.allocate: fifo 'near_in' is allocated on core tile (0,2) and was allocated before (rule 3.8)"},
	{"allocated_beside_its_link", "beside", "allocate\"(%west)", "allocate\"(%a)",
	 "13:5: aie.objectfifo.allocate: fifo 'near_in' is allocated on core tile (1,2) and is linked on another tile (rule 3.8)"},
	{"allocated_and_by_dma", "beside", "sym_name = \"near_in\", ", "sym_name = \"near_in\", via_DMA = true, ",
	 "13:5: aie.objectfifo.allocate: fifo 'near_in' is allocated on core tile (0,2) and needs a DMA for what is said of it (rule 3.8)"},
	{"part_beyond_whole", "split", "dst_offsets = [0, 32]", "dst_offsets = [0, 33]",
	 "15:5: aie.objectfifo.link: 'in_b' takes elements 33 to 64 of 'in' on memory tile (0,1), which has 64 (rule 3.7)"},
	{"joined_twice", "split", "src_offsets = [0, 32]", "src_offsets = [0, 31]",
	 "27:5: aie.objectfifo.link: 'out_b' and 'out_a' are joined on memory tile (0,1) into the same elements of 'out' (rule 3.7)"},
	{"whole_not_filled", "split", "sym_name = \"out\", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<64xi32>>",
	 "sym_name = \"out\", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<80xi32>>",
	 "27:5: aie.objectfifo.link: 64 elements are joined on memory tile (0,1) into 'out', which has 80 (rule 3.7)"},
	{"acquired_in_function", "split", "func.func private @weigh(",
	 "func.func @f() { \"aie.objectfifo.release\"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> () return }\n    func.func private "
	 "@weigh(",
	 "4:22: aie.objectfifo.release: fifo 'in' is used in a function, use it in a core (rule 4.1)"},
	{"wrong_end", "pipe", "@mid, port = 0", "@mid, port = 1",
	 "21:14: aie.objectfifo.acquire: core tile (0,2) does not consume fifo 'mid', whose producer is core tile (0,2) (rule 4.2)"},
	{"wrong_object_type", "pipe", "%y = \"aie.objectfifo.acquire\"() {objFifo_name = @mid, port = 0 : i32, size = 1 : i32} : () -> memref<32xi32>",
	 "%z = \"aie.objectfifo.acquire\"() {objFifo_name = @mid, port = 0 : i32, size = 1 : i32} : () -> memref<16xi32> %y = memref.alloca() : memref<32xi32>",
	 "21:14: aie.objectfifo.acquire: an object of fifo 'mid' has another type on core tile (0,2) than the fifo's objects (rule 4.3)"},
	{"more_than_deep", "pipe", "%x = \"aie.objectfifo.acquire\"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> memref<32xi32>",
	 "%x, %x1, %x2 = \"aie.objectfifo.acquire\"() {objFifo_name = @in, port = 1 : i32, size = 3 : i32} : () -> (memref<32xi32>, memref<32xi32>, "
	 "memref<32xi32>)",
	 "20:24: aie.objectfifo.acquire: core tile (0,2) needs 3 objects of fifo 'in' at once, of 2 (rule 4.4)"},
	{"no_objects", "pipe", "release\"() {objFifo_name = @in, port = 1 : i32, size = 1", "release\"() {objFifo_name = @in, port = 1 : i32, size = 0",
	 "27:9: aie.objectfifo.release: core tile (0,2) needs 0 objects of fifo 'in' at once, of 2 (rule 4.4)"},
	{"fewer_results", "pipe", "%y = \"aie.objectfifo.acquire\"() {objFifo_name = @mid, port = 0 : i32, size = 1",
	 "%y = \"aie.objectfifo.acquire\"() {objFifo_name = @mid, port = 0 : i32, size = 2",
	 "21:14: aie.objectfifo.acquire: it gives 1 objects of fifo 'mid', expected 2 (rule 0.2)"},
	{"released_twice", "pipe", "release\"() {objFifo_name = @in, port = 1 : i32, size = 1", "release\"() {objFifo_name = @in, port = 1 : i32, size = 2",
	 "27:9: aie.objectfifo.release: core tile (0,2) needs 2 objects of fifo 'in' to release, and holds fewer on some way (rule 4.5)"},
	{"released_behind_the_loop", "split", "\"aie.objectfifo.release\"() {objFifo_name = @in_a",
	 "scf.for %q = %zero to %objects step %one {\n\"aie.objectfifo.release\"() {objFifo_name = @w_all, port = 1 : i32, size = 1 : i32} : () -> () } "
	 "\"aie.objectfifo.release\"() {objFifo_name = @in_a",
	 "46:7: aie.objectfifo.release: core tile (0,2) needs 1 objects of fifo 'w_all' to release, and holds fewer on some way (rule 4.5)"},
	{"used_behind_its_release", "pipe", "\"aie.objectfifo.release\"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> ()",
	 "\"aie.objectfifo.release\"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> () %late = memref.load %x[%zero] : memref<32xi32>",
	 "27:108: memref.load: core tile (0,2) uses an object of fifo 'in' that it has released (rule 4.6)"},
	{"not_released", "pipe", "\"aie.objectfifo.release\"() {objFifo_name = @mid, port = 1 : i32, size = 1 : i32} : () -> ()", "",
	 "32:15: aie.core: core tile (0,3) ends with 1 objects of fifo 'mid' that it has not released (rule 4.7)"},
	{"three_channels_in", "split", "\"aie.objectfifo\"(%shim, %mem) {sym_name = \"w\"",
	 "\"aie.objectfifo\"(%shim, %a) {elemNumber = 1 : i32, sym_name = \"x\", elemType = !aie.objectfifo<memref<4xi32>>,\n"
	 "dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()\n"
	 "    \"aie.objectfifo\"(%shim, %mem) {sym_name = \"w\"",
	 "5:13: aie.tile: shim (0,0) needs 3 DMA channels out, of 2: in, x, w (rule 5.1)"},
	{"unknown_attribute_of_a_fifo", "split", "\"in_a\", elemNumber = 2", "\"in_a\", elemNumber = [2 : i32, 15 : i32], depth = 2",
	 "11:5: aie.objectfifo: attribute 'depth' is not known (rule 0.1)"},
	{"too_many_descriptors", "split", "sym_name = \"in_a\", elemNumber = 2 : i32", "sym_name = \"in_a\", elemNumber = [2 : i32, 15 : i32]",
	 "7:10: aie.tile: core tile (0,2) needs 18 buffer descriptors, of 16; take less depth (rule 5.2)"},
	{"too_many_even_descriptors", "split", "sym_name = \"in\", elemNumber = 2 : i32", "sym_name = \"in\", elemNumber = [2 : i32, 12 : i32]",
	 "6:12: aie.tile: memory tile (0,1) needs 39 buffer descriptors for even channels, of 24; take less depth (rule 5.2)"},
	{"descriptor_16_of_a_shim", "pipe", "id = 1 : i64", "id = 16 : i64",
	 "53:7: aiex.npu.dma_memcpy_nd: a task for fifo 'out' has buffer descriptor 16, a shim has 0 to 15 (rule 5.3)"},
	{"stack_too_large", "pipe", "stack_size = 1024", "stack_size = 65536",
	 "5:10: aie.tile: core tile (0,2) needs 66048 bytes of memory, of 65536: 65536 of stack, 512 of fifos, 0 of buffers; most for stack, 65536 (rule 6.1)"},
	{"allocates_more_than_its_stack", "pipe", "%y = \"aie.objectfifo.acquire\"() {objFifo_name = @mid",
	 "scf.for %q = %zero to %one step %one {\n%s = memref.alloca() : memref<128xi32>\nscf.for %p = %zero to %one step %one {\n%t = memref.alloca() "
	 "{alignment = 64 : i64} : memref<513xi8>\n}\n}\n"
	 "%y = \"aie.objectfifo.acquire\"() {objFifo_name = @mid",
	 "13:14: aie.core: core tile (0,2) allocates 1088 bytes at once, of a stack of 1024 (rule 6.3)"},
	{"buffer_on_shim", "split", "\"aie.buffer\"(%a)", "\"aie.buffer\"(%shim)",
	 "28:13: aie.buffer: buffer 'sums' needs memory of shim (0,0), which has none (rule 6.1)"},
	{"descriptor_of_another_task", "pipe", "id = 0 : i64", "id = 1 : i64",
	 "55:7: aiex.npu.dma_memcpy_nd: a task for fifo 'in' is written into descriptor 1 of shim (0,0), whose last task the host has not seen end (rule 5.4)"},
	{"five_tasks_of_a_channel", "pipe", "\"aiex.npu.dma_wait\"()", LOAD_TASK("2") LOAD_TASK("3") LOAD_TASK("4") LOAD_TASK("5") "\"aiex.npu.dma_wait\"()",
	 "60:1: aiex.npu.dma_memcpy_nd: a task for fifo 'in' on shim (0,0) comes behind 4 whose ends the host has not seen, and a channel takes 4 (rule 5.5)"},
	{"too_many_locks", "locks", "// one more",
	 "\"aie.objectfifo\"(%a, %b) {sym_name = \"g\", elemNumber = 1, elemType = !aie.objectfifo<memref<4xi32>>,\n"
	 "dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()",
	 "4:10: aie.tile: core tile (0,2) needs 18 locks, of 16: two for each end of a fifo (rule 6.2)"},
	{"bytes_of_an_object", "bytes", "memref<16xi8>", "memref<15xi8>",
	 "5:5: aie.objectfifo: core tile (0,2) moves bytes 15 for fifo 'in', expected 1 or more of 4 (rule 7.1)"},
	{"bytes_of_a_task", "bytes", "static_sizes = array<i64: 1, 1, 1, 16>", "static_sizes = array<i64: 1, 1, 1, 15>",
	 "9:7: aiex.npu.dma_memcpy_nd: shim (0,0) has innermost bytes 15 for fifo 'in', expected multiples of 4 (rule 7.1)"},
	{"offset_of_a_task", "bytes", "static_offsets = array<i64: 0, 0, 0, 0>", "static_offsets = array<i64: 0, 0, 0, 2>",
	 "9:7: aiex.npu.dma_memcpy_nd: shim (0,0) has an offset in bytes of 2 for fifo 'in', expected multiples of 4 (rule 7.1)"},
	{"four_dimensions", "bytes", "array_array[[]]",
	 "array_array[[<size = 1, stride = 4>, <size = 1, stride = 4>, <size = 4, stride = 4>, <size = 4, stride = 1>]]",
	 "5:5: aie.objectfifo: fifo 'in' needs 4 dimensions at core tile (0,2), of 3 of a DMA (rule 7.2)"},
	{"size_of_a_walk", "split", "<size = 8, stride = 4>, <size = 4, stride = 1>", "<size = 513, stride = 4>, <size = 4, stride = 1>",
	 "11:5: aie.objectfifo: memory tile (0,1) has a size of 513 for fifo 'in_a', of 512 (rule 7.3)"},
	{"stride_of_a_walk", "split", "<size = 8, stride = 4>", "<size = 8, stride = 131073>",
	 "11:5: aie.objectfifo: memory tile (0,1) has a stride in words of 131073 for fifo 'in_a', of 131072 (rule 7.3)"},
	{"stride_below_0", "split", "<size = 8, stride = 4>", "<size = 8, stride = -4>",
	 "11:5: aie.objectfifo: fifo 'in_a' has a size or stride of -4 at memory tile (0,1), expected 0 to 1073741824 (rule 7.3)"},
	{"repetitions_of_a_task", "pipe", "static_sizes = array<i64: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>",
	 "static_sizes = array<i64: 65, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>",
	 "53:7: aiex.npu.dma_memcpy_nd: shim (0,0) has a size of 65 for fifo 'out', of 64 (rule 7.3)"},
	{"walks_beyond_the_object", "split", "<size = 8, stride = 4>", "<size = 8, stride = 8>",
	 "11:5: aie.objectfifo: memory tile (0,1) walks to element 59 for fifo 'in_a', an object's last is 31 (rule 7.4)"},
	{"walks_a_part", "split", "<size = 8, stride = 4>", "<size = 7, stride = 4>",
	 "11:5: aie.objectfifo: memory tile (0,1) walks elements 28 for fifo 'in_a', an object has 32 (rule 7.4)"},
	{"task_beyond_the_argument", "pipe", "static_offsets = array<i64: 0, 0, 0, 0>", "static_offsets = array<i64: 0, 0, 0, 1>",
	 "53:7: aiex.npu.dma_memcpy_nd: shim (0,0) walks to element 256 for fifo 'out', the argument's last is 255 (rule 7.4)"},
	{"bytes_apart", "bytes", "array_array[[]]", "array_array[[<size = 4, stride = 1>, <size = 4, stride = 4>]]",
	 "5:5: aie.objectfifo: core tile (0,2) has a stride in bytes of 1 for fifo 'in', expected multiples of 4 (rule 7.1)"},
	{"innermost_apart", "bytes", "array_array[[]]", "array_array[[<size = 16, stride = 2>]]",
	 "5:5: aie.objectfifo: core tile (0,2) has an innermost stride of 2 for fifo 'in', expected 1 (rule 7.5)"},
	{"cascade_to_the_north", "pipe", "%first = \"aie.core\"", "\"aie.cascade_flow\"(%a, %b) : (index, index) -> ()\n    %first = \"aie.core\"",
	 "13:5: aie.cascade_flow: a cascade goes from tile (0,2) to (0,3), expected core tiles and the next to the east or south (rule 8.1)"},
	{"two_cascades", "pipe", "%first = \"aie.core\"",
	 "\"aie.cascade_flow\"(%b, %a) : (index, index) -> () \"aie.cascade_flow\"(%b, %a) : (index, index) -> ()\n    %first = \"aie.core\"",
	 "13:55: aie.cascade_flow: tile (0,3) gives 2 cascades, of 1 (rule 8.2)"},
	{"cascades_are_not_modelled", "pipe", "%first = \"aie.core\"", "\"aie.cascade_flow\"(%b, %a) : (index, index) -> ()\n    %first = \"aie.core\"",
	 "13:5: aie.cascade_flow: a cascade stands here, which no model here knows (rule 0.4)"},
	{"memory_out_of_reach", "split", "\"aie.buffer\"(%a)", "\"aie.buffer\"(%mem)",
	 "41:9: memref.store: core tile (0,2) uses buffer 'sums' of memory tile (0,1), whose memory it does not see (rule 9.1)"},
	{"token_that_nobody_sends", "pipe", "{symbol = @out}", "{symbol = @in}",
	 "57:7: aiex.npu.dma_wait: the host waits for a token of fifo 'in' on shim (0,0), and no task before has one left (rule 11.1)"},
	{"store_that_nobody_waits_for", "pipe", "\"aiex.npu.dma_wait\"() {symbol = @out} : () -> ()", "",
	 "53:7: aiex.npu.dma_memcpy_nd: the host does not wait for the end of 1 tasks of fifo 'out', which write its memory (rule 11.3)"},
	{"stored_by_two", "pipe", "\"aie.runtime_sequence\"() ({\n    ^bb0(%from: memref<256xi32>, %to: memref<256xi32>):",
	 "\"aie.objectfifo\"(%a, %shim) {sym_name = \"also\", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>, dimensionsToStream = "
	 "#aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()\n"
	 "\"aie.runtime_sequence\"() ({\n^bb0(%from: memref<256xi32>, %to: memref<256xi32>):\n"
	 "\"aiex.npu.dma_memcpy_nd\"(%to) {id = 2 : i64, issue_token = true, metadata = @also, operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = "
	 "array<i64: 0, 0, 0, 31>, static_sizes = array<i64: 1, 2, 1, 4>, static_strides = array<i64: 0, 64, 0, 1>} : (memref<256xi32>) -> ()",
	 "55:7: aiex.npu.dma_memcpy_nd: a task for fifo 'out' writes elements that one of fifo 'also' writes, whose end the host has not seen (rule 11.5)"},
	{"one_object_less", "pipe", "%objects = arith.constant 8", "%objects = arith.constant 7",
	 "7:5: aie.objectfifo: core tile (0,2) moves 7 objects of fifo 'in', and shim (0,0) at its other end, or that of its link, 8 (rule 11.4)"},
	{"half_an_object", "pipe", "static_sizes = array<i64: 1, 1, 1, 256>", "static_sizes = array<i64: 1, 1, 1, 240>",
	 "11:5: aie.objectfifo: the host moves 960 bytes of fifo 'out', whose objects have 128 each (rule 11.4)"},
	{"fifo_without_shim", "pipe", "metadata = @out", "metadata = @mid",
	 "53:7: aiex.npu.dma_memcpy_nd: fifo 'mid' has 0 ends on shims, the host needs 1 (rule 11.2)"},
	{"call_of_another_type", "split", "@weigh(memref<32xi32>, memref<16xi32>, memref<32xi32>, i32)",
	 "@weigh(memref<32xi32>, memref<16xi32>, memref<32xi32>, i64)",
	 "39:9: func.call: argument 3 of a call of 'weigh' has another type than its function's (rule 12.1)"},
	{"call_of_more", "split", "@weigh(memref<32xi32>, memref<16xi32>, memref<32xi32>, i32)", "@weigh(memref<32xi32>, memref<16xi32>, memref<32xi32>)",
	 "39:9: func.call: a call of 'weigh' has 4 arguments and 0 results, its function 3 and 0 (rule 12.1)"},
	{"recursion", "split", "func.func private @weigh(",
	 "func.func @f() { call @g() : () -> () return }\n    func.func @g() { call @f() : () -> () return }\n    func.func private @weigh(",
	 "5:22: func.call: function 'f' is called while it runs (rule 12.2)"},
	{"value_from_outside", "pipe", "%words = arith.constant 32 : index", "%words = arith.constant 32 : index %bad = arith.index_cast %shim : index to i32",
	 "17:49: arith.index_cast: core tile (0,2) uses a result of aie.tile from outside of its core (rule 12.3)"},
	{"ring", "ring", "// Two", "// 2", "8:5: aie.objectfifo: streams form a ring: core (0,2) -there-> core (0,3) -back-> core (0,2) (rule 13.1)"},
	{"ring_behind_a_core", "ring", "%core_a = \"aie.core\"(%a) ({",
	 "%c = \"aie.tile\"() {col = 0 : i32, row = 4 : i32} : () -> index\n"
	 "\"aie.objectfifo\"(%c, %a) {sym_name = \"lead\", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,\n"
	 "dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()\n"
	 "%core_c = \"aie.core\"(%c) ({ \"aie.end\"() : () -> () }) {stack_size = 1024 : i32} : (index) -> index %core_a = \"aie.core\"(%a) ({",
	 "8:5: aie.objectfifo: streams form a ring: core (0,2) -there-> core (0,3) -back-> core (0,2) (rule 13.1)"},
};
enum { MUTANTS = sizeof(mutants) / sizeof(*mutants) };

static char *source_of(const char *name)
{
	return check_read(check_fmt("%s/tests/aie/designs/%s.mlir", check_root(), name), NULL);
}

static ptowsp_status design_check(const char *text, bool proven, struct ptowsp_error *error)
{
	struct aie_module module = {0};
	struct aie_design design = {0};
	struct aie_channels channels = {0};
	ptowsp_status status = aie_module_read(&module, text, strlen(text), error);

	if (!status)
		status = aie_design_read(&design, &module, error);
	if (!status)
		status = aie_channels_assign(&channels, &design, error);
	if (!status)
		status = aie_check(&design, proven, error);
	aie_channels_finish(&channels);
	aie_design_finish(&design);
	aie_module_finish(&module);
	return status;
}

/* The base with the mutant's text, to be freed. */
static char *mutant_make(const struct mutant *mutant)
{
	char *base = source_of(mutant->base), *at = base ? strstr(base, mutant->from) : NULL, *text;
	size_t head;

	REQUIRE(base != NULL);
	if (!at) {
		CHECK_FAIL("%s has no '%s'", mutant->base, mutant->from);
		return base;
	}
	head = (size_t)(at - base);
	text = malloc(strlen(base) + strlen(mutant->to) + 1);
	REQUIRE(text != NULL);
	memcpy(text, base, head);
	strcpy(text + head, mutant->to);
	strcat(text, at + strlen(mutant->from));
	free(base);
	return text;
}

static void mutant_is_refused(void)
{
	for (int i = 0; i < MUTANTS; i++) {
		struct ptowsp_error error = {0};
		char *text;

		if (strcmp(check_name(), check_fmt("mutant_%s", mutants[i].name)))
			continue;
		text = mutant_make(&mutants[i]);
		CHECK(design_check(text, false, &error) != PTOWSP_OK);
		CHECK_STR(error.text, mutants[i].sentence);
		free(text);
		return;
	}
	CHECK_FAIL("no mutant is called %s", check_name());
}

/* Those of routes and of counts are looked at below. */
TEST(every_rule_has_a_mutant)
{
	for (int rule = 0; rule < AIE_RULES; rule++) {
		const struct aie_rule_row *row = aie_rule_row((enum aie_rule)rule);
		const char *end = check_fmt("(rule %s)", row->number);
		bool found = !strncmp(row->number, "10.", 3) || !strcmp(row->number, "0.6");

		CHECK(strlen(row->text) > 10 && strlen(row->source) > 2);
		for (int i = 0; i < MUTANTS && !found; i++)
			found = strstr(mutants[i].sentence, end) != NULL;
		if (!found)
			CHECK_FAIL("rule %s (%s) has no mutant", row->number, row->text);
	}
}

TEST(mutants_stand_in_the_list_of_rules)
{
	char *list = check_read(check_fmt("%s/plugins/aie/RULES.md", check_root()), NULL);

	REQUIRE(list != NULL);
	for (int i = 0; i < MUTANTS; i++) {
		const char *rule = strstr(mutants[i].sentence, "(rule "), *row = NULL, *name;

		if (rule)
			row = strstr(list, check_fmt("\n| %.*s |", (int)strcspn(rule + 6, ")"), rule + 6));
		name = strstr(rule && row ? row : list, mutants[i].name);
		if (!name || (rule && (!row || name > row + strcspn(row + 1, "\n"))))
			CHECK_FAIL("%s is not listed with its rule in plugins/aie/RULES.md", mutants[i].name);
	}
	free(list);
}

/* ---- what ptowsp-aie makes of them ---------------------------------------------------------------------------------- */

static ptowsp_status touch_nothing(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	(void)context, (void)call, (void)error;
	*cycles_out = 10;
	return PTOWSP_OK;
}

/* As a design that somebody else wrote: it is refused, or does not come to its end. */
static bool stops_as_of_others(const char *text)
{
	struct aie_module module = {0};
	struct aie_array_device device;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_array_report report;
	struct aie_sim_stats stats = {0};
	const struct aie_array_args args = {.module = &module, .device = &device, .kernels = {.call = touch_nothing}, .buffering = 8, .max_events = 100000};
	bool stops = aie_module_read(&module, text, strlen(text), &error) || !aie_array_device_find(&module, 0, &device) ||
		     aie_array_run(&args, &report, &stats, &error);

	aie_sim_finish(&stats);
	aie_module_finish(&module);
	return stops;
}

/* The last column of the list: whether all mutants of the rule are stopped there, too, all but those that it names, or none. */
TEST(the_list_says_which_rules_hold_for_others)
{
	char *list = check_read(check_fmt("%s/plugins/aie/RULES.md", check_root()), NULL);

	REQUIRE(list != NULL);
	for (int rule = 0; rule < AIE_RULES; rule++) {
		const struct aie_rule_row *row = aie_rule_row((enum aie_rule)rule);
		const char *end = check_fmt("(rule %s)", row->number), *at = strstr(list, check_fmt("\n| %s |", row->number)), *word;
		const char *but = "";
		int made = 0, stopped = 0;

		for (int i = 0; i < MUTANTS; i++) {
			char *text;

			if (!strstr(mutants[i].sentence, end))
				continue;
			text = mutant_make(&mutants[i]);
			made++;
			if (stops_as_of_others(text))
				stopped++;
			else
				but = check_fmt("%s%s %s", but, *but ? "," : "all but", mutants[i].name);
			free(text);
		}
		word = !made ? "own" : stopped == made ? "yes" : stopped ? but : "no";
		if (!at || strncmp(at + 1 + strcspn(at + 1, "\n") - strlen(check_fmt("| %s |", word)), check_fmt("| %s |", word), strlen(word) + 4) != 0)
			CHECK_FAIL("rule %s: of %d mutants %d are stopped by ptowsp-aie, and RULES.md does not end its row with | %s |", row->number, made,
				   stopped, word);
	}
	free(list);
}

TEST(numbers_of_rules_are_distinct)
{
	for (int i = 0; i < AIE_RULES; i++)
		for (int j = 0; j < i; j++)
			CHECK(strcmp(aie_rule_row((enum aie_rule)i)->number, aie_rule_row((enum aie_rule)j)->number));
}

TEST(designs_keep_the_rules)
{
	static const char *const files[] = {"pipe", "split", "window", "beside", "bytes", "locks", "ring"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct ptowsp_error error = {0};
		char *text = source_of(files[i]);

		REQUIRE(text != NULL);
		if (design_check(text, !strcmp(files[i], "ring"), &error))
			CHECK_FAIL("%s: %s", files[i], error.text);
		free(text);
	}
}

TEST(examples_of_the_corpus_keep_the_rules)
{
	static const char *const files[] = {"pass_dict", "two_stage", "matmul"};

	CHECK_NEED_SHARED();
	for (size_t i = 0; i < 3; i++) {
		char *text = check_read(check_fmt("%s/reference/aie-files/%s.mlir", check_shared(), files[i]), NULL);
		struct ptowsp_error error = {0};

		REQUIRE(text != NULL);
		if (design_check(text, false, &error))
			CHECK_FAIL("%s: %s", files[i], error.text);
		free(text);
	}
}

TEST(ends_of_a_fifo_are_counted)
{
	char text[4096], *at = text;
	struct ptowsp_error error = {0};

	at += sprintf(at, "\"aie.device\"() ({ %%a = \"aie.tile\"() {col = 0 : i32, row = 2 : i32} : () -> index\n\"aie.objectfifo\"(%%a");
	for (int i = 0; i < 65; i++)
		at += sprintf(at, ", %%a");
	at += sprintf(at, ") {sym_name = \"f\", elemType = !aie.objectfifo<memref<4xi32>>} : (index");
	for (int i = 0; i < 65; i++)
		at += sprintf(at, ", index");
	sprintf(at, ") -> () \"aie.end\"() : () -> () }) {device = 4 : i32, sym_name = \"main\"} : () -> ()");
	CHECK_INT(design_check(text, false, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "2:1: aie.objectfifo: fifo 'f' has 65 consumers, of at most 64 (rule 0.6)");
}

/* ---- what a core holds on all ways */

static const struct body {
	const char *text;
	bool good;
} bodies[] = {
	/* A window of two that goes on by one. */
	{"scf.for %i = %zero to %four step %one { %x, %y = ACQUIRE(2) RELEASE(1) } RELEASE(1)", true},
	{"scf.for %i = %zero to %four step %one { %x, %y = ACQUIRE(2) RELEASE(1) } RELEASE(2)", false},
	{"scf.for %i = %zero to %zero step %one { %x, %y = ACQUIRE(2) RELEASE(1) } RELEASE(1)", false},
	{"%x, %y = ACQUIRE(2) RELEASE(1) RELEASE(1)", true},
	{"%x, %y = ACQUIRE(2) %z = ACQUIRE(1) RELEASE(2)", true}, /* an acquire says how many are held, not how many more */
	{"%x = ACQUIRE(1) %z = ACQUIRE(1) RELEASE(2)", false},
	{"%x, %y = ACQUIRE(2) scf.if %yes { RELEASE(1) } RELEASE(1)", true},
	{"%x, %y = ACQUIRE(2) scf.if %yes { RELEASE(1) } else { RELEASE(2) } RELEASE(1)", false},
	{"%x, %y = ACQUIRE(2) scf.if %yes { RELEASE(1) } RELEASE(2)", false},
	{"%n = arith.addi %four, %one : index scf.for %i = %zero to %n step %one { %x = ACQUIRE(1) RELEASE(1) }", true},
	{"%x, %y = ACQUIRE(2) %n = arith.addi %four, %one : index scf.for %i = %zero to %n step %one { RELEASE(1) }", false},
	{"%x, %y = ACQUIRE(2) %n = arith.addi %four, %one : index scf.for %i = %zero to %n step %one { %z, %q = ACQUIRE(2) } RELEASE(2)", true},
	{"scf.for %i = %zero to %four step %one { scf.if %yes { %x = ACQUIRE(1) RELEASE(1) } }", true},
	{"%n = arith.addi %four, %one : index scf.for %i = %zero to %n step %one { scf.if %yes { %x = ACQUIRE(1) RELEASE(1) } }", true},
	{"%n = arith.addi %four, %one : index scf.for %i = %zero to %n step %one { %x = ACQUIRE(1) RELEASE(1) } RELEASE(1)", false},
	{"%x, %y = ACQUIRE(2) scf.for %i = %zero to %four step %one { scf.for %j = %zero to %four step %one { %z, %q = ACQUIRE(2) RELEASE(1) } }", true},
};

/* ACQUIRE(n) and RELEASE(n) written out, in a core with a fifo of depth 2; to be freed. */
static char *body_make(const char *body)
{
	static const char before[] = "module { \"aie.device\"() ({ %s = \"aie.tile\"() {col = 0 : i32, row = 0 : i32} : () -> index\n"
				     "%a = \"aie.tile\"() {col = 0 : i32, row = 2 : i32} : () -> index\n"
				     "\"aie.objectfifo\"(%s, %a) {sym_name = \"f\", elemNumber = [2 : i32, 2 : i32], elemType = !aie.objectfifo<memref<4xi32>>,"
				     "dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} "
				     ": (index, index) -> ()\n"
				     "%c = \"aie.core\"(%a) ({ %zero = arith.constant 0 : index %one = arith.constant 1 : index %four = arith.constant 4 : "
				     "index %yes = arith.constant true\n";
	static const char behind[] =
		"\"aie.end\"() : () -> () }) : (index) -> index \"aie.end\"() : () -> () }) {device = 5 : i32, sym_name = \"main\"} : () -> () }";
	char *text = malloc(8192), *at = text;

	REQUIRE(text != NULL);
	at += sprintf(at, "%s", before);
	while (*body) {
		const bool acquire = !strncmp(body, "ACQUIRE(", 8);

		if (!acquire && strncmp(body, "RELEASE(", 8)) {
			*at++ = *body++;
			continue;
		}
		at += sprintf(at, "\"aie.objectfifo.%s\"() {objFifo_name = @f, port = 1 : i32, size = %c : i32} : () -> %s", acquire ? "acquire" : "release",
			      body[8],
			      !acquire         ? "()"
			      : body[8] == '1' ? "memref<4xi32>"
					       : "(memref<4xi32>, memref<4xi32>)");
		body += 10;
	}
	sprintf(at, "\n%s", behind);
	return text;
}

TEST(what_is_released_is_held_on_every_way)
{
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct ptowsp_error error = {0};
		char *text = body_make(bodies[i].text);
		const ptowsp_status status = design_check(text, false, &error);

		if (!status != bodies[i].good || (status && !strstr(error.text, "(rule 4.5)")))
			CHECK_FAIL("%s: %s", bodies[i].text, error.text);
		free(text);
	}
}

TEST(a_ring_is_unsupported_until_it_is_proven)
{
	struct ptowsp_error error = {0};
	char *text = source_of("ring");

	REQUIRE(text != NULL);
	CHECK_INT(design_check(text, false, &error), PTOWSP_UNSUPPORTED);
	CHECK_INT(design_check(text, true, &error), PTOWSP_OK);
	free(text);
}

void suite_aie_check(CU_pSuite s)
{
	for (int i = 0; i < MUTANTS; i++)
		check_add(s, check_fmt("mutant_%s", mutants[i].name), mutant_is_refused);
}
