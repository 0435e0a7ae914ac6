/* SPDX-License-Identifier: MIT
 * test_aie_refused.c - designs that other tools could have written and that no array runs, or that nothing here has a model of: each with its line; and what stands beside them and runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/ids.h"
#include "tests/aie/array_trial.h"
#include "tests/check.h"

static const struct refusal {
	const char *body, *sentence;
	ptowsp_status status;
} refusals[] = {
	{"%t = aie.tile(4, 2)", "line 1: aie.tile: tile (4,2) lies outside of npu1, which has 4 columns and 6 rows", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<16385xi32>", "line 1: aie.buffer: with it tile (0,2) needs 65540 bytes of memory, of 65536",
	 PTOWSP_INVALID},
	/* an element of 4 bits is a byte here */
	{"%t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<65540xi4>", "line 1: aie.buffer: with it tile (0,2) needs 65540 bytes of memory, of 65536",
	 PTOWSP_INVALID},
	{"aie.runtime_sequence @s(%x: memref<4xi32>) { aiex.npu.push_queue (0, 0, S2MM : 0) {bd_id = 0 : i32, issue_token = true, repeat_count = 0 : i32} }",
	 "line 1: aiex.npu.push_queue: registers that begin transfers have no model; say the task instead", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 0) %b = aie.buffer(%t) : memref<1xi32>", "line 1: aie.buffer: it needs memory of tile (0,0), a shim, which has none",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.core(%t) { aie.end } aie.core(%t) { aie.end }", "line 1: aie.core: tile (0,2) has a core already, in line 1; leave one",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) aie.core(%t) { aie.end }", "line 1: aie.core: a core on tile (0,1), a memory tile; put it on a core tile", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %a = aie.buffer(%t) {sym_name = \"a\"} : memref<1xi32> %b = aie.buffer(%t) {sym_name = \"a\"} : memref<1xi32>",
	 "line 1: aie.buffer: 'a' is the name of the buffer in line 1; give each its own", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) {frobnicate}", "line 1: aie.tile: attribute 'frobnicate' has no model here, or is misspelt; leave it out", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) {aie_stream = 1 : i32} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: attribute 'aie_stream' has no model here, or is misspelt; leave it out", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) {plio = true} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: attribute 'plio' has no model here, or is misspelt; leave it out", PTOWSP_UNSUPPORTED},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @a(%s, {%t}, 1 : i32) {disable_synchronization = true} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: attribute 'disable_synchronization' of a fifo that DMAs move has no model here: they would run freely", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.packet_flow(32) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%t, DMA : 0> }",
	 "line 1: aie.packet_flow: packet 32, whose number is a field of 5 bits; use 0 to 31", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t, 0) {init = 60 : i32, sym_name = \"l\"} aie.core(%t) { aie.use_lock(%l, Release, 4) aie.end }",
	 "lock 'l' has 60 and is given 4 more, and counts to 63; give less, or take before", PTOWSP_KERNEL_FAILED},
	{"%t = aie.tile(0, 2) aie.core(%t) { %m = memref.alloc() : memref<1073741824xi32> aie.end }",
	 "line 1: memref.alloc of 4294967296 bytes, more than all memory of a core and its neighbours, 262144; take less", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<2x4xi32> aie.core(%t) { %c1 = arith.constant 1 : index %c4 = arith.constant 4 : index "
	 "%v = memref.load %b[%c1, %c4] : memref<2x4xi32> aie.end }",
	 "line 1: core (0,2) loads from outside of a memref: index 1 is 4, expected 0 to 3", PTOWSP_KERNEL_FAILED},
	{"%t = aie.tile(0, 2) aie.core(%t) { %g = memref.get_global @g : memref<4xi32> aie.end }",
	 "line 1: memref.get_global has no model in a core; write it by others of arith, memref and scf, or call a kernel", PTOWSP_UNSUPPORTED},
	/* tasks: how often, how long */
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) aie.end } {repeat_count = 256 : i32} }",
	 "line 1: aiex.dma_configure_task_for: a repeat_count of 256; a channel does a task 0 to 255 times more", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 32, [<size = 4, stride = 8>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 8, stride = 1>]) aie.end } }",
	 "line 1: aie.dma_bd: a length of 32, and the inner three of its four dimensions have 8 elements; say that, and by the task's repeat_count how often "
	 "the "
	 "outermost goes on",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 16, [<size = 4, stride = 8>, <size = 8, stride = 1>]) aie.end } }",
	 "line 1: aie.dma_bd: a length of 16, and its dimensions have 32 elements; say that", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8, [<size = 5, stride = 8>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 8, stride = 1>]) aie.end } }",
	 "line 1: aie.dma_bd: it reaches from byte 128 to 160 of memory of 128; stay within", PTOWSP_INVALID},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @a(%s, {%t}, 1 : i32) : !aie.objectfifo<memref<1xi32>> aie.objectfifo @b(%t, {%s}, 1 : i32) : "
	 "!aie.objectfifo<memref<1xi32>> aie.objectfifo.link [@a] -> [@b]([] [1])",
	 "line 1: aie.objectfifo.link: a link of 1 fifos to 1 has 0 offsets before and 1 behind; give one for each of several and none, or 0 on one side, for "
	 "one "
	 "and one, or none at all",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<4xi32> aie.core(%t) { aie.use_lock(%b, Release, 1) aie.end }",
	 "line 1: operand 0 of aie.use_lock is no lock", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) : !aie.objectfifo<memref<1xi32>> aie.objectfifo.link [@a] -> [@b]([] [])",
	 "line 1: aie.objectfifo.link: member 0 of its outputs, 'b', is no fifo of this device", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) : !aie.objectfifo<memref<1xi32>> aie.objectfifo.link [@a, @a] -> [@a]([] [])",
	 "line 1: aie.objectfifo.link: fifo 'a' stands in two links, or twice in one", PTOWSP_INVALID},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @a(%s, {%t}, 1 : i32) {iter_count = 1 : i32} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: fifo 'a' has an iter_count and no end on a memory tile, whose chains alone end; leave it out", PTOWSP_INVALID},
	{"%s = aie.tile(0, 1) %t = aie.tile(0, 2) aie.objectfifo @a(%s, {%t}, 1 : i32) {iter_count = 257 : i32} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: fifo 'a' has an iter_count of 257; it may be 1 to 256", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) {\naiex.npu.dma_wait {symbol = @a} }",
	 "line 2: the host waits for a token of @a, but no task before has one left; give a task issue_token", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %a = aie.lock(%t, 3) %b = aie.lock(%t, 3)", "line 1: aie.lock: lock 3 of tile (0,2) stands twice", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%t : index) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: it moves what is no buffer and no argument of the sequence", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<8xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<8xi32>, 4, "
	 "5) "
	 "aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: it reaches from byte 16 to 36 of memory of 32; stay within", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<8xi8> aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<8xi8>, 0, 6) "
	 "aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: it moves 6 bytes, which is no number of words", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<8xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<8xi32>, 0, "
	 "7, "
	 "[<size = 4, stride = 2>, <size = 2, stride = 1>]) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: a length of 7 ends within its dimensions, which have 2 elements inside each turn", PTOWSP_INVALID},
	{"%s = aie.tile(0, 2) %t = aie.tile(0, 3) aie.switchbox(%s) { aie.connect<DMA: 0, NORTH: 0> aie.connect<NORTH: 0, NORTH: 0> } aie.switchbox(%t) { "
	 "aie.connect<SOUTH: 0, SOUTH: 0> } aie.mem(%s) { aie.dma_start(MM2S, 0, ^a, ^a) ^a: aie.end }",
	 "line 1: aie.device: ways through its switches go round, or are too many", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 0 : i32) : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: fifo 'a' is 0 objects deep, expected 1 to 1024 for each end", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.core(%t) { %a = aie.objectfifo.acquire @a(Consume, 1) : memref<1xi32> aie.end }",
	 "line 1: aie.objectfifo.acquire of @a, of which this core is not the consumer; use an end of the core's tile", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) : !aie.objectfifo<memref<1xi32>> aie.core(%t) { %a = aie.objectfifo.acquire @a(Consume, 1) "
	 ": "
	 "memref<2xi32> aie.end }",
	 "line 1: aie.objectfifo.acquire of @a as another type than its objects have; say theirs", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.core(%t) { %c = arith.constant 70 : index aie.use_lock(%c, Acquire, 0) aie.end }",
	 "line 1: core (0,2) uses a lock that is none of its tile or its neighbours", PTOWSP_KERNEL_FAILED},
	{"aie.runtime_sequence @s(%x: memref<4xi32>) { aiex.npu.dma_wait {symbol = @no} }",
	 "line 1: aiex.npu.dma_wait: 'no' is no fifo with an end on a shim and no aie.shim_dma_allocation", PTOWSP_INVALID},
	{"aie.runtime_sequence @s(%n: i32) { %m = arith.addi %n, %n : i32 }",
	 "line 1: arith.addi: it counts with what is not known before the run; give arguments that are numbers by --value", PTOWSP_UNSUPPORTED},
	{"aie.runtime_sequence @s(%n: i32) { %z = arith.constant 0 : i32 %m = arith.divsi %z, %z : i32 }", "line 1: arith.divsi: it divides by 0",
	 PTOWSP_INVALID},
	{"aie.runtime_sequence @s(%n: index) { %z = arith.constant 0 : index scf.for %i = %z to %n step %n { } }",
	 "line 1: scf.for: how often it turns is not known before the run; give arguments that are numbers by --value", PTOWSP_UNSUPPORTED},
	{"aie.runtime_sequence @s(%x: memref<4xi32>) { \"aiex.npu.load_pdi\"() : () -> () }",
	 "line 1: aiex.npu.load_pdi: this operation has no model in a sequence", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.flow(%t, DMA : 2, %t, DMA : 0)",
	 "line 1: aie.flow: MM2S 2 of tile (0,2), a core tile, whose DMA has 2 of them; use one from 0 to 1", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(S2MM, 5, 0)",
	 "line 1: aie.shim_dma_allocation: S2MM 5 of tile (0,0), a shim, whose DMA has 2 of them; use one from 0 to 1", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t, 16)", "line 1: aie.lock: lock 16 of tile (0,2), a core tile, which has 16; use one from 0 to 15",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %l = aie.lock(%t, 64)", "line 1: aie.lock: lock 64 of tile (0,1), a memory tile, which has 64; use one from 0 to 63",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t, -1)", "line 1: aie.lock: lock -1 of tile (0,2), a core tile, which has 16; use one from 0 to 15",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l0 = aie.lock(%t) %l1 = aie.lock(%t) %l2 = aie.lock(%t) %l3 = aie.lock(%t) %l4 = aie.lock(%t) %l5 = aie.lock(%t) %l6 = "
	 "aie.lock(%t) %l7 = aie.lock(%t) %l8 = aie.lock(%t) %l9 = aie.lock(%t) %l10 = aie.lock(%t) %l11 = aie.lock(%t) %l12 = aie.lock(%t) %l13 = "
	 "aie.lock(%t) %l14 = aie.lock(%t) %l15 = aie.lock(%t) %l16 = aie.lock(%t)",
	 "line 1: aie.lock: with it tile (0,2) needs 17 locks, of 16 that a core tile has; use fewer", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t) {init = 64 : i32}",
	 "line 1: aie.lock: a lock of tile (0,2) begins with 64, which it cannot count; begin with 0 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t) aie.core(%t) { aie.use_lock(%l, Release, 64) aie.end }",
	 "line 1: aie.use_lock: it releases 64, which is no value of a lock; say -64 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t) aie.core(%t) { aie.use_lock(%l, AcquireGreaterEqual, -1) aie.end }",
	 "line 1: aie.use_lock: it acquires -1, which is no value of a lock; say 0 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 64 : i32) : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: a lock of tile (0,2) begins with 64, which it cannot count; begin with 0 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %m = aie.buffer(%t) : memref<4xi32> aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<4xi32>) {bd_id = 16 "
	 ": i32} aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: descriptor 16 of tile (0,2), a core tile, which has 16; use one from 0 to 15", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %m = aie.buffer(%t) : memref<4xi32> aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<4xi32>) {bd_id = 1 : "
	 "i32} aie.next_bd ^c ^c: aie.dma_bd(%m : memref<4xi32>) {bd_id = 1 : i32} aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: descriptor 1 of tile (0,2) stands twice; give each a number of its own", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<4xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 1, ^a, ^b) ^a: aie.dma_bd(%m : memref<4xi32>) "
	 "{bd_id = 3 : i32} aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: descriptor 3 of tile (0,1) in channel 1, which reaches those from 24 to 47; use one of them", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %u = aie.tile(0, 4) %m = aie.buffer(%u) : memref<4xi32> aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : "
	 "memref<4xi32>) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: aie.buffer in (0,4) is out of reach of MM2S 0 of tile (0,2); use one of that tile", PTOWSP_INVALID},
	{"%t = aie.tile(1, 1) %u = aie.tile(0, 1) %m = aie.buffer(%u) : memref<4xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 4, ^a, ^b) ^a: aie.dma_bd(%m : "
	 "memref<4xi32>) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: aie.buffer in (0,1) is out of reach of MM2S 4 of tile (1,1); use one of that tile", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %u = aie.tile(1, 2) %l = aie.lock(%u) aie.core(%t) { aie.use_lock(%l, Release, 1) aie.end }",
	 "line 1: aie.use_lock: aie.lock in (1,2) is out of reach of core (0,2); use one of its tile or its neighbours", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %s = aie.tile(0, 0) aie.flow(%t, DMA : 0, %s, DMA : 0) aie.flow(%t, DMA : 1, %s, DMA : 0)",
	 "line 1: aie.flow: two flows lead into S2MM 0 of tile (0,0); leave one, or make packets of both", PTOWSP_INVALID},
	/* what a core allocates, in a loop and in a function that it calls; and one that calls itself */
	{"%t = aie.tile(0, 2) func.func @f() { %a = memref.alloca() : memref<129xi32> return }\naie.core(%t) { %0 = arith.constant 0 : index %1 = "
	 "arith.constant 1 : "
	 "index scf.for %i = %0 to %1 step %1 { %a = memref.alloca() : memref<512xi8> } %b = memref.alloca() : memref<127xi32> func.call @f() : () -> () "
	 "aie.end }",
	 "line 2: aie.core: core (0,2) allocates 1028 bytes at once, of a stack of 1024; raise its stack_size", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) func.func @f() { func.call @f() : () -> () return } aie.core(%t) { func.call @f() : () -> () aie.end }",
	 "function @f calls itself, which has no model; write a loop", PTOWSP_UNSUPPORTED},
	/* what stands twice, whatever names its tiles and in whatever order */
	{"%t = aie.tile(0, 2) %u = aie.tile(0, 2) %s = aie.tile(0, 0) aie.flow(%t, DMA : 0, %s, DMA : 0)\naie.flow(%u, DMA : 0, %s, DMA : 0)",
	 "line 2: aie.flow: it stands in line 1 already, with the same ends; leave one", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %s = aie.tile(0, 3) aie.flow(%t, Core : 0, %s, Core : 0) aie.flow(%t, Core : 0, %s, Core : 0)",
	 "line 1: aie.flow: it stands in line 1 already, with the same ends; leave one", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %u = aie.tile(0, 3) %s = aie.tile(0, 0)\naie.packet_flow(3) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%s, DMA : 0> "
	 "aie.packet_dest<%u, DMA : 0> }\naie.packet_flow(3) { aie.packet_dest<%u, DMA : 0> aie.packet_source<%t, DMA : 0> aie.packet_dest<%s, DMA : 0> }",
	 "line 3: aie.packet_flow: it stands in line 2 already, with the same ends; leave one", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<4xi32>) { aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) "
	 "{id = 16 : i64, metadata = @a} : memref<4xi32> }",
	 "line 1: aiex.npu.dma_memcpy_nd: descriptor 16 of tile (0,0), a shim, which has 16; use one from 0 to 15", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) "
	 "{id = 3 : i64, metadata = @a} : memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 4][1, 1, 1, 4][0, 0, 0, 1]) {id = 3 : i64, metadata = @a} : "
	 "memref<32xi32> }",
	 "line 1: a task of @a is written into the descriptor of that of line 1, whose end the host has not seen; wait for it before, or give it another id",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) "
	 "{id = 0 : i64, metadata = @a} : memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 4][1, 1, 1, 4][0, 0, 0, 1]) {id = 1 : i64, metadata = @a} : "
	 "memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 8][1, 1, 1, 4][0, 0, 0, 1]) {id = 2 : i64, metadata = @a} : memref<32xi32> "
	 "aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 12][1, 1, 1, 4][0, 0, 0, 1]) {id = 3 : i64, metadata = @a} : memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, "
	 "16][1, 1, 1, 4][0, 0, 0, 1]) {id = 4 : i64, metadata = @a} : memref<32xi32> }",
	 "line 1: a task of @a comes behind 4 whose ends the host has not seen, as many as a channel's queue takes; wait for one before", PTOWSP_INVALID},
	/* configured tasks: descriptors of both at once, one that nobody can wait for, one that writes memory and that nobody waits for */
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) {bd_id = 3 : i32} aie.end } %u = aiex.dma_configure_task_for @a { aie.dma_bd(%x : memref<32xi32>, 8, 8) {bd_id = 3 : i32} "
	 "aie.end } }",
	 "line 1: aiex.dma_configure_task_for: descriptor 3 of tile (0,0) is that of the task of line 1, which the host neither awaited nor freed; do so "
	 "before, or "
	 "give it another bd_id",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) aie.end } aiex.dma_start_task(%t) aiex.dma_free_task(%t) %u = aiex.dma_configure_task_for @a { aie.dma_bd(%x : memref<32xi32>, "
	 "8, "
	 "8) aie.end } aiex.dma_start_task(%u) }",
	 "line 1: a task of @a is written into the descriptor of that of line 1, whose end the host has not seen; wait for it before, or give it another id",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(S2MM, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) aie.end } aiex.dma_start_task(%t) aiex.dma_await_task(%t) }",
	 "line 1: aiex.dma_await_task: the task of line 1 gives no token to wait for; give it issue_token = true", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<4xi32>, %n: index) { %c0 = arith.constant 0 : index %c1 = arith.constant 1 "
	 ": "
	 "index %c17 = arith.constant 17 : index scf.for %i = %c0 to %c17 step %c1 { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : memref<4xi32>, 0, "
	 "4) "
	 "aie.end } } }",
	 "line 1: aiex.dma_configure_task_for: all 16 descriptors of tile (0,0) are those of tasks that the host neither awaited nor freed; do so with one "
	 "before",
	 PTOWSP_INVALID},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @out(%t, {%s}, 1 : i32) : !aie.objectfifo<memref<4xi32>> aie.core(%t) { %y = "
	 "aie.objectfifo.acquire @out(Produce, 1) : memref<4xi32> aie.objectfifo.release @out(Produce, 1) aie.end } aie.runtime_sequence @s(%y: memref<4xi32>) "
	 "{ "
	 "aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<4xi32> }",
	 "line 1: a task of @out writes memory, and the host's program ends without having seen its end; wait for its token before", PTOWSP_INVALID},
	{"\"aie.put_cascade\"() : () -> ()", "line 1: aie.put_cascade: this operation has no model in a device", PTOWSP_UNSUPPORTED},
};

TEST(what_has_no_model_is_refused_with_its_line)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct array_trial trial = {.buffering = 8};

		CHECK_INT(array_trial_run(&trial, check_fmt("aie.device(npu1) { %s }", refusals[i].body)), refusals[i].status);
		CHECK_STR(trial.error.text, refusals[i].sentence);
		aie_sim_finish(&trial.stats);
	}
}

/* A core that knows locks by numbers: 48 is lock 0 of its own tile, 32 that of the tile to the north. */
TEST(locks_have_numbers_for_cores)
{
	struct array_trial trial = {.buffering = 8};

	CHECK_INT(array_trial_run(
			  &trial,
			  "aie.device(npu1) { %t = aie.tile(1, 2) %u = aie.tile(1, 3) %l = aie.lock(%u, 0) aie.core(%t) { %n = arith.constant 32 : index\n"
			  "aie.use_lock(%n, AcquireGreaterEqual, 2) aie.end } aie.core(%u) { %n = arith.constant 48 : index aie.use_lock(%n, Release, 1)\n"
			  "aie.use_lock(%l, Release, 1) aie.end } }"),
		  PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	aie_sim_finish(&trial.stats);
}

/* Memory of this machine, whatever a text says. */
TEST(what_a_core_allocates_in_all_is_bounded)
{
	struct array_trial trial = {.buffering = 8};
	char body[2048] = "";

	for (int i = 0; i <= 16; i++)
		snprintf(body + strlen(body), sizeof(body) - strlen(body), "%%m%d = memref.alloc() : memref<65536xi32> ", i);
	CHECK_INT(array_trial_run(&trial, check_fmt("aie.device(npu1) { %%t = aie.tile(0, 2) aie.core(%%t) { %s aie.end } }", body)), PTOWSP_UNSUPPORTED);
	CHECK_STR(trial.error.text, "line 1: with this memref.alloc a core's text allocates 4456448 bytes, of 4194304 that are simulated");
	aie_sim_finish(&trial.stats);
}

TEST(a_stack_holds_what_lies_in_it_at_once)
{
	struct array_trial trial = {.buffering = 8};

	CHECK_INT(array_trial_run(&trial, "aie.device(npu1) { %t = aie.tile(0, 2) aie.core(%t) { %0 = arith.constant 0 : index %1 = arith.constant 1 : index\n"
					  "scf.for %i = %0 to %1 step %1 { %a = memref.alloca() : memref<512xi8> } %b = memref.alloca() : memref<512xi8> %c = "
					  "memref.alloca() : memref<1536xi8> aie.end } {stack_size = 2048 : i32} }"),
		  PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	aie_sim_finish(&trial.stats);
}

/* Packets of another number, and of fewer ends, are other flows. */
TEST(flows_that_share_ends_are_several)
{
	struct array_trial trial = {.buffering = 8};

	CHECK_INT(array_trial_run(&trial, "aie.device(npu1) { %t = aie.tile(0, 2) %u = aie.tile(0, 3) aie.packet_flow(3) { aie.packet_source<%t, DMA : 0> "
					  "aie.packet_dest<%u, DMA : 0> }\n"
					  "aie.packet_flow(4) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%u, DMA : 0> }\n"
					  "aie.packet_flow(3) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%u, DMA : 0> aie.packet_dest<%u, DMA : 1> }\n"
					  "aie.flow(%t, DMA : 1, %t, DMA : 0) aie.flow(%t, DMA : 1, %t, DMA : 1) }"),
		  PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	aie_sim_finish(&trial.stats);
}

/* Who may: the first four channels of a memory tile its neighbour's, a core the memory to the west; each as many tasks as its queue takes, and more behind a token. */
TEST(neighbours_are_in_reach)
{
	static const char *const bodies[] = {
		"%t = aie.tile(1, 1) %u = aie.tile(0, 1) %m = aie.buffer(%u) : memref<4xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 3, ^a, ^b) ^a: "
		"aie.dma_bd(%m : memref<4xi32>) {bd_id = 24 : i32} aie.next_bd ^b ^b: aie.end }",
		"%t = aie.tile(1, 2) %u = aie.tile(0, 2) %l = aie.lock(%u, 15) {init = 63 : i32} aie.core(%t) { aie.use_lock(%l, AcquireGreaterEqual, 63) "
		"aie.end }",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct array_trial trial = {.buffering = 8};

		CHECK_INT(array_trial_run(&trial, check_fmt("aie.device(npu1) { %s }", bodies[i])), PTOWSP_OK);
		CHECK_STR(trial.error.text, "");
		aie_sim_finish(&trial.stats);
	}
}

/* As MLIR's tools print them: names of types, and where operations came from. */
TEST(names_of_types_and_locations_are_read)
{
	int32_t out[2] = {0};
	struct array_trial trial = {.buffering = 8, .out = {MEMORY("b", out)}};

	CHECK_INT(array_trial_run(&trial,
				  "#loc = loc(\"a(.mlir\":1:1)\n!pair = memref<2xi32>\nmodule { aie.device(npu1) { %t = aie.tile(0, 2) loc(#loc)\n"
				  "%b = aie.buffer(%t) {sym_name = \"b\"} : !pair loc(callsite(\"f\" at \"g\"))\naie.core(%t) { %c1 = arith.constant 1 : index "
				  "%v = arith.constant 7 : i32\nmemref.store %v, %b[%c1] : !pair loc(#loc)\naie.end } loc(#loc) } loc(unknown) } loc(#loc)\n"
				  "#loc1 = loc(fused[#loc, \"x\"])\n"),
		  PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	CHECK_INT(out[1], 7);
	aie_sim_finish(&trial.stats);
	CHECK_INT(array_trial_run(&trial, "!a = i32\n!a = i32\n"), PTOWSP_INVALID);
	CHECK_STR(trial.error.text, "2:1: a name of a type stands here that is one already");
}

/* Locks of the first generation are taken or not: what counts has no model there. */
TEST(fifos_of_the_first_generation_hold_one_object)
{
	struct array_trial trial = {.buffering = 8};

	CHECK_INT(array_trial_run(&trial, "aie.device(xcvc1902) { %s = aie.tile(2, 0) %t = aie.tile(2, 2)\naie.objectfifo @a(%s, {%t}, 2 : i32) : "
					  "!aie.objectfifo<memref<1xi32>> }"),
		  PTOWSP_UNSUPPORTED);
	CHECK_STR(trial.error.text, "line 2: aie.objectfifo: fifo 'a' is 2 objects deep on tile (2,2); locks of this generation do not count, and fifos deeper "
				    "than 1 have no model there");
	aie_sim_finish(&trial.stats);
}

TEST(rows_of_a_device_are_bounded)
{
	struct array_trial trial = {.buffering = 8};
	size_t size = 0;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	REQUIRE(to != NULL);
	fputs("aie.device(npu1) { %t = aie.tile(0, 2)\n", to);
	for (int i = 0; i <= 16384; i++)
		fputs("aie.buffer(%t) : memref<1xi8>\n", to);
	fputs("}", to);
	fclose(to);
	CHECK_INT(array_trial_run(&trial, text), PTOWSP_UNSUPPORTED);
	CHECK_STR(trial.error.text, "line 16386: aie.buffer: with it the device has more than 16384 buffers");
	aie_sim_finish(&trial.stats);
	free(text);
}

/* Each function calls the one before it, so often: many of them are compiled, and calls that have no end in practice end a run when somebody says so. */
static ptowsp_status chain_run(uint32_t functions, uint32_t calls, const volatile uint32_t *cancel)
{
	struct array_trial trial = {.buffering = 8, .cancel = cancel};
	size_t size = 0;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);
	ptowsp_status status;

	REQUIRE(to != NULL);
	fputs("aie.device(npu1) { %t = aie.tile(0, 2) func.func @f0() { return }\n", to);
	for (uint32_t i = 1; i < functions; i++) {
		fprintf(to, "func.func @f%u() { ", i);
		for (uint32_t c = 0; c < calls; c++)
			fprintf(to, "func.call @f%u() : () -> () ", i - 1);
		fputs("return }\n", to);
	}
	fprintf(to, "aie.core(%%t) { func.call @f%u() : () -> () aie.end } }", functions - 1);
	fclose(to);
	status = array_trial_run(&trial, text);
	aie_sim_finish(&trial.stats);
	free(text);
	return status;
}

TEST(functions_are_many_and_their_calls_can_be_ended)
{
	static const volatile uint32_t cancel = 1;

	CHECK_INT(chain_run(100000, 1, NULL), PTOWSP_OK);
	CHECK_INT(chain_run(64, 2, &cancel), PTOWSP_CANCELLED);
}

TEST(devices_of_a_file_are_found_in_their_order)
{
	static const char text[] = "module { aie.device(npu1) @a { %t = aie.tile(0, 2) } module { aie.device(npu2) @b { aie.runtime_sequence() { } } } }\n"
				   "aie.device(npu1_1col) @c { }";
	static const char *const names[] = {"a", "b", "c"};
	struct aie_module module = {0};
	struct aie_array_device device;

	REQUIRE_INT(aie_module_read(&module, text, sizeof(text) - 1, NULL), PTOWSP_OK);
	for (uint32_t i = 0; i < 3; i++) {
		REQUIRE(aie_array_device_find(&module, i, &device));
		CHECK_STR(device.name, names[i]);
		CHECK_UINT(device.sequence_count, i == 1);
	}
	CHECK(!aie_array_device_find(&module, 3, &device));
	aie_module_finish(&module);
}
