# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site made of the pages in this folder: python -m sphinx -W -b html docs <output>."""

import pathlib
import re

from pygments import token
from pygments.lexer import RegexLexer

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "Tilus"
version = release = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"Tilus {version}"
html_copy_source = False
html_show_copyright = False
# Links to headings are GitHub's, so that a page reads the same there.
myst_heading_anchors = 3
# Blocks of commands and of output name no language.
highlight_language = "text"
# Folders of pages may be empty.
suppress_warnings = ["toc.empty_glob"]


class MlirLexer(RegexLexer):
    """Colours for the textual form of MLIR, which Pygments does not know."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"//.*", token.Comment.Single),
            (r'"(?:\\.|[^"\\])*"', token.String),
            (r"%[\w$.-]+(?:[:#]\d+)?", token.Name.Variable),
            (r"@[\w$.-]+", token.Name.Function),
            (r"\^[\w$.-]+", token.Name.Label),
            (r"[!#][a-zA-Z_][\w.]*", token.Keyword.Type),
            (r"\b(?:tensor|memref|vector|index|none|bf16|tf32|[if]\d+|f\d+E\w+)\b", token.Keyword.Type),
            (r"\b[a-z_]\w*(?:\.[a-z_]\w*)+", token.Name.Builtin),
            (r"-?\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)", token.Number),
            (r"\w+", token.Text),
            (r"[-=<>(){}\[\],:?*+]", token.Punctuation),
            (r"\s+", token.Whitespace),
            (r".", token.Text),
        ]
    }


def name_files_outside(app, document, text):
    """Links to files that are not in this folder become their names: the site does not have them."""
    here = pathlib.Path(app.env.doc2path(document)).parent

    def rewrite(link):
        target = (here / link[2].split("#")[0]).resolve()
        outside = target.exists() and not target.is_relative_to(app.srcdir)
        return f"`{target.relative_to(ROOT)}`" if outside else link[0]

    text[0] = re.sub(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s]+)\)", rewrite, text[0])


def setup(app):
    app.add_lexer("mlir", MlirLexer)
    app.connect("source-read", name_files_outside)
