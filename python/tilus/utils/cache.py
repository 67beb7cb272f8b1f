# The cache's folder, emptied.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emptying the cache of compiled kernels."""

from __future__ import annotations

import pathlib
import shutil

# What the cache keeps at the top of its folder; the first says that the folder is a cache.
_MARKER = ".tilus-cache"
_PARTS = ("kernels", "scripts", "tools", "tmp", "bad", "locks")


def clear_cache(*items: str) -> None:
    """Removes what is in the cache's folder, or in the part of it that the items name, and nothing else.

    A folder that holds other things is no cache; its subfolder `tilus` may be, as docs/cache.md says.
    """
    import tilus

    named = pathlib.Path(tilus.option.get_option("cache_dir")).resolve()
    root = next((place for place in (named, named / "tilus") if (place / _MARKER).is_file()), None)
    folder = (root or named).joinpath(*items).resolve()
    if folder != (root or named) and (root or named) not in folder.parents:
        raise ValueError(f"expected a part of the cache's folder {root or named}, but got {folder}")
    if root is None or not folder.is_dir():
        return
    if folder != root and folder.relative_to(root).parts[0] not in _PARTS:
        raise ValueError(f"expected a part of the cache ({', '.join(_PARTS)}), but got {folder.relative_to(root)}")
    for entry in folder.iterdir():
        if folder == root and entry.name not in _PARTS:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
