// A window of two objects that goes on by one, of a fifo with a depth for each end; MLIR's names for what acquire gives differ by epoch.
module {
  "aie.device"() ({
    %shim = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    "aie.objectfifo"(%shim, %a) {sym_name = "in", elemNumber = [2 : i32, 3 : i32], elemType = !aie.objectfifo<memref<4x2xbf16>>, via_DMA = true, plio = false,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[<size = 4, stride = 2>, <size = 2, stride = 1>]]>} : (index, index) -> ()
    %core = "aie.core"(%a) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      scf.for %i = %zero to %three step %one {
        %x:2 = "aie.objectfifo.acquire"() {objFifo_name = @in, port = 1 : i32, size = 2 : i32} : () -> (memref<4x2xbf16>, memref<4x2xbf16>)
        memref.copy %x#1, %x#0 : memref<4x2xbf16> to memref<4x2xbf16>
        "aie.objectfifo.release"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> ()
      }
      "aie.objectfifo.release"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> ()
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    "aie.runtime_sequence"() ({
    ^bb0(%from: memref<32xbf16>):
      "aiex.npu.dma_memcpy_nd"(%from) {id = 0 : i64, issue_token = true, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 32>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<32xbf16>) -> ()
      "aiex.npu.dma_wait"() {symbol = @in} : () -> ()
    }) {sym_name = "sequence"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 8 : i32, sym_name = "main"} : () -> ()
}
