// What transpose.mlir does with 4 x 4 words, in the generic form: numbers for words, successors in brackets.
"builtin.module"() ({
  "aie.device"() ({
    %0 = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %1 = "aie.tile"() {col = 0 : i32, row = 1 : i32} : () -> index
    %2 = "aie.buffer"(%1) {sym_name = "turned"} : (index) -> memref<4x4xi32>
    %3 = "aie.lock"(%1) {init = 1 : i32, lockID = 0 : i32} : (index) -> index
    %4 = "aie.lock"(%1) {init = 0 : i32, lockID = 1 : i32} : (index) -> index
    "aie.flow"(%0, %1) {dest_bundle = 1 : i32, dest_channel = 0 : i32, source_bundle = 1 : i32, source_channel = 0 : i32} : (index, index) -> ()
    "aie.flow"(%1, %0) {dest_bundle = 1 : i32, dest_channel = 0 : i32, source_bundle = 1 : i32, source_channel = 0 : i32} : (index, index) -> ()
    "aie.shim_dma_allocation"(%0) {channel_dir = 1 : i32, channel_index = 0 : i64, sym_name = "in"} : (index) -> ()
    "aie.shim_dma_allocation"(%0) {channel_dir = 0 : i32, channel_index = 0 : i64, sym_name = "out"} : (index) -> ()
    %5 = "aie.memtile_dma"(%1) ({
      %6 = "aie.dma_start"()[^bb1, ^bb2] {channel_dir = 0 : i32, channel_index = 0 : i32} : () -> i1
    ^bb1:
      "aie.use_lock"(%3) {action = 2 : i32, value = 1 : i32} : (index) -> ()
      "aie.dma_bd"(%2) {len = 16 : i32, offset = 0 : i32} : (memref<4x4xi32>) -> ()
      "aie.use_lock"(%4) {action = 1 : i32, value = 1 : i32} : (index) -> ()
      "aie.next_bd"()[^bb1] : () -> ()
    ^bb2:
      %7 = "aie.dma_start"()[^bb3, ^bb4] {channel_dir = 1 : i32, channel_index = 0 : i32} : () -> i1
    ^bb3:
      "aie.use_lock"(%4) {action = 2 : i32, value = 1 : i32} : (index) -> ()
      "aie.dma_bd"(%2) {dimensions = #aie<bd_dim_layout_array[<size = 4, stride = 1>, <size = 4, stride = 4>]>, len = 16 : i32, offset = 0 : i32} : (memref<4x4xi32>) -> ()
      "aie.use_lock"(%3) {action = 1 : i32, value = 1 : i32} : (index) -> ()
      "aie.next_bd"()[^bb3] : () -> ()
    ^bb4:
      "aie.end"() : () -> ()
    }) : (index) -> index
    "aie.runtime_sequence"() ({
    ^bb0(%x: memref<4x4xi32>, %y: memref<4x4xi32>):
      "aiex.npu.dma_memcpy_nd"(%y) {id = 1 : i64, metadata = @out, operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 16>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<4x4xi32>) -> ()
      "aiex.npu.dma_memcpy_nd"(%x) {id = 0 : i64, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 16>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<4x4xi32>) -> ()
      "aiex.npu.dma_wait"() {symbol = @out} : () -> ()
    }) {sym_name = "run"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 5 : i32, sym_name = "main"} : () -> ()
}) : () -> ()
