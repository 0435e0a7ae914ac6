// A core on (1,2) whose objects lie in the memories beside it: those of what comes to the west, with a buffer, those of what goes to the north. The DMAs there fill and empty them.
module {
  "aie.device"() ({
    %shim = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %west = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    %a = "aie.tile"() {col = 1 : i32, row = 2 : i32} : () -> index
    %north = "aie.tile"() {col = 1 : i32, row = 3 : i32} : () -> index
    "aie.objectfifo"(%shim, %west) {sym_name = "in", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%west, %a) {sym_name = "near_in", elemNumber = [1 : i32, 1 : i32], elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo.link"() {fifoIns = [@in], fifoOuts = [@near_in], src_offsets = [], dst_offsets = []} : () -> ()
    "aie.objectfifo.allocate"(%west) {objFifo_name = @near_in} : (index) -> ()
    "aie.objectfifo"(%a, %north) {sym_name = "near_out", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%north, %shim) {sym_name = "out", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo.link"() {fifoIns = [@near_out], fifoOuts = [@out], src_offsets = [], dst_offsets = []} : () -> ()
    "aie.objectfifo.allocate"(%north) {objFifo_name = @near_out} : (index) -> ()
    %last = "aie.buffer"(%west) {sym_name = "last"} : (index) -> memref<32xi32>
    %core = "aie.core"(%a) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %four = arith.constant 4 : index
      scf.for %i = %zero to %four step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @near_in, port = 1 : i32, size = 1 : i32} : () -> memref<32xi32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @near_out, port = 0 : i32, size = 1 : i32} : () -> memref<32xi32>
        memref.copy %x, %last : memref<32xi32> to memref<32xi32>
        memref.copy %last, %y : memref<32xi32> to memref<32xi32>
        "aie.objectfifo.release"() {objFifo_name = @near_in, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @near_out, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    "aie.runtime_sequence"() ({
    ^bb0(%from: memref<128xi32>, %to: memref<128xi32>):
      "aiex.npu.dma_memcpy_nd"(%from) {id = 0 : i64, issue_token = true, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 128>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<128xi32>) -> ()
      "aiex.npu.dma_memcpy_nd"(%to) {id = 1 : i64, issue_token = true, metadata = @out, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 128>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<128xi32>) -> ()
      "aiex.npu.dma_wait"() {symbol = @out} : () -> ()
    }) {sym_name = "sequence"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 4 : i32, sym_name = "main"} : () -> ()
}
