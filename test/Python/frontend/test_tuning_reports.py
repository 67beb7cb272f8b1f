"""`tilus tuning` and the plots of reports; what a tuning writes is in fake_driver/cases_tuning.py."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import sys
import xml.dom.minidom

import pytest
from tilus import plots
from tilus.cli import main

REPORT = {
    "script": "MatMul",
    "target": "sm_90a",
    "device": "Fake GPU <0>",
    "key": "n=1024 k=64",
    "best": 1,
    "outcomes": [["block=32", 5.0, ""], ["block=64", 1.25, ""], ["block=96", None, "another result & no time"]],
}


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "scripts/MatMul-sm_90a-0123/latency"
    folder.mkdir(parents=True)
    (folder / "n=1024-k=64.json").write_text(json.dumps(REPORT))
    (folder / "damaged.json").write_text("{")
    (folder / "other.json").write_text("[1]")
    (folder / "nul.json").write_text("\0")
    (folder / "bytes.json").write_bytes(bytes(range(128, 256)))
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "rows.json").write_text(json.dumps({**REPORT, "outcomes": [["block=32"]]}))
    (folder / "time.json").write_text(json.dumps({**REPORT, "outcomes": [["block=32", [], ""]]}))
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    other = tmp_path / "scripts/Add-sm_90-0123/latency"
    other.mkdir(parents=True)
    (other / "n=1.json").write_text(json.dumps({**REPORT, "script": "Add", "key": "n=1"}))
    return tmp_path


def test_reports_as_text(cache, capsys):
    assert main(["tuning", "--cache", str(cache)]) == 0
    text = capsys.readouterr().out
    assert text.index("Add, key n=1 on") < text.index("MatMul, key n=1024 k=64 on Fake GPU <0> for sm_90a")
    rows = text[text.index("MatMul") :].splitlines()[1:]
    assert rows == [
        "*   1.2500 ms  block=64",
        "    5.0000 ms  block=32",
        "        -      block=96  refused: another result & no time",
    ]
    assert main(["tuning", "MatMul", "--cache", str(cache)]) == 0
    assert "Add" not in capsys.readouterr().out


def test_no_reports(tmp_path, capsys):
    assert main(["tuning", "MatMul", "--cache", str(tmp_path)]) == 1
    assert f"expected reports of tunings of MatMul in {tmp_path}, but there are none" in capsys.readouterr().err


def test_a_page_with_plots(cache, tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    assert main(["tuning", "MatMul", "--cache", str(cache), "--html", str(page)]) == 0
    text = page.read_text()
    assert text.count("<svg") == 1 and "Fake GPU &lt;0&gt;" in text and "another result &amp; no time" in text
    assert '<tr class="best"><td>block=64</td><td>1.2500 ms</td>' in text
    assert "<script" not in text


def test_plots_are_the_same_each_time():
    pytest.importorskip("matplotlib")
    svg = plots.draw_tuning_report(REPORT)
    assert svg == plots.draw_tuning_report({**REPORT, "outcomes": [tuple(row) for row in REPORT["outcomes"]]})
    words = [node.firstChild.data for node in xml.dom.minidom.parseString(svg).getElementsByTagName("text")]
    assert words.index("block=64") < words.index("block=32") and "block=96" not in words and "1.25" in words
    assert plots.BEST in svg and plots.OTHER in svg


def test_plots_without_matplotlib(cache, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["tuning", "--cache", str(cache), "--html", str(tmp_path / "page.html")]) == 1
    assert "pip install 'tilus-mlir[plots]'" in capsys.readouterr().err
