# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a module with random kernels: every kind of op on tiles, odd sizes, ranks 0 to 5, control flow, thread
groups, pinned layouts and shared memory. The kernels are well-formed and mean nothing.
Usage: random_kernel.py <first seed> <number of kernels> [<ops a region>]
"""

import math
import random
import sys

SIZES = [1, 2, 3, 4, 5, 6, 8, 16, 32, 48, 64, 96]
CHIPS = ["sm_90", "sm_90a", "sm_100a"]


class Kernel:
    def __init__(self, seed, length):
        self.random = random.Random(seed)
        self.length = length
        self.count = 0
        self.lines = []
        self.warps = self.random.choice([1, 2, 3, 4, 8])
        self.threads = self.warps * 32
        self.shared_budget = 1 << 15  # elements

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        self.lines.append("  " + text)

    def shape(self, most=4096, rank=5):
        while True:
            shape = [self.random.choice(SIZES) for _ in range(self.random.randint(0, rank))]
            if math.prod(shape) <= most:
                return shape

    @staticmethod
    def tile(shape, element="f32", layout=""):
        sizes = "".join(f"{size}x" for size in shape)
        return f"tensor<{sizes}{element}{layout and ', ' + layout}>"

    @staticmethod
    def shared(shape, element):
        return f"!tilus.shared<{''.join(f'{size}x' for size in shape)}{element}>"

    def pinned_layout(self, shape):
        """A random layout: a part of each dimension over threads, in random order, the rest in slots."""
        modes, spatial, local, threads = [], [], [], self.threads
        for size in self.random.sample(list(enumerate(shape)), len(shape)):
            part = math.gcd(size[1], threads)
            part = self.random.choice([d for d in range(1, part + 1) if part % d == 0])
            threads //= part
            modes.append((size[0], size[1] // part, part))
        modes.sort()
        flat = []
        for _, rest, part in modes:
            local.append(len(flat))
            spatial.append(len(flat) + 1)
            flat += [rest, part]
        spatial.append(-threads)
        self.random.shuffle(spatial)
        self.random.shuffle(local)
        return f"#tilus.reg<shape = {shape}, modes = {flat}, spatial = {spatial}, local = {local}>"

    # Each op appends its results to `scope`: a list of (name, shape, element).
    def pick(self, scope, accept=lambda tile: True):
        fitting = [tile for tile in scope if accept(tile)]
        if fitting and self.random.random() < 0.9:
            return self.random.choice(fitting[-6:])
        return None

    def source(self, scope, shape=None, element="f32"):
        """A tile to start from: loaded, constant, broadcast or index."""
        shape = self.shape() if shape is None else shape
        kind = self.random.choice(["load", "load", "constant", "broadcast", "iota"])
        result, type = self.name(), self.tile(shape, element)
        if kind == "iota" and shape and element == "i32":
            self.emit(f"{result} = tilus.iota dim({self.random.randrange(len(shape))}) : {type}")
        elif kind == "broadcast" and element == "f32":
            self.emit(f"{result} = tilus.broadcast %s : f32 -> {type}")
        elif kind == "constant":
            value = "1" if element.startswith("i") else "1.0"
            self.emit(f"{result} = arith.constant dense<{value}> : {type}")
        else:
            rank = max(len(shape), 1)
            view, dims = self.name(), "x".join("?" * rank)
            sizes = ", ".join(["%n"] * rank)
            self.emit(f"{view} = tilus.global_view %p_{element} [{sizes}] : !tilus.ptr<{element}> -> !tilus.global<{dims}x{element}>")
            attrs = ""
            if shape and self.random.random() < 0.7:
                vector, dim = self.random.choice([1, 2, 4]), self.random.randrange(len(shape))
                attrs = f" {{tilus.vector = {vector} : i64, tilus.vector_dim = {dim} : i64}}"
            offsets = ", ".join(["%c0"] * rank)
            if self.random.random() < 0.3:
                other = self.pick(scope, lambda t: t[1] == shape and t[2] == element)
                if other:
                    self.emit(f"tilus.store_global {other[0]}, {view}[{offsets}]{attrs} : {type}, !tilus.global<{dims}x{element}>")
            self.emit(f"{result} = tilus.load_global {view}[{offsets}]{attrs} : !tilus.global<{dims}x{element}> -> {type}")
        scope.append((result, shape, element))
        return scope[-1]

    def elementwise(self, scope):
        a = self.pick(scope) or self.source(scope)
        b = self.pick(scope, lambda t: t[1] == a[1] and t[2] == a[2]) or self.source(scope, a[1], a[2])
        result, op = self.name(), "arith.addi" if a[2].startswith("i") else "arith.addf"
        self.emit(f"{result} = {op} {a[0]}, {b[0]} : {self.tile(a[1], a[2])}")
        scope.append((result, a[1], a[2]))

    def select(self, scope):
        a = self.pick(scope, lambda t: t[2] == "f32") or self.source(scope)
        condition, result, type = self.name(), self.name(), self.tile(a[1])
        b = self.pick(scope, lambda t: t[1] == a[1] and t[2] == "f32") or a
        self.emit(f"{condition} = arith.cmpf olt, {a[0]}, {b[0]} : {type}")
        self.emit(f"{result} = arith.select {condition}, {a[0]}, {b[0]} : {self.tile(a[1], 'i1')}, {type}")
        scope.append((result, a[1], "f32"))

    def cast(self, scope):
        a = self.pick(scope) or self.source(scope)
        element, result = self.random.choice(["f32", "f16", "i32", "i8", "f64"]), self.name()
        self.emit(f"{result} = tilus.cast {a[0]} : {self.tile(a[1], a[2])} -> {self.tile(a[1], element)}")
        if element in ("f32", "f16", "i32"):
            scope.append((result, a[1], element))

    def reduce(self, scope):
        a = self.pick(scope, lambda t: t[1]) or self.source(scope, self.shape(256, 4) + [32])
        dim, keep, result = self.random.randrange(len(a[1])), self.random.random() < 0.5, self.name()
        shape = [1 if i == dim else s for i, s in enumerate(a[1]) if keep or i != dim]
        self.emit(f"{result} = tilus.reduce add, {a[0]} dim({dim}){' keep_dim' if keep else ''} : {self.tile(a[1], a[2])} -> {self.tile(shape, a[2])}")
        scope.append((result, shape, a[2]))
        if keep:
            self.broadcast_to(scope, a[1])

    def broadcast_to(self, scope, shape):
        a, result = scope[-1], self.name()
        self.emit(f"{result} = tilus.broadcast {a[0]} : {self.tile(a[1], a[2])} -> {self.tile(shape, a[2])}")
        scope.append((result, shape, a[2]))

    def scan(self, scope):
        a = self.pick(scope, lambda t: t[1]) or self.source(scope, self.shape(256, 4) + [16])
        result = self.name()
        self.emit(f"{result} = tilus.scan add, {a[0]} dim({self.random.randrange(len(a[1]))}) : {self.tile(a[1], a[2])}")
        scope.append((result, a[1], a[2]))

    def transpose(self, scope):
        a = self.pick(scope, lambda t: len(t[1]) > 1) or self.source(scope, [8, 48, 3])
        order, result = self.random.sample(range(len(a[1])), len(a[1])), self.name()
        shape = [a[1][i] for i in order]
        self.emit(f"{result} = tilus.transpose {a[0]} {order} : {self.tile(a[1], a[2])} -> {self.tile(shape, a[2])}")
        scope.append((result, shape, a[2]))

    def reshape(self, scope):
        a = self.pick(scope) or self.source(scope)
        size, shape, result = math.prod(a[1]), [], self.name()
        for _ in range(self.random.randint(0, 4)):
            part = self.random.choice([d for d in range(1, size + 1) if size % d == 0])
            shape.append(part)
            size //= part
        if size > 1:
            shape.append(size)
        self.emit(f"{result} = tilus.reshape {a[0]} : {self.tile(a[1], a[2])} -> {self.tile(shape, a[2])}")
        scope.append((result, shape, a[2]))

    def mma(self, scope):
        m, n, k = (self.random.choice([8, 16, 32, 48, 64, 5]) for _ in range(3))
        element = self.random.choice(["f16", "f32"])
        a = self.pick(scope, lambda t: t[1] == [m, k] and t[2] == element) or self.source(scope, [m, k], element)
        b = self.pick(scope, lambda t: t[1] == [k, n] and t[2] == element) or self.source(scope, [k, n], element)
        acc = self.pick(scope, lambda t: t[1] == [m, n] and t[2] == "f32") or self.source(scope, [m, n])
        result = self.name()
        self.emit(f"{result} = tilus.mma {a[0]}, {b[0]}, {acc[0]} : {self.tile(a[1], element)}, {self.tile(b[1], element)}, {self.tile(acc[1])}")
        scope.append((result, [m, n], "f32"))

    def shared_trip(self, scope):
        """Store, view and load of a shared tile, sometimes staged, reshaped or permuted."""
        a = self.pick(scope) or self.source(scope)
        self.shared_budget -= 3 * math.prod(a[1])
        if self.shared_budget < 0:
            return
        handle, type, shape = self.name(), self.shared(a[1], a[2]), a[1]
        if self.random.random() < 0.5 and len(shape) < 5:
            whole, whole_type = self.name(), self.shared([3] + a[1], a[2])
            index = self.random.choice(["%c0", "%c1", "%n"])
            self.emit(f"{whole} = tilus.alloc_shared : {whole_type}")
            self.emit(f"{handle} = tilus.slice_shared {whole}[{index}] dims [0] : {whole_type} -> {type}")
        else:
            self.emit(f"{handle} = tilus.alloc_shared : {type}")
        self.emit(f"tilus.store_shared {a[0]}, {handle} : {self.tile(a[1], a[2])}, {type}")
        choice = self.random.random()
        if choice < 0.3 and len(shape) > 1:
            order, view = self.random.sample(range(len(shape)), len(shape)), self.name()
            shape = [shape[i] for i in order]
            self.emit(f"{view} = tilus.permute_shared {handle} {order} : {type} -> {self.shared(shape, a[2])}")
            handle = view
        elif choice < 0.6:
            shape, view = [math.prod(shape)], self.name()
            self.emit(f"{view} = tilus.reshape_shared {handle} : {type} -> {self.shared(shape, a[2])}")
            handle = view
        if self.random.random() < 0.5:
            self.emit("tilus.sync")
        result = self.name()
        self.emit(f"{result} = tilus.load_shared {handle} : {self.shared(shape, a[2])} -> {self.tile(shape, a[2])}")
        scope.append((result, shape, a[2]))

    def pin(self, scope):
        a = self.pick(scope) or self.source(scope)
        pinned, result, type = self.name(), self.name(), self.tile(a[1], a[2])
        layout = self.tile(a[1], a[2], self.pinned_layout(a[1]))
        self.emit(f"{pinned} = tilus.convert_layout {a[0]} : {type} -> {layout}")
        if not a[2].startswith("i"):
            sum = self.name()
            self.emit(f"{sum} = arith.mulf {pinned}, {pinned} : {layout}")
            pinned = sum
        self.emit(f"{result} = tilus.convert_layout {pinned} : {layout} -> {type}")
        scope.append((result, a[1], a[2]))

    def print(self, scope):
        a = self.pick(scope) or self.source(scope)
        self.emit(f'tilus.print "t", {a[0]} : {self.tile(a[1], a[2])}')

    def loop(self, scope, depth):
        a = self.pick(scope) or self.source(scope)
        result, carried, index, type = self.name(), self.name(), self.name(), self.tile(a[1], a[2])
        if self.random.random() < 0.3:
            self.while_loop(scope, a, depth)
            return
        self.emit(f"{result} = scf.for {index} = %c0 to %n step %c1 iter_args({carried} = {a[0]}) -> ({type}) : i32 {{")
        inner = scope + [(carried, a[1], a[2])]
        self.region(inner, depth + 1)
        yielded = self.pick(inner, lambda t: t[1] == a[1] and t[2] == a[2]) or (carried, a[1], a[2])
        self.emit(f"scf.yield {yielded[0]} : {type}")
        self.emit("}")
        scope.append((result, a[1], a[2]))

    def while_loop(self, scope, a, depth):
        result, before, after, type = self.name(), self.name(), self.name(), self.tile(a[1], a[2])
        self.emit(f"{result} = scf.while ({before} = {a[0]}) : ({type}) -> {type} {{")
        inner = scope + [(before, a[1], a[2])]
        self.region(inner, depth + 1)
        self.emit(f"scf.condition(%ok) {inner[-1][0] if inner[-1][1:] == a[1:] else before} : {type}")
        self.emit("} do {")
        self.emit(f"^bb0({after}: {type}):")
        inner = scope + [(after, a[1], a[2])]
        self.region(inner, depth + 1)
        yielded = self.pick(inner, lambda t: t[1] == a[1] and t[2] == a[2]) or (after, a[1], a[2])
        self.emit(f"scf.yield {yielded[0]} : {type}")
        self.emit("}")
        scope.append((result, a[1], a[2]))

    def branch(self, scope, depth):
        a = self.pick(scope) or self.source(scope)
        result, type = self.name(), self.tile(a[1], a[2])
        self.emit(f"{result} = scf.if %ok -> ({type}) {{")
        for side in range(2):
            inner = list(scope)
            self.region(inner, depth + 1)
            yielded = self.pick(inner, lambda t: t[1] == a[1] and t[2] == a[2]) or a
            self.emit(f"scf.yield {yielded[0]} : {type}")
            self.emit("} else {" if side == 0 else "}")
        scope.append((result, a[1], a[2]))

    def group(self, scope, depth):
        outer, threads = self.threads, self.random.choice([t for t in (1, 32, self.threads) if t <= self.threads])
        self.emit(f"tilus.thread_group begin({self.random.choice([0, outer - threads])}) threads({threads}) {{")
        self.threads = threads
        self.region([], depth + 1)
        self.threads = outer
        self.emit("}")

    def region(self, scope, depth):
        simple = [self.source, self.elementwise, self.elementwise, self.select, self.cast, self.reduce, self.scan,
                  self.transpose, self.reshape, self.mma, self.shared_trip, self.pin, self.print]
        nested = [self.loop, self.branch, self.group]
        for _ in range(self.random.randint(1, self.length)):
            if depth < 2 and self.random.random() < 0.15:
                self.random.choice(nested)(scope, depth)
            else:
                self.random.choice(simple)(scope)

    def text(self, index):
        self.region([], 0)
        body = "\n".join(self.lines)
        params = "%n: i32, %ok: i1, %s: f32, " + ", ".join(f"%p_{e}: !tilus.ptr<{e}>" for e in ("f32", "f16", "i32"))
        return f"""module attributes {{tilus.target = #tilus.target<chip = "{self.random.choice(CHIPS)}">}} {{
tilus.kernel @k{index}({params}) warps({self.warps}) grid {{
  tilus.grid [%n]
}} {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
{body}
}}
}}"""


first, number = int(sys.argv[1]), int(sys.argv[2])
length = int(sys.argv[3]) if len(sys.argv) > 3 else 12
print("module {")
for seed in range(first, first + number):
    print(Kernel(seed, length).text(seed))
print("}")
