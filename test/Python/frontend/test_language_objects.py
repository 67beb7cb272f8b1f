# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helper classes, inheritance, attributes and annotations in kernels mean what they mean in Python.

All annotations of this module are texts, as `from __future__ import annotations` makes them.
"""

from __future__ import annotations

import pytest
from language import Kernel, check, methods_of, run_kernel
from tilus.dtypes import int32, int64, uint8
from tilus.lang.classes import Class


class Counter(Class):
    """Counts, with members that are declared and such that are not."""

    def __init__(self, start: int32, step=2):
        self.value: int32 = start
        self.step = step
        self.history = [start]

    def advance(self, by: int32 = 1):
        self.value = self.value + self.step * by
        return self.value

    def advance_if(self, condition):
        if condition:
            self.value += self.step
        else:
            self.value -= 1


class Doubling(Counter):
    def __init__(self, start):
        super().__init__(start, step=3)
        self.calls: int32 = 0

    def advance(self, by: int32 = 1):
        self.calls += 1
        return super().advance(by) * 2


class Tripling(Doubling):
    def advance(self, by: int32 = 1):
        x = super().advance(by=by + 1)
        return x * 3 + self.calls


class Pair:
    """A plain object of Python."""

    def __init__(self, first, second):
        self.first = first
        self.second = second


class Base:
    def describe(self, x):
        return x + 1

    def total(self, a, b):
        return self.describe(a) * 100 + b


class Middle(Base):
    def describe(self, x):
        return super().describe(x) * 2


class Top(Middle):
    def describe(self, x):
        return super().describe(x) - 5

    def inherited(self, a, b):
        return super().total(a, b) + Base.describe(self, b)


class Objects(Top):
    offset = 11

    def members(self, a, b):
        counter = Counter(a)
        for _ in range(3):
            counter.advance(b)
        return counter.value + counter.history[0] * 1000

    def members_in_branches(self, a, b):
        counter = Counter(b, step=5)
        for i in range(6):
            counter.advance_if(i > a)
            if counter.value > 20:
                break
        return counter.value

    def two_objects(self, a, b):
        first, second = Counter(a), Counter(b)
        for i in range(4):
            if i % 2 == 0:
                first.advance()
            else:
                second.advance(first.value)
        return first.value * 1000 + second.value

    def deep_hierarchy(self, a, b):
        counter = Tripling(a)
        result = 0
        for _ in range(2):
            result = counter.advance(b)
        return result + counter.calls * 7

    def class_attributes(self, a, b):
        self.bias = a
        self.bias += b
        if a > 0:
            self.bias = self.bias * 2
        return self.bias + self.offset

    def plain_objects(self, a, b):
        pair = Pair(a, b)
        pair.first = pair.first + pair.second
        return pair.first * 10 + pair.second

    def bound_methods(self, a, b):
        method = self.describe
        return method(a) + getattr(self, "total")(b, a)

    def declared(self, a, b):
        x: int32 = a
        y: "int32" = 3
        z: int
        z = b
        items: list[int] = [x, y]
        if a > b:
            x = x + y
        return x * 100 + items[0] + z

    def nested_objects(self, a, b):
        outer = Counter(a)
        outer.inner = Counter(b)
        outer.inner.advance(2)
        inner = outer.inner
        inner.value += outer.value
        return outer.inner.value


@pytest.mark.parametrize("name", [*methods_of(Objects), "inherited", "total"])
def test_objects(name):
    if name != "offset":
        check(Objects, name)


def make_script(factor):
    class Closure(Kernel):
        def __call__(self, p: ~int64):
            self.attrs.warps = 1
            self.attrs.blocks = 1
            out = self.global_view(p, dtype=int64, shape=[1])
            self.store_global(out, self.register_tensor(dtype=int64, shape=[1], init=factor * 2), offsets=[0])

    return Closure()


def test_closures():
    import numpy as np

    for factor in (3, 4):
        out, script = np.zeros(1, np.int64), make_script(factor)
        run_kernel(script, type(script).__call__, [out])
        assert out[0] == factor * 2


class Declared(Kernel):
    def __call__(self, n: int32, p: ~int64, flag: "bool", q: "~uint8" = None):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        wide: int64 = 1
        for _ in range(n):
            wide = wide * 3
        if flag:
            self.store_global(
                self.global_view(p, dtype=int64, shape=[1]),
                self.register_tensor(dtype=int64, shape=[1], init=wide), offsets=[0],
            )  # fmt: skip
        small: uint8 = 250
        for _ in range(n):
            small += 1
        self.store_global(
            self.global_view(q, dtype=uint8, shape=[1]),
            self.register_tensor(dtype=uint8, shape=[1], init=small), offsets=[0],
        )  # fmt: skip


def test_declared_types_are_kept():
    import numpy as np

    out, small = np.zeros(1, np.int64), np.zeros(1, np.uint8)
    run_kernel(Declared(), Declared.__call__, [30, out, small], constants={"flag": True})
    assert out[0] == 3**30 and small[0] == (250 + 30) % 256


def test_attributes_of_scripts_are_restored():
    script = Declared()
    script.note = "kept"
    import numpy as np

    run_kernel(script, Declared.__call__, [1, np.zeros(1, np.int64), np.zeros(1, np.uint8)], constants={"flag": False})
    assert script.note == "kept" and "_tilus_members" not in vars(script)


class HasObject(Kernel):
    """Its helper object is made when the script is, and not when it is transpiled."""

    def __init__(self):
        super().__init__()
        self.counter = Counter(5)
        self.total = 1

    def __call__(self, n: int32, p: ~int64):
        self.attrs.warps = 1
        self.attrs.blocks = 1
        self.counter.advance(n)
        self.total = self.total + self.counter.value
        out = self.global_view(p, dtype=int64, shape=[1])
        self.store_global(out, self.register_tensor(dtype=int64, shape=[1], init=self.total), offsets=[0])


def test_objects_of_the_script_are_as_before_each_time():
    import numpy as np

    script, texts = HasObject(), []
    for n in (3, 7):
        out = np.zeros(1, np.int64)
        texts.append(str(run_kernel(script, HasObject.__call__, [n, out])))
        assert out[0] == 1 + 5 + 2 * n
    assert texts[0] == texts[1] and script.counter.value == 5 and script.total == 1


def test_scripts_that_are_gone_are_forgotten():
    import gc
    import weakref

    import numpy as np

    script = make_script(5)
    function = weakref.ref(type(script).__call__)
    run_kernel(script, type(script).__call__, [np.zeros(1, np.int64)])
    del script
    gc.collect()
    assert function() is None
