// x[0] = the target that the code was compiled for: 10 * capability, + 1 for an exact chip ('a'). A chip that
// is not asked for by name gives 10 * the oldest capability of which it is.
//
// One code a target, told apart at compile time: on the GPU the marker says which of them was launched.
tilus.kernel @marker(%x: !tilus.ptr<i32>) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c80 = arith.constant 80 : i32
  %c90 = arith.constant 90 : i32
  %c100 = arith.constant 100 : i32
  %c10 = arith.constant 10 : i32
  %is90 = tilus.target_supports "sm_90"
  %is100 = tilus.target_supports "sm_100"
  %newer = arith.select %is90, %c90, %c80 : i32
  %newest = arith.select %is100, %c100, %newer : i32
  %base = arith.muli %newest, %c10 : i32
  %is90a = tilus.target_is "sm_90a"
  %is100a = tilus.target_is "sm_100a"
  %exact = arith.ori %is90a, %is100a : i1
  %digit = arith.extui %exact : i1 to i32
  %marker = arith.addi %base, %digit : i32
  %view = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<1xi32>
  %tile = tilus.broadcast %marker : i32 -> tensor<1xi32>
  tilus.store_global %tile, %view[%c0] : tensor<1xi32>, !tilus.global<1xi32>
}
