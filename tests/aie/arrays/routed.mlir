// What a router leaves: wires through switches on the way in, rules for packets on the way back, of which number 4 goes to the host and number 5 into a box of the core.
module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %tile = aie.tile(0, 2)
    %a = aie.buffer(%tile) {sym_name = "a"} : memref<8xi32>
    %box = aie.buffer(%tile) {sym_name = "box"} : memref<8xi32>
    %room = aie.lock(%tile, 0) {init = 1 : i32}
    %full = aie.lock(%tile, 1) {init = 0 : i32}
    %sent = aie.lock(%tile, 2) {init = 0 : i32}
    aie.shim_mux(%shim) {
      aie.connect<DMA : 0, NORTH : 3>
      aie.connect<NORTH : 2, DMA : 1>
    }
    aie.switchbox(%shim) {
      aie.connect<SOUTH : 3, NORTH : 1>
      %0 = aie.amsel<0> (0)
      %1 = aie.masterset(SOUTH : 2, %0)
      aie.packet_rules(NORTH : 0) {
        aie.rule(31, 4, %0)
      }
    }
    aie.switchbox(%mem) {
      aie.connect<SOUTH : 1, NORTH : 2>
      %0 = aie.amsel<1> (2)
      %1 = aie.masterset(SOUTH : 0, %0)
      aie.packet_rules(NORTH : 3) {
        aie.rule(28, 4, %0)
      }
    }
    aie.switchbox(%tile) {
      aie.connect<SOUTH : 2, DMA : 0>
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      %2 = aie.masterset(SOUTH : 3, %0)
      %3 = aie.masterset(DMA : 1, %1) {keep_pkt_header = false}
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 4, %0) {packet_ids = array<i32: 4>}
        aie.rule(31, 5, %1)
      }
    }
    aie.mem(%tile) {
      %0 = aie.dma_start(S2MM, 0, ^take, ^next)
    ^take:
      aie.use_lock(%room, AcquireGreaterEqual, 1)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%full, Release, 2)
      aie.next_bd ^take
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^aside, ^last)
    ^aside:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd_packet(0, 5)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%sent, Release, 1)
      aie.next_bd ^back
    ^back:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd_packet(0, 4)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%room, Release, 1)
      aie.next_bd ^aside
    ^last:
      %2 = aie.dma_start(S2MM, 1, ^keep, ^end)
    ^keep:
      aie.dma_bd(%box : memref<8xi32>, 0, 8)
      aie.next_bd ^keep
    ^end:
      aie.end
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 1)
    aie.runtime_sequence @run(%x: memref<16xi32>, %y: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
