# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Source text without comments or literals, for the checks that read C++ and TableGen.

Owns the lexer, the list of the project's files and the printing of findings; knows no rule.
"""

import pathlib
import re
import subprocess

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)")
      | (?P<block>\[\{.*?\}\])
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)


def blank(text):
    """Spaces in place of the text, with its line breaks kept."""
    return re.sub(r"[^\n]", " ", text)


def strip(text, keep_strings=False, tablegen=False):
    """The text with comments blanked and, unless kept, the contents of literals too. Offsets are unchanged.

    In TableGen the '[{ ... }]' blocks are literals. In C++ they are code (a lambda's captures never end so,
    but nested braces do).
    """
    out = []
    position = 0
    while match := _TOKEN.search(text, position):
        kind = match.lastgroup if match.lastgroup != "tag" else "raw"
        if kind == "block" and not tablegen:
            out.append(text[position : match.start() + 1])
            position = match.start() + 1
            continue
        out.append(text[position : match.start()])
        token = match.group()
        if kind == "comment":
            out.append(blank(token))
        elif keep_strings:
            out.append(token)
        else:
            out.append(token[0] + blank(token[1:-1]) + token[-1])
        position = match.end()
    out.append(text[position:])
    return "".join(out)


def string_literals(text, tablegen=False):
    """(line, contents) of each string literal of C++ or TableGen text; neighbours are not joined."""
    code = strip(text, keep_strings=True, tablegen=tablegen)
    for match in _TOKEN.finditer(code):
        if match.group("raw"):
            tag = len(match.group("tag")) + 3
            yield line_of(code, match.start()), match.group()[tag : 1 - tag]
        elif match.group("string"):
            yield line_of(code, match.start()), match.group()[1:-1]


def line_of(text, offset):
    """The line, from 1, of an offset."""
    return text.count("\n", 0, offset) + 1


def files(root, patterns):
    """The files under root that git tracks or would track and that match a glob, sorted; paths are relative.

    Where root is no git work tree, all files under it.
    """
    root = pathlib.Path(root)
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
    paths = sorted({pathlib.PurePosixPath(name) for name in names})
    matching = [path for path in paths if any(path.match(pattern) for pattern in patterns)]
    return [path for path in matching if (root / path).is_file()]


def read(root, path):
    """The contents of a file, decoded leniently."""
    return (pathlib.Path(root) / path).read_text(encoding="utf-8", errors="replace")


def report(name, findings):
    """Prints the findings and their number; returns the exit code."""
    for finding in findings:
        print(finding)
    print(f"{name}: {len(findings)} violations")
    return 1 if findings else 0
