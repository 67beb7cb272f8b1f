# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds damaged IR to tilus-opt: whatever the text, it must answer with a diagnostic or with IR, never die.

The seeds are the tests of the dialect and the examples of its ops. A mutant is a seed, in its own or the generic
form, with a few tokens or lines deleted, repeated, exchanged or replaced by others of the corpus or by numbers at
the ends of their ranges. As a program: dialect_fuzzer.py --opt build/bin/tilus-opt --count 2000.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEPARATOR = "// -----\n"
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%#!@^]?[\w.$]+|->|::|\s+|.', re.DOTALL)
NUMBERS = ["0", "1", "-1", "3", "7", "64", "2147483647", "2147483648", "-2147483648", "4294967295",
           "9223372036854775807", "-9223372036854775808", "18446744073709551616", "99999999999999999999999", "?"]
# Each batch is read in one of these ways.
MODES = [["--verify-roundtrip"], ["--canonicalize", "--cse"], ["--mlir-print-op-generic"],
         ["--allow-unregistered-dialect", "--canonicalize"]]
TIMEOUT_SECONDS = 60


def run_opt(opt, text, options):
    """The exit status of tilus-opt on a text, and what it said; a time-out counts as status -1."""
    command = [str(opt), "--split-input-file", *options]
    try:
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return -1, "timed out"
    return result.returncode, result.stderr


def chunks_of(text):
    """The parts of a test, without its comments."""
    lines = [line for line in text.splitlines(keepends=True)
             if not line.lstrip().startswith("//") or line.startswith(SEPARATOR.rstrip())]
    return [chunk for chunk in "".join(lines).split(SEPARATOR) if chunk.strip()]


def load_seeds(opt):
    """All seeds: the tests of the dialect chunk by chunk, the examples of the ops, and their generic forms."""
    texts = [path.read_text() for path in sorted((ROOT / "test/IR").glob("*.mlir"))]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "utils/check_op_coverage.py", "--extract", folder], check=True,
                       capture_output=True)
        texts += [path.read_text() for path in sorted(pathlib.Path(folder).glob("*.mlir"))]
    seeds = [chunk for text in texts for chunk in chunks_of(text)]
    generic = subprocess.run([str(opt), "--split-input-file", "--mlir-print-op-generic"], text=True,
                             input=SEPARATOR.join(seeds), capture_output=True).stdout
    return seeds + chunks_of(generic)


def kind_of(token):
    """What a token may be exchanged with: values with values, numbers with numbers, words with words."""
    return token[0] if token[0] in '%#!@^"' else "0" if token[0].isdigit() else "a" if token[0].isalpha() else token


def damage(rng, tokens, pool):
    """Changes one place of the tokens."""
    places = [i for i, token in enumerate(tokens) if token.strip()]
    place = rng.choice(places)
    token = tokens[place]
    alike = [other for other in pool + tokens if other.strip() and kind_of(other) == kind_of(token)]
    number = rng.choice([i for i in places if tokens[i][0].isdigit()] or [place])
    changes = {
        "exchange": lambda: tokens.__setitem__(place, rng.choice(alike)),
        "number": lambda: tokens.__setitem__(number, re.sub(r"^\d+", rng.choice(NUMBERS), tokens[number])),
        "delete": lambda: tokens.__setitem__(place, " "),
        "repeat": lambda: tokens.__setitem__(place, f"{token} {token}"),
        "replace": lambda: tokens.__setitem__(place, rng.choice(pool)),
        "punctuate": lambda: tokens.__setitem__(place, rng.choice('(){}[]<>,:=-?%#!@"') + token),
    }
    changes[rng.choices(list(changes), [6, 4, 1, 1, 1, 1])[0]]()


def mutate(rng, seed, corpus):
    """A damaged copy of a seed."""
    other = rng.choice(corpus)
    if rng.random() < 0.15:
        lines = seed.splitlines(keepends=True)
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(other.splitlines(keepends=True)))
        seed = "".join(lines)
    tokens = TOKEN.findall(seed)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        damage(rng, tokens, TOKEN.findall(other))
    return "".join(tokens).replace(SEPARATOR.strip(), "")


def find_crashes(opt, mutants, options):
    """The mutants on which tilus-opt dies, each alone, with what it said. Reads many at a time and looks closer
    where something died."""
    if not mutants:
        return []
    status, said = run_opt(opt, SEPARATOR.join(mutant + "\n" for mutant in mutants), options)
    if status in (0, 1):
        return []
    if len(mutants) == 1:
        return [(options, mutants[0], said)]
    half = len(mutants) // 2
    return find_crashes(opt, mutants[:half], options) + find_crashes(opt, mutants[half:], options)


def fuzz(opt, count, seed, batch=25):
    """The crashes among `count` mutants."""
    rng = random.Random(seed)
    corpus = load_seeds(opt)
    crashes = []
    for number, start in enumerate(range(0, count, batch)):
        mutants = [mutate(rng, rng.choice(corpus), corpus) for _ in range(min(batch, count - start))]
        crashes += find_crashes(opt, mutants, MODES[number % len(MODES)])
    return crashes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", required=True, type=pathlib.Path, help="the tilus-opt to test")
    parser.add_argument("--count", type=int, default=2000, help="mutants (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutations (default: 0)")
    arguments = parser.parse_args()
    crashes = fuzz(arguments.opt, arguments.count, arguments.seed)
    for options, mutant, said in crashes:
        print(f"--- {' '.join(options)}\n{mutant}\n{said[-2000:]}")
    print(f"{arguments.count} mutants, {len(crashes)} crashes")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
