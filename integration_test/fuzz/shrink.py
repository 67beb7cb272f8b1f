# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing kernel smaller while it fails in the same way."""

import copy
import time

from program import KINDS, Machine, evaluate
from values import Reject


def has_effect(step):
    return KINDS[step.kind].has_effect or any(has_effect(inner) for region in step.regions for inner in region.steps)


def prune(program):
    """Drops the steps that nothing uses, and the parameters."""
    used = set()

    def keep(steps):
        kept = []
        for step in reversed(steps):
            if not (has_effect(step) or any(name in used for name, _ in step.results)):
                continue
            used.update(step.operands)
            for region in reversed(step.regions):
                used.update(region.yields)
                region.steps[:] = keep(region.steps)
            kept.append(step)
        return kept[::-1]

    program.steps[:] = keep(program.steps)
    program.params[:] = [param for param in program.params if param.name in used]
    return program


def bodies(program):
    """The lists of steps: that of the kernel and those of all regions."""
    found = [program.steps]
    for step in program.walk():
        found += [region.steps for region in step.regions]
    return found


def replace(program, name, by):
    for step in program.walk():
        step.operands[:] = [by if operand == name else operand for operand in step.operands]
        for region in step.regions:
            region.yields[:] = [by if value == name else value for value in region.yields]


def candidates(program):
    """Smaller programs: without a step, its results replaced by its operands of the same types."""
    for number in range(len(bodies(program))):
        for place in reversed(range(len(bodies(program)[number]))):
            smaller = copy.deepcopy(program)
            steps = bodies(smaller)[number]
            step = steps.pop(place)
            if all(_replace_result(smaller, name, type_, step) for name, type_ in step.results):
                yield prune(smaller)


def _replace_result(program, name, type_, step):
    """Whether the result is unused, or an operand of its type could take its place."""
    uses = any(name in inner.operands or any(name in region.yields for region in inner.regions)
               for inner in program.walk())
    if not uses:
        return True
    types = {value: t for inner in program.walk() for value, t in inner.results}
    types.update({param.name: param.type for param in program.params})
    for operand in step.operands:
        if types.get(operand) == type_:
            replace(program, name, operand)
            return True
    return False


def count_steps(program):
    return sum(1 for _ in program.walk())


def shrink(program, fails, seconds=60):
    """The smallest program found within the time for which `fails(program, outputs)` holds."""
    end = time.monotonic() + seconds
    best, changed = program, True
    while changed and time.monotonic() < end:
        changed = False
        for smaller in candidates(best):
            if time.monotonic() > end:
                break
            if count_steps(smaller) >= count_steps(best):
                continue
            try:
                outputs = evaluate(smaller)
            except (Reject, KeyError):
                continue
            if outputs and fails(smaller, outputs):
                best, changed = smaller, True
                break
    return best


__all__ = ["Machine", "shrink"]
