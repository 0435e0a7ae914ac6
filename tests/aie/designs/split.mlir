// Objects are cut for two cores by a memory tile, both get the same weights, what they make is joined. The second core adds to a buffer of the first.
module {
  "aie.device"() ({
    func.func private @weigh(memref<32xi32>, memref<16xi32>, memref<32xi32>, i32)
    %shim = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %mem = "aie.tile"() {col = 0 : i32, row = 1 : i32} : () -> index
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    %b = "aie.tile"() {col = 0 : i32, row = 3 : i32} : () -> index
    "aie.objectfifo"(%shim, %mem) {sym_name = "in", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<64xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%mem, %a) {sym_name = "in_a", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[<size = 8, stride = 4>, <size = 4, stride = 1>]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%mem, %b) {sym_name = "in_b", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo.link"() {fifoIns = [@in], fifoOuts = [@in_a, @in_b], src_offsets = [], dst_offsets = [0, 32]} : () -> ()
    "aie.objectfifo"(%shim, %mem) {sym_name = "w", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<16xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%mem, %a, %b) {sym_name = "w_all", elemNumber = [1 : i32, 1 : i32, 1 : i32], elemType = !aie.objectfifo<memref<16xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[], []]>} : (index, index, index) -> ()
    "aie.objectfifo.link"() {fifoIns = [@w], fifoOuts = [@w_all], src_offsets = [], dst_offsets = []} : () -> ()
    "aie.objectfifo"(%a, %mem) {sym_name = "out_a", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%b, %mem) {sym_name = "out_b", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%mem, %shim) {sym_name = "out", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<64xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo.link"() {fifoIns = [@out_a, @out_b], fifoOuts = [@out], src_offsets = [0, 32], dst_offsets = []} : () -> ()
    %sums = "aie.buffer"(%a) {sym_name = "sums", initial_value = dense<0> : tensor<8xi32>} : (index) -> memref<8xi32>
    %core_a = "aie.core"(%a) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %objects = arith.constant 4 : index
      %i = arith.constant 0 : index
      %factor = arith.constant 2 : i32
      %w = "aie.objectfifo.acquire"() {objFifo_name = @w_all, port = 1 : i32, size = 1 : i32} : () -> memref<16xi32>
      scf.for %n = %zero to %objects step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @in_a, port = 1 : i32, size = 1 : i32} : () -> memref<32xi32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @out_a, port = 0 : i32, size = 1 : i32} : () -> memref<32xi32>
        func.call @weigh(%x, %w, %y, %factor) : (memref<32xi32>, memref<16xi32>, memref<32xi32>, i32) -> ()
        %first = memref.load %y[%zero] : memref<32xi32>
        memref.store %first, %sums[%i] : memref<8xi32>
        "aie.objectfifo.release"() {objFifo_name = @in_a, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @out_a, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.objectfifo.release"() {objFifo_name = @w_all, port = 1 : i32, size = 1 : i32} : () -> ()
      "aie.end"() : () -> ()
    }) {stack_size = 2048 : i32, link_with = "weigh.o"} : (index) -> index
    %core_b = "aie.core"(%b) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %objects = arith.constant 4 : index
      %i = arith.constant 1 : index
      %factor = arith.constant 3 : i32
      %w = "aie.objectfifo.acquire"() {objFifo_name = @w_all, port = 1 : i32, size = 1 : i32} : () -> memref<16xi32>
      scf.for %n = %zero to %objects step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @in_b, port = 1 : i32, size = 1 : i32} : () -> memref<32xi32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @out_b, port = 0 : i32, size = 1 : i32} : () -> memref<32xi32>
        func.call @weigh(%x, %w, %y, %factor) : (memref<32xi32>, memref<16xi32>, memref<32xi32>, i32) -> ()
        %first = memref.load %y[%zero] : memref<32xi32>
        memref.store %first, %sums[%i] : memref<8xi32>
        "aie.objectfifo.release"() {objFifo_name = @in_b, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @out_b, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.objectfifo.release"() {objFifo_name = @w_all, port = 1 : i32, size = 1 : i32} : () -> ()
      "aie.end"() : () -> ()
    }) {stack_size = 2048 : i32, link_with = "weigh.o"} : (index) -> index
    "aie.runtime_sequence"() ({
    ^bb0(%x: memref<256xi32>, %w: memref<16xi32>, %y: memref<256xi32>):
      "aiex.npu.dma_memcpy_nd"(%y) {id = 2 : i64, issue_token = true, metadata = @out, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xi32>) -> ()
      "aiex.npu.dma_memcpy_nd"(%w) {id = 1 : i64, issue_token = false, metadata = @w, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 16>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<16xi32>) -> ()
      "aiex.npu.dma_memcpy_nd"(%x) {id = 0 : i64, issue_token = false, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xi32>) -> ()
      "aiex.npu.dma_wait"() {symbol = @out} : () -> ()
    }) {sym_name = "sequence"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 4 : i32, sym_name = "main"} : () -> ()
}
