// Every operation that the reader knows as people write it, and attributes of every kind.
module @forms attributes {test.flag} {
  func.func private @kernel(memref<8xbf16>, i32) -> f32
  func.func @loops(%m: memref<4x8xf32>, %bytes: memref<256xi8>, %n: index, %on: i1) -> (f32, index) attributes {hint = #test.hint<a, [b]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %tenth = arith.constant 0.1 : f64
    %half = arith.constant -5.0e-1 : bf16
    %small = arith.constant -128 : i8
    %yes = arith.constant true
    %sum = scf.for %j = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %m[%c0, %j] : memref<4x8xf32>
      %t = arith.addf %s, %v fastmath<fast> : f32
      scf.yield %t : f32
    }
    %both:2 = scf.if %on -> (f32, index) {
      scf.yield %sum, %c1 : f32, index
    } else {
      %w = arith.negf %sum : f32
      scf.yield %w, %c0 : f32, index
    }
    scf.if %yes {
      memref.store %both#0, %m[%c0, %both#1] : memref<4x8xf32>
    }
    %row = memref.subview %m[%both#1, 1] [1, 4] [1, 2] : memref<4x8xf32> to memref<4xf32, strided<[2], offset: ?>>
    %part = memref.subview %m[1, 2] [2, 4] [1, 1] : memref<4x8xf32> to memref<2x4xf32, strided<[8, 1], offset: 10>>
    %words = memref.view %bytes[%c8][] : memref<256xi8> to memref<2x31xi32>
    %scratch = memref.alloca() {alignment = 32 : i64} : memref<2x4xf32>
    memref.copy %part, %scratch : memref<2x4xf32, strided<[8, 1], offset: 10>> to memref<2x4xf32>
    %heap = memref.alloc() : memref<8xbf16>
    %i = arith.index_cast %n : index to i32
    %k = arith.addi %i, %i overflow<nsw, nuw> : i32
    %less = arith.cmpi slt, %i, %k : i32
    %more = arith.cmpf ogt, %sum, %zero : f32
    %either = arith.select %less, %i, %k : i32
    %wide = arith.extsi %either : i32 to i64
    %narrow = arith.trunci %wide : i64 to i16
    %real = arith.sitofp %narrow : i16 to f32
    %bits = arith.bitcast %real : f32 to i32
    %short = arith.truncf %real : f32 to bf16
    %got = func.call @kernel(%heap, %bits) : (memref<8xbf16>, i32) -> f32
    memref.dealloc %heap : memref<8xbf16>
    scf.for %q = %i to %k step %either : i32 {
      %same = arith.xori %q, %q : i32
    }
    %r = "arith.maximumf"(%got, %sum) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    return %r, %c0 : f32, index
  }
  "test.buffers"() {note = "a \"quoted\" line\0A", flag, wide = [1, 2.5, true, unit, @name, @"a name", i32, (i32) -> (index, f32)],
      a = dense<7> : tensor<3x2xi16>, b = dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>, c = dense<[1.5, 0x7F80]> : tensor<2xbf16>, d = dense<true> : tensor<4xi1>,
      e = array<i32: 1, -2>, f = array<i64>, g = #aie<bd_dim_layout_array[<size = 4, stride = 8>, <size = 8, stride = 1>]>,
      h = #aie<bd_dim_layout_array_array[[], [<size = 2, stride = 1>]]>, "odd name" = 1 : i1} : () -> ()
}
