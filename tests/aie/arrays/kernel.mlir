// A kernel from outside scales 8 floats; one stream brings the same objects to two cores, of which the other one sums them up.
module {
  func.func private @scale(memref<8xf32>, memref<8xf32>, f32, i32)
  func.func private @sum(memref<8xf32>, memref<8xf32>)
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%a, %b}, [1 : i32, 2 : i32, 1 : i32]) : !aie.objectfifo<memref<8xf32>>
    aie.objectfifo @scaled(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<8xf32>>
    aie.objectfifo @out(%b, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xf32>>
    aie.core(%a) {
      %f = arith.constant 2.5 : f32
      %n = arith.constant 8 : i32
      %x = aie.objectfifo.acquire @in(Consume, 1) : memref<8xf32>
      %y = aie.objectfifo.acquire @scaled(Produce, 1) : memref<8xf32>
      func.call @scale(%x, %y, %f, %n) : (memref<8xf32>, memref<8xf32>, f32, i32) -> ()
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @scaled(Produce, 1)
      aie.end
    } {link_with = "scale.o"}
    aie.core(%b) {
      %x = aie.objectfifo.acquire @in(Consume, 1) : memref<8xf32>
      %s = aie.objectfifo.acquire @scaled(Consume, 1) : memref<8xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %y = aie.objectfifo.acquire @out(Produce, 1) : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 {
        %v = memref.load %s[%i] : memref<8xf32>
        memref.store %v, %y[%i] : memref<8xf32>
      }
      func.call @sum(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @scaled(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence @run(%x: memref<8xf32>, %y: memref<8xf32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<8xf32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<8xf32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
