#!/usr/bin/env python3
"""Draws results/plots/*.svg from the files in results/; what has no file yet is left out. Needs matplotlib (`pip install matplotlib`):

    python3 scripts/plots.py
"""

import csv
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
PLOTS = RESULTS / "plots"

WIN, DRAW, LOSS, INK = "#3f7d4e", "#d9c9a3", "#b5482f", "#5b3a1e"
plt.rcParams |= {
    "svg.hashsalt": "oju",  # the same file from the same figures
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def save(figure, name):
    figure.savefig(PLOTS / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def tiers(name):
    """The tiers of a file of tables that have a choice of values at all."""
    with open(RESULTS / "tables" / f"{name}.json") as file:
        return [tier for tier in json.load(file)["tables"] if tier["seeds"] > 1]


def first_moves():
    """Each first move's value, or what is proven of it."""
    with open(RESULTS / "starts.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["move"] != "start"]
    profiles = list(dict.fromkeys(row["profile"] for row in rows))
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.5))
    for axis, profile in zip(axes.flat, profiles):
        moves = sorted((row for row in rows if row["profile"] == profile), key=lambda row: row["move"])
        for at, row in enumerate(moves):
            low, high = int(row["lower"]), int(row["upper"])
            color = WIN if low > 0 else LOSS if high < 0 else DRAW
            if low == high:
                axis.bar(at, low, color=color, width=0.7)
                axis.annotate(f"{low:+}", (at, low), ha="center", va="bottom" if low >= 0 else "top", fontsize=8)
            else:
                axis.plot([at, at], [low, high], color=color, linewidth=7, alpha=0.55, solid_capstyle="butt")
        axis.set_xticks(range(len(moves)), [row["move"] for row in moves])
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.set_title(profile, fontsize=10)
        axis.margins(y=0.15)
    figure.suptitle("Value of South's first moves, in seeds (bars: exact; bands: proven bounds)", fontsize=11)
    save(figure, "first_moves")


def outcomes():
    """Wins, draws and losses of the side to move, by tier."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for axis, name in zip(axes, ["ayoayo", "hoyito"]):
        found = tiers(name)
        at = range(len(found))
        base = [0.0] * len(found)
        for kind, color in [("wins", WIN), ("draws", DRAW), ("losses", LOSS)]:
            shares = [100 * tier[kind] / tier["positions"] for tier in found]
            axis.bar(at, shares, bottom=base, color=color, width=0.85, label=kind)
            base = [a + b for a, b in zip(base, shares)]
        axis.set_xticks(at, [tier["seeds"] for tier in found], fontsize=8)
        axis.set_xlabel("seeds on the board")
        axis.set_ylabel("% of positions")
        axis.set_title(name, fontsize=10)
    axes[1].legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle("Outcome for the side to move, all positions of a tier", fontsize=11)
    save(figure, "outcomes")


def value_distribution():
    """How often each value occurs, by tier."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 5))
    for axis, name, unit in zip(axes, ["ayoayo", "hoyito"], [1, 4]):
        found = tiers(name)
        points = [(tier["seeds"], value["number"], value["positions"] / tier["positions"]) for tier in found for value in tier["values"]]
        seeds, values, shares = zip(*points)
        colors = axis.scatter(
            seeds,
            values,
            c=[100 * share for share in shares],
            norm=matplotlib.colors.LogNorm(1e-5, 100),
            cmap="YlOrBr",
            marker="s",
            s=34 if unit == 1 else 220,
            linewidths=0,
        )
        axis.axhline(0, color=INK, linewidth=0.5)
        axis.set_xticks([tier["seeds"] for tier in found if tier["seeds"] % 4 == 0])
        axis.set_xlabel("seeds on the board")
        axis.set_ylabel("value, in seeds")
        axis.set_title(name, fontsize=10)
    figure.colorbar(colors, ax=axes, label="% of positions")
    figure.suptitle("Distribution of values, from the side to move", fontsize=11)
    save(figure, "values")


def stand_offs():
    """Positions whose value rests on what infinite play is worth."""
    figure, axis = plt.subplots(figsize=(7, 4))
    for name, color in [("hoyito", INK), ("hoyito-opponent", LOSS), ("ayoayo", WIN)]:
        found = [tier for tier in tiers(f"{name}-forced") if tier["standoffs"] is not None]
        axis.plot(
            [tier["seeds"] for tier in found],
            [100 * tier["standoffs"] / tier["positions"] for tier in found],
            marker="o",
            color=color,
            label=name,
        )
    axis.set_xlabel("seeds on the board")
    axis.set_ylabel("% of positions")
    axis.set_title("Stand-offs: the value rests on what infinite play is worth", fontsize=11)
    axis.legend(frameon=False)
    axis.set_ylim(bottom=0)
    save(figure, "stand_offs")


def single_best():
    """Positions in which only one move keeps the value."""
    with open(RESULTS / "findings.json") as file:
        openings = json.load(file)["openings"]
    figure, axis = plt.subplots(figsize=(7, 4))
    for profile, layers in openings.items():
        known = [of for of in layers if of["share_single_best"] is not None and of["exact"] == of["positions"]]
        if len(known) > 1:
            axis.plot([of["plies"] for of in known], [100 * of["share_single_best"] for of in known], marker="o", label=profile)
    axis.set_xlabel("plies from the start")
    axis.set_ylabel("% of positions")
    axis.set_title("Positions of the opening tree with a single best move", fontsize=11)
    axis.legend(frameon=False)
    axis.set_ylim(0, 100)
    save(figure, "single_best")


def main():
    PLOTS.mkdir(exist_ok=True)
    for plot in [first_moves, outcomes, value_distribution, stand_offs, single_best]:
        try:
            plot()
        except FileNotFoundError as missing:
            print(f"{plot.__name__}: no {missing.filename}", file=sys.stderr)


if __name__ == "__main__":
    main()
