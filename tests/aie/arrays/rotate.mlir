// The form of 2026: descriptors with words, locks' values as constants, tasks of a memory tile's own DMA, one of which goes on by an iteration: chunk k lands at slot (1 + k) % 3.
module {
  aie.device(npu2_1col) {
    %shim = aie.logical_tile<ShimNOCTile>(?, ?)
    %mem = aie.logical_tile<MemTile>(0, ?)
    %slots = aie.buffer(%mem) {sym_name = "slots"} : memref<12xi32>
    %room = aie.lock(%mem, 0) {init = 3 : i32, sym_name = "room"}
    %full = aie.lock(%mem, 1) {init = 0 : i32, sym_name = "full"}
    aie.flow(%shim, DMA : 0, %mem, DMA : 0)
    aie.flow(%mem, DMA : 0, %shim, DMA : 0)
    aie.runtime_sequence(%x: memref<12xi32>, %y: memref<12xi32>) {
      %n12 = arith.constant 12 : i32
      %t0 = aiex.dma_configure_task(%shim, MM2S, 0) {
        aie.dma_bd(%x : memref<12xi32> offset = 0 len = %n12 sizes = [3, 4] strides = [4, 1]) {bd_id = 0 : i32}
        aie.end
      }
      %t1 = aiex.dma_configure_task(%mem, S2MM, 0) {
        %c1 = arith.constant 1 : i32
        aie.use_lock(%room, AcquireGreaterEqual, %c1)
        aie.dma_bd(%slots : memref<12xi32> offset = 0 len = 4) {bd_id = 0 : i32, iteration = #aie.bd_iteration<size = 3, stride = 4, current = 1>}
        aie.use_lock(%full, Release, %c1)
        aie.end
      } {repeat_count = 2 : i32}
      %t2 = aiex.dma_configure_task(%mem, MM2S, 0) {
        %c3 = arith.constant 3 : i32
        aie.use_lock(%full, AcquireGreaterEqual, %c3)
        aie.dma_bd(%slots : memref<12xi32>) {bd_id = 1 : i32}
        aie.use_lock(%room, Release, %c3)
        aie.end
      }
      %t3 = aiex.dma_configure_task(%shim, S2MM, 0) {
        aie.dma_bd(%y : memref<12xi32> len = 12) {bd_id = 1 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t1)
      aiex.dma_start_task(%t0)
      aiex.dma_start_task(%t2)
      aiex.dma_start_task(%t3)
      aiex.dma_await_task(%t3)
    }
  }
}
