# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, jumps and returns mean in a kernel what they mean in Python."""

import pytest
from language import check, methods_of


class Loops:
    def one_bound(self, a, b):
        total = 0
        for i in range(a):
            total += i * b
        return total

    def two_bounds(self, a, b):
        total = 100
        for i in range(b, a):
            total = total * 3 % 1009 + i
        return total

    def three_bounds(self, a, b):
        total = 0
        for i in range(b, a * 4, 3):
            total += i * i
        return total

    def downward(self, a, b):
        total = 0
        for i in range(a, b, -2):
            total = total * 5 % 977 + i
        return total

    def step_of_run_time(self, a, b):
        total = 0
        step = b if b != 0 else 1
        for i in range(a, a + 3 * b + 1, step):
            total = total * 7 % 991 + i
        return total

    def nested(self, a, b):
        total = 0
        for i in range(a % 5):
            for j in range(i, b % 6):
                for k in range(j):
                    total += i * 100 + j * 10 + k
        return total

    def breaks(self, a, b):
        total = 0
        for i in range(20):
            total += 1
            if i * i > a + b:
                break
            total += 10
        return total

    def continues(self, a, b):
        total = 0
        for i in range(10):
            if i % 3 == a % 3:
                continue
            total += i
            if total > b * 4:
                continue
            total += 100
        return total

    def jumps_in_any_nesting(self, a, b):
        total = 0
        for i in range(6):
            for j in range(7):
                if (i + j) % 4 == a % 4:
                    if j > b:
                        break
                    else:
                        continue
                elif i == 4:
                    total += 1000
                    break
                total += i * 10 + j
            else:
                total += 7
            if total > 900:
                break
            total += 1
        else:
            total += 5
        return total

    def break_in_else_of_inner_loop(self, a, b):
        total = 0
        for i in range(5):
            for j in range(4):
                if j == b:
                    break
                total += 1
            else:
                if i == a:
                    break
                continue
            total += 100
        return total

    def unconditional_break(self, a, b):
        total = a
        for i in range(5):
            total += i + b
            break
        return total

    def returns_from_loops(self, a, b):
        for i in range(8):
            for j in range(8):
                if i * j == a:
                    return i * 100 + j
                if i + j == b + 3:
                    return -i - j
        return 12345

    def while_loop(self, a, b):
        steps = 0
        n = abs(a) + 1
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps + b

    def while_with_jumps(self, a, b):
        total = 0
        i = 0
        while True:
            i += 1
            if i % 2 == b % 2:
                continue
            total += i
            if total > a * 3:
                break
        return total * 100 + i

    def while_else(self, a, b):
        i = 0
        while i < 5:
            i += 1
            if i == a:
                break
        else:
            i = b - 50
        return i

    def while_with_return(self, a, b):
        x = b
        while x < 50:
            x = x + abs(a) + 1
            if x % 7 == 3:
                return x * 2
            while x % 3 != 0:
                x += 1
                if x > 45:
                    return -x
        return x

    def condition_with_two_parts(self, a, b):
        i, j = 0, a
        while i < 6 and j > b:
            i += 1
            j -= 2
        return i * 100 + j

    def index_is_changed(self, a, b):
        total = 0
        for i in range(5):
            i = i * 2 + a
            total += i
        return total + b

    def carried_pair(self, a, b):
        x, y = a, b
        for _ in range(5):
            x, y = y, (x + y) % 1000
        return x * 1000 + y

    def carried_tuple(self, a, b):
        state = (0, a)
        for i in range(6):
            if i == b:
                continue
            state = (state[1] % 50, state[0] * 2 + i)
        first, second = state
        return first * 1000 + second

    def number_becomes_variable(self, a, b):
        count = 0
        found = False
        limit = 3.0
        for i in range(10):
            if i * 2.5 > limit and not found:
                count = count + i
                found = i > a
            limit = limit + b
        return count * 2 + (1 if found else 0)

    def lists_are_unrolled(self, a, b):
        total = 0
        for weight in [1, 2, 3]:
            if weight == a:
                continue
            for x in (a, b, a + b):
                if x > 9:
                    break
                total += weight * x
        return total

    def enumerate_and_zip(self, a, b):
        total = 0
        for i, (x, y) in enumerate(zip([a, b, 3], (b, 5, a))):
            total += (i + 1) * x - y
            if total == 4:
                return total
        for key, value in {"a": a, "b": b}.items():
            total = total * 3 + (value if key == "b" else -value)
        return total

    def returns_from_unrolled(self, a, b):
        for k in [7, 3, -2]:
            for i in range(k + 4):
                if i + k == b:
                    return i * 10 + k
            if k == a:
                break
        else:
            return 77
        return a


@pytest.mark.parametrize("name", methods_of(Loops))
def test_loop(name):
    check(Loops, name)
