"""Exact values: the search, tables one by one and in bulk, and whole tiers."""

import json

import naive
import numpy as np
import oju
import pytest
from conftest import cases, seeds_of, seen


def number(text):
    return None if text == "-" else int(text)


@pytest.mark.parametrize("profile", ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito-opponent"])
def test_analysis_gives_the_values_of_the_cases(profile):
    engine = oju.Engine(profile)
    rows = [row for row in cases("values.tsv") if row[0] == profile]
    # Solved in memory up to 8 seeds, which is quick in each profile; a few of 14 are searched.
    most = 14 if profile == "ayoayo" else 8
    rows = [row for row in rows if seeds_of(profile, row[1]) <= most][:: 20 if most == 14 else 5]
    assert len(rows) > 20
    for _, position, value, low, high in rows:
        known = number(low) is not None
        a = engine.analyse(position, forced=known)
        assert (a.value, a.exact, a.bounds) == (int(value), True, (int(value), int(value))), position
        if known:
            low, high = int(low), int(high)
            assert (a.forced, a.standoff) == ((low, high), low != high), position
            assert a.forced_bounds == ((low, low), (high, high)), position


def test_an_analysis_says_what_its_dictionary_says(tables):
    engine = oju.Engine("hoyito", tables=tables)
    for position in ("1-0-1-1-0-1-2-0-0-1-1-0-24-16-S", "2-1-0-2-0-0-1-0-0-0-1-1-20-20-N", "0-0-0-0-0-0-0-0-0-0-0-0-20-28-S"):
        a = engine.analyse(position)
        d = a.to_dict()
        assert json.loads(json.dumps(d)) == d
        result = d.pop("result")
        assert a.result == (result["south"], result["north"])
        for of, dictionary in [(a, d), *zip(a.moves, d["moves"])]:
            for name, expected in dictionary.items():
                if name != "moves":
                    assert json.loads(json.dumps(getattr(of, name))) == expected, name
        assert len(a.moves) == len(d["moves"])
    # The game is over, South has 20 seeds and North 28.
    assert (a.over, a.result, a.moves, a.source) == (True, (20, 28), [], "rules")


def test_limits_give_proven_bounds():
    engine = oju.Engine("hoyito12", threads=1, tt=1 << 20)
    a = engine.analyse(nodes=1000)
    assert not a.exact and a.value is None and a.result is None
    assert -96 <= a.bounds[0] < a.bounds[1] <= 96
    assert not engine.analyse(time=0.001).exact


@pytest.mark.parametrize("profile", ["ayoayo", "hoyito"])
def test_tables_give_the_values_of_the_cases_one_by_one_and_in_bulk(profile, tables):
    engine = oju.Engine(profile, tables=tables)
    assert engine.tables_up_to == 8
    rows = [row for row in cases("values.tsv") if row[0] == profile]
    found = engine.probe_many([seen(row[1]) for row in rows])
    covered = 0
    for at, (_, position, value, low, high) in enumerate(rows):
        one = engine.probe(position)
        if seeds_of(profile, position) > 8:
            assert one is None and not found.known[at]
            assert {found.value[at], found.low[at], found.high[at]} == {oju.UNKNOWN}
            assert found.distance[at] == oju.NEVER
            continue
        covered += 1
        assert one.value == found.value[at] == int(value), position
        assert one.forced == (found.low[at], found.high[at]), position
        assert (oju.NEVER if one.distance is None else one.distance) == found.distance[at], position
        if number(low) is not None:
            assert one.forced == (int(low), int(high)), position
    assert 100 < covered < len(rows) == len(found)


def test_bulk_takes_any_array_of_whole_numbers(tables):
    engine = oju.Engine("ayoayo", tables=tables)
    boards = oju.unrank(np.arange(0, 75582, 101), 8)
    expected = engine.probe_many(boards)
    assert expected.value.dtype == np.int16 and expected.distance.dtype == np.uint16
    wide = np.zeros((len(boards), 24), np.int32)
    wide[:, ::2] = boards
    for same in (boards.astype(np.int64), boards.astype(np.uint64), np.asfortranarray(boards), wide[:, ::2], boards.tolist()):
        found = engine.probe_many(same)
        for name in ("known", "value", "distance", "low", "high"):
            assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert len(engine.probe_many(np.zeros((0, 12), np.uint8))) == 0
    only = oju.Engine("ayoayo").probe_many(boards)
    assert not only.known.any() and (only.value == oju.UNKNOWN).all()


@pytest.mark.parametrize("profile", ["ayoayo@2x3x2", "hoyito@2x3x2"])
def test_each_value_of_a_tier_is_that_of_its_best_move(profile, tables):
    """Every value must be what the best move gives by the rules in naive.py. Where a value is converted at last, its distance is one
    more than that of a move with that value: so no value rests on a cycle alone."""
    engine = oju.Engine(profile, tables=tables)
    game = profile.split("@")[0]
    numbers = {}
    for seeds in range(0, 9, 4 if game == "hoyito" else 1):
        tier = engine.tier(seeds)
        rows = tier.read()
        assert len(rows) == len(tier) == oju.tier_size(seeds, 6)
        columns = (rows.boards, rows.value, rows.distance, rows.low, rows.high)
        for board, *of_board in zip(*(column.tolist() for column in columns)):
            numbers[tuple(board)] = of_board
    cycles = 0
    for board, (value, distance, low, high) in numbers.items():
        moves = naive.TURNS[game](board)
        if moves is None:
            assert (value, distance, low, high) == (naive.rest(board), 0, naive.rest(board), naive.rest(board))
            continue

        def best(own, other):
            """The best of all moves by one number, which for the other side is another."""
            return max(
                taken + (numbers[after][own] if again else -numbers[after][other])
                for _, after, taken, again in moves
            )

        assert (best(0, 0), best(2, 3), best(3, 2)) == (value, low, high), board
        if distance == oju.NEVER:
            cycles += 1
            assert value == 0, board
            continue
        of_best = {
            1 if taken else 1 + numbers[after][1]
            for _, after, taken, again in moves
            if taken + (numbers[after][0] if again else -numbers[after][0]) == value
        }
        assert distance in of_best, board
    assert cycles or game == "ayoayo"


def test_a_tier_is_the_same_whole_in_parts_and_position_by_position(tables):
    engine = oju.Engine("hoyito", tables=tables, threads=2)
    tier = engine.tier(8)
    whole = tier.read()
    names = ("boards", "value", "distance", "low", "high")
    # 75,582 positions, and 2,896 stand-offs among them, as the rules page says.
    assert whole.boards.shape == (75582, 12) and whole.boards.dtype == np.uint8
    assert (whole.low != whole.high).sum() == 2896
    assert np.array_equal(whole.boards, oju.unrank(np.arange(75582), 8))
    parts = list(tier.chunks(20000))
    assert [len(part) for part in parts] == [20000, 20000, 20000, 15582]
    found = engine.probe_many(whole.boards)
    for name in names:
        assert np.array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name))
        assert np.array_equal(getattr(tier.read(100, 50100), name), getattr(whole, name)[100:50100])
        assert name == "boards" or np.array_equal(getattr(found, name), getattr(whole, name))
    assert len(tier.read(5, 5)) == 0 and sum(map(len, tier.chunks())) == 75582


def test_tables_without_forced_intervals_say_so(tmp_path):
    assert oju.build("hoyito@2x3x2", 8, tmp_path) == [0, 4, 8]
    engine = oju.Engine("hoyito@2x3x2", tables=tmp_path)
    rows = engine.tier(8).read()
    assert rows.low is None and rows.high is None
    assert engine.probe("4-0-0-0-0-0").forced is None
    found = engine.probe_many(rows.boards)
    assert np.array_equal(found.value, rows.value) and (found.low == oju.UNKNOWN).all()


def test_ranks_number_the_boards_of_a_tier_in_order():
    # C(13, 5) boards of 8 seeds in 6 pits, in lexicographic order, each once.
    boards = oju.unrank(np.arange(1287), 8, 6)
    listed = boards.tolist()
    assert listed == sorted(listed) and len({tuple(board) for board in listed}) == 1287
    assert (boards.sum(axis=1) == 8).all() and listed[0] == [0, 0, 0, 0, 0, 8]
    assert np.array_equal(oju.rank(boards), np.arange(1287))
    # C(59, 11) and C(119, 23), the second larger than 64 bits.
    assert oju.tier_size(48) == 279871768995
    assert oju.tier_size(96, 24) == 2174440470729232136152995
    last = oju.tier_size(48) - 1
    assert oju.unrank([last], 48).tolist() == [[48] + [0] * 11]
    assert oju.rank(oju.unrank([last, 2**32], 48)).tolist() == [last, 2**32]
