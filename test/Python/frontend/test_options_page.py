"""The page on options: its table is what `tilus.option` has, and its examples run."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import inspect
import os
import pathlib
import re
import threading

import numpy as np
import pytest
import tilus
from runtime_kernels import VectorAdd

DOCS = pathlib.Path(__file__).parents[3] / "docs"
PAGE = DOCS / "options.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("| `")]
NAMES = [row[0].strip("`") for row in ROWS]
# What the words of the table take, and what they refuse.
VALUES = {
    "a folder": (["/tmp/some", pathlib.Path("/tmp/some")], [1, None, ""]),
    "a folder, or `''`": (["/tmp/some", ""], [1, None]),
    "1 to 2147483647": ([1, 2147483647], [0, -1, 2147483648, 1.0, True, "1"]),
    "True or False": ([True, False], [0, 1, "on", None]),
    "`''`, `'cpu'`, `'cuda'`": (["", "cpu", "cuda"], ["gpu", "cuda:0", 1]),
}


def setter(name):
    return functools.reduce(getattr, name.split("."), tilus.option)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    for row in ROWS:
        if row[3]:
            monkeypatch.delenv(row[3].strip("`"), raising=False)
    tilus.option.reset()
    yield
    tilus.option.reset()


def test_the_page_is_in_the_index():
    assert "\noptions\n" in (DOCS / "index.md").read_text(encoding="utf-8")


def test_the_table_has_all_options():
    assert NAMES == list(tilus.option._ROWS)
    for name, row in tilus.option._ROWS.items():
        assert ROWS[NAMES.index(name)][3].strip("`") == (row.variable or "")


@pytest.mark.parametrize("name, takes, default, variable, effect", ROWS, ids=NAMES)
def test_a_row(name, takes, default, variable, effect, monkeypatch):
    name = name.strip("`")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    words = {"`~/.cache/tilus`": str(pathlib.Path.home() / ".cache/tilus"), "the processors": os.cpu_count()}
    value = words[default] if default in words else eval(default.strip("`"))
    assert tilus.option.get_option(name) == value
    assert effect == inspect.getdoc(setter(name)).splitlines()[0]
    taken, refused = VALUES[takes]
    for value in taken:
        setter(name)(value)
        assert tilus.option.get_option(name) == (str(value) if isinstance(value, pathlib.Path) else value)
    for value in refused:
        if name == "device" and value is None:
            continue
        with pytest.raises((TypeError, ValueError), match="^expected "):
            setter(name)(value)
        assert tilus.option.get_option(name) == (str(taken[-1]) if isinstance(taken[-1], pathlib.Path) else taken[-1])


@pytest.mark.parametrize("row", [row for row in ROWS if row[3]], ids=lambda row: row[0])
def test_a_variable_is_a_default(row, monkeypatch):
    name, variable = row[0].strip("`"), row[3].strip("`")
    texts = {"True or False": {"1": True, "yes": True, "0": False, "": False, "FALSE": False, "off": False, "No": False}}
    for text, value in texts.get(row[1], {"cpu": "cpu"}).items():
        monkeypatch.setenv(variable, text)
        assert tilus.option.get_option(name) == value
    setter(name)(value)
    monkeypatch.setenv(variable, "1" if value is False else "cuda")
    assert tilus.option.get_option(name) == (str(pathlib.Path(value).absolute()) if name.endswith("_dir") else value)


def test_the_examples_run(monkeypatch):
    names = {}
    for match in re.finditer(r"```python\n(.*?)```", TEXT, re.DOTALL):
        code = "\n" * TEXT[: match.start(1)].count("\n") + match[1]
        monkeypatch.setattr("linecache.cache", {str(PAGE): (len(TEXT), None, TEXT.splitlines(True), str(PAGE))})
        exec(compile(code, str(PAGE), "exec"), names)


def test_a_change_counts_for_other_threads_and_older_scripts():
    script, results = VectorAdd(160), []
    tilus.option.device("cpu")
    thread = threading.Thread(target=lambda: results.append(tilus.option.device()))
    thread.start()
    thread.join()
    assert results == ["cpu"]
    tilus.option.device("cuda")
    arrays = [np.zeros(64, np.float32) for _ in range(3)]
    with pytest.raises(Exception, match="(?i)device|driver|gpu"):
        script(64, *arrays)
    tilus.option.device("cpu")
    script(64, *arrays)


def test_variables_are_read_when_a_script_is_compiled(monkeypatch):
    script = VectorAdd(192)
    with tilus.target.scope("sm_90"):
        first = script.compile(64, None, None, None)
        monkeypatch.setenv("TILUS_DISABLE_PTXAS_OPT", "yes")
        assert script.compile(64, None, None, None).cache_dir != first.cache_dir
