// Two cores take the same two locks in opposite order, each with work in between: a ring.
module {
  aie.device(npu1_1col) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %scratch = aie.buffer(%a) {sym_name = "scratch"} : memref<1xi32>
    %left = aie.lock(%a, 0) {init = 1 : i32, sym_name = "left"}
    %right = aie.lock(%a, 1) {init = 1 : i32, sym_name = "right"}
    aie.core(%a) {
      aie.use_lock(%left, AcquireGreaterEqual, 1)
      %c0 = arith.constant 0 : index
      %v = memref.load %scratch[%c0] : memref<1xi32>
      aie.use_lock(%right, AcquireGreaterEqual, 1)
      aie.use_lock(%right, Release, 1)
      aie.use_lock(%left, Release, 1)
      aie.end
    }
    aie.core(%b) {
      aie.use_lock(%right, AcquireGreaterEqual, 1)
      %c0 = arith.constant 0 : index
      %v = memref.load %scratch[%c0] : memref<1xi32>
      aie.use_lock(%left, AcquireGreaterEqual, 1)
      aie.use_lock(%left, Release, 1)
      aie.use_lock(%right, Release, 1)
      aie.end
    }
  }
}
