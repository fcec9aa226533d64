from pathlib import Path

import pytest

import oju

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A directory of tables with forced intervals: both games up to 8 seeds, and some small boards."""
    directory = tmp_path_factory.mktemp("tables")
    for profile in ("ayoayo", "hoyito", "ayoayo@2x3x2", "hoyito@2x3x2"):
        oju.build(profile, 8, directory, forced=True)
    return directory


def cases(name):
    """The rows of a file of cases, which were made by independent programs."""
    lines = (REPOSITORY / "tests" / "cases" / name).read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def seeds_of(profile, position):
    """Seeds on the board of a position."""
    return sum(int(count) for count in position.split("-")[: 24 if profile == "hoyito12" else 12])


def seen(position, row=6):
    """The counts of a position, with stores or without, as the side to move sees them."""
    *counts, side = position.split("-")
    counts = [int(count) for count in counts[: 2 * row]]
    return counts if side == "S" else counts[row:] + counts[:row]
