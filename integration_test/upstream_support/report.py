"""Results of cases: read from records, counted, printed as a table and written as JSON."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import dataclasses
import json


@dataclasses.dataclass
class Case:
    """A case of a test file, or a check of an example. `status` is passed, failed, skipped or missing."""

    file: str
    name: str
    status: str
    seconds: float = 0.0
    why: str = ""


def read_record(file, path, ending):
    """The cases of a file; `ending` says how its process ended if that was not of itself."""
    cases = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                event = json.loads(line)
            except json.JSONDecodeError:  # cut off with the process
                continue
            name = event["name"]
            if event["event"] == "broken":
                cases[name] = Case(file, name, "failed", why=event["why"])
            elif event["event"] == "case":
                cases.setdefault(name, Case(file, name, "failed", why=f"not run: {ending or 'no result'}"))
            else:
                before = cases.get(name)
                if before is None or before.status != "failed" or before.why.startswith("not run: "):
                    cases[name] = Case(file, name, event["status"], event["seconds"], event["why"])
    if ending and not any(case.why.startswith("not run: ") for case in cases.values()):
        cases[file] = Case(file, file, "failed", why=ending)
    return list(cases.values()) or [Case(file, file, "failed", why=ending or "no case ran")]


def summarize(cases):
    """The number of cases of each status."""
    counts = {"passed": 0, "failed": 0, "skipped": 0, "missing": 0}
    for case in cases:
        counts[case.status] += 1
    return counts


def first_line(text, limit=140):
    """What fits in a table of a reason."""
    line = " ".join(text.split())
    # Of a file that cannot be imported the end tells, of a case the beginning.
    if line.startswith("ImportError while importing") or "Traceback" in line:
        return line if len(line) <= limit else "…" + line[-limit + 1 :]
    return line if len(line) <= limit else line[: limit - 1] + "…"


def format_table(cases):
    """A line a file with its counts, and below it the cases that did not pass, those of one reason together."""
    files = {}
    for case in cases:
        files.setdefault(case.file, []).append(case)
    width = max(map(len, files), default=4)
    lines = [f"{'file':{width}}  passed  failed  other   seconds"]
    for file, group in files.items():
        counts = summarize(group)
        other = counts["skipped"] + counts["missing"]
        seconds = sum(case.seconds for case in group)
        lines.append(f"{file:{width}}  {counts['passed']:6}  {counts['failed']:6}  {other:5}  {seconds:8.1f}")
        reasons = {}
        for case in group:
            if case.status != "passed":
                reasons.setdefault((case.status, first_line(case.why)), []).append(case.name)
        for (status, why), names in reasons.items():
            example = names[0].partition("::")[2] or names[0]
            lines.append(f"  {status} {len(names)} ({example}{', …' if len(names) > 1 else ''}): {why}")
    counts = summarize(cases)
    judged = counts["passed"] + counts["failed"]
    share = 100 * counts["passed"] / judged if judged else 0.0
    lines.append(f"{share:.1f}% of {judged} cases passed")
    lines.append(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped'] + counts['missing']} skipped")
    return "\n".join(lines)


def write_json(path, cases, facts):
    """Everything, for machines."""
    content = {**facts, "summary": summarize(cases), "cases": [dataclasses.asdict(case) for case in cases]}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
