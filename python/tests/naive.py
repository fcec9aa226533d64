"""The rules of Ayoayo and Hoyito II once more, literally and slowly, for the tests to compare with. Shares nothing with oju.

A board is a tuple of counts seen by the side to move. A turn is None where the game is over, else a list of
(pit or None for a pass, board afterwards seen by whoever is to move then, seeds taken, moves again).
"""


def turned(board):
    row = len(board) // 2
    return board[row:] + board[:row]


def lap(board, origin, skip_origin):
    """Lifts a pit and sows it: the board afterwards, and where the last seed fell."""
    board = list(board)
    seeds, board[origin] = board[origin], 0
    at = origin
    while seeds:
        at = (at + 1) % len(board)
        if skip_origin and at == origin:
            continue
        board[at] += 1
        seeds -= 1
    return board, at


def ayoayo_sowing(board, pit):
    """The board afterwards, seen by the mover, and the seeds taken; None where the sowing never ends."""
    row = len(board) // 2
    seen = set()
    while (tuple(board), pit) not in seen:
        seen.add((tuple(board), pit))
        board, last = lap(board, pit, True)
        if board[last] > 1:
            pit = last
            continue
        taken, opposite = 0, len(board) - 1 - last
        if last < row and board[opposite]:
            taken = board[last] + board[opposite]
            board[last] = board[opposite] = 0
        return tuple(board), taken, False
    return None


def hoyito_sowing(board, pit):
    """As ayoayo_sowing, and whether the mover moves again."""
    seen = set()
    while (tuple(board), pit) not in seen:
        seen.add((tuple(board), pit))
        board, last = lap(board, pit, False)
        if board[last] == 1:
            return tuple(board), 0, False
        if board[last] != 4:
            pit = last
            continue
        taken, at = 0, last
        while board[at] == 4:
            board[at] = 0
            taken += 4
            at = (at - 1) % len(board)
        if sum(board) == 4:
            board = [0] * len(board)
            taken += 4
        return tuple(board), taken, True
    return None


def sowings(board, sowing):
    """The sowings that end, in the order of pits."""
    for pit in range(len(board) // 2):
        if board[pit]:
            done = sowing(board, pit)
            if done:
                after, taken, again = done
                yield pit, after if again else turned(after), taken, again


def ayoayo(board):
    row = len(board) // 2

    def feeding(board):
        return [move for move in sowings(board, ayoayo_sowing) if any(move[1][:row])]

    if not any(board):
        return None
    if not any(board[:row]):
        return [(None, turned(board), 0, False)] if feeding(turned(board)) else None
    if not any(board[row:]):
        return feeding(board) or None
    return list(sowings(board, ayoayo_sowing)) or [(None, turned(board), 0, False)]


def hoyito(board):
    if not any(board):
        return None
    return list(sowings(board, hoyito_sowing)) or [(None, turned(board), 0, False)]


def rest(board):
    """What is left when the game is over, from the view of the side to move: the player who moved last has it."""
    return -sum(board)


TURNS = {"ayoayo": ayoayo, "hoyito": hoyito}
