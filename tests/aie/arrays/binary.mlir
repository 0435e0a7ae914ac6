// Locks of the first generation: who waits for a value has the lock until he sets another. One core writes what the other one reads.
module {
  aie.device(xcvc1902) {
    %a = aie.tile(3, 3)
    %b = aie.tile(3, 4)
    %lock = aie.lock(%a, 5)
    %box = aie.buffer(%a) {sym_name = "box"} : memref<4xi32>
    %kept = aie.buffer(%b) {sym_name = "kept"} : memref<4xi32>
    aie.core(%b) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      aie.use_lock(%lock, "Acquire", 1)
      %v = memref.load %box[%c2] : memref<4xi32>
      memref.store %v, %kept[%c0] : memref<4xi32>
      aie.use_lock(%lock, "Release", 0)
      aie.end
    }
    aie.core(%a) {
      %c2 = arith.constant 2 : index
      %v = arith.constant 377 : i32
      aie.use_lock(%lock, "Acquire", 0)
      memref.store %v, %box[%c2] : memref<4xi32>
      aie.use_lock(%lock, "Release", 1)
      aie.end
    }
  }
}
