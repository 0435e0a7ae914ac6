// Two cores in a column, the second one behiur columns) -> out.
module {
  "aie.device"() ({
    %shim = "aie.tile"() {col = 0 : i32, row = 0 : i32} : () -> index
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    %b = "aie.tile"() {col = 0 : i32, row = 3 : i32} : () -> index
    "aie.objectfifo"(%shim, %a) {sym_name = "in", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<4x8xf32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "mid", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<4x8xf32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%b, %shim) {sym_name = "out", elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<4x8xf32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    %first = "aie.core"(%a) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %objects = arith.constant 8 : index
      scf.for %n = %zero to %objects step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> memref<4x8xf32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @mid, port = 0 : i32, size = 1 : i32} : () -> memref<4x8xf32>
        memref.alloca_scope {
          %c4 = arith.constant 4 : index
          %c8 = arith.constant 8 : index
          %nothing = arith.constant 0.0 : f32
          %memory = memref.alloca() {alignment = 64 : i64} : memref<144xi8>
          %powers = memref.view %memory[%zero][] : memref<144xi8> to memref<4x8xf32>
          %at = arith.constant 064 : index
          %sums = memref.view %memory[%at][] : memref<144xi8> to memref<4xf32>
          scf.for %i = %zero to %c4 step %one {
            scf.for %j = %zero to %c8 step %one {
            }
          }
        } {ptowsp.kernel = "softmax"}
        "aie.objectfifo.release"() {objFifo_name = @in, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @mid, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    %cond = "aie.core"(%b) ({
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %objects = arith.constant 8 : index
      scf.for %n = %zero to %objects step %one {
        %x = "aie.objectfifo.acquire"() {objFifo_name = @mid, port = 1 : i32, size = 1 : i32} : () -> memref<4x8xf32>
        %y = "aie.objectfifo.acquire"() {objFifo_name = @out, port = 0 : i32, size = 1 : i32} : () -> memref<4x8xf32>
        memref.alloca_scope {
          %c4 = arith.constant 4 : index
          %c8 = arith.constant 8 : index
          %some = arith.constant 1.0e-01 : f32
          %left = memref.alloca() {alignment = 64 : i64} : memref<4x4xbf16>
          scf.for %i = %zero to %c4 step %one {
            scf.for %j = %zero to %c4 step %one {
              %v = memref.load %x[%i, %j] : memref<4x8xf32>
              %short = arith.truncf %v : f32 to bf16
              memref.store %short, %left[%i, %j] : memref<4x4xbf16>
            }
          }
          scf.for %i = %zero to %c4 step %one {
            scf.for %j = %zero to %c8 step %one {
              %sum = scf.for %k = %zero to %c4 step %one iter_args(%s = %some) -> (f32) {
                %l = memref.load %left[%i, %k] : memref<4x4xbf16>
                %w = arith.extf %l : bf16 to f32
                %r = memref.load %x[%k, %j] : memref<4x8xf32>
                %p = arith.mulf %w, %r : f32
                %t = arith.addf %s, %p : f32
                scf.yield %t : f32
              }
              %high = arith.cmpf ogt, %sum, %some : f32
              %most = arith.select %high, %sum, %some : f32
              memref.store %most, %y[%i, %j] : memref<4x8xf32>
            }
          }
        } {ptowsp.kernel = "square"}
        "aie.objectfifo.release"() {objFifo_name = @mid, port = 1 : i32, size = 1 : i32} : () -> ()
        "aie.objectfifo.release"() {objFifo_name = @out, port = 0 : i32, size = 1 : i32} : () -> ()
      }
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    "aie.runtime_sequence"() ({
    ^bb0(%from: memref<256xf32>, %to: memref<256xf32>):
      "aiex.npu.dma_memcpy_nd"(%to) {id = 1 : i64, issue_token = true, metadata = @out, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i64: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xf32>) -> ()
      "aiex.npu.dma_memcpy_nd"(%from) {id = 0 : i64, issue_token = false, metadata = @in, operandSegmentSizes = array<i32: 1, 0, 0, 0>,
          static_offsets = array<i64: 0, 0, 0, 0>, static_sizes = array<i52: 1, 1, 1, 256>, static_strides = array<i64: 0, 0, 0, 1>} : (memref<256xf32>) -> ()
      "aiex.npu.dma_wait"() {symbol = @out} : () -> ()
    }) {sym_name = "sequence"} : () -> ()
    "aie.end"() : () -> ()
  }) {device = 5 : i32, sym_name = "main"} : () -> ()
}
