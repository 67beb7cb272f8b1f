# The cache's folder, emptied.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emptying the cache of compiled kernels."""

from __future__ import annotations

import pathlib
import shutil


def clear_cache(*items: str) -> None:
    """Removes what is in the cache's folder, or in the part of it that the items name."""
    import tilus

    root = pathlib.Path(tilus.option.get_option("cache_dir")).resolve()
    folder = root.joinpath(*items).resolve()
    if folder != root and root not in folder.parents:
        raise ValueError(f"expected a part of the cache's folder {root}, but got {folder}")
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
