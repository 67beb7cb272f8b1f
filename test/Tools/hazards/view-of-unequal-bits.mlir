// Registers read as a tile of more bits than the threads hold.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<64xi32>
  %p = tilus.convert_layout %i : tensor<64xi32> -> tensor<64xi32, #tilus.reg<shape = [64], modes = [64], spatial = [0], local = []>>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.view' op expected equal threads and bits a thread, but got 64 threads of 32 bits and 64 threads of 64 bits
  %v = tilus.view %p : tensor<64xi32, #tilus.reg<shape = [64], modes = [64], spatial = [0], local = []>> -> tensor<64xi64, #tilus.reg<shape = [64], modes = [64], spatial = [0], local = []>>
}
