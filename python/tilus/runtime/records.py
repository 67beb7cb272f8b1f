# What an instantiated script has under one set of options: instances, references, its folder on disk.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of an instantiated script."""

from __future__ import annotations

import functools
import threading
from pathlib import Path
from typing import Any, Callable, Mapping, Optional

from tilus._native import runtime
from tilus.lang.errors import shows_script_only
from tilus.logging import get_logger
from tilus.runtime import compilation, dumping, fingerprint, tools
from tilus.runtime.instance import JitInstance
from tilus.target import Target, of_handle


class State:
    """Instances, references and the store of a script under one set of options."""

    def __init__(self, owner: Any, compiler_options: Mapping[str, Any]):
        self.owner = owner
        # All that is compiled here is compiled with these, whatever the package's options become meanwhile.
        self.compiler_options = dict(compiler_options)
        self.options = compilation.describe_options(compiler_options)
        self.cache = compilation.open_cache(compiler_options["cache"])
        self.instances: dict = {}
        self.targets: dict = {}
        self.reports: list = []
        self._facts: dict = {}
        self._references: dict = {}
        self._program: Any = None
        self._store: Any = None
        self._lock = threading.RLock()

    # -- disk

    def _get_program(self) -> Optional[str]:
        """The text that kernels follow from, as it is now; None where that cannot be told."""
        return fingerprint.describe(self.owner._get_schedules(), self.compiler_options["line_info"])

    def _open_store(self, program: str) -> Any:
        return runtime.ScriptStore(self.cache, compilation.library_build(), self.owner.__name__, program, self.options)

    def get_store(self) -> Any:
        """The script's folders; None where nothing is kept, or what kernels follow from cannot be told."""
        program = self._get_program()
        with self._lock:
            if program is None:
                return None
            if self._program != program:
                self._program = program
                self._store = self._open_store(program)
            return self._store

    def get_choice_store(self) -> Any:
        """Where choices and reports are kept: the script's folders, or such of its name and its schedules alone; None if
        the values of schedules cannot be told apart from others that print alike."""
        store = self.get_store()
        if store is not None:
            return store
        cls = self.owner.script_cls
        values = fingerprint.describe_values([schedule.arguments for schedule in self.owner._get_schedules()])
        return None if values is None else self._open_store(repr((cls.__module__, cls.__qualname__, values)))

    def get_folder(self, target: Target) -> Optional[Path]:
        """The script's folder for a target; None where nothing is kept."""
        store = self.get_choice_store()
        try:
            path = store.path(target.handle) if store is not None else ""
        except RuntimeError as error:
            get_logger().warning("the folder of %s cannot be used: %s", self.owner.__name__, error)
            return None
        return Path(path) if path else None

    # -- compiling

    @shows_script_only
    def compile_request(self, handle: Any, values: list, divisibility: list, jit_key: tuple, result: Any) -> None:
        """Compiles for the native dispatcher of this state, which calls it once a target and key."""
        constants, divisors = self.owner._specialize(values, divisibility)
        self.compile(of_handle(handle), constants, divisors, jit_key, result)

    def compile(self, target: Target, constants: Mapping, divisibility: Mapping, jit_key: tuple, result: Any) -> None:
        """Answers a request: from the store if all is there, else by transpiling and compiling all schedules."""
        schedules = self.owner._get_schedules()
        key = repr((fingerprint.freeze_constants(constants), sorted(divisibility.items())))
        self.targets[target] = True
        store = self.get_store()
        # The stages of kernels are those of their compilation, so that one takes place.
        dump_root = dumping.dump_root(lambda: self.get_folder(target))
        if store is not None and dump_root is None:
            explain = self._find(store, target, key, [s.text for s in schedules], result)
            if explain is not None:
                self._facts[target, jit_key] = (constants, divisibility, explain)
                return
        dump_dirs = [dump_root and dumping.dump_schedule(dump_root, self.owner, target, s) for s in schedules]
        tool_files = compilation.get_compiler(self.compiler_options).find_tool_files().splitlines() if store is not None else []
        made_with = tools.describe(tool_files)  # as they are before; kernels of later ones are not found under it
        outcomes = compilation.compile_schedules(
            schedules, target, constants, divisibility, self.compiler_options, dump_dirs
        )
        failures = {schedules[o.index]: o.error for o in outcomes if o.error is not None}
        made = [outcome for outcome in outcomes if outcome.error is None]
        for outcome in made:
            result.add(outcome.artifact, schedules[outcome.index].text, outcome.cache)
        self._facts[target, jit_key] = (constants, divisibility, failures.get)
        folder = self.get_folder(target)
        if store is not None and folder is not None and compilation.is_library_loaded():
            self._keep(store, target, key + made_with, [(schedules[o.index].text, o.key) for o in made])
            self._note_tools(folder, tool_files)
            dumping.record_failures(folder, key + made_with, list(failures.items()))

    def _find(self, store: Any, target: Target, key: str, schedules: list, result: Any) -> Optional[Callable]:
        """Answers a request by what is kept; what tells why a schedule fails, or None if not all is there."""
        try:
            folder = store.path(target.handle)
            noted = tools.read(Path(folder)) if folder else None
            if noted is None:
                return None
            key += tools.describe(noted)
            found = store.find(target.handle, key, schedules, result)
            return functools.partial(dumping.read_failure, Path(folder), key) if found else None
        except RuntimeError as error:
            get_logger().warning("what is kept of %s cannot be read: %s", self.owner.__name__, error)
            return None

    def _keep(self, store: Any, target: Target, key: str, kernels: list) -> None:
        try:
            store.save(target.handle, key, kernels)
        except RuntimeError as error:
            get_logger().warning("what was compiled of %s is not kept: %s", self.owner.__name__, error)

    def _note_tools(self, folder: Path, files: list) -> None:
        try:
            tools.note(folder, files)
        except OSError as error:
            get_logger().warning("what was compiled of %s is not found again: %s", self.owner.__name__, error)

    def get_instance(self, native: Any, jit_key: tuple) -> JitInstance:
        """The instance of the native dispatcher's, for the first part of its key."""
        target = of_handle(native.target)
        with self._lock:
            instance = self.instances.get((target, jit_key))
            if instance is None:
                instance = self.instances[target, jit_key] = self._make_instance(native, target, jit_key)
            return instance

    def _make_instance(self, native: Any, target: Target, jit_key: tuple) -> JitInstance:
        schedules = {schedule.text: schedule for schedule in self.owner._get_schedules()}
        made = [schedules.pop(native.artifact(index).schedule).arguments for index in range(len(native))]
        constants, divisibility, explain = self._facts[target, jit_key]
        failed = [(schedule.arguments, explain(schedule)) for schedule in schedules.values()]
        return JitInstance(native, made, failed, self.get_folder(target), constants, divisibility)

    # -- the CPU reference

    def get_reference(self, target: Target, constants: Mapping, divisibility: Mapping, jit_key: tuple) -> Any:
        """The executable form of the first schedule that is valid."""
        from tilus.runtime import reference

        key = (target, jit_key)
        with self._lock:
            found = self._references.get(key)
        if found is not None:
            return found
        first_error = None
        for schedule in self.owner._get_schedules():
            try:
                module = compilation.transpile(schedule, target, constants, divisibility)
                found = reference.make_reference(module, target)
                break
            except Exception as error:
                first_error = first_error or error
        else:
            raise first_error
        with self._lock:
            return self._references.setdefault(key, found)
