# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the tour of README.md: check_readme.py ROOT FOLDER.

Its kernel is the one in the file that it names; its commands run, in FOLDER, all but those that need a GPU.
"""

import pathlib
import re
import subprocess
import sys

root, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
text = (root / "README.md").read_text(encoding="utf-8")

named = re.search(r"\]\((examples/[\w/]+\.mlir)\)", text).group(1)
kernel = re.search(r"```mlir\n(.*?)```", text, re.DOTALL).group(1)
assert kernel in (root / named).read_text(encoding="utf-8"), f"expected the README's kernel in {named}"

(folder / "kernel.mlir").write_text(kernel, encoding="utf-8")
(folder / "examples").unlink(missing_ok=True)
(folder / "examples").symlink_to(root / "examples")
blocks = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ")
commands = [line.split(" #")[0] for line in blocks.splitlines() if line.startswith("tilus-")]
assert len(commands) >= 7, commands
for command in commands:
    if "--device cuda" in command:
        continue
    result = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stderr}"
    print("ran:", command)
