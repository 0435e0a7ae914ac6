// As many fifos between two cores as there are locks for.
module {
  "aie.device"() ({
    %a = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    %b = "aie.tile"() {col = 0 : i32, row = 3 : i32} : () -> index
    "aie.objectfifo"(%a, %b) {sym_name = "f0", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f1", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f2", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f3", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f4", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f5", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f6", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    "aie.objectfifo"(%a, %b) {sym_name = "f7", elemNumber = 1 : i32, elemType = !aie.objectfifo<memref<4xi32>>,
        dimensionsToStream = #aie<bd_dim_layout_array[]>, dimensionsFromStreamPerConsumer = #aie<bd_dim_layout_array_array[[]]>} : (index, index) -> ()
    // one more
    "aie.end"() : () -> ()
  }) {device = 5 : i32, sym_name = "main"} : () -> ()
}
