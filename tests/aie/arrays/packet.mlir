// Two cores send packets through one channel of a memory tile's neighbour: each packet's number says into which half of the array's answer it goes.
module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %one = aie.buffer(%a) {sym_name = "one"} : memref<4xi32> = dense<[1, 2, 3, 4]>
    %two = aie.buffer(%a) {sym_name = "two"} : memref<4xi32> = dense<[5, 6, 7, 8]>
    %three = aie.buffer(%b) {sym_name = "three"} : memref<4xi32> = dense<9>
    aie.packet_flow(1) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%shim, DMA : 0>
    }
    aie.packet_flow(2) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%shim, DMA : 1>
    }
    aie.packet_flow(3) {
      aie.packet_source<%b, DMA : 1>
      aie.packet_dest<%shim, DMA : 1>
    }
    aie.mem(%a) {
      %0 = aie.dma_start(MM2S, 0, ^first, ^end)
    ^first:
      aie.dma_bd(%two : memref<4xi32>, 0, 4) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      aie.next_bd ^second
    ^second:
      aie.dma_bd_packet(0, 1)
      aie.dma_bd(%one : memref<4xi32>, 0, 4)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.mem(%b) {
      %0 = aie.dma_start(MM2S, 1, ^first, ^end, repeat_count = 1)
    ^first:
      aie.dma_bd_packet(0, 3)
      aie.dma_bd(%three : memref<4xi32>)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.shim_dma_allocation @low(%shim, S2MM, 0)
    aie.shim_dma_allocation @high(%shim, S2MM, 1)
    aie.runtime_sequence @run(%y: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @low} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 4][1, 1, 1, 12][0, 0, 0, 1]) {id = 1 : i64, metadata = @high} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @low}
      aiex.npu.dma_wait {symbol = @high}
    }
  }
}
