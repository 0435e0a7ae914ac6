aie.device(npu1) {
  %t = aie.tile(0, 2)
  func.func @f() { %a = memref.alloca() : memref<129xi32> %m = memref.alloc() : memref<65536xi32> return }
  aie.core(%t) { %b = memref.alloca() : memref<127xi32> func.call @f() : () -> () aie.end } {stack_size = 1023 : i32}
}
