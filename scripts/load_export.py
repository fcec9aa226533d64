#!/usr/bin/env python3
"""Loads an exported table with NumPy and prints wins, draws and losses of the side to move, as a check.

    oju export hoyito --seeds 8 --output hoyito-08.npy
    python3 scripts/load_export.py hoyito-08.npy
"""

import sys

import numpy as np


def load(path):
    """The rows as a structured array; a distance of 65535 means "never"."""
    if path.endswith(".npy"):
        # Not read before it is needed: tables can be larger than memory.
        return np.load(path, mmap_mode="r")
    with open(path) as file:
        names = file.readline().strip().split(",")
    kinds = {"value": "i1", "low": "i1", "high": "i1", "distance": "u2"}
    types = np.dtype([(name, kinds.get(name, "u1")) for name in names])
    never = {names.index("distance"): lambda text: text or 65535}
    return np.loadtxt(path, dtype=types, delimiter=",", skiprows=1, converters=never, encoding="utf-8", ndmin=1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = load(sys.argv[1])
    value = rows["value"]
    counts = [name for name in rows.dtype.names if name not in ("value", "distance", "low", "high")]
    seeds = sum(rows[name].astype(int) for name in counts)
    assert (seeds == seeds[0]).all(), "every position of a tier has the same number of seeds"
    print(f"{len(rows):,} positions of {seeds[0]} seeds: {(value > 0).sum():,} wins, {(value == 0).sum():,} draws, {(value < 0).sum():,} losses")
    if "low" in rows.dtype.names:
        print(f"{(rows['low'] != rows['high']).sum():,} stand-offs")


if __name__ == "__main__":
    main()
