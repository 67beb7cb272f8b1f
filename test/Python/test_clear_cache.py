# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emptying the cache touches the cache alone, whatever folder it is told to be in."""

import importlib.util
import pathlib
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def clear(monkeypatch):
    """Calls clear_cache for a folder; the function needs the package's option alone."""
    spec = importlib.util.spec_from_file_location("cache_under_test", ROOT / "python/tilus/utils/cache.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def call(folder, *items):
        package = types.SimpleNamespace(option=types.SimpleNamespace(get_option=lambda name: str(folder)))
        monkeypatch.setitem(sys.modules, "tilus", package)
        module.clear_cache(*items)

    return call


def plant(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


OWN = (".tilus-cache", "kernels/a.tilus", "scripts/s-sm_90a-0/manifest.json", "tmp/x", "bad/y", "locks/z", "tools/t")
FOREIGN = ("main.py", "scripts/run.sh", "tmp/notes", "kernels/a.cu")


def test_empties_a_cache(tmp_path, clear):
    plant(tmp_path, *OWN, "README")
    clear(tmp_path)
    assert names_in(tmp_path) == [".tilus-cache", "README"]


def test_leaves_a_folder_without_a_cache(tmp_path, clear):
    plant(tmp_path, *FOREIGN)
    clear(tmp_path)
    clear(tmp_path, "scripts")
    assert names_in(tmp_path) == sorted(FOREIGN)


def test_finds_the_cache_beside_other_things(tmp_path, clear):
    plant(tmp_path, *FOREIGN)
    plant(tmp_path / "tilus", *OWN)
    clear(tmp_path, "kernels")
    assert "tilus/kernels/a.tilus" not in names_in(tmp_path) and "tilus/tools/t" in names_in(tmp_path)
    clear(tmp_path)
    assert names_in(tmp_path) == sorted([*FOREIGN, "tilus/.tilus-cache"])


def test_refuses_what_is_no_part(tmp_path, clear):
    cache = tmp_path / "cache"
    plant(cache, *OWN, "mine/file")
    plant(tmp_path, "other/file")
    for item, text in (("../other", "expected a part of the cache's folder"), ("mine", "but got mine"),
                       ("/", "expected a part of the cache's folder")):
        with pytest.raises(ValueError, match=text):
            clear(cache, item)
    assert {"cache/mine/file", "other/file"} <= set(names_in(tmp_path))
