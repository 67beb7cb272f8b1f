# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the shared-memory accesses of the kernels in a fenced module and reports races.

Reads the printed IR: each loop makes two trips, each branch goes a random way. Two accesses to one byte, one of them
a write, must have a barrier between them whose threads include those of both. The bytes are those of each element, by
the definition of the layout; of an op's scratch the first word is looked at.

Usage: check_races.py <file>
"""

import itertools
import random
import re
import sys

BYTES = {"f32": 4, "f16": 2, "i32": 4, "i8": 1, "f64": 8, "i1": 1}
SHARED = re.compile(r"!tilus\.shared<((?:\d+x)*)(\w+), #tilus\.smem<shape = \[([\d, ]*)\], modes = \[([\d, ]*)\], "
                    r"strides = \[([\d, ]*)\](?:, swizzle = \[([\d, ]*)\])?>>")


def numbers(text):
    return [int(word) for word in text.replace(",", " ").split()] if text else []


class Layout:
    """A shared type: where its elements lie."""

    def __init__(self, match):
        self.bytes = BYTES[match.group(2)]
        self.shape, self.modes, self.strides = (numbers(match.group(i)) for i in (3, 4, 5))
        self.swizzle = numbers(match.group(6))

    def linear(self, index):
        """The offset of the element at `index`, one number for each dimension, before swizzling."""
        mode, total = len(self.modes), 0
        for size, position in zip(reversed(self.shape), reversed(index)):
            rest = size
            while rest > 1:
                mode -= 1
                total += position % self.modes[mode] * self.strides[mode]
                position //= self.modes[mode]
                rest //= self.modes[mode]
        return total

    def places(self, base, origin):
        """The bytes of all elements of a view."""
        found = set()
        for index in itertools.product(*map(range, self.shape)):
            offset = origin + self.linear(index)
            if self.swizzle:
                low, bits, shift = self.swizzle
                offset ^= (offset >> (low + shift) & (1 << bits) - 1) << low
            found.update(range(base + offset * self.bytes, base + (offset + 1) * self.bytes))
        return found


def parse(lines):
    """The lines of a region as a tree: text, or (text, [regions]) for an op with regions."""
    region = []
    for line in lines:
        text = line.strip()
        if text.startswith("}"):
            if text.endswith("{"):  # } else {, } do {
                return region, text
            return region, None
        if text.endswith("{"):
            regions, more = [], text
            while more:
                nested, more = parse(lines)
                regions.append(nested)
            region.append((text, regions))
        elif text:
            region.append(text)
    return region, None


class Run:
    """One execution of a kernel's body."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.constants, self.handles, self.groups = {}, {}, 0
        self.accesses = []  # (bytes, is write, path, text, time)
        self.barriers = []  # (path, time)
        self.time = 0

    def value(self, name):
        return self.constants.setdefault(name, self.random.randrange(3))

    def record(self, places, is_write, path, text):
        self.accesses.append((places, is_write, path, text, self.time))

    def handle(self, text):
        """The result of an op that makes a handle."""
        result, types = text.split(" = ")[0], [Layout(match) for match in SHARED.finditer(text)]
        if "alloc_shared" in text:
            offset = int(re.search(r"offset\((\d+)\)", text).group(1))
            self.handles[result] = (offset, 0, types[0])
            return
        source = re.search(r"_shared (%[\w#]+)", text).group(1)
        base, origin, layout = self.handles[source]
        if "slice_shared" in text:
            offsets = re.search(r"\[([^\]]*)\] dims \[([\d, ]*)\]", text)
            index = [0] * len(layout.shape)
            for dim, name in zip(numbers(offsets.group(2)), offsets.group(1).split(", ")):
                index[dim] = self.value(name)
            origin += layout.linear(index)
        self.handles[result] = (base, origin, types[-1])

    def step(self, text, path):
        self.time += 1
        constant = re.match(r"(%\w+) = arith\.constant (-?\d+) : i32", text)
        if constant:
            self.constants[constant.group(1)] = int(constant.group(2))
        elif re.search(r"= tilus\.(alloc|slice|reshape|permute)_shared", text):
            self.handle(text)
        elif text == "tilus.sync":
            self.barriers.append((path, self.time))
        elif "tilus.load_shared" in text:
            base, origin, layout = self.handles[re.search(r"load_shared (%\w+)", text).group(1)]
            self.record(layout.places(base, origin), False, path, text)
        elif "tilus.store_shared" in text:
            base, origin, layout = self.handles[re.search(r"store_shared %[\w#]+, (%\w+)", text).group(1)]
            self.record(layout.places(base, origin), True, path, text)
        scratch = re.search(r"tilus\.scratch_offset = (\d+)", text)
        if scratch:
            begin = int(scratch.group(1))
            self.record(set(range(begin, begin + 4)), True, path, text)

    def region(self, region, path=()):
        for op in region:
            if isinstance(op, str):
                self.step(op, path)
                continue
            text, regions = op
            if "thread_group" in text:
                self.groups += 1
                self.region(regions[0], path + (self.groups,))
            elif "scf.if" in text:
                if len(regions) > 1 or self.random.random() < 0.5:
                    self.region(self.random.choice(regions), path)
            elif "scf.for" in text or "scf.while" in text:
                for _ in range(2):
                    for nested in regions:
                        self.region(nested, path)
                if "scf.while" in text:
                    self.region(regions[0], path)

    def races(self):
        for first, second in itertools.combinations(self.accesses, 2):
            if not (first[1] or second[1]) or first[0].isdisjoint(second[0]):
                continue
            shared = [a for a, b in zip(first[2], second[2]) if a == b]
            if not any(first[4] < time <= second[4] and list(path) == shared[:len(path)] for path, time in self.barriers):
                yield first, second


kernels, races = 0, 0
lines = iter(open(sys.argv[1]).read().splitlines())
for line in lines:
    if "tilus.kernel" not in line:
        continue
    name = re.search(r"@(\w+)", line).group(1)
    parse(lines)  # the grid, up to '} {'
    body, _ = parse(lines)
    for seed in range(3):
        run = Run(seed)
        run.region(body)
        for first, second in itertools.islice(run.races(), 2):
            races += 1
            print(f"race in {name}:\n  {first[3][:100]}\n  {second[3][:100]}")
    kernels += 1
print(f"{kernels} kernels, {races} races")
sys.exit(1 if races or not kernels else 0)
