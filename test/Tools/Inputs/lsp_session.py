#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session of an editor with tilus-lsp-server: opens a file with an error, asks what a place is, repairs the error.

    lsp_session.py <tilus-lsp-server>

Checks the diagnostics that the server publishes and the answers to hovers. Exits with 1 if one is not as expected.
"""

import json
import subprocess
import sys

URI = "test:///kernel.mlir"
KERNEL = """tilus.kernel @scale(%n: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %t = tilus.load_global %g[%c0] : !tilus.global<?xf32> -> tensor<256xf32>
  tilus.store_global %t, %g[%c0] : tensor<256xf32>, !tilus.global<?xf32>
}
"""
# The server answers on those parts of a file, apart by the marker, that have no error.
GOOD = KERNEL + "// -----\n" + KERNEL.replace("@scale", "@other")
BAD = GOOD.replace("@other(%n: i32, %x: !tilus.ptr<f32>) warps(4)", "@other(%n: i32, %x: !tilus.ptr<f32>) warps(64)")


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, method, params, **more):
        message = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
        self.process.stdin.flush()

    def receive(self):
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not size:
            sys.exit("expected a message, but the server ended")
        return json.loads(self.process.stdout.read(size))

    def ask(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        while (message := self.receive()).get("id") != self.number:
            pass
        return message["result"]

    def await_diagnostics(self):
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        return message["params"]["diagnostics"]


def expect(what, condition, actual):
    if not condition:
        sys.exit(f"expected {what}, but got {actual}")
    print(f"{what}: yes")


def place_of(text, word):
    line = next(number for number, line in enumerate(text.splitlines()) if word in line)
    return {"line": line, "character": text.splitlines()[line].index(word) + 1}


def main():
    server = Server(sys.argv[1])
    abilities = server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
    expect("a server that answers hovers", abilities.get("hoverProvider"), abilities)
    server.send("initialized", {})

    server.send("textDocument/didOpen",
                {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": BAD}})
    found = server.await_diagnostics()
    expect("one diagnostic", len(found) == 1, found)
    expect("the verifier's words", "expected 1 to 32 warps, but got 64" in found[0]["message"], found)
    line = place_of(BAD, "@other")["line"]
    expect("the place of the kernel", found[0]["range"]["start"]["line"] == line, found)

    hover = server.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": place_of(BAD, "tilus.load")})
    expect("a hover in a file with an error", hover and '"tilus.load_global"' in hover["contents"]["value"], hover)
    expect("the types of its results", "tensor<256xf32>" in hover["contents"]["value"], hover)

    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2},
                                           "contentChanges": [{"text": GOOD}]})
    expect("no diagnostics after the repair", (found := server.await_diagnostics()) == [], found)
    where = server.ask("textDocument/definition", {"textDocument": {"uri": URI}, "position": place_of(GOOD, "%t,")})
    expect("the definition of a tile", where and where[0]["range"]["start"]["line"] == 6, where)

    server.ask("shutdown", None)
    server.send("exit", None)
    expect("a clean end", server.process.wait(timeout=60) == 0, server.process.returncode)


if __name__ == "__main__":
    main()
