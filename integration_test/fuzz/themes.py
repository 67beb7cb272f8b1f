# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Themes of random kernels: which proposals, how often; and the making of a whole kernel."""

import functools

import numpy as np

from generator import Generator, random_grid
from program import evaluate
from proposals_control import MMA, propose_exit, propose_for, propose_groups, propose_handover, propose_if
from proposals_elementwise import CONVERSIONS, ELEMENTWISE, SCALARS
from proposals_memory import INPUTS, propose_load, propose_workspace, store_result
from proposals_shared import ASYNC, ATOMICS, SHARED
from proposals_tensor import COMBINATIONS, LAYOUTS, SHAPES, propose_random
from values import Reject, Type

MAX_OUTPUTS = 5


def weigh(*tables):
    """Proposals and weights of several (factor, table) pairs."""
    weights = {}
    for factor, table in tables:
        for proposal, weight in table.items():
            weights[proposal] = weights.get(proposal, 0) + factor * weight
    return list(weights), list(weights.values())


# What a loop, a branch or a thread group may hold: nothing that needs the whole block at its outermost level.
INNER = weigh((2, ELEMENTWISE), (1, CONVERSIONS), (1, SHAPES), (1, COMBINATIONS), (1, SHARED), (1, LAYOUTS))


def _bound(proposal):
    return functools.partial(proposal, inner=INNER)


CONTROL = {_bound(propose_for): 3, _bound(propose_if): 2, propose_exit: 0.3}
GROUPS = {_bound(propose_groups): 2, propose_handover: 1}
BASE = ((0.4, INPUTS), (1.5, ELEMENTWISE), (0.2, SCALARS), (0.3, CONVERSIONS), (0.3, SHAPES))
THEMES = {
    "elementwise": weigh(*BASE, (2, ELEMENTWISE), (1, SCALARS)),
    "conversions": weigh(*BASE, (4, CONVERSIONS)),
    "shapes": weigh(*BASE, (4, SHAPES)),
    "combine": weigh(*BASE, (4, COMBINATIONS)),
    "shared": weigh(*BASE, (4, SHARED), (1, {propose_workspace: 1})),
    "async": weigh(*BASE, (4, ASYNC)),
    "mma": weigh(*BASE, (8, MMA)),
    "control": weigh(*BASE, (4, CONTROL), (0.5, COMBINATIONS)),
    "groups": weigh(*BASE, (8, GROUPS)),
    "atomics": weigh(*BASE, (6, ATOMICS), (0.5, SHARED)),
    "layouts": weigh(*BASE, (6, LAYOUTS), (1, COMBINATIONS)),
    "random": weigh(*BASE, (5, {propose_random: 1}), (0.5, LAYOUTS)),
    "memory": weigh((4, INPUTS), (0.3, ELEMENTWISE)),
    "mixed": weigh(*BASE, (0.5, COMBINATIONS), (0.5, SHARED), (0.3, ASYNC), (0.5, MMA), (0.5, CONTROL), (0.3, GROUPS),
                   (0.3, ATOMICS), (0.5, LAYOUTS), (0.3, {propose_random: 1, propose_workspace: 1})),
}


def leaves(g):
    """The visible values that no other visible step uses, the last ones first."""
    used = {operand for step in g.program.walk() for operand in step.operands}
    names = [name for name in g.scope if isinstance(g.types[name], Type)]
    return [name for name in reversed(names) if name not in used] or names[-1:]


def make_kernel(seed, theme, name):
    """A program and the memory of its outputs, from a seed of several numbers; tries its sub-streams until one has a single answer."""
    for attempt in range(50):
        rng = np.random.default_rng([*seed, sorted(THEMES).index(theme), attempt])
        warps = (1, 2, 4, 4, 4, 8, 3)[int(rng.integers(7))]
        if theme == "groups":
            warps = (2, 4, 4, 8)[int(rng.integers(4))]
        g = Generator(name, rng, warps, random_grid(rng))
        for _ in range(int(rng.integers(1, 4))):
            g.attempt(propose_load)
        g.attempt_some(*THEMES[theme], count=int(rng.integers(3, 13)))
        for value in leaves(g)[:MAX_OUTPUTS]:
            g.attempt(lambda g, value=value: store_result(g, value))
        try:
            outputs = evaluate(g.program)
        except Reject:
            continue
        if outputs:
            return g.program, outputs
    raise RuntimeError(f"expected a kernel of theme {theme} from seed {seed}, but every attempt was rejected")
