// Two kernels with and without parameters.
tilus.kernel @first(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}
tilus.kernel @second() warps(2) grid {
  %c3 = arith.constant 3 : i32
  tilus.grid [%c3]
} {
}
