// The core adds what it has been told to, as often as the host's value says: blocks with arguments, scf.while, scf.if, a function with a body.
module {
  aie.device(npu1_1col) {
    func.func @twice(%v: i32) -> i32 {
      %w = arith.addi %v, %v : i32
      return %w : i32
    }
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    %times = aie.buffer(%tile) {sym_name = "times"} : memref<1xi32>
    aie.objectfifo @in(%shim, {%tile}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<2xi32>>
    aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %x = aie.objectfifo.acquire @in(Consume, 1) : memref<4xi32>
      %y = aie.objectfifo.acquire @out(Produce, 1) : memref<4xi32>
      %n = memref.load %times[%c0] : memref<1xi32>
      cf.br ^head(%c0 : index)
    ^head(%i: index):
      %more = arith.cmpi slt, %i, %c4 : index
      cf.cond_br %more, ^body, ^done
    ^body:
      %v = memref.load %x[%i] : memref<4xi32>
      %sum:2 = scf.while (%s = %none, %k = %none) : (i32, i32) -> (i32, i32) {
        %go = arith.cmpi slt, %k, %n : i32
        scf.condition(%go) %s, %k : i32, i32
      } do {
      ^bb0(%s: i32, %k: i32):
        %s2 = arith.addi %s, %v : i32
        %k2 = arith.addi %k, %one : i32
        scf.yield %s2, %k2 : i32, i32
      }
      %odd = arith.andi %sum#0, %one : i32
      %is = arith.cmpi eq, %odd, %one : i32
      %r = scf.if %is -> (i32) {
        %d = func.call @twice(%sum#0) : (i32) -> i32
        scf.yield %d : i32
      } else {
        scf.yield %sum#0 : i32
      }
      memref.store %r, %y[%i] : memref<4xi32>
      %next = arith.addi %i, %c1 : index
      cf.br ^head(%next : index)
    ^done:
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    } {stack_size = 2048 : i32}
    aie.runtime_sequence @run(%x: memref<4xi32>, %y: memref<4xi32>) {
      aiex.npu.rtp_write(@times, 0, 5)
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
