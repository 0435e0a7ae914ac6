aie.device(npu1) {
  %t = aie.tile(0, 2) %s = aie.tile(0, 3)
  aie.packet_flow(3) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%s, DMA : 0> aie.packet_dest<%s, DMA : 1> }
  aie.packet_flow(3) { aie.packet_dest<%s, DMA : 1> aie.packet_dest<%s, DMA : 0> aie.packet_source<%t, DMA : 0> }
}
