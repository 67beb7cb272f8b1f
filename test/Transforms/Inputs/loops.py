"""Prints a kernel that counts what loops of all kinds of bounds do; with --unroll, they ask to be unrolled."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

# The type, whether it is compared unsigned, and pairs of bounds: "lo" and "hi" are parameters.
KINDS = [
    ("i32", "", [("lo", "hi"), ("0", "hi"), ("lo", "11"), ("-3", "10"), ("5", "2")]),
    ("i32", "unsigned ", [("3", "20"), ("2147483640", "-2147483640")]),
    ("i8", "", [("-128", "127"), ("120", "127"), ("lo", "hi")]),
    ("i8", "unsigned ", [("-128", "-1"), ("lo", "hi")]),
    ("index", "", [("lo", "hi"), ("0", "9")]),
]


def convert(value, source, target):
    if source == target:
        return f"arith.addi {value}, %zero_{source} : {source}"
    if "index" in (source, target):
        return f"arith.index_cast {value} : {source} to {target}"
    return f"arith.{'extsi' if target == 'i32' else 'trunci'} {value} : {source} to {target}"


def main():
    unroll = "--unroll" in sys.argv
    lines, count = [], 0
    for kind, unsigned, pairs in KINDS:
        for low, high in pairs:
            for step in (1, 3, 16):
                for factor in (1, 2, 3, 4, 7):
                    bounds = []
                    for end, text in (("a", low), ("b", high)):
                        name = f"%{end}{count}"
                        source = convert(f"%{text}", "i32", kind) if text in ("lo", "hi") else f"arith.constant {text} : {kind}"
                        lines.append(f"  {name} = {source}")
                        bounds.append(name)
                    wish = f" {{tilus.unroll = {factor} : i32}}" if unroll else ""
                    lines.append(f"  %s{count} = arith.constant {step} : {kind}")
                    lines.append(
                        f"  %r{count} = scf.for {unsigned}%i = {bounds[0]} to {bounds[1]} step %s{count} "
                        f"iter_args(%x = %one) -> (i32) : {kind} {{"
                    )
                    lines.append(f"    %j = {convert('%i', kind, 'i32')}")
                    lines.append("    %y = arith.muli %x, %three : i32\n    %z = arith.addi %y, %j : i32")
                    lines.append(f"    scf.yield %z : i32\n  }}{wish}")
                    lines.append(f"  %t{count} = tilus.broadcast %r{count} : i32 -> tensor<1xi32>")
                    lines.append(f"  %at{count} = arith.constant {count} : i32")
                    lines.append(
                        f"  tilus.store_global %t{count}, %out[%at{count}] : tensor<1xi32>, !tilus.global<{{N}}xi32>"
                    )
                    count += 1
    head = "tilus.kernel @loops(%lo: i32, %hi: i32, %p: !tilus.ptr<i32>) warps(1) grid {\n"
    head += "  %c1 = arith.constant 1 : i32\n  tilus.grid [%c1]\n} {\n  %one = arith.constant 1 : i32\n"
    head += "  %three = arith.constant 3 : i32\n"
    for kind in ("i8", "i32", "index"):
        head += f"  %zero_{kind} = arith.constant 0 : {kind}\n"
    head += "  %out = tilus.global_view %p : !tilus.ptr<i32> -> !tilus.global<{N}xi32>\n"
    print((head + "\n".join(lines) + "\n}").replace("{N}", "512"))


main()
