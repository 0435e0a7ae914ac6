// 8 x 8 words go into a memory tile as they lie and leave it column by column.
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %buffer = aie.buffer(%mem) {sym_name = "turned"} : memref<8x8xi32>
    %room = aie.lock(%mem, 0) {init = 1 : i32}
    %full = aie.lock(%mem, 1) {init = 0 : i32}
    aie.flow(%shim, DMA : 0, %mem, DMA : 0)
    aie.flow(%mem, DMA : 0, %shim, DMA : 0)
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    %dma = aie.memtile_dma(%mem) {
      %0 = aie.dma_start(S2MM, 0, ^take, ^next)
    ^take:
      aie.use_lock(%room, AcquireGreaterEqual, 1)
      aie.dma_bd(%buffer : memref<8x8xi32>, 0, 64)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^take
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^give, ^end)
    ^give:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%buffer : memref<8x8xi32>, 0, 64, [<size = 8, stride = 1>, <size = 8, stride = 8>])
      aie.use_lock(%room, Release, 1)
      aie.next_bd ^give
    ^end:
      aie.end
    }
    aie.runtime_sequence(%x: memref<8x8xi32>, %y: memref<8x8xi32>) {
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<8x8xi32>
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 8, 8][0, 0, 8, 1]) {id = 0 : i64, metadata = @in, issue_token = true} : memref<8x8xi32>
      aiex.npu.dma_wait {symbol = @in}
      aiex.npu.sync {channel = 0 : i32, column = 0 : i32, column_num = 1 : i32, direction = 0 : i32, row = 0 : i32, row_num = 1 : i32}
    }
  }
}
