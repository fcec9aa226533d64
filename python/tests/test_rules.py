"""Legal moves and play: against cases of independent programs, and against the rules read once more in naive.py."""

import random

import naive
import numpy as np
import oju
import pytest
from conftest import cases, seen


def test_moves_are_those_of_the_cases():
    engines = {profile: oju.Engine(profile) for profile in oju.profiles()}
    for profile, position, move, result, captured, laps in cases("moves.tsv"):
        engine = engines[profile]
        legal = {m.move: m for m in engine.legal_moves(position)}
        if move not in legal:
            assert result in ("endless", "illegal (does not feed)"), (profile, position, move)
            with pytest.raises(oju.InputError, match="never ends" if result == "endless" else "must be fed"):
                engine.play(position, move)
            continue
        m = legal[move]
        assert (m.position, m.captured, m.laps) == (result, int(captured), int(laps)), (profile, position, move)
        assert engine.play(position, move) == result


@pytest.mark.parametrize("game", ["ayoayo", "hoyito"])
@pytest.mark.parametrize("row, seeds", [(2, 8), (3, 8), (4, 4)])
def test_turns_are_those_of_the_rules(game, row, seeds):
    engine = oju.Engine(f"{game}@2x{row}x4")
    turn = naive.TURNS[game]
    boards = oju.unrank(np.arange(oju.tier_size(seeds, 2 * row)), seeds, 2 * row)
    passes = over = 0
    for board in map(tuple, boards.tolist()):
        position = "-".join(map(str, board))
        expected = turn(board)
        legal = engine.legal_moves(position)
        over += expected is None
        passes += expected is not None and expected[0][0] is None
        found = [
            (None if m.move == "-" else ord(m.move) - ord("A"), tuple(seen(m.position, row)), m.captured, m.again)
            for m in legal
        ]
        assert found == (expected or []), position
        assert engine.analyse(position, nodes=1).over == (expected is None), position
    # Eight seeds in two rows of three can always feed the other side.
    assert passes and (over or game == "hoyito" or row == 3)


def test_a_game_is_the_same_move_by_move_and_at_once():
    engine = oju.Engine("hoyito")
    random.seed(7)
    position, moves = engine.start, ""
    for _ in range(60):
        legal = engine.legal_moves(position)
        if not legal:
            break
        move = random.choice(legal)
        position, moves = move.position, moves + move.move
    assert len(moves) > 10
    assert engine.play("start", moves) == position
    assert [m.position for m in engine.legal_moves("start", moves)] == [m.position for m in engine.legal_moves(position)]


def test_profiles_and_their_rules_in_words():
    # The profiles of the rules, and what each says that the others do not.
    assert oju.profiles() == ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito", "hoyito12", "hoyito-opponent"]
    assert "the capturing seed stays on the board" in oju.rules("ayoayo-pratt")
    assert "two rows of 12 pits, 4 seeds in each, 96 in all" in oju.rules("hoyito12")
    assert oju.Engine("hoyito12").rules in oju.rules("hoyito12")
