#!/usr/bin/env python3
"""Measures which lines the tests run, and writes results/coverage.txt. Takes half an hour on two cores.

Needs `cargo install --locked cargo-llvm-cov` and `rustup component add llvm-tools`. Lines of tests do not count. Exits with 1 where
one of the parts that must be covered is below the aim. `--report` counts once more what the last run left.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

from provenance import ROOT, provenance

AIM = 95.0

# In these, processes can not write what they counted either, and say so where an error alone is expected.
SKIP = ["a_read_only_directory_is_named_and_its_tables_are_used", "a_full_disk_leaves_what_was_built"]

# The parts that must reach the aim, by the files and folders in src; what is named nowhere is listed under "others".
PARTS = {
    "rules": ["rules", "sow", "board", "position"],
    "index": ["index"],
    "retrograde": ["retrograde", "edges", "build", "lower", "packed"],
    "table": ["table", "file_tier", "tiers", "codec", "verify"],
    "search": [
        "search", "knowledge", "narrow", "line", "conversion", "one_turn", "closed_set", "number", "tt", "proof_numbers", "memory",
        "solver", "engine", "moves", "zeroed",
    ],
}  # fmt: skip


def part_of(file):
    """The part that a file of src belongs to."""
    name = file.parts[0].removesuffix(".rs")
    return next((part for part, names in PARTS.items() if name in names), "others")


def program_lines(path):
    """How many lines of a file come before its tests, which are always last."""
    tests = re.search(r"^#\[cfg\(test\)\]\nmod tests\b", path.read_text(), re.MULTILINE)
    return path.read_text()[: tests.start()].count("\n") if tests else sys.maxsize


def covered_lines(lcov):
    """For each file of src, for each line of the program that can be run, whether it was."""
    files = {}
    for line in lcov.splitlines():
        if line.startswith("SF:"):
            path = pathlib.Path(line[3:])
            inside = path.is_relative_to(ROOT / "src") and path.name != "tests.rs"
            lines = files.setdefault(path.relative_to(ROOT / "src"), {}) if inside else {}
            last = program_lines(path) if inside else 0
        elif line.startswith("DA:"):
            number, count = map(int, line[3:].split(",")[:2])
            if number <= last:
                lines[number] = lines.get(number, False) or count > 0
    return files


def ranges(numbers):
    """`3-5, 9` of 3, 4, 5 and 9."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def row(name, lines):
    """One line of the table."""
    covered = sum(lines)
    return f"{name:32} {covered:6} of {len(lines):6}  {100 * covered / len(lines):6.2f} %"


def main():
    """Runs the tests, counts, writes."""
    origin = provenance()
    run = ["cargo", "llvm-cov", "--release", "--no-report", "--", *(word for test in SKIP for word in ("--skip", test))]
    if sys.argv[1:] != ["--report"]:
        subprocess.run(run, cwd=ROOT, check=True)
    with tempfile.NamedTemporaryFile() as out:
        # Tests that kill a process leave half of what it counted.
        report = ["cargo", "llvm-cov", "report", "--release", "--failure-mode", "all", "--lcov", "--output-path", out.name]
        subprocess.run(report, cwd=ROOT, check=True)
        files = covered_lines(pathlib.Path(out.name).read_text())
    parts = collections.defaultdict(dict)
    for file, lines in sorted(files.items()):
        if lines:
            parts[part_of(file)][file] = lines
    text = [
        f"# commit {origin['commit']}, {origin['date']}, {origin['machine']}",
        "$ scripts/coverage.py",
        f"Lines of src that the tests run, their own lines left out. Aim: {AIM:.0f} % of each part but the others.",
    ]
    below = []
    for part in [*PARTS, "others"]:
        of = parts[part]
        share = [hit for lines in of.values() for hit in lines.values()]
        text += ["", row(part, share)]
        text += [row(f"  {file}", lines.values()) for file, lines in of.items()]
        if part in PARTS and 100 * sum(share) < AIM * len(share):
            below.append(part)
    text += ["", "Lines that no test runs:"]
    for part in PARTS:
        for file, lines in parts[part].items():
            missed = ranges(number for number, hit in sorted(lines.items()) if not hit)
            text += [f"  {file}: {missed}"] if missed else []
    (ROOT / "results" / "coverage.txt").write_text("\n".join(text) + "\n")
    print("\n".join(text))
    if below:
        sys.exit(f"below {AIM:.0f} %: {', '.join(below)}")


if __name__ == "__main__":
    main()
