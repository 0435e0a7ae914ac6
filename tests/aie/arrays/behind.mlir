// A memory tile wants two parts, of which one comes: its sender waits for a lock that nobody releases. The host, the shim and the core that sends the other part wait in a ring behind that.
module {
  aie.device(npu1) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    %u = aie.tile(0, 3)
    %never = aie.lock(%t, 0) {init = 0 : i32, sym_name = "never"}
    %free = aie.lock(%u, 0) {init = 1 : i32, sym_name = "free"}
    %full = aie.lock(%u, 1) {init = 0 : i32, sym_name = "full"}
    %both = aie.lock(%m, 1) {init = 0 : i32, sym_name = "both"}
    %bt = aie.buffer(%t) : memref<4xi32>
    %bu = aie.buffer(%u) : memref<4xi32>
    %bm = aie.buffer(%m) : memref<8xi32>
    aie.flow(%s, DMA : 0, %u, DMA : 0)
    aie.flow(%t, DMA : 0, %m, DMA : 0)
    aie.flow(%u, DMA : 0, %m, DMA : 1)
    aie.flow(%m, DMA : 0, %s, DMA : 0)
    aie.mem(%t) {
      aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%never, AcquireGreaterEqual, 1)
      aie.dma_bd(%bt : memref<4xi32>)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.mem(%u) {
      aie.dma_start(S2MM, 0, ^in, ^o)
    ^in:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%bu : memref<4xi32>)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in
    ^o:
      aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%bu : memref<4xi32>)
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }
    aie.memtile_dma(%m) {
      aie.dma_start(S2MM, 0, ^a, ^n)
    ^a:
      aie.dma_bd(%bm : memref<8xi32>, 0, 4)
      aie.use_lock(%both, Release, 1)
      aie.next_bd ^a
    ^n:
      aie.dma_start(S2MM, 1, ^b, ^n2)
    ^b:
      aie.dma_bd(%bm : memref<8xi32>, 4, 4)
      aie.use_lock(%both, Release, 1)
      aie.next_bd ^b
    ^n2:
      aie.dma_start(MM2S, 0, ^c, ^end)
    ^c:
      aie.use_lock(%both, AcquireGreaterEqual, 2)
      aie.dma_bd(%bm : memref<8xi32>)
      aie.next_bd ^c
    ^end:
      aie.end
    }
    aie.shim_dma_allocation @in(%s, MM2S, 0)
    aie.shim_dma_allocation @out(%s, S2MM, 0)
    aie.runtime_sequence(%x: memref<4xi32>, %y: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
