"""Which files of an upstream checkout are run, and what they need.

Owns the list. A file that a checkout lacks is reported as missing, not skipped over.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Item:
    """A test file for pytest, or an example that is run as a program.

    `needs` are modules besides tilus and torch; `plain` says that it needs neither torch nor a device; `on_cpu` that
    it is small enough for the CPU reference; `oracle` a module that gives it a second opinion if it is there.
    """

    path: str
    needs: tuple = ()
    plain: bool = False
    on_cpu: bool = False
    oracle: tuple = ()

    @property
    def is_example(self):
        return self.path.startswith("examples/")


def _instructions():
    for name in ("where", "reduce", "scan", "atomic", "random"):
        yield Item(f"tests/instructions/test_{name}.py", on_cpu=True)


def _layouts(checkout):
    folder = checkout / "tests/ir/layout/register_layout"
    for path in sorted(folder.glob("test_*.py")) or [folder]:
        yield Item(str(path.relative_to(checkout)), plain=True, on_cpu=True)


def _examples():
    table = ("pandas",)
    for path in ("vector_add/vector_add.py", "softmax/softmax.py", "norm/layer_norm.py"):
        yield Item(f"examples/{path}", needs=table)
    for version in range(6):
        yield Item(f"examples/matmul/matmul_v{version}.py", needs=table)
    for version in range(1, 4):
        yield Item(f"examples/attention/flash_attention_v{version}.py", needs=table, oracle=("flash_attn",))
    yield Item("examples/attention_with_kvcache/attention_v1.py", needs=("pandas", "einops"))
    yield Item("examples/flash_attention_decode/main.py", needs=("pandas", "triton"))


def list_items(checkout: pathlib.Path):
    """All files, tests first."""
    items = list(_layouts(checkout))
    items.append(Item("tests/ir/test_targets.py", plain=True, on_cpu=True))
    items += _instructions()
    items.append(Item("tests/kernels/test_pingpong.py", on_cpu=True))
    items += [Item(f"tests/kernels/matmul/test_matmul_v{version}.py", on_cpu=True) for version in range(3)]
    items.append(Item("tests/lang/test_autotune.py", plain=True, on_cpu=True))
    items.append(Item("tests/lang/test_thread_group.py", on_cpu=True))
    return items + list(_examples())
