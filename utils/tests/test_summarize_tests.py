# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The summary counts the cases of every kind once, and loses no failure."""

import sys

import summarize_tests


def junit(*cases):
    return "<testsuites><testsuite>" + "".join(cases) + "</testsuite></testsuites>"


PASS = '<testcase name="a" classname="s"/>'
FAIL = '<testcase name="b" classname="s"><failure message="m"/></testcase>'
SKIP = '<testcase name="c" classname="s"><skipped message="m"/></testcase>'
DISABLED = '<testcase name="d" classname="s" status="notrun"/>'


def ctest(**entries):
    return junit(*(f'<testcase name="{name.replace("_", ".")}" status="{status}">'
                   + ("<failure/>" if status == "fail" else "") + "</testcase>" for name, status in entries.items()))


def total(capsys, monkeypatch, root, *options):
    monkeypatch.setattr(sys, "argv", ["summarize", str(root), *options])
    code = summarize_tests.main()
    return code, capsys.readouterr().out.splitlines()[-1]


def test_counts_cases_of_every_kind(project, capsys, monkeypatch):
    root = project({
        "ctest.xml": ctest(unit_Layout="run", lit_IR="run", pytest="run", other="run"),
        "gtest/Layout.xml": junit(PASS, PASS, DISABLED),
        "lit.IR.xml": junit(PASS, SKIP),
        "pytest.xml": junit(PASS),
    })
    assert total(capsys, monkeypatch, root, "--passed", "build") == (0, "6 passed, 0 failed, 2 skipped")


def test_failures_inside_and_outside_cases(project, capsys, monkeypatch):
    root = project({
        "ctest.xml": ctest(unit_Crash="fail", unit_Leak="fail", lit_IR="fail", lit_Broken="fail"),
        "gtest/Leak.xml": junit(PASS),
        "lit.IR.xml": junit(FAIL, FAIL, PASS),
        "lit.Broken.xml": "<testsuites>",
    })
    # Crash wrote nothing: 1; Leak failed outside its case: 1; IR: 2; Broken is no JUnit file: 1.
    assert total(capsys, monkeypatch, root) == (1, "2 passed, 5 failed, 0 skipped")


def test_program_that_was_not_built_has_failed(project, capsys, monkeypatch):
    missing = '<testcase name="unit.A" status="notrun"><skipped message="Unable to find executable"/></testcase>'
    assert total(capsys, monkeypatch, project({"ctest.xml": junit(missing)})) == (1, "0 passed, 1 failed, 0 skipped")


def test_failed_step_and_nothing_run(project, capsys, monkeypatch):
    root = project({"ctest.xml": ctest(a="run")})
    assert total(capsys, monkeypatch, root, "--failed", "build") == (1, "1 passed, 1 failed, 0 skipped")
    (root / "ctest.xml").unlink()
    assert total(capsys, monkeypatch, root) == (1, "0 passed, 0 failed, 0 skipped")
