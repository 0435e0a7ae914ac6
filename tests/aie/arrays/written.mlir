// The host writes words of a buffer by name and by address, and gives the core its lock by the lock's address.
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    %told = aie.buffer(%tile) {address = 1024 : i32, sym_name = "told"} : memref<4xi32>
    %go = aie.lock(%tile, 3) {init = 0 : i32}
    aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      aie.use_lock(%go, AcquireGreaterEqual, 2)
      %y = aie.objectfifo.acquire @out(Produce, 1) : memref<4xi32>
      scf.for %i = %c0 to %c4 step %c1 {
        %v = memref.load %told[%i] : memref<4xi32>
        memref.store %v, %y[%i] : memref<4xi32>
      }
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence @run(%y: memref<4xi32>) {
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<4xi32>
      aiex.npu.rtp_write(@told, 0, 11)
      aiex.npu.write32 {address = 1028 : ui32, column = 0 : i32, row = 2 : i32, value = 4294967274 : ui32}
      aiex.npu.write32 {address = 3 : ui32, buffer = @told, value = 44 : ui32}
      aiex.npu.write32 {address = 0x34000 : ui32, column = 0 : i32, row = 2 : i32, value = 5 : ui32}
      aiex.npu.write32 {address = 0x1F030 : ui32, column = 0 : i32, row = 2 : i32, value = 2 : ui32}
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
