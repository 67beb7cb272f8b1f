# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches, thread groups and what a block knows of its place."""

import numpy as np

from program import KINDS, Kind, spread
from values import Value, merge, require, require_exact


def _merge(machine, one, other):
    """`one` in the active blocks, else `other`."""
    active = machine.active if one.data.ndim == 1 else spread(machine.active, one.data.ndim - 1)
    return merge(active, one, other)


def run_block_id(machine, step):
    return [Value(step.results[0][1], machine.ids["xyz".index(step.attrs["axis"])].astype(np.int64))]


def run_grid_dim(machine, step):
    count = machine.program.grid["xyz".index(step.attrs["axis"])]
    return [Value(step.results[0][1], np.full(machine.blocks, count))]


# scf.for: operands are the lower bound, the upper bound, the step, and what is carried


def for_text(printer, step):
    low, high, by = step.operands[:3]
    region = step.regions[0]
    index, *carried = [name for name, _ in region.arguments]
    arguments = ", ".join(f"{printer.name(a)} = {printer.name(b)}" for a, b in zip(carried, step.operands[3:]))
    types = ", ".join(str(type_) for _, type_ in step.results)
    iter_args = f" iter_args({arguments}) -> ({types})" if carried else ""
    type_ = "" if printer.type(low) == "index" else f" : {printer.type(low)}"
    head = f"scf.for {printer.name(index)} = {printer.name(low)} to {printer.name(high)} step {printer.name(by)}"
    return [f"{head}{iter_args}{type_} {{", "}"]


def run_for(machine, step, low, high, by, *carried):
    require_exact(low, high, by)
    require(by.data > 0)
    outer, carried = machine.active, list(carried)
    trips = np.maximum(-(-(high.data - low.data) // by.data), 0)
    for trip in range(int(trips.max(initial=0))):
        machine.active = outer & (trip < trips)
        index = Value(low.type, low.data + trip * by.data)
        results = machine.run_region(step.regions[0], [index] + carried)
        carried = [_merge(machine, new, old) for new, old in zip(results, carried)]
    machine.active = outer
    return carried


def if_text(printer, step):
    types = f" -> ({', '.join(str(type_) for _, type_ in step.results)})" if step.results else ""
    middle = ["} else {"] if len(step.regions) == 2 else []
    return [f"scf.if {printer.name(step.operands[0])}{types} {{"] + middle + ["}"]


def run_if(machine, step, condition):
    require_exact(condition)
    outer, results = machine.active, []
    for region, active in zip(step.regions, (condition.data != 0, condition.data == 0)):
        machine.active = outer & active
        results.append(machine.run_region(region, []))
    machine.active = outer & (condition.data != 0)
    merged = [_merge(machine, one, other) for one, other in zip(*results)] if step.results else []
    machine.active = outer
    return merged


def group_text(printer, step):
    begin = f" begin({step.attrs['begin']})" if step.attrs["begin"] is not None else ""
    return [f"tilus.thread_group{begin} threads({step.attrs['threads']}) {{", "}"]


def run_group(machine, step):
    machine.run_region(step.regions[0], [])


def run_assume(machine, step, condition):
    require_exact(condition)
    require((condition.data != 0)[machine.active])


def run_exit(machine, step):
    machine.exited |= machine.active


def register():
    KINDS["tilus.block_id"] = Kind(lambda p, s: f"tilus.block_id {s.attrs['axis']}", run_block_id)
    KINDS["tilus.grid_dim"] = Kind(lambda p, s: f"tilus.grid_dim {s.attrs['axis']}", run_grid_dim)
    KINDS["scf.for"] = Kind(for_text, run_for)
    KINDS["scf.if"] = Kind(if_text, run_if)
    KINDS["tilus.assume"] = Kind(lambda p, s: f"tilus.assume {p.name(s.operands[0])}", run_assume, True)
    KINDS["tilus.exit"] = Kind(lambda p, s: "tilus.exit", run_exit, True)
    KINDS["tilus.thread_group"] = Kind(group_text, run_group, True)


register()
