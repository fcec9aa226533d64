"""What is refused: the exception, and what it says."""

import random

import numpy as np
import oju
import pytest


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda e: oju.Engine("chess"), "profile: unknown profile 'chess'"),
        (lambda e: oju.Engine("ayoayo@2x13x1"), "'13' pits a row: a board has 2 to 12"),
        (lambda e: oju.Engine(threads=0), "threads: 0: 1 to 1024 are possible"),
        (lambda e: oju.Engine(threads=-1), "threads: -1: 1 to 1024"),
        (lambda e: oju.Engine(threads=10**30), "1 to 1024"),
        (lambda e: oju.Engine(tt=0), "tt: 0: 1 to"),
        (lambda e: oju.Engine(tt=1 << 62), "are possible"),
        (lambda e: e.analyse("4-4-4"), "position, column 6: 3 counts: ayoayo has 12 pits, and two stores may follow"),
        (lambda e: e.analyse("start", "AA"), "moves, column 2: move 2: 'A': North is to move, with the pits a to f"),
        (lambda e: e.analyse(time=0), "time: 0.0: seconds are expected"),
        (lambda e: e.analyse(time=float("nan")), "time: NaN: seconds"),
        (lambda e: e.analyse(time=float("inf")), "time: inf: seconds"),
        (lambda e: e.analyse(time=1e300), "time: 1e300: seconds are expected"),
        (lambda e: e.analyse(nodes=0), "nodes: 0: 1 to"),
        (lambda e: e.play("1-0-0-0-0-3-0-0-0-0-0-0", "A"), "'A' leaves the opponent without seeds"),
        (lambda e: e.play("3-1-0-1-0-1-0-1-0-1-0-1", "A"), "'A' never ends"),
        (lambda e: e.play("start", "-"), "a pass is forced or illegal"),
        (lambda e: e.probe("5" * 40), "seeds in a pit: there are 48 in all"),
        (lambda e: e.probe_many([4] * 12), r"shape \(n, 12\) is expected, not int64 of shape \(12,\)"),
        (lambda e: e.probe_many([[4] * 10]), r"shape \(n, 12\) is expected, not one of 10 pits"),
        (lambda e: e.probe_many([[4.0] * 12]), r"not float64 of shape \(1, 12\)"),
        (lambda e: e.probe_many([["4"] * 12]), "not <U1 of shape"),
        (lambda e: e.probe_many([[4] * 12, [5] + [4] * 11]), "row 1: 49 seeds on the board: ayoayo has 48 in all"),
        (lambda e: e.probe_many([[-1] + [0] * 11]), "boards: -1: 0 to 96 are possible"),
        (lambda e: e.probe_many([[256] + [0] * 11]), "boards: 256: 0 to 96 are possible"),
        (lambda e: e.probe_many(np.full((1, 12), 255, np.uint8)), "boards: 255: 0 to 96 are possible"),
        (lambda e: e.probe_many(np.full((1, 12), 2**64 - 1, np.uint64)), "0 to 96 are possible"),
        (lambda e: oju.Engine("hoyito").probe_many([[1] + [0] * 11]), "row 0: 1 seed on the board: Hoyito takes seeds by fours"),
        (lambda e: e.tier(4), "tables: this engine has none"),
        (lambda e: e.tier(49), "seeds: 49: 0 to 48 are possible"),
        (lambda e: oju.Engine("hoyito").tier(6), "seeds: 6: hoyito has a multiple of four"),
        (lambda e: oju.rules("go"), "unknown profile 'go'"),
        (lambda e: oju.build("ayoayo", -1, "."), "seeds: -1: 0 to 48"),
        (lambda e: oju.build("hoyito", 6, "."), "a multiple of four"),
        (lambda e: oju.tier_size(97), "seeds: 97: 0 to 96"),
        (lambda e: oju.tier_size(4, 25), "pits: 25: 1 to 24"),
        (lambda e: oju.unrank([75582], 8), "ranks: 75582: 0 to 75581 are possible"),
        (lambda e: oju.unrank([-1], 8), "ranks: -1: 0 to 75581"),
        (lambda e: oju.unrank([0], 96, 24), "ranks of more than 64 bits"),
        (lambda e: oju.rank([[4] * 24]), "row 0: 96 seeds in 24 pits: a rank of more than 64 bits"),
        (lambda e: oju.rank([[50, 47]]), "row 0: 97 seeds: 96 are possible"),
        (lambda e: oju.rank(np.zeros((1, 0), np.uint8)), "not one of 0 pits"),
    ],
)
def test_bad_input_is_a_value_error_of_one_line(call, says):
    engine = oju.Engine("ayoayo")
    with pytest.raises(oju.InputError, match=says) as raised:
        call(engine)
    assert isinstance(raised.value, ValueError) and "\n" not in str(raised.value)


def test_what_is_of_another_type_is_a_type_error():
    engine = oju.Engine()
    for call in (
        lambda: oju.Engine(7),
        lambda: oju.Engine(threads=1.5),
        lambda: engine.analyse(nodes="many"),
        lambda: engine.analyse([4] * 12),
        lambda: engine.tier(None),
    ):
        with pytest.raises(TypeError):
            call()


def test_no_text_and_no_array_makes_more_than_an_exception_of_ours():
    engine = oju.Engine("hoyito")
    random.seed(1)
    refused = 0
    for _ in range(3000):
        text = "".join(random.choice("0149-/,SN aAfF٤\u0000…x+") for _ in range(random.randrange(40)))
        for call in (engine.legal_moves, engine.probe, lambda text: engine.play("start", text)):
            try:
                call(text)
            except oju.InputError:
                refused += 1
        counts = [[random.choice((0, 0, 1, 4, 255, -(2**63), 2**63 - 1)) for _ in range(12)]]
        try:
            engine.probe_many(counts)
        except oju.InputError:
            refused += 1
    assert refused > 6000


def test_tables_that_can_not_be_used_are_table_errors(tmp_path):
    with pytest.raises(oju.TableError, match="no such directory of tables"):
        oju.Engine("ayoayo", tables=tmp_path / "none")
    oju.build("ayoayo@2x3x2", 6, tmp_path)
    engine = oju.Engine("ayoayo@2x3x2", tables=tmp_path)
    with pytest.raises(oju.TableError, match="no such table: build it with"):
        engine.tier(7)
    [largest] = [path for path in tmp_path.iterdir() if "06" in path.name]
    whole = largest.read_bytes()
    largest.write_bytes(whole[:-9])
    with pytest.raises(oju.TableError, match="damaged"):
        oju.Engine("ayoayo@2x3x2", tables=tmp_path)
    # One byte of the numbers themselves: found when they are read.
    largest.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
    with pytest.raises(oju.TableError, match="damaged"):
        oju.Engine("ayoayo@2x3x2", tables=tmp_path).tier(6).read()


def test_builds_without_room_are_build_errors(tmp_path):
    with pytest.raises(oju.BuildError, match="the tier of 12 seeds takes .* of memory, 1 B allowed: no tier would fit"):
        oju.build("hoyito", 12, tmp_path, memory=1)
    with pytest.raises(oju.BuildError, match="more positions than can be numbered"):
        oju.build("hoyito12", 96, tmp_path, memory=1)
    assert list(tmp_path.iterdir()) == []
