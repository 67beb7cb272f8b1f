# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of docs/embedding.md: check_embedding.py ROOT BUILD FOLDER.

They run in FOLDER, which looks like the project's root, with P set to the build folder. What a command needs that
the machine lacks is an error; the test names it.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

root, build, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
for name in ("examples", "include", "test"):
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(root / name)
text = (root / "docs/embedding.md").read_text(encoding="utf-8")
blocks = "".join(re.findall(r"^ *```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)).replace("\\\n", " ")
commands = [line.split("    #")[0].strip() for line in blocks.splitlines()]
# A file of kernels that the reader has.
commands = [command for command in commands if command and " kernels.mlir" not in command]
assert len(commands) >= 9, commands
environment = dict(os.environ, P=str(build))
for command in commands:
    result = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True,
                            check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    print("ran:", shlex.split(command)[0])
    print(result.stdout, end="")
