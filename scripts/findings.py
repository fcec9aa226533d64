#!/usr/bin/env python3
"""What is interesting in the results: reads results/starts.csv, results/openings/ and results/tables/, has the positions of
tests/positions answered by `oju batch`, and writes results/findings.json and results/findings.md.

Run it from a clean checkout after `cargo build --release`:

    python3 scripts/findings.py [TABLES]

TABLES: a directory of tables up to 16 seeds. Takes some minutes on two cores.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys

from provenance import ROOT, provenance

OJU = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "oju"
RESULTS = ROOT / "results"

# Of the positions of a suite every fourth is answered.
EVERY = 4

# The positions of one suite under several rules, where the board and the number of seeds are the same.
ALIKE = {"ayoayo": ["ayoayo", "ayoayo-holder", "ayoayo-pratt"], "hoyito": ["hoyito"]}


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def answers(profile, positions, tables):
    """The analyses of all positions that are exact, or None in the place of one that is not."""
    arguments = [OJU, "batch", profile, "--time", "20s"] + (["--tables", tables] if tables else [])
    done = subprocess.run(arguments, input="\n".join(positions), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"oju batch {profile}: exit code {done.returncode}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(positions), (len(lines), len(positions))
    exact = lambda answer: "error" not in answer and answer["exact"] and all(m["exact"] for m in answer["moves"])
    return [answer if exact(answer) and not answer["over"] else None for answer in lines]


def share(part, whole):
    return round(part / whole, 4) if whole else None


def of_suite(answered):
    """How play goes wrong in the positions of a suite."""
    known = [answer for answer in answered if answer]
    choices = [answer for answer in known if len(answer["moves"]) > 1]
    single = [a for a in choices if sum(m["value"] == a["value"] for m in a["moves"]) == 1]
    greedy = wrong = lost = turned = 0
    trap = None
    for answer in choices:
        most = max(m["captured"] for m in answer["moves"])
        if most == 0 or all(m["captured"] == most for m in answer["moves"]):
            continue
        greedy += 1
        # Of several that capture most the best one: whoever is greedy is given the benefit of the doubt.
        taken = max((m for m in answer["moves"] if m["captured"] == most), key=lambda m: m["value"])
        loss = answer["value"] - taken["value"]
        wrong += loss > 0
        lost += loss
        final = {move["move"]: sign(margin(answer) + move["value"] - answer["value"]) for move in answer["moves"]}
        turned += final[taken["move"]] < sign(margin(answer))
        if loss > 0 and (trap is None or loss > trap["loss"]):
            trap = {
                "position": answer["position"],
                "natural": taken["move"],
                "captures": most,
                "loss": loss,
                "best": answer["moves"][0]["move"],
            }
    longest = max(known, key=lambda a: len(a["line"].rstrip("…")) if not a["line"].endswith("…") else 0)
    forced = max(known, key=lambda a: a["distance"] or 0)
    return {
        "positions": len(answered),
        "exact": len(known),
        "share_single_best": share(len(single), len(choices)),
        "greedy_positions": greedy,
        "share_greedy_wrong": share(wrong, greedy),
        "mean_loss_of_greed": round(lost / greedy, 3) if greedy else None,
        "share_greed_changes_the_result": share(turned, greedy),
        "worst_trap": trap,
        "longest_line": {"position": longest["position"], "plies": len(longest["line"])},
        "longest_conversion": {"position": forced["position"], "sowings": forced["distance"]},
    }


def margin(answer):
    """The final margin under best play, seen by the side to move."""
    south = answer["result"]["south"] - answer["result"]["north"]
    return south if answer["turn"] == "south" else -south


def sign(number):
    return (number > 0) - (number < 0)


def of_openings(path):
    """How values lie in an opening tree."""
    layers = {}
    for row in read_csv(path):
        layers.setdefault(int(row["plies"]), []).append(row)
    found = []
    for plies, rows in sorted(layers.items()):
        exact = [row for row in rows if row["value"]]
        letters = [name for name in rows[0] if len(name) == 1]
        values = lambda row: [int(row[pit]) for pit in letters if row[pit] and ".." not in row[pit]]
        whole = [row for row in exact if len(values(row)) == sum(bool(row[pit]) for pit in letters) > 1]
        single = [row for row in whole if values(row).count(max(values(row))) == 1]
        found.append(
            {
                "plies": plies,
                "positions": len(rows),
                "ways": sum(int(row["ways"]) for row in rows),
                "exact": len(exact),
                "share_single_best": share(len(single), len(whole)),
                "mean_spread": round(sum(max(values(r)) - min(values(r)) for r in whole) / len(whole), 2) if whole else None,
            }
        )
    return found


def of_starts():
    starts = {}
    for row in read_csv(RESULTS / "starts.csv"):
        entry = starts.setdefault(row["profile"], {"start": None, "moves": {}})
        bounds = [int(row["lower"]), int(row["upper"])]
        if row["move"] == "start":
            entry["start"] = bounds
        else:
            entry["moves"][row["move"]] = bounds
    for entry in starts.values():
        exact = [low for low, high in entry["moves"].values() if low == high]
        if len(exact) == len(entry["moves"]):
            entry["first_move_is_worth"] = max(exact) - min(exact)
    return starts


def of_rules(by_profile):
    """The same positions under other rules."""
    names = list(by_profile)
    found = {}
    for other in names[1:]:
        pairs = [(a, b) for a, b in zip(by_profile[names[0]], by_profile[other]) if a and b]
        differ = [(a, b) for a, b in pairs if a["value"] != b["value"]]
        winner = [(a, b) for a, b in pairs if sign(margin(a)) != sign(margin(b))]
        best = [(a, b) for a, b in pairs if a["moves"][0]["move"] != b["moves"][0]["move"]]
        found[f"{names[0]} and {other}"] = {
            "positions": len(pairs),
            "share_other_value": share(len(differ), len(pairs)),
            "share_other_winner": share(len(winner), len(pairs)),
            "share_other_first_best_move": share(len(best), len(pairs)),
            "mean_difference": round(sum(abs(a["value"] - b["value"]) for a, b in pairs) / len(pairs), 3) if pairs else None,
        }
    return found


def markdown(found):
    percent = lambda part: "–" if part is None else f"{100 * part:.1f} %"
    lines = ["# Findings", "", "Made by `scripts/findings.py`; the figures, and more, are in `findings.json`.", ""]
    lines += [f"Commit {found['commit']}, {found['date']}, {found['machine']}. Command: `{found['command']}`.", ""]
    lines += ["## How much the first move matters", "", "| profile | start | first moves, best to worst | best minus worst |", "| --- | --- | --- | --- |"]
    bounds = lambda b: f"{b[0]:+}" if b[0] == b[1] else f"{b[0]:+} to {b[1]:+}"
    for profile, entry in found["starts"].items():
        moves = sorted(entry["moves"].items(), key=lambda m: m[1], reverse=True)
        text = ", ".join(f"{pit} {bounds(b)}" for pit, b in moves)
        lines.append(f"| `{profile}` | {bounds(entry['start'])} | {text} | {entry.get('first_move_is_worth', '–')} |")
    lines += ["", "Seeds, from South, who begins.", "", "## In the middle of games", ""]
    lines += [
        f"Every {EVERY}th position of `tests/positions`, reached by random play. *Greedy*: a move captures more than another; the one that captures most is",
        "played, the best of these where there are several.",
        "",
        "| profile | exact positions | a single best move | greed is wrong | seeds lost by greed, mean | greed changes who wins |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for profile, of in found["suites"].items():
        cells = [of["exact"], percent(of["share_single_best"]), percent(of["share_greedy_wrong"])]
        cells += [of["mean_loss_of_greed"], percent(of["share_greed_changes_the_result"])]
        lines.append(f"| `{profile}` | " + " | ".join(map(str, cells)) + " |")
    lines += ["", "## Traps and long lines", ""]
    for profile, of in found["suites"].items():
        trap, line, far = of["worst_trap"], of["longest_line"], of["longest_conversion"]
        if trap:
            lines.append(
                f"- `{profile}`: in `{trap['position']}` {trap['natural']} captures {trap['captures']} and loses {trap['loss']} seeds "
                f"against {trap['best']}."
            )
        lines.append(
            f"- `{profile}`: the longest line of best play to an end has {line['plies']} plies (`{line['position']}`); the latest first "
            f"conversion takes {far['sowings']} sowings (`{far['position']}`)."
        )
    lines += ["", "## Openings", "", "| profile | plies | sequences | positions | exact | a single best move | best minus worst move, mean |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for profile, layers in found["openings"].items():
        for of in layers:
            cells = [of["plies"], f"{of['ways']:,}", f"{of['positions']:,}", f"{of['exact']:,}", percent(of["share_single_best"]), of["mean_spread"]]
            lines.append(f"| `{profile}` | " + " | ".join("–" if c is None else str(c) for c in cells) + " |")
    lines += ["", "## The same positions under other rules", "", "| rules | positions | another value | another winner | another first best move | difference, mean |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for names, of in found["rules"].items():
        cells = [of["positions"], percent(of["share_other_value"]), percent(of["share_other_winner"]), percent(of["share_other_first_best_move"])]
        lines.append(f"| {names} | " + " | ".join(map(str, [*cells, of["mean_difference"]])) + " |")
    return "\n".join(lines) + "\n"


def main():
    tables = sys.argv[1] if len(sys.argv) > 1 else None
    found = {
        **provenance(),
        "command": "scripts/findings.py" + (" TABLES" if tables else ""),
        "starts": of_starts(),
        "openings": {path.stem: of_openings(path) for path in sorted((RESULTS / "openings").glob("*.csv"))},
        "suites": {},
        "rules": {},
    }
    for suite, profiles in ALIKE.items():
        positions = [row["position"] for row in read_csv(ROOT / "tests" / "positions" / f"{suite}.csv")][::EVERY]
        by_profile = {profile: answers(profile, positions, tables) for profile in profiles}
        found["suites"] |= {profile: of_suite(answered) for profile, answered in by_profile.items()}
        found["rules"] |= of_rules(by_profile)
    (RESULTS / "findings.json").write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "findings.md").write_text(markdown(found))


if __name__ == "__main__":
    main()
