# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes barriers and waits out of random kernels, and says whether a hazard follows.

The model is independent of lib/Reference: which threads of a block access an element depends on layouts, so two
accesses of which one writes need a barrier between them, and what is copied is there once its group was waited for.
Kernels without thread groups only: all threads do the same, so that barriers count the epochs of a block.
"""

import copy
import re

import numpy as np

from kinds_atomic import scatter_index
from kinds_memory import rows_of
from program import Machine, SharedTile
from runner import Failure, KernelFiles
from shrink import bodies

ORDERING = ("tilus.sync", "tilus.copy_async.commit_group", "tilus.copy_async.wait_group", "tilus.copy_async.wait_all")
REPORT = re.compile(r"kernel\.mlir:\d+:\d+: error: '[\w.]+' op expected a (barrier|wait) ")
ACCESSES = ("tilus.load_shared", "tilus.store_shared", "tilus.store_scatter", "tilus.copy_async", "tilus.atomic",
            "tilus.atomic_scatter")
NEVER, UNDER_WAY = -1, -2


class Cells:
    """The accesses to one allocation: of each block and element the epoch of the last write and of the last read."""

    def __init__(self, memory):
        self.memory = memory
        self.written = np.full(memory.data.shape, NEVER)
        self.read = np.full(memory.data.shape, NEVER)
        self.is_atomic = np.zeros(memory.data.shape, bool)


class HazardMachine(Machine):
    """Evaluates a program and notes whether any block has a hazard."""

    def __init__(self, program):
        super().__init__(program)
        self.epoch = np.zeros(self.blocks, np.int64)
        self.cells, self.has_hazard = {}, False
        self.groups = [[] for _ in range(self.blocks)]  # of each block: the groups of copies that were not waited for
        self.open = [[] for _ in range(self.blocks)]

    def execute(self, step):
        operands = [self.env[operand] for operand in step.operands]
        super().execute(step)
        if step.kind == "tilus.alloc_shared":
            # In a loop the memory is that of the turn before.
            memory = self.env[step.results[0][0]].memory
            cells = self.cells.setdefault(step.results[0][0], Cells(memory))
            self.cells[id(memory)] = cells
            cells.memory = memory
        elif step.kind == "tilus.sync":
            self.epoch[self.active] += 1
        elif step.kind.startswith("tilus.copy_async."):
            self.order_copies(step)
        elif step.kind == "tilus.free_shared":
            written = self.cells[id(operands[0].memory)].written[self.active]
            self.has_hazard |= bool((written == UNDER_WAY).any())
        elif step.kind == "tilus.exit":
            self.end()
        else:
            self.note_access(step, operands)

    def run(self):
        super().run()
        self.end()
        return self

    def end(self):
        """No copy may be under way where a block ends."""
        ended = np.flatnonzero(self.reached)
        self.has_hazard |= any(self.open[block] or any(self.groups[block]) for block in ended)

    def note_access(self, step, operands):
        tiles = [operand for operand in operands if isinstance(operand, SharedTile)]
        if step.kind not in ACCESSES or not tiles:
            return
        if step.kind.endswith("scatter"):
            index, mask = scatter_index(self, step, *operands)
        else:
            index = rows_of(self, tiles[0].places)
            mask = np.broadcast_to(self.active.reshape((-1,) + (1,) * (tiles[0].places.ndim - 1)), tiles[0].places.shape)
        index = tuple(np.broadcast_to(part, mask.shape)[mask] for part in index)
        self.access(self.cells[id(tiles[0].memory)], index, step.kind)

    def access(self, cells, index, kind):
        now = self.epoch[index[0]]
        written, is_atomic = cells.written[index], "atomic" in kind
        conflicts = (written == UNDER_WAY) | ((written == now) & ~(is_atomic & cells.is_atomic[index]))
        if kind != "tilus.load_shared":
            conflicts |= cells.read[index] == now
            cells.written[index], cells.is_atomic[index] = now, is_atomic
        else:
            cells.read[index] = now
        self.has_hazard |= bool(conflicts.any())
        if kind == "tilus.copy_async":
            cells.written[index] = UNDER_WAY
            for block in np.unique(index[0]):
                self.open[block].append((cells, tuple(part[index[0] == block] for part in index)))

    def order_copies(self, step):
        for block in np.flatnonzero(self.active):
            if step.kind != "tilus.copy_async.wait_group":
                self.groups[block].append(self.open[block])
                self.open[block] = []
            pending = {"tilus.copy_async.wait_all": 0, "tilus.copy_async.wait_group": step.attrs.get("pending")}
            while len(self.groups[block]) > pending.get(step.kind, np.inf):
                for cells, index in self.groups[block].pop(0):
                    # It is there for the threads that issued it: for others from the next barrier on.
                    cells.written[index] = self.epoch[block]


def without_order(program, rng):
    """A copy without some of the steps that order accesses; None if the model does not hold for the program."""
    if any(step.kind == "tilus.thread_group" for step in program.walk()):
        return None
    changed = copy.deepcopy(program)
    places = [(steps, step) for steps in bodies(changed) for step in steps if step.kind in ORDERING]
    if not places:
        return None
    for number in rng.permutation(len(places))[: int(rng.integers(0, 3))]:
        steps, step = places[number]
        steps[:] = [other for other in steps if other is not step]
    return changed


def check_hazards(program, folder, settings):
    """What is wrong with the reference's answer, in a list; and whether the program has a hazard."""
    expected = HazardMachine(program).run().has_hazard
    files = KernelFiles(program, folder)
    failure = files.execute(files.run_command(settings, "cpu"), "cpu", settings.timeout)
    if expected and not failure:
        return [Failure("hazards", "expected an error at a hazard, but got none")], expected
    if failure and not (expected and REPORT.search(failure.summary)):
        return [Failure("hazards", f"expected {'an error at a hazard' if expected else 'no hazard'}, but got "
                        f"{failure.summary}", failure.output)], expected
    return [], expected
