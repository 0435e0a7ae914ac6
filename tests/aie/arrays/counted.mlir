// The host sends the same 8 words as often as its third argument says, keeps a task for the next turn, and takes them all as one; more than 3 times, it takes another object to the end.
module {
  aie.device(npu1_1col) {
    %shim = aie.logical_tile<ShimNOCTile>(?, ?)
    %core = aie.logical_tile<CoreTile>(?, ?)
    aie.objectfifo @in(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%core, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%core) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %max = arith.constant 9223372036854775807 : index
      scf.for %n = %c0 to %max step %c1 {
        %x = aie.objectfifo.acquire @in(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.load %x[%i] : memref<8xi32>
          memref.store %v, %y[%i] : memref<8xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence @run(%x: memref<8xi32>, %y: memref<40xi32>, %n: i32) {
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : i32
      %c8 = arith.constant 8 : i32
      %c40 = arith.constant 40 : i32
      %turns = arith.index_cast %n : i32 to index
      %len = arith.muli %n, %c8 : i32
      %many = arith.cmpi sgt, %n, %c3 : i32
      %all = aiex.dma_configure_task_for @out {
        aie.dma_bd(%y : memref<40xi32> offset = 0 len = %len sizes = [%n, 8] strides = [8, 1])
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%all)
      %first = aiex.dma_configure_task_for @in {
        aie.dma_bd(%x : memref<8xi32> offset = 0 len = 8)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%first)
      %last = scf.for %i = %c1 to %turns step %c1 iter_args(%before = %first) -> (index) {
        aiex.dma_await_task(%before)
        %t = aiex.dma_configure_task_for @in {
          aie.dma_bd(%x : memref<8xi32> offset = 0 len = 8)
          aie.end
        } {issue_token = true}
        aiex.dma_start_task(%t)
        scf.yield %t : index
      }
      aiex.dma_await_task(%last)
      aiex.dma_await_task(%all)
      scf.if %many {
        %at = arith.subi %c40, %c8 : i32
        %again = aiex.dma_configure_task_for @out {
          aie.dma_bd(%y : memref<40xi32> offset = %at len = 8)
          aie.end
        } {issue_token = true}
        %more = aiex.dma_configure_task_for @in {
          aie.dma_bd(%x : memref<8xi32> offset = 0 len = 8)
          aie.end
        }
        aiex.dma_start_task(%again)
        aiex.dma_start_task(%more)
        aiex.dma_await_task(%again)
      }
    }
  }
}
