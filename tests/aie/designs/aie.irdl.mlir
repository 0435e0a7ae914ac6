// SPDX-License-Identifier: MIT
// What MLIR's own tools can look at of the operations that a design is made of, as irdl.awk names them: IRDL knows no dots in names, no traits, and no syntax of
// attributes in <[]>. Which attributes each must have: AIEOps.td and AIEX.td of Xilinx/mlir-aie, tree of April 2026; acquire as since August 2026.
irdl.dialect @aie {
  irdl.type @objectfifo {
    %object = irdl.any
    irdl.parameters(object: %object)
  }
  irdl.operation @device {
    %npu1 = irdl.is 4 : i32
    %npu1_1col = irdl.is 5 : i32
    %npu1_2col = irdl.is 6 : i32
    %npu1_3col = irdl.is 7 : i32
    %npu2 = irdl.is 8 : i32
    %npu2_1col = irdl.is 9 : i32
    %npu2_2col = irdl.is 10 : i32
    %npu2_3col = irdl.is 11 : i32
    %npu2_4col = irdl.is 12 : i32
    %npu2_5col = irdl.is 13 : i32
    %npu2_6col = irdl.is 14 : i32
    %npu2_7col = irdl.is 15 : i32
    %number = irdl.any_of(%npu1, %npu1_1col, %npu1_2col, %npu1_3col, %npu2, %npu2_1col, %npu2_2col, %npu2_3col, %npu2_4col, %npu2_5col, %npu2_6col, %npu2_7col)
    %name = irdl.any
    irdl.attributes { "device" = %number, "sym_name" = %name }
    %body = irdl.region
    irdl.regions(body: %body)
  }
  irdl.operation @tile {
    %index = irdl.is index
    %column = irdl.any
    %row = irdl.any
    irdl.attributes { "col" = %column, "row" = %row }
    irdl.results(tile: %index)
  }
  irdl.operation @core {
    %index = irdl.is index
    irdl.operands(tile: %index)
    irdl.results(core: %index)
    %body = irdl.region
    irdl.regions(body: %body)
  }
  irdl.operation @buffer {
    %index = irdl.is index
    %memory = irdl.any
    %name = irdl.any
    irdl.operands(tile: %index)
    irdl.attributes { "sym_name" = %name }
    irdl.results(memory: %memory)
  }
  irdl.operation @fifo_declared {
    %index = irdl.is index
    %name = irdl.any
    %depth = irdl.any
    %object = irdl.any
    %to = irdl.any
    %from = irdl.any
    irdl.operands(producer: %index, consumers: variadic %index)
    irdl.attributes { "sym_name" = %name, "elemNumber" = %depth, "elemType" = %object, "dimensionsToStream" = %to, "dimensionsFromStreamPerConsumer" = %from }
  }
  irdl.operation @fifo_link {
    %ins = irdl.any
    %outs = irdl.any
    %src = irdl.any
    %dst = irdl.any
    irdl.attributes { "fifoIns" = %ins, "fifoOuts" = %outs, "src_offsets" = %src, "dst_offsets" = %dst }
  }
  irdl.operation @fifo_allocate {
    %index = irdl.is index
    %fifo = irdl.any
    irdl.operands(tile: %index)
    irdl.attributes { "objFifo_name" = %fifo }
  }
  irdl.operation @fifo_acquire {
    %produce = irdl.is 0 : i32
    %consume = irdl.is 1 : i32
    %port = irdl.any_of(%produce, %consume)
    %fifo = irdl.any
    %size = irdl.any
    %object = irdl.any
    irdl.attributes { "objFifo_name" = %fifo, "port" = %port, "size" = %size }
    irdl.results(objects: variadic %object)
  }
  irdl.operation @fifo_release {
    %produce = irdl.is 0 : i32
    %consume = irdl.is 1 : i32
    %port = irdl.any_of(%produce, %consume)
    %fifo = irdl.any
    %size = irdl.any
    irdl.attributes { "objFifo_name" = %fifo, "port" = %port, "size" = %size }
  }
  irdl.operation @runtime_sequence {
    %name = irdl.any
    irdl.attributes { "sym_name" = %name }
    %body = irdl.region
    irdl.regions(body: %body)
  }
}
irdl.dialect @aiex {
  irdl.operation @npu_dma_memcpy_nd {
    %memory = irdl.any
    %id = irdl.any
    %fifo = irdl.any
    %segments = irdl.is array<i32: 1, 0, 0, 0>
    %offsets = irdl.any
    %sizes = irdl.any
    %strides = irdl.any
    irdl.operands(memory: %memory)
    irdl.attributes { "id" = %id, "metadata" = %fifo, "operandSegmentSizes" = %segments, "static_offsets" = %offsets, "static_sizes" = %sizes, "static_strides" = %strides }
  }
  irdl.operation @npu_dma_wait {
    %fifo = irdl.any
    irdl.attributes { "symbol" = %fifo }
  }
}
