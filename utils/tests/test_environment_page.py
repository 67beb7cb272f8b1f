# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every environment variable that is read is in docs/environment.md, and every one there is read somewhere."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A name in quotes, as getenv and os.environ take it, or a variable of the shell.
USE = re.compile(r"""["'](TILUS_[A-Z0-9_]+)["']|\$\{?(TILUS_[A-Z0-9_]+)""")
# Where names are not read, or are of test equipment alone.
NOT_READ = re.compile(r"(^|/)(CMakeLists\.txt|cmake/.*)$|^docs/|\.md$|^utils/tests/|^unittests/")


def find_used(files):
    """The variables by the files in which they are used."""
    used = {}
    for path, text in files.items():
        if not NOT_READ.search(path):
            for match in USE.finditer(text):
                used.setdefault(match.group(1) or match.group(2), []).append(path)
    return used


def find_documented(page):
    return re.findall(r"^\| `(TILUS_[A-Z0-9_]+)` \|", page, re.MULTILINE)


def read_sources():
    names = subprocess.run(["git", "ls-files", "*.cpp", "*.h", "*.py", "*.sh", "*.py.in", ".ci/run"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split("\n")
    return {name: (ROOT / name).read_text(errors="replace") for name in names if name and (ROOT / name).is_file()}


def test_page_has_all_variables_and_no_others():
    used, documented = find_used(read_sources()), find_documented((ROOT / "docs/environment.md").read_text())
    missing = {name: paths[:3] for name, paths in used.items() if name not in documented}
    assert not missing, f"expected all variables in docs/environment.md, but these are missing: {missing}"
    stale = [name for name in documented if name not in used]
    assert not stale, f"expected only variables that are read in docs/environment.md, but got {stale}"
    assert len(documented) == len(set(documented)) >= 20


def test_uses_are_found():
    files = {"lib/A.cpp": 'std::getenv("TILUS_A")', "b.py": "os.environ['TILUS_B']", "c.sh": "${TILUS_C:-} $TILUS_D",
             "CMakeLists.txt": '"TILUS_E"', "d.cpp": "TILUS_F(x)"}
    assert sorted(find_used(files)) == ["TILUS_A", "TILUS_B", "TILUS_C", "TILUS_D"]
    assert find_documented("| `TILUS_A` | x |\ntext `TILUS_B`\n") == ["TILUS_A"]
