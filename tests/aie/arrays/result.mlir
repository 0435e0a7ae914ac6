// A kernel that gives a number, which the core stores.
module {
  aie.device(npu1_1col) {
    func.func private @largest(memref<4xi32>, i32) -> i32
    %tile = aie.tile(0, 2)
    %a = aie.buffer(%tile) {sym_name = "a"} : memref<4xi32> = dense<[4, 9, -1, 8]>
    %b = aie.buffer(%tile) {sym_name = "b"} : memref<4xi32> = dense<[-9, -5, -3, 7]>
    %best = aie.buffer(%tile) {sym_name = "best"} : memref<2xi32>
    aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %three = arith.constant 3 : i32
      %four = arith.constant 4 : i32
      %v = func.call @largest(%a, %four) : (memref<4xi32>, i32) -> i32
      %w = func.call @largest(%b, %three) : (memref<4xi32>, i32) -> i32
      memref.store %v, %best[%c0] : memref<2xi32>
      memref.store %w, %best[%c1] : memref<2xi32>
      aie.end
    }
  }
}
