# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes kernels such that many still verify, and compiles them: each must lower or get a diagnostic with its place.

The seeds are random kernels, the examples and the kernels of the tests. A change is made everywhere in a kernel: of a
number, of an element type, of an operation or of a word of an attribute; or it is one of lines, or the damage that
dialect_fuzzer does. As a program: lowering_fuzzer.py --tilus-run build/bin/tilus-run --count 5000 --save faults.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import dialect_fuzzer
from dialect_fuzzer import ROOT

sys.path[:0] = [str(ROOT / "integration_test/fuzz")]

import themes  # noqa: E402: the modules of the random kernels
from memory_limit import memory_limit  # noqa: E402
from program import Printer  # noqa: E402

CHIPS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_120a")
SIZES = ("0", "1", "2", "3", "5", "7", "8", "12", "16", "17", "31", "32", "33", "48", "64", "96", "100", "127", "128",
         "256", "1000", "1024", "4096", "65536")
INTS = ("i1", "i4", "i8", "i16", "i32", "i64", "index", "i3", "i128")
FLOATS = ("f8E4M3FN", "f8E5M2", "f16", "bf16", "tf32", "f32", "f64", "f4E2M1FN", "f8E8M0FNU")
# Words that often fit where another of the row does.
WORDS = (
    ("arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.remui", "arith.ceildivsi", "arith.floordivsi",
     "arith.shli", "arith.shrui", "arith.maxsi", "arith.minui", "arith.xori"),
    ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.maximumf", "arith.minnumf",
     "math.powf", "math.atan2", "math.copysign"),
    ("math.exp", "math.sin", "math.tan", "math.tanh", "math.erf", "math.rsqrt", "math.cbrt", "math.log1p", "math.absf",
     "math.floor", "math.round", "math.expm1", "arith.negf", "math.asin", "math.sqrt"),
    ("arith.extsi", "arith.extui", "arith.trunci", "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui",
     "arith.extf", "arith.truncf", "arith.bitcast", "arith.index_cast"),
    ("add", "sub", "mul", "max", "min", "umax", "umin", "maxnum", "minnum", "and", "or", "xor", "exch", "cas"),
    ("nearest_even", "toward_zero", "down", "up"), ("tilus.load_global", "tilus.copy_async"),
    ("tilus.reduce", "tilus.scan"), ("keep_dim", "exclusive", "reverse", ""),
    ("tilus.reshape_shared", "tilus.permute_shared", "tilus.slice_shared"),
    ("tilus.reshape", "tilus.broadcast", "tilus.transpose", "tilus.view", "tilus.convert_layout", "tilus.cast"),
)
NUMBER = re.compile(r"(?:(?<=x)|(?<![\w%@#.]))\d+(?![\w.])|(?:(?<=x)|(?<![\w%@#.]))\d+(?=x)")
# At its place, or of the grid that the arguments of a run give, by the kernel's name.
LOCATED = re.compile(r"\.mlir:\d+:\d+: error: |error: expected a grid size .* for kernel '")
FATAL = re.compile(r"LLVM ERROR|Assertion|PLEASE submit|UNREACHABLE|terminate called|Stack dump")
TIMEOUT_SECONDS = 60


def load_seeds(random_kernels):
    """Kernels as texts of modules of their own."""
    paths = [path for folder in ("examples", "test") for path in sorted((ROOT / folder).rglob("*.mlir"))]
    chunks = [chunk for path in paths for chunk in dialect_fuzzer.chunks_of(path.read_text())]
    seeds = [chunk for chunk in chunks if "tilus.kernel" in chunk and len(chunk) < 12000]
    names = list(themes.THEMES)
    for number in range(random_kernels):
        program, _ = themes.make_kernel([11, number], names[number % len(names)], f"kernel_{number}")
        seeds.append(Printer(program).print())
    return seeds


# Changes: of a text, to a text


def change_number(rng, text):
    """One number everywhere, so that shapes which were equal stay so; or one alone."""
    found = [match.group() for match in NUMBER.finditer(text)]
    if not found:
        return text
    old, new = rng.choice(found), rng.choice(SIZES + tuple(found))
    if rng.random() < 0.5:
        return NUMBER.sub(lambda match: new if match.group() == old else match.group(), text)
    place = rng.choice(list(NUMBER.finditer(text)))
    return text[: place.start()] + new + text[place.end() :]


def change_element(rng, text):
    present = [name for name in INTS + FLOATS if re.search(rf"(?:(?<=x)|\b){name}\b", text)]
    if not present:
        return text
    old = rng.choice(present)
    alike = INTS if old in INTS else FLOATS
    new = rng.choice(alike if rng.random() < 0.8 else INTS + FLOATS)
    return re.sub(rf"(?:(?<=x)|\b){old}\b", new, text)


def change_word(rng, text):
    """A word by another of its row, everywhere or once."""
    pairs = [(word, row) for row in WORDS for word in row if word and re.search(rf"(?<![\w.]){word}(?![\w.])", text)]
    if not pairs:
        return text
    word, row = rng.choice(pairs)
    return re.sub(rf"(?<![\w.]){word}(?![\w.])", rng.choice(row), text, count=rng.choice((0, 1)))


def change_lines(rng, text):
    """Drops, repeats or moves a line."""
    lines = text.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    line = lines.pop(place)
    if rng.random() < 0.6:
        lines.insert(min(max(place + rng.choice((-2, -1, 1, 2)), 0), len(lines)), line)
    return "".join(lines)


def mutate(rng, seeds):
    """A changed kernel."""
    text = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3))):
        change = rng.choice((change_number, change_number, change_element, change_word, change_word, change_lines))
        text = change(rng, text)
    return dialect_fuzzer.mutate(rng, text, seeds) if rng.random() < 0.1 else text


# Runs


def judge(status, said):
    """'lowered', 'diagnosed', or what is wrong."""
    if FATAL.search(said) or status not in (0, 1):
        return f"status {status}"
    if status == 0:
        return "lowered"
    errors = [line for line in said.splitlines() if "error:" in line]
    if not errors:
        return "no error"
    return "diagnosed" if all(LOCATED.search(line) for line in errors) else "an error without a place"


def compile_text(tilus_run, text, chip):
    """The judgement on a module, and what the tool said."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.mlir"
        path.write_text(text)
        command = [str(tilus_run), path.name, "--device", "none", "--target", chip, "--emit", "ptx=ptx"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                                  errors="replace", preexec_fn=memory_limit(str(tilus_run)))
        except subprocess.TimeoutExpired:
            return "no end", ""
    return judge(done.returncode, done.stdout + done.stderr), done.stdout + done.stderr


def fuzz(tilus_run, count, seed, jobs=2, random_kernels=60):
    """How many were lowered and diagnosed; and the faults: what is wrong, the chip, the text and what was said."""
    rng = random.Random(seed)
    seeds = load_seeds(random_kernels)
    mutants = [(mutate(rng, seeds), rng.choice(CHIPS)) for _ in range(count)]
    counts, faults = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = pool.map(lambda mutant: compile_text(tilus_run, *mutant), mutants)
        for (text, chip), (judgement, said) in zip(mutants, answers):
            counts[judgement] += 1
            if judgement not in ("lowered", "diagnosed"):
                faults.append((judgement, chip, text, said))
    return counts, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilus-run", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=2000, help="changed kernels (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=pathlib.Path, help="folder for kernels at fault")
    arguments = parser.parse_args()
    counts, faults = fuzz(arguments.tilus_run.resolve(), arguments.count, arguments.seed, arguments.jobs)
    for number, (judgement, chip, text, said) in enumerate(faults):
        print(f"{number}: {judgement}, {chip}: {said.strip().splitlines()[0] if said.strip() else ''}")
        if arguments.save:
            arguments.save.mkdir(parents=True, exist_ok=True)
            (arguments.save / f"{number}.{chip}.mlir").write_text(text)
            (arguments.save / f"{number}.txt").write_text(said)
    print(", ".join(f"{count} {judgement}" for judgement, count in sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
