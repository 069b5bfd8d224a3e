"""Positions of 清混碰 made from a few words, and what came of them."""

from collections import Counter
from typing import Any

from engine.mahjong.flowers import DECK, TEXTS, any_tile
from engine.mahjong.tiles import parse_tile
from engine.qinghunpeng.flow_vectors import tiles_of_groups
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.setup import SeatSetup, set_up

GAME = Qinghunpeng()
IDLE = "m258 p147 s369 z1234"
"""A hand that takes no part."""
FLUSH = "m12345678 m55 m123"
"""Wins on m9 with 清一色; m3 and m6 complete it too."""
PUNGS = "p111 p222 s333 z33 m99"
"""Wins on m9 and z3 with 碰碰胡."""


def laid(*melds: str) -> list[Laid]:
    """Return melds such as `peng:m9` or `chi:m1:0`, the last with the seat it was taken from."""
    found = []
    for meld in melds:
        kind, tile, *source = meld.split(":")
        found.append(Laid(kind, parse_tile(tile), int(source[0]) if source else -1))
    return found


def table(
    hands: tuple[str, str, str, str],
    drawn: str,
    wall: str = "s9 s9 s8 s7",
    melds: Any = ((), (), (), ()),
    flowers: Any = ("", "", "", ""),
    fresh: tuple[int, ...] = (),
    **more: Any,
) -> Position:
    """Return a position in which seat 0 acts; `fresh` seats have not discarded; other words are options."""
    special = {name: more.pop(name) for name in ("after", "dealer", "turn", "times") if name in more}
    seats = [
        SeatSetup(
            tiles_of_groups(hand),
            own,
            () if seat in fresh else [parse_tile("z7")],
            tiles_of_groups(exposed),
        )
        for seat, (hand, own, exposed) in enumerate(zip(hands, melds, flowers, strict=True))
    ]
    return set_up(
        GAME.ruleset(more.pop("preset", "seed000"), more),
        seats,
        special.pop("turn", 0),
        wall=[any_tile(tile) for tile in wall.split()],
        drawn=parse_tile(drawn) if drawn else -1,
        **special,
    )


def play(position: Position, *steps: str) -> None:
    """Play steps such as `0 discard p5`."""
    for step in steps:
        seat, action = step.split(" ", 1)
        position.apply(int(seat), action)


def names(position: Position, seat: int | None = None) -> list[str]:
    outcome = position.outcome()
    assert outcome is not None
    wins = dict(outcome.wins)
    return [name for name, _ in wins[outcome.winners[0] if seat is None else seat].names]


def ended(position: Position) -> tuple[str, list[int]]:
    outcome = position.outcome()
    assert outcome is not None
    return outcome.how, list(outcome.points)


def dealt(hands: tuple[str, ...], wall: str, tail: str = "", dealer: int = 0, **options: Any) -> Position:
    """Deal hands (14 tiles to the dealer, by seat from the dealer), then a wall with a given tail."""
    first, *others = [tiles_of_groups(hand) for hand in hands]
    fourteenth = first.pop()
    blocks = [first, *others]
    order = [
        tile
        for start, end in ((0, 4), (4, 8), (8, 12), (12, 13))
        for block in blocks
        for tile in block[start:end]
    ]
    head = [*order, fourteenth, *[any_tile(text) for text in wall.split()]]
    end = [any_tile(text) for text in tail.split()]
    left = Counter(any_tile(text) for text in DECK)
    left.subtract([*head, *end])
    assert min(left.values()) >= 0, "a tile is there too often"
    draws = options.pop("draws", 0)
    preset = options.pop("preset", "seed000")
    whole = [TEXTS[tile] for tile in [*head, *left.elements(), *end]]
    return GAME.deal(GAME.ruleset(preset, options), whole, dealer, draws)
