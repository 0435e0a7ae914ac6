// aie.dma with a region for each descriptor, buffers and locks inside of it, padding; a core that takes turns with two buffers by scf.index_switch.
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %tile = aie.tile(0, 2)
    %a = aie.buffer(%tile) {sym_name = "a"} : memref<4xi32>
    %b = aie.buffer(%tile) {sym_name = "b"} : memref<4xi32>
    %room = aie.lock(%tile, 0) {init = 2 : i32}
    %full = aie.lock(%tile, 1) {init = 0 : i32}
    aie.flow(%tile, DMA : 1, %mem, DMA : 5)
    aie.flow(%mem, DMA : 5, %shim, DMA : 1)
    aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      scf.for %n = %c0 to %c3 step %c1 {
        %which = arith.remui %n, %c2 : index
        aie.use_lock(%room, AcquireGreaterEqual, 1)
        %object = scf.index_switch %which -> memref<4xi32>
        case 1 {
          scf.yield %b : memref<4xi32>
        }
        default {
          scf.yield %a : memref<4xi32>
        }
        scf.for %i = %c0 to %c4 step %c1 {
          %t = arith.muli %n, %c4 : index
          %u = arith.addi %t, %i : index
          %v = arith.index_cast %u : index to i32
          memref.store %v, %object[%i] : memref<4xi32>
        }
        aie.use_lock(%full, Release, 1)
      }
      aie.end
    }
    aie.mem(%tile) {
      %0 = aie.dma(MM2S, 1) [{
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.dma_bd(%a : memref<4xi32>, 0, 4)
        aie.use_lock(%room, Release, 1)
      }, {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.dma_bd(%b : memref<4xi32>, 0, 4)
        aie.use_lock(%room, Release, 1)
      }]
      aie.end
    }
    aie.memtile_dma(%mem) {
      %box = aie.buffer(%mem) {sym_name = "box"} : memref<4xi32>
      %free = aie.lock(%mem, 0) {init = 1 : i32}
      %held = aie.lock(%mem, 1) {init = 0 : i32}
      %0 = aie.dma(S2MM, 5) [{
        %one = arith.constant 1 : i32
        aie.use_lock(%free, AcquireGreaterEqual, %one)
        aie.dma_bd(%box : memref<4xi32> offset = 0 len = 4)
        aie.use_lock(%held, Release, %one)
      }]
      %1 = aie.dma(MM2S, 5) [{
        %one = arith.constant 1 : i32
        aie.use_lock(%held, AcquireGreaterEqual, %one)
        aie.dma_bd(%box : memref<4xi32> offset = 0 len = 6 sizes = [4] strides = [1] pad [<const_pad_before = 1, const_pad_after = 1>])
        aie.use_lock(%free, Release, %one)
      }]
      aie.end
    }
    aie.shim_dma_allocation @out(%shim, S2MM, 1)
    aie.runtime_sequence @run(%y: memref<18xi32>) {
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 18][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<18xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
