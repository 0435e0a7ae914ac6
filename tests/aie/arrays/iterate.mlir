// As IRON prints a task: the outermost of four dimensions is where the descriptor goes on each of 1 + repeat_count times. x goes in by columns of 4 words, which land in the order of rows of 2; the second task
// gives the same 4 words three times.
module {
  aie.device(npu1_1col) {
    %core = aie.tile(0, 2)
    %shim = aie.tile(0, 0)
    aie.objectfifo @out(%core, {%shim}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @in(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo.link [@in] -> [@out]([] [0])
    aie.runtime_sequence(%x: memref<12xi32>, %y: memref<24xi32>) {
      %0 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%x : memref<12xi32>, 0, 4, [<size = 3, stride = 1>, <size = 1, stride = 0>, <size = 4, stride = 3>, <size = 1, stride = 1>])
        aie.end
      } {repeat_count = 2 : i32}
      %1 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%x : memref<12xi32>, 8, 4, [<size = 3, stride = 0>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 4, stride = 1>])
        aie.end
      } {repeat_count = 2 : i32}
      %2 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%y : memref<24xi32>, 0, 2, [<size = 6, stride = 4>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 2, stride = 1>])
        aie.end
      } {issue_token = true, repeat_count = 5 : i32}
      %3 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%y : memref<24xi32>, 2, 2, [<size = 6, stride = 4>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 2, stride = 1>])
        aie.end
      } {issue_token = true, repeat_count = 5 : i32}
      aiex.dma_start_task(%0)
      aiex.dma_start_task(%1)
      aiex.dma_start_task(%2)
      aiex.dma_start_task(%3)
      aiex.dma_await_task(%2)
      aiex.dma_await_task(%3)
    }
  }
}
