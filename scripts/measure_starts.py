#!/usr/bin/env python3
"""Measures the solved starts and writes results/starts.csv and results/endless.csv.

Run it from a clean checkout on an otherwise idle machine, after `cargo build --release`:

    python3 scripts/measure_starts.py [TABLES]

Seconds are those of whole processes, cold, no files, the median where there are several; nodes are those of one thread. The forced
interval is that of a run of its own, with --forced. With a directory of tables up to 16 seeds the seconds with tables are measured too, for
the profiles that are there.
"""

import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from provenance import ROOT, provenance

OJU = ROOT / "target" / "release" / "oju"

# No tables but those that are named.
NO_FILES = {"cwd": "/", "env": {name: value for name, value in os.environ.items() if name != "OJU_TABLES"}}

# Profile, options, how often to run, whether to count the nodes of one thread and to find the forced intervals.
STARTS = [
    ("ayoayo", [], 3, True),
    ("ayoayo-holder", [], 3, True),
    ("ayoayo-pratt", ["--time", "none"], 1, True),
    ("hoyito", [], 3, True),
    # Beyond a search over small tables: the tiers up to 20 seeds are solved first, in the same process.
    ("hoyito-opponent", ["--solve", "20", "--time", "15m"], 1, False),
    ("hoyito12", ["--time", "60s"], 1, False),
]

# Never-ending sowings: profile, position, pit.
ENDLESS = [
    ("ayoayo", "3-1-0-1-0-1-0-1-0-1-0-1-S", "A"),
    ("hoyito", "1-0-4-3-2-11-5-7-0-2-6-3-N", "f"),
]


def run(arguments):
    """One process: its answer, the seconds it took, and its peak memory in MiB."""
    started = time.monotonic()
    child = subprocess.Popen([OJU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **NO_FILES)
    text = child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    return json.loads(text), time.monotonic() - started, usage.ru_maxrss / 1024


def command(arguments):
    return "oju " + " ".join(arguments)


def main():
    tables = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    about = provenance()
    with open(ROOT / "results" / "starts.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(
            ["profile", "rules", "move", "lower", "upper", "exact", "seconds", "seconds_tables_16", "nodes_one_thread", "MiB"]
            + ["forced_low", "forced_high", "forced_seconds", "command", *about]
        )
        for profile, options, times, solved in STARTS:
            arguments = ["best", profile, "--json", *options]
            runs = [run(arguments) for _ in range(times)]
            answer = runs[0][0]
            seconds = statistics.median(seconds for _, seconds, _ in runs)
            with_tables = ""
            if tables and "--solve" not in options and list(tables.glob(f"{profile}-16.oju")):
                with_tables = statistics.median(run([*arguments, "--tables", tables])[1] for _ in range(times))
                with_tables = f"{with_tables:.2f}"
            nodes = run([*arguments, "--threads", "1"])[0]["nodes"] if solved else ""
            forced, forced_seconds = {}, ""
            if solved:
                with_forced, time_forced, _ = run([*arguments, "--forced"])
                forced_seconds = f"{time_forced:.2f}"
                forced = {"start": with_forced["forced"]} | {m["move"]: m["forced"] for m in with_forced["moves"]}
            memory = max(memory for _, _, memory in runs)
            lines = [("start", answer)] + [(m["move"], m) for m in answer["moves"]]
            for move, line in lines:
                low, high = line["bounds"]
                interval = forced.get(move) or ["", ""]
                rows.writerow(
                    [profile, answer["rules"], move, low, high, line["exact"], f"{seconds:.2f}", with_tables, nodes]
                    + [f"{memory:.0f}"]
                    + [*interval, forced_seconds, command(arguments), *about.values()]
                )
            file.flush()
            print(profile, answer["bounds"], f"{seconds:.2f} s", with_tables, nodes, "nodes", f"{memory:.0f} MiB")
    with open(ROOT / "results" / "endless.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["profile", "position", "pit", "seconds", "command", *about])
        for profile, position, pit in ENDLESS:
            # Playing the pit is refused as endless: the whole process is the recognition.
            arguments = ["best", profile, position, "--moves", pit]
            times = []
            for _ in range(5):
                started = time.monotonic()
                child = subprocess.run([OJU, *arguments], capture_output=True, text=True)
                times.append(time.monotonic() - started)
                assert child.returncode == 2 and "never ends" in child.stderr, child
            rows.writerow([profile, position, pit, f"{statistics.median(times):.4f}", command(arguments), *about.values()])
            print(profile, position, pit, f"{statistics.median(times):.4f} s")


if __name__ == "__main__":
    main()
