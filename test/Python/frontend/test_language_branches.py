# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches, conditions, returns and calls mean in a kernel what they mean in Python."""

import math

import pytest
from language import check, methods_of

SCALE = 3


def scaled(x, by=SCALE):
    """A function of the module, which is executed as Python."""
    return x * by


class Branches:
    def branches(self, a, b):
        if a > b:
            x = a
        elif a == b:
            x = 100
        else:
            x = -b
        return x

    def merged_variables(self, a, b):
        x, y = 1, 2
        if a > 0:
            x = a
            if b > 0:
                y = x + b
            else:
                x = y - 1
        return x * 100 + y

    def constant_condition(self, a, b):
        if SCALE == 3:
            x = a + 1
        else:
            x = undefined_name  # noqa: F821
        return x if SCALE else b

    def early_returns(self, a, b):
        if a < 0:
            return -1
        if b < 0:
            if a == 1:
                return -2
            b = -b
        if a > b:
            return a * 10
        return b

    def returns_on_all_ways(self, a, b):
        if a > b:
            return a
        else:
            if a == 0:
                return 50
            elif b == 1:
                return 60
        return b - a

    def return_of_helper_ends_helper_only(self, a, b):
        x = self._clamped(a, 3)
        y = self._clamped(b, 5)
        return x * 100 + y

    def _clamped(self, value, limit):
        if value > limit:
            return limit
        if value < -limit:
            return -limit
        return value

    def conditional_expressions(self, a, b):
        x = a if a > b else b
        y = 10 // b if b != 0 else 99
        return x + (y if a else (b if b > 2 else -5))

    def and_or_not(self, a, b):
        x = 0
        if a > 1 and b > 1:
            x += 1
        if a > 3 or b < 0:
            x += 2
        if not (a == b or a < 0):
            x += 4
        if not a:
            x += 8
        if a and b:
            x += 16
        return x

    def values_of_and_or(self, a, b):
        return (a and b) * 100 + (a or b)

    def short_circuit_protects(self, a, b):
        if b != 0 and a // b > 1:
            return 1
        if b == 0 or a % b == 0:
            return 2
        return 3

    def chained_comparison(self, a, b):
        x = 0
        if -1 <= a < 6:
            x += 1
        if a < b < 9 != a:
            x += 2
        if 0 == a == b:
            x += 4
        return x + (8 if b > a > 0 else 0)

    def membership(self, a, b):
        x = 1 if a in (1, 2, b) else 0
        return x + (2 if b not in [4, 6] else 0) + (4 if 3 in [1, 3] else 0)

    def calls(self, a, b):
        return self._mixed(a, c=b, b=2) + self._mixed(b, 1) + self._collected(a, b, 7, key=b)

    def _mixed(self, a, b=5, *, c=1):
        return a * 100 + b * 10 + c

    def _collected(self, first, *rest, **named):
        total = first
        for i, x in enumerate(rest):
            total += (i + 2) * x
        return total + sum(named.values())

    def python_functions(self, a, b):
        return scaled(a) + scaled(b, by=a) + scaled(2)

    def builtins_of_numbers(self, a, b):
        return max(a, b, 2) * 100 + min(a, b) + abs(a - b) + max([a, 1]) + int(a > b) + sum([a, b, 1])

    def divmod_and_pow(self, a, b):
        q, r = divmod(a, 4)
        return q * 1000 + r * 100 + b**2 + (-a) ** 3

    def any_and_all(self, a, b):
        return (1 if any([a > 3, b > 3]) else 0) + (2 if all(x > 0 for x in (a, b)) else 0)

    def rounding(self, a, b):
        return math.floor(a / 2.0) + 10 * math.ceil(b / 4.0) + 100 * int(a / 2.0) + round(a / 2.0)

    def lambdas(self, a, b):
        f = lambda x, y=2: x * y + b  # noqa: E731
        return f(a) + f(b, 3) + (lambda: a)()

    def comprehensions(self, a, b):
        values = [a * i + j for i in range(3) for j in (0, b) if i != 1]
        table = {i: a + i for i in range(4)}
        return sum(values) + table[2] * 3 + len({x for x in (1, 1, 2)})

    def unpacking(self, a, b):
        (x, y), *rest = (a, b), 1, a + 2
        first, *middle, last = [x, y, *rest]
        p = q = a - b
        return first + 10 * middle[0] + 100 * len(middle) + 1000 * last + p * q

    def swapped(self, a, b):
        values = [a, b, 3]
        values[0], values[1] = values[1], values[0]
        values += [a]
        values.append(7)
        return values[0] * 100 + values[1] * 10 + values[-2] + len(values[1:3])

    def assigned_in_expressions(self, a, b):
        if (n := a + b) > 4:
            n += 1
        return n * 2

    def rebinding(self, a, b):
        x = 0
        x = x + 1
        x = x + a
        x = x * 0.5
        x = x + 0.25
        return int(x * 4) + b

    def bit_operations(self, a, b):
        return (a & b) + (a | b) * 3 + (a ^ b) * 5 + (~a) + (a << 2) + (b >> 1) + (a & 255 | 16)

    def augmented(self, a, b):
        x = a
        x += b
        x *= 3
        x -= 1
        x //= 2
        x %= 10
        x <<= 3
        x |= 1
        x ^= b
        x &= 63
        x >>= 1
        return x


@pytest.mark.parametrize("name", methods_of(Branches))
def test_branch(name):
    check(Branches, name)
