// The core gives one object where the host waits for two.
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %v = arith.constant 7 : i32
      %y = aie.objectfifo.acquire @out(Produce, 1) : memref<4xi32>
      memref.store %v, %y[%c0] : memref<4xi32>
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence @run(%y: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
