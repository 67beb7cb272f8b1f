# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of pages: check_commands.py ROOT FOLDER PAGE...

Those are the lines of ```sh blocks that begin with one of our tools, or of those that we build on; in FOLDER, which has
the examples.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

TOOLS = ("tilus-opt ", "tilus-run ", "tilus-translate ", "llc-22 ", "ptxas ")

root, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
folder.mkdir(parents=True, exist_ok=True)
(folder / "examples").symlink_to(root / "examples")
for page in sys.argv[3:]:
    text = (root / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    for line in "".join(textwrap.dedent(block) for _, block in blocks).replace("\\\n", " ").splitlines():
        if not line.startswith(TOOLS):
            continue
        result = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, capture_output=True, text=True)
        assert result.returncode == 0, f"{page}: {line}\n{result.stderr}"
        print("ran:", line)
