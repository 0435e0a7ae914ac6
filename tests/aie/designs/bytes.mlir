module { // bytes, four in a word
  "aie.device"() ({
    %shim = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    "aie.objectfifo"(%shim, %a) {sym_name = "in", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<16xi8>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.runtime_sequence"() ({
    ^bb0(%x: memref<64xi8>):
      "aiex.npu.dma_memcpy_nd"(%x) {id = 0 : i64, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 16>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<64xi8>) -> ()
    }) {sym_name = "sequence"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 5 : i32, sym_name = "main"} : () -> ()
}
