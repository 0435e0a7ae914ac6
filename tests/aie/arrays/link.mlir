// A memory tile gives halves of each object to two cores, which double and negate theirs, and joins what they give, second half first.
module {
  aie.device(npu2) {
    %shim = aie.tile(1, 0)
    %mem = aie.tile(1, 1)
    %a = aie.tile(1, 2)
    %b = aie.tile(1, 3)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in_a(%mem, {%a}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @in_b(%mem, {%b}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo.link [@in] -> [@in_a, @in_b]([] [0, 8])
    aie.objectfifo @out_a(%a, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out_b(%b, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%mem dimensionsToStream [<size = 2, stride = 8>, <size = 8, stride = 1>], {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@out_a, @out_b] -> [@out]([8, 0] [])
    aie.core(%a) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      scf.for %n = %c0 to %c3 step %c1 {
        %x = aie.objectfifo.acquire @in_a(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @out_a(Produce, 1) : memref<8xi32>
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.load %x[%i] : memref<8xi32>
          %w = arith.addi %v, %v : i32
          memref.store %w, %y[%i] : memref<8xi32>
        }
        aie.objectfifo.release @in_a(Consume, 1)
        aie.objectfifo.release @out_a(Produce, 1)
      }
      aie.end
    }
    aie.core(%b) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0 : i32
      scf.for %n = %c0 to %c3 step %c1 {
        %x = aie.objectfifo.acquire @in_b(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @out_b(Produce, 1) : memref<8xi32>
        scf.for %i = %c0 to %c8 step %c1 {
          %v = memref.load %x[%i] : memref<8xi32>
          %w = arith.subi %zero, %v : i32
          memref.store %w, %y[%i] : memref<8xi32>
        }
        aie.objectfifo.release @in_b(Consume, 1)
        aie.objectfifo.release @out_b(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence @run(%x: memref<48xi32>, %y: memref<48xi32>) {
      %t0 = aiex.dma_configure_task_for @in {
        aie.dma_bd(%x : memref<48xi32>, 0, 48)
        aie.end
      } {issue_token = true}
      %t1 = aiex.dma_configure_task_for @out {
        aie.dma_bd(%y : memref<48xi32>, 0, 48)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t0)
      aiex.dma_start_task(%t1)
      aiex.dma_await_task(%t0)
      aiex.dma_await_task(%t1)
      aiex.dma_free_task(%t0)
    }
  }
}
