// Two cores in a column, the second one behind the first: in -> a (+ 3) -> mid -> b (* 5) -> out. mid lies in memory that both see.
module {
  "aie.device"() ({
    %shim = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    %b = "aie.tile"() {col = 0 : i32, row = 3 : i32} : () -> index
    "aie.objectfifo"(%shim, %a) {sym_name = "in", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "mid", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%b, %shim) {sym_name = "out", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<32xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    %first = "aie.core"(%a) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %objects = arith.constant 8 : index
      %words = arith.constant 32 : index
      %three = arith.constant 3 : i32
      scf.for %n = %zero to %objects step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> memref<32xi32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @mid, port = 0 : i32, size = 1 : i32} : () -> memref<32xi32>
        scf.for %i = %zero to %words step %one {
          %v = memref.load %x[%i] : memref<32xi32>
          %w = arith.addi %v, %three : i32
          memref.store %w, %y[%i] : memref<32xi32>
        }
        "aie.objectfifo.release"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @mid, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    %second = "aie.core"(%b) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %objects = arith.constant 8 : index
      %words = arith.constant 32 : index
      %five = arith.constant 5 : i32
      scf.for %n = %zero to %objects step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @mid, port = 1 : i32, size = 1 : i32} : () -> memref<32xi32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @out, port = 0 : i32, size = 1 : i32} : () -> memref<32xi32>
        scf.for %i = %zero to %words step %one {
          %v = memref.load %x[%i] : memref<32xi32>
          %w = arith.muli %v, %five : i32
          memref.store %w, %y[%i] : memref<32xi32>
        }
        "aie.objectfifo.release"() {objFifo_name = @mid, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @out, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    "aie.runtime_sequence"() ({
    ^bb0(%from: memref<256xi32>, %to: memref<256xi32>):
      "aiex.npu.dma_memcpy_nd"(%to) {id = 1 : i64, issue_token = true, metadata = @out, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xi32>) -> ()
      "aiex.npu.dma_memcpy_nd"(%from) {id = 0 : i64, issue_token = false, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xi32>) -> ()
      "aiex.npu.dma_wait"() {symbol = @out} : () -> ()
    }) {sym_name = "sequence"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 5 : i32, sym_name = "main"} : () -> ()
}
