// 2 x 3 words leave a memory tile with a row of zeros before and a column of zeros on each side: 3 x 5.
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %buffer = aie.buffer(%mem) {sym_name = "small"} : memref<2x3xi32> = dense<[[1, 2, 3], [4, 5, 6]]>
    aie.flow(%mem, DMA : 1, %shim, DMA : 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.memtile_dma(%mem) {
      %0 = aie.dma_start(MM2S, 1, ^give, ^end)
    ^give:
      aie.dma_bd(%buffer : memref<2x3xi32>, 0, 15, [<size = 2, stride = 3>, <size = 3, stride = 1>], [<const_pad_before = 1, const_pad_after = 0>, <const_pad_before = 1, const_pad_after = 1>])
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.runtime_sequence @run(%y: memref<3x5xi32>) {
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 15][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<3x5xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
