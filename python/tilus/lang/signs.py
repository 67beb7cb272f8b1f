# Which integers cannot be negative, so that Python's `//` and `%` are the machine's.
#
# Owns the claims that loops make ("it is not negative if it was not before"), which are settled when the kernel is
# complete, and the rewriting of the divisions that they allow.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signs of integers, and divisions that depend on them."""

from __future__ import annotations

from typing import Any, Optional, Union

from tilus.lang.builder import current_builder


class Claim:
    """True if all of `needs` are. A claim without needs that were stated is false."""

    __slots__ = ("needs",)

    def __init__(self, needs: Optional[list] = None):
        self.needs = needs


Sign = Union[bool, Claim]


def both(a: Sign, b: Sign) -> Sign:
    """Whether both hold."""
    if a is False or b is False:
        return False
    if a is True:
        return b
    if b is True or a is b:
        return a
    return Claim([a, b])


def unchanged(inside: Any, before: Any) -> None:
    """A loop does not change a scalar, or the scalars of a tuple: they are as they were before."""
    if type(inside) is tuple:
        for pair in zip(inside, before):
            unchanged(*pair)
    elif isinstance(getattr(inside, "nonneg", None), Claim):
        inside.nonneg.needs = [before.nonneg]


class Division:
    """A division or a remainder by a positive constant, in Python's sense, that waits for the sign of its dividend."""

    __slots__ = ("claim", "result", "plain", "remainder")

    def __init__(self, claim: Claim, result: Any, plain: Any, remainder: Any = None):
        self.claim = claim
        self.result = result
        self.plain = plain
        self.remainder = remainder


def remember(result: Any, plain: Any, claim: Sign, remainder: Any = None) -> None:
    """`result` may be replaced with `plain`, the machine's own result, if the claim is true. `remainder` is zero where
    the result is."""
    current_builder().divisions[result] = Division(claim, result, plain, remainder)


def remainder_of(scalar: Any) -> Any:
    """The machine's remainder behind a scalar that `%` gave, or None."""
    division = current_builder().divisions.get(scalar.value)
    return None if division is None else division.remainder


def settle(builder: Any) -> None:
    """Replaces the divisions whose dividends cannot be negative. The kernel is complete."""
    waiting = [d for d in builder.divisions.values() if isinstance(d.claim, Claim)]
    false = _false_claims([d.claim for d in waiting])
    for division in waiting:
        if id(division.claim) not in false:
            division.result.replace_all_uses_with(division.plain)


def _false_claims(roots: list) -> set:
    """The claims that are not true; of claims that need each other in a circle all are true if nothing else fails."""
    users: dict = {}
    claims: dict = {}
    stack = list(roots)
    while stack:
        claim = stack.pop()
        if id(claim) in claims:
            continue
        claims[id(claim)] = claim
        for need in claim.needs or ():
            if isinstance(need, Claim):
                users.setdefault(id(need), []).append(id(claim))
                stack.append(need)
    failed = [key for key, claim in claims.items() if claim.needs is None or False in claim.needs]
    false = set(failed)
    while failed:
        for user in users.get(failed.pop(), ()):
            if user not in false:
                false.add(user)
                failed.append(user)
    return false
