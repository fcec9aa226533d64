#!/usr/bin/env python3
"""How many positions of 2x12 in mid-game are solved within a second and within ten: writes results/hoyito12-midgame.txt.

Takes every eighth position of tests/positions/hoyito12.csv with more seeds than the tables have, one process a position, over tables
up to 12 seeds. Run it from a clean checkout on an otherwise idle machine, after `cargo build --release`; takes up to twenty minutes:

    python3 scripts/measure_midgame.py TABLES
"""

import csv
import json
import pathlib
import statistics
import subprocess
import sys
from collections import defaultdict

from provenance import ROOT, provenance

OJU = ROOT / "target" / "release" / "oju"
SECONDS = 10
EVERY = 8


def answer(position, tables):
    """What is proven of a position, and the seconds it took."""
    command = [OJU, "best", "hoyito12", position, "--json", "--time", f"{SECONDS}s", "--tables", tables]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    # 1: proven bounds, but not the value.
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    low, high = found["bounds"]
    return {"seconds": found["time_ms"] / 1000, "exact": found["exact"], "width": high - low, "nodes": found["nodes"]}


def line(name, answers):
    exact = sorted(a["seconds"] for a in answers if a["exact"])
    settled = [*exact, *[float("inf")] * (len(answers) - len(exact))]
    median = statistics.median_low(settled)
    within = [sum(seconds <= limit for seconds in exact) / len(answers) for limit in (1, SECONDS)]
    open_widths = [a["width"] for a in answers if not a["exact"]]
    return (
        f"{name}: {len(answers):3} positions, exact within 1 s {within[0]:.0%}, within {SECONDS} s {within[1]:.0%}; "
        + (f"median {median:.3f} s" if median <= SECONDS else f"median above {SECONDS} s")
        + (f"; the open ones {statistics.median(open_widths):.0f} seeds wide in the median" if open_widths else "")
    )


def main():
    tables = pathlib.Path(sys.argv[1]).resolve()
    about = provenance()
    with open(ROOT / "tests" / "positions" / "hoyito12.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["seeds"]) > 12][::EVERY]
    by_seeds = defaultdict(list)
    for row in rows:
        by_seeds[int(row["seeds"])].append(answer(row["position"], tables))
    lines = [line(f"{seeds} seeds", answers) for seeds, answers in sorted(by_seeds.items())]
    lines.append(line("together", [a for answers in by_seeds.values() for a in answers]))
    head = [
        f"# commit {about['commit']}, {about['date']}, {about['machine']}; tables of hoyito12 up to 12 seeds (scripts/large_tables.sh)",
        f"$ python3 scripts/measure_midgame.py DIR   # every {EVERY}th position of the suite above 12 seeds, two threads, "
        f"oju best hoyito12 POSITION --time {SECONDS}s",
    ]
    text = "\n".join([*head, *lines]) + "\n"
    (ROOT / "results" / "hoyito12-midgame.txt").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
