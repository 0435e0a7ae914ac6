// Two cores that give each other what they take.
module {
  "aie.device"() ({
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    %b = "aie.tile"() {col = 0 : i32, row = 3 : i32} : () -> index
    "aie.objectfifo"(%a, %b) {sym_name = "there", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%b, %a) {sym_name = "back", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    %core_a = "aie.core"(%a) ({
      %x = "aie.objectfifo.acquire"() {objFifo_name = @back, port = 1 : i32, size = 1 : i32} : () -> memref<4xi32>
      %y = "aie.objectfifo.acquire"() {objFifo_name = @there, port = 0 : i32, size = 1 : i32} : () -> memref<4xi32>
      memref.copy %x, %y : memref<4xi32> to memref<4xi32>
      "aie.objectfifo.release"() {objFifo_name = @back, port = 1 : i32, size = 1 : i32} : () -> ()
      "aie.objectfifo.release"() {objFifo_name = @there, port = 0 : i32, size = 1 : i32} : () -> ()
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    %core_b = "aie.core"(%b) ({
      %x = "aie.objectfifo.acquire"() {objFifo_name = @there, port = 1 : i32, size = 1 : i32} : () -> memref<4xi32>
      %y = "aie.objectfifo.acquire"() {objFifo_name = @back, port = 0 : i32, size = 1 : i32} : () -> memref<4xi32>
      memref.copy %x, %y : memref<4xi32> to memref<4xi32>
      "aie.objectfifo.release"() {objFifo_name = @there, port = 1 : i32, size = 1 : i32} : () -> ()
      "aie.objectfifo.release"() {objFifo_name = @back, port = 0 : i32, size = 1 : i32} : () -> ()
      "aie.end"() : () -> ()
    }) {stack_size = 1024 : i32} : (index) -> index
    "aie.end"() : () -> ()
  }) {device = 5 : i32, sym_name = "main"} : () -> ()
}
