"""How each game is played by the rounds that are shown to mutants: walls, manners, answers, values of options.

Not by the engine's bots: they will play better one day, and the numbers would mean other rounds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from services.scoring.core.doudizhu.cards import DECK, counts_of
from services.scoring.core.doudizhu.course import CLASSIC
from services.scoring.core.doudizhu.plays import legal as led
from tests.differential import kawuxing_rigs
from tests.differential import test_doudizhu_lockstep as doudizhu
from tests.differential import test_kawuxing_lockstep as kawuxing
from tests.differential import test_qinghunpeng_lockstep as qinghunpeng


@dataclass(frozen=True, slots=True)
class Chosen:
    """A wall, and what goes with it."""

    places: Sequence[int]
    """A permutation of the deck."""
    manners: Mapping[int, str] = field(default_factory=dict)
    """By seat from the dealer on."""
    wanted: str = ""
    """A tile that somebody waits for."""


Wall = Callable[[random.Random, str], Chosen]
"""From chance and the name of a rig, or empty for any."""
Manners = Callable[[random.Random, Chosen, int], Sequence[str]]
History = Sequence[tuple[int, str]]
Answer = Callable[[random.Random, str, tuple[str, ...], Mapping[str, Any], History], str]

Odd = Callable[[random.Random, tuple[str, ...], Mapping[str, Any]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Style:
    """How a game is played."""

    wall: Wall
    manners: Manners
    answer: Answer
    odd: Odd
    """Texts that are likely no answers."""
    values: Mapping[str, Sequence[Any]]
    """Values of options, the frequent ones more often."""


_KAWUXING_RIGS: Final[Mapping[str, tuple[Sequence[str], Mapping[int, str], Mapping[int, str]]]] = {
    # The dealer waits for all nine of a suit; the next seat holds nothing else and draws one more.
    "cornered": (("p1112345678999", "p1223344556678"), {0: "revealer", 1: "meek"}, {40: "p5"}),
    # Three triplets in a row are three runs, too: with the 5 either reading has one name.
    "equals": (("p444 p55 p666 z555 s11",), {0: "eager", 1: "meek", 2: "meek"}, {41: "p5", 42: "p5"}),
    # The dealer wins the replacement of a kong before anything else has happened.
    "heaven": (("z5555 p123456 s117",), {0: "konger"}, {39: "s7", 40: "s7"}),
    # Two seats win the dealer's first discard, the nearer one with two 暗四归一 and the other with one.
    "both": (
        ("", "p111123 s444456 z6", "p444456 s777123 z6"),
        {0: "meek", 1: "eager", 2: "eager"},
        {39: "z6"},
    ),
    # The seat after the next takes the dealer's first discard; then the next wins its first draw.
    "ponged": (
        ("", "p1239 s123456789", "z66 z55 p147 p58 s258 s9"),
        {0: "meek", 1: "eager", 2: "ponger"},
        {39: "z6", 41: "p9"},
    ),
    # The next seat takes the dealer's first discard with two of three, and makes two kongs later.
    "added": (("", "p555 z5555 p1 s147 z66"), {0: "meek", 1: "ponger", 2: "meek"}, {39: "p5"}),
    # The dealer reveals; a kong of its face-up triplet leaves it one wait of three.
    "fewer": (
        ("p5556 s123456 z777", "p1447789 s7788 s99"),
        {0: "revealer", 1: "meek", 2: "meek"},
        {39: "z6", 40: "p5"},
    ),
    # The next seat takes the dealer's discard with two of three; it then waits for the fifth tile only, ...
    "fifth": (("", "p555 s123456 z777 s9"), {0: "meek", 1: "ponger"}, {39: "p5"}),
    # ... or for another one, too.
    "sixth": (("", "p555 p678 z777 s123 s9"), {0: "meek", 1: "ponger"}, {39: "p5"}),
    # The dealer makes a kong; the next seat wins its first draw.
    "earth": (("z5555 p147 s147 z667", "p1239 s123456789"), {0: "konger", 1: "eager"}, {41: "p9"}),
}
"""By name: hands from the dealer on, manners, and tiles of the wall by place."""


def _kawuxing_wall(rng: random.Random, rig: str) -> Chosen:
    if rig == "robbery":
        wanted, manners = kawuxing_rigs.robbery(rng) or ({}, {})
        return _filled(rng, wanted, manners)
    if rig == "late":
        places, _ = kawuxing_rigs.any_wall(rng)
        return Chosen(places, dict.fromkeys(range(kawuxing_rigs.SEATS), "late"))
    if rig:
        hands, fitting, tiles = _KAWUXING_RIGS[rig]
        placed = dict(tiles)
        for step, hand in enumerate(hands):
            names = [group[0] + rank for group in hand.split() for rank in group[1:]]
            placed.update(zip(kawuxing_rigs.seats_places(step), names, strict=bool(names)))
        return _filled(rng, placed, fitting)
    return Chosen(*kawuxing_rigs.any_wall(rng))


def _filled(rng: random.Random, wanted: Mapping[int, str], manners: Mapping[int, str]) -> Chosen:
    """Return a wall with some tiles where they are wanted, and the rest shuffled."""
    left = list(range(len(kawuxing_rigs.DECK)))
    rng.shuffle(left)
    places = [-1] * len(left)
    for at, name in wanted.items():
        place = next(place for place in left if kawuxing_rigs.DECK[place] == name)
        left.remove(place)
        places[at] = place
    return Chosen([left.pop() if place < 0 else place for place in places], manners)


def _kawuxing_manners(rng: random.Random, chosen: Chosen, dealer: int) -> Sequence[str]:
    kinds = rng.choice([kawuxing_rigs.MANNERS, ["revealer", "meek", "konger"], ["eager"], ["late"]])
    seats = kawuxing_rigs.SEATS
    return [chosen.manners.get((seat - dealer) % seats) or rng.choice(kinds) for seat in range(seats)]


def _kawuxing_answer(
    rng: random.Random, manner: str, legal: tuple[str, ...], seen: Mapping[str, Any], history: History
) -> str:
    if manner == "late":
        manner = "eager" if seen["wall_left"] < 2 else "meek"
    to_a_kong = history[-1:] != [] and "bu" in history[-1][1]
    return kawuxing_rigs.answer(rng, manner, list(legal), str(seen["drawn"]), to_a_kong=to_a_kong)


_DOUDIZHU_RIGS: Final = {"long": "3456789TJQKA22233", "pairs": "33445566778899TTJ"}
"""The first speaker's hand."""


def _doudizhu_wall(rng: random.Random, rig: str) -> Chosen:
    places = doudizhu.any_places(rng)
    for letter in reversed(_DOUDIZHU_RIGS.get(rig, "")):
        places.remove(place := next(place for place in reversed(places) if DECK[place] == letter))
        places.insert(0, place)
    return Chosen(places, {0: "much"} if rig else {})


def _doudizhu_manners(rng: random.Random, chosen: Chosen, dealer: int) -> Sequence[str]:
    manners = [rng.choice(["any", "much", "much", "little", "declines", "meek"]) for _ in range(3)]
    return [chosen.manners.get((seat - dealer) % 3, manner) for seat, manner in enumerate(manners)]


def _doudizhu_answer(
    rng: random.Random, manner: str, legal: tuple[str, ...], seen: Mapping[str, Any], history: History
) -> str:
    return doudizhu.answer(rng, manner, legal)


_M9: Final = "m1 m2 m3 m4 m5 m6 m7 m8 m5 m5 m1 m2 m3"
"""Waits for m9."""

_QINGHUNPENG_RIGS: Final[Mapping[str, tuple[Mapping[int, str], Mapping[int, str], Sequence[str]]]] = {
    # The next seat discards; then the one behind it gives what that waits for as its own first discard.
    "own": ({1: _M9}, {52: "z4", 53: "z3", 54: "m9"}, ("gives z4", "wants", "gives m9", "meek")),
    # The next seat is passed over by a 碰, and waits for the dealer's second discard.
    "second": ({1: _M9, 2: "z1 z1"}, {52: "z1", 54: "m9"}, ("gives z1,m9", "wants", "claims", "meek")),
    # The next seat makes a 暗杠 in its first turn and wins the replacement.
    "kong": (
        {1: "z2 z2 z2 z2 m1 m2 m3 m4 m5 m6 m7 m7 m8"},
        {53: "m9", 143: "m7"},
        ("meek", "claims", "meek", "meek"),
    ),
    # The next seat was dealt a flower, and is complete with its replacement and its first draw.
    "flower": (
        {1: "f1 m1 m2 m3 m4 m5 m6 m7 m8 m9 m1 m1 m2"},
        {53: "m4", 143: "m3"},
        ("meek", "wants", "meek", "meek"),
    ),
    # The next seat still keeps three flowers, and its other tiles wait for the dealer's discard.
    "kept": (
        {1: "f1 f2 f3 m1 m2 m3 m4 m5 m6 m7 m8 m1 m1"},
        {52: "m9"},
        ("gives m9", "wants", "meek", "meek"),
    ),
    # Two seats wait for the dealer's discard with one pattern, but other flowers.
    "both": (
        {1: "m1 m2 m3 m7 m8 z1 z1 z1 z5 z5 z5 z2 z2", 3: "m4 m5 m6 m7 m8 m1 m2 m3 z6 z6 z3 z3 z3"},
        {52: "m9"},
        ("gives m9", "wants", "meek", "wants"),
    ),
}
"""By name: tiles of hands from the dealer on, tiles of the wall by place, and manners."""


def _qinghunpeng_wall(rng: random.Random, rig: str) -> Chosen:
    if not rig:
        wall, wanted = qinghunpeng.any_wall(rng)
        return Chosen(_places_of(wall), {}, wanted)
    hands, tiles, manners = _QINGHUNPENG_RIGS[rig]
    placed = dict(tiles)
    for turn, hand in hands.items():
        at = [block[4 * turn + step] for block in qinghunpeng.BLOCKS for step in range(4)] + [48 + turn]
        placed.update(zip(at, hand.split(), strict=False))
    # No other flower is dealt or drawn soon.
    flowers = [f"f{number}" for number in range(1, 9) if f"f{number}" not in placed.values()]
    placed.update(zip(range(100, 108), flowers, strict=False))
    left = list(qinghunpeng.GAME.deck())
    for tile in placed.values():
        left.remove(tile)
    rng.shuffle(left)
    walled = [placed.get(at) or left.pop() for at in range(len(left) + len(placed))]
    return Chosen(_places_of(walled), dict(enumerate(manners)))


def _places_of(wall: Sequence[str]) -> Sequence[int]:
    """Return tiles by name as places in the deck."""
    by_name: dict[str, list[int]] = {}
    for place, name in enumerate(qinghunpeng.GAME.deck()):
        by_name.setdefault(name, []).append(place)
    return [by_name[name].pop() for name in wall]


_RIGGED: Final = (
    ("gives", "robs", "claims", "meek"),
    ("gives", "wants", "kongs", "wants"),
    ("gives", "declines", "meek", "declines"),
)
"""Who does what at a table where one tile is wanted, from the dealer on."""


def _qinghunpeng_manners(rng: random.Random, chosen: Chosen, dealer: int) -> Sequence[str]:
    kinds = ["any", "wants", "wants", "claims", "kongs", "meek", "declines", "robs"]
    manners = [rng.choice(kinds) for _ in range(4)]
    if chosen.wanted and rng.random() < 0.5:
        ways = rng.choice(_RIGGED)
        manners = [ways[(seat - dealer) % 4] for seat in range(4)]
    if chosen.manners:
        return [chosen.manners[(seat - dealer) % 4] for seat in range(4)]
    # The wanted tile goes with the manner, so that an answer needs no more than its seat's manner.
    return [f"{manner} {chosen.wanted}" for manner in manners]


def _qinghunpeng_answer(
    rng: random.Random, manner: str, legal: tuple[str, ...], seen: Mapping[str, Any], history: History
) -> str:
    kind, _, names = manner.partition(" ")
    wanted = next((name for name in names.split(",") if f"discard {name}" in legal), names)
    hand = seen["hand"]
    held = hand if isinstance(hand, list) else [hand[at : at + 2] for at in range(0, len(hand), 2)]
    # Who declines takes the last tile of all.
    if seen["wall_left"] <= 60 and rng.random() < 0.02:
        kind = "wants"
    return qinghunpeng.answer(rng, kind, held, wanted, legal)


def _kawuxing_odd(rng: random.Random, legal: tuple[str, ...], seen: Mapping[str, Any]) -> Sequence[str]:
    return kawuxing.odd_texts(rng, legal)


def _doudizhu_odd(rng: random.Random, legal: tuple[str, ...], seen: Mapping[str, Any]) -> Sequence[str]:
    texts = doudizhu.odd_texts(rng, seen["hand"], legal)
    if "pass" in legal:
        # What could be led but perhaps does not beat what lies there.
        leads = led(counts_of(seen["hand"]), None, CLASSIC)
        texts += rng.sample(leads, min(8, len(leads)))
    return texts


def _qinghunpeng_odd(rng: random.Random, legal: tuple[str, ...], seen: Mapping[str, Any]) -> Sequence[str]:
    return qinghunpeng.odd_texts(rng, legal)


STYLES: Final[Mapping[str, Style]] = {
    "kawuxing": Style(_kawuxing_wall, _kawuxing_manners, _kawuxing_answer, _kawuxing_odd, kawuxing.VALUES),
    "qinghunpeng": Style(
        _qinghunpeng_wall, _qinghunpeng_manners, _qinghunpeng_answer, _qinghunpeng_odd, qinghunpeng.VALUES
    ),
    "doudizhu": Style(_doudizhu_wall, _doudizhu_manners, _doudizhu_answer, _doudizhu_odd, doudizhu.VALUES),
}
"""By game."""
