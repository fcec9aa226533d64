"""Exact solving of two relay mancala games, Ayoayo and Hoyito II.

A position is a text: the counts of all pits in sowing order, South's row first, South's store, North's store and the side to move,
joined by "-"; stores and side may be left out, and "start" is the start. Moves are pit letters such as "CdF", "-" a forced pass. Boards
in arrays are rows of counts seen by the side to move, its own row first. Values are seeds that the side to move wins minus seeds
that it loses from there on under best play by both, stores excluded.
"""

import os
from collections.abc import Callable
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

NEVER: int
"""The distance of a value that is never converted, in arrays: 65535."""
UNKNOWN: int
"""The value, low or high that tables do not tell, in arrays: -32768."""

class InputError(ValueError):
    """What was given can not be: what, where, and what would be right."""

class TableError(Exception):
    """A table is missing, damaged, of other rules, or can not be read or written."""

class BuildError(Exception):
    """Tables that memory or disk have no room for, or that can not be built."""

@final
class Engine:
    """Plays and analyses one profile.

    profile: a name of profiles(), or a custom board such as "ayoayo@2x4x3". tables: the directory of its tables; none are used if not
    given. threads: as many as there are cores if not given. tt: bytes for the search's tables, 512 MiB if not given, taken when
    they are needed. What a search has proven, and what was read from tables, is kept for the next question.
    """

    def __new__(
        cls,
        profile: str = "ayoayo",
        *,
        tables: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        tt: int | None = None,
    ) -> Engine: ...
    @property
    def profile(self) -> str:
        """The profile's name."""
    @property
    def rules(self) -> str:
        """The fingerprint of the rules, eight hexadecimal digits."""
    @property
    def pits(self) -> int:
        """Pits, both rows together."""
    @property
    def seeds(self) -> int:
        """Seeds of the whole game."""
    @property
    def start(self) -> str:
        """The position at the start."""
    @property
    def tables_up_to(self) -> int | None:
        """The most seeds of a position that has a table, None where there are no tables."""
    def analyse(
        self,
        position: str = "start",
        moves: str = "",
        *,
        time: float | None = None,
        nodes: int | None = None,
        forced: bool = False,
    ) -> Analysis:
        """The exact value of a position, after some moves, and of all its moves, or proven bounds where a limit ends the search before.

        time: seconds it may take. nodes: boards it may expand. forced: the forced intervals too, what holds whatever infinite play is
        worth. Ctrl-C ends it.
        """
    def legal_moves(self, position: str = "start", moves: str = "") -> list[Move]:
        """The legal moves of a position, after some moves, in the order of pits; none where the game is over."""
    def play(self, position: str, moves: str) -> str:
        """The position after some moves."""
    def probe(self, position: str = "start", moves: str = "") -> Probe | None:
        """What tables say of a position, after some moves; None where there is no table of so many seeds."""
    def probe_many(self, boards: ArrayLike) -> Probes:
        """What tables say of many boards, an array of whole numbers of shape (n, pits): a row a board, seen by the side to move."""
    def tier(self, seeds: int) -> Tier:
        """All positions with so many seeds, from their table and those below it."""

@final
class Analysis:
    """The analysis of one position. Numbers are from the view of its side to move."""

    @property
    def profile(self) -> str:
        """The profile's name."""
    @property
    def rules(self) -> str:
        """The fingerprint of the rules, eight hexadecimal digits."""
    @property
    def position(self) -> str:
        """The position."""
    @property
    def turn(self) -> Literal["south", "north"]:
        """The side to move."""
    @property
    def seeds(self) -> int:
        """Seeds on the board."""
    @property
    def value(self) -> int | None:
        """Seeds the side to move will win minus those the other will, from here on, stores excluded; None where it is not exact."""
    @property
    def result(self) -> tuple[float, float] | None:
        """Final stores of South and North under best play, x.5 where an odd rest is split; None where the value is not exact."""
    @property
    def bounds(self) -> tuple[int, int]:
        """Proven bounds of the value."""
    @property
    def exact(self) -> bool:
        """The bounds are equal."""
    @property
    def forced(self) -> tuple[int, int] | None:
        """The value if infinite play gave what is left to the other side, and if to this one; None if not known."""
    @property
    def forced_bounds(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Proven bounds of both ends of the forced interval; None if nothing was asked of them."""
    @property
    def standoff(self) -> bool | None:
        """The forced interval is not one number; None if not known."""
    @property
    def distance(self) -> int | None:
        """Sowings until the value is converted, None if not known."""
    @property
    def source(self) -> Literal["table", "search", "rules"]:
        """Where the value comes from: "table" (or a tier solved in memory), "search", or "rules" (the game is over)."""
    @property
    def over(self) -> bool:
        """The game is over."""
    @property
    def endless(self) -> list[str]:
        """Letters of the pits whose sowing never ends."""
    @property
    def moves(self) -> list[MoveAnalysis]:
        """Every legal move, best first."""
    @property
    def line(self) -> str:
        """Best play; a pass is "-", a closed cycle ends in "…"."""
    @property
    def nodes(self) -> int:
        """Boards expanded by the search."""
    @property
    def time_ms(self) -> float:
        """Milliseconds taken."""
    @property
    def version(self) -> str:
        """The version of oju."""
    def to_dict(self) -> dict[str, Any]:
        """All of it as a dictionary: what "oju best --json" says."""

@final
class MoveAnalysis:
    """The analysis of one legal move. Numbers are from the view of its mover."""

    @property
    def move(self) -> str:
        """The pit's letter, or "-" for a forced pass."""
    @property
    def captured(self) -> int:
        """Seeds taken."""
    @property
    def again(self) -> bool:
        """The mover is to move again."""
    @property
    def laps(self) -> int:
        """Laps sown, 0 for a pass."""
    @property
    def value(self) -> int | None:
        """The value of the move, what it takes included; None where it is not exact."""
    @property
    def bounds(self) -> tuple[int, int]:
        """Proven bounds of the value."""
    @property
    def exact(self) -> bool:
        """The bounds are equal."""
    @property
    def forced(self) -> tuple[int, int] | None:
        """The forced interval of the move, as of the position."""
    @property
    def forced_bounds(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Proven bounds of both ends of the forced interval; None if nothing was asked of them."""
    @property
    def standoff(self) -> bool | None:
        """The forced interval is not one number; None if not known."""
    @property
    def position(self) -> str:
        """The position afterwards."""

@final
class Move:
    """A legal move, played out."""

    @property
    def move(self) -> str:
        """The pit's letter, or "-" for a forced pass."""
    @property
    def captured(self) -> int:
        """Seeds taken."""
    @property
    def again(self) -> bool:
        """The mover is to move again."""
    @property
    def laps(self) -> int:
        """Laps sown, 0 for a pass."""
    @property
    def position(self) -> str:
        """The position afterwards."""

@final
class Probe:
    """What tables say of a position, from the view of its side to move."""

    @property
    def value(self) -> int:
        """Seeds it will win minus seeds it will lose, stores excluded."""
    @property
    def distance(self) -> int | None:
        """Sowings until the value is converted, None where it never is."""
    @property
    def forced(self) -> tuple[int, int] | None:
        """Low and high end of the forced interval, None where the tables were built without."""

@final
class Probes:
    """What tables say of many positions: arrays of one number a position, from the view of its side to move."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether there is a table of the position."""
    @property
    def value(self) -> NDArray[np.int16]:
        """The value, UNKNOWN where there is no table."""
    @property
    def distance(self) -> NDArray[np.uint16]:
        """Sowings until the value is converted, NEVER where it never is or there is no table."""
    @property
    def low(self) -> NDArray[np.int16]:
        """The low end of the forced interval, UNKNOWN where there is no table of it."""
    @property
    def high(self) -> NDArray[np.int16]:
        """The high end of the forced interval, UNKNOWN where there is no table of it."""
    def __len__(self) -> int: ...

@final
class Tier:
    """All positions of a tier with their numbers, read from its table. Row r is the position of rank r."""

    def read(self, start: int | None = None, stop: int | None = None) -> Rows:
        """The rows of ranks start to stop, stop not included: to the end if not given."""
    def chunks(self, rows: int | None = None) -> Chunks:
        """All rows in parts of so many, about a million if not given: one part at a time is in memory."""
    def __len__(self) -> int: ...

@final
class Rows:
    """Some positions that follow one another in rank, and their numbers, from the view of the side to move."""

    @property
    def boards(self) -> NDArray[np.uint8]:
        """Of shape (n, pits): the counts, the row of the side to move first."""
    @property
    def value(self) -> NDArray[np.int16]:
        """The value."""
    @property
    def distance(self) -> NDArray[np.uint16]:
        """Sowings until the value is converted, NEVER where it never is."""
    @property
    def low(self) -> NDArray[np.int16] | None:
        """The low end of the forced interval, None where the table was built without."""
    @property
    def high(self) -> NDArray[np.int16] | None:
        """The high end of the forced interval, None where the table was built without."""
    def __len__(self) -> int: ...

@final
class Chunks:
    """The parts of a tier, in order."""

    def __iter__(self) -> Chunks: ...
    def __next__(self) -> Rows: ...

def profiles() -> list[str]:
    """The names of the profiles. "ayoayo@2x4x3" is a custom board: Ayoayo on two rows of four pits with three seeds in each."""

def rules(profile: str) -> str:
    """The rules of a profile in words, with their fingerprint."""

def build(
    profile: str,
    seeds: int,
    dir: str | os.PathLike[str],
    *,
    forced: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Callable[[int, int, int], object] | None = None,
) -> list[int]:
    """Solves every position of up to so many seeds and writes the tables to a directory, which is made where it is not there. What is
    there already is not built again. Gives the seeds of the tiers that were built.

    forced: forced intervals too. threads: as many as there are cores if not given. memory: bytes it may take, nine tenths of what is
    free if not given. progress: called after each tier with its seeds, the positions solved so far, and all that are to be
    solved; what it raises ends the build. So does Ctrl-C, within seconds, and the same call goes on from there.
    """

def tier_size(seeds: int, pits: int | None = None) -> int:
    """The number of positions with so many seeds in so many pits, both rows together: 12 if not given."""

def rank(boards: ArrayLike) -> NDArray[np.uint64]:
    """The rank of each board within its tier, as uint64. boards: shape (n, pits). Ranks are in lexicographic order of the counts: rank 0
    has all seeds in the last pit.
    """

def unrank(ranks: ArrayLike, seeds: int, pits: int | None = None) -> NDArray[np.uint8]:
    """The boards with these ranks in the tier of so many seeds, as uint8 of shape (n, pits), 12 pits if not given: the inverse of rank."""
