"""The example of the page on the package."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re

PAGE = pathlib.Path(__file__).parents[3] / "docs/python-package.md"


def test_the_example_makes_a_kernel():
    (text,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(compile(text, str(PAGE), "exec"), names)
    assert "tilus.kernel @nothing() warps(1)" in str(names["module"])
