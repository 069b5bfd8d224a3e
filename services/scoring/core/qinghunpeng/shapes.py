"""How concealed tiles part into sets and a pair: plain recursion over counts, every way it goes."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from services.scoring.core.qinghunpeng.tiles import SUIT_KINDS

SETS: Final = 4
"""Sets of a complete hand, melds included; a pair comes with them."""


class Part(NamedTuple):
    """One set or the pair of a hand."""

    form: str
    """`run`, `triplet` or `pair`."""
    kind: int
    """Of a run the lowest."""

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its tiles, lowest first."""
        if self.form == "run":
            return (self.kind, self.kind + 1, self.kind + 2)
        return (self.kind,) * (2 if self.form == "pair" else 3)


Parting = tuple[Part, ...]
"""Sets and one pair, by the lowest tile; of those that begin alike triplet, pair, runs."""


def partings(held: Sequence[int]) -> Iterator[Parting]:
    """Yield every way to part tiles into sets and exactly one pair, each once.

    The number of sets follows from the number of tiles; unless that is two more than a multiple of three,
    there is no way.
    """
    if sum(held) % 3 == 2:
        yield from _parted(list(held), 0, ())


def _parted(left: list[int], kind: int, taken: Parting) -> Iterator[Parting]:
    """Take the lowest tile away with each set or pair it can begin, and go on with the rest."""
    while kind < len(left) and not left[kind]:
        kind += 1
    if kind == len(left):
        if any(part.form == "pair" for part in taken):
            yield taken
        return
    for part in _begun(left, kind, taken):
        for each in part.kinds:
            left[each] -= 1
        yield from _parted(left, kind, (*taken, part))
        for each in part.kinds:
            left[each] += 1


def _begun(left: Sequence[int], kind: int, taken: Parting) -> list[Part]:
    """Return what a tile can begin; behind a run of the same tile only a run, or a parting came up twice."""
    found = []
    if not taken or taken[-1] != Part("run", kind):
        if left[kind] >= 3:
            found.append(Part("triplet", kind))
        if left[kind] >= 2 and all(part.form != "pair" for part in taken):
            found.append(Part("pair", kind))
    # The last two of a suit begin no run, and neither does an honour.
    if kind < SUIT_KINDS and kind % 9 < 7 and left[kind + 1] and left[kind + 2]:
        found.append(Part("run", kind))
    return found


def are_triplets(held: Sequence[int]) -> bool:
    """Say whether tiles are triplets and one pair, without parting them."""
    return held.count(2) == 1 and not (held.count(1) or held.count(4))
