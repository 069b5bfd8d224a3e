"""How many sequences of answers positions of 卡五星 have; a slow generator agrees with the shallow counts.

The slow generator tries every text that is an action of some position. A plain reading of the rules, on
lists of tile texts and by exhaustive search, says whether it is legal here, and ``apply`` must accept and
refuse the same.
"""

import json
import os
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from bench import mahjong_reference as plain
from engine.errors import ActionRefused
from engine.kawuxing.flow_vectors import melds_of, rules_of, tiles_of_groups
from engine.kawuxing.setup import SeatSetup, set_up
from engine.mahjong.tiles import TILE_TEXTS, hand_tiles, parse_tile
from tests.golden.tree import perft

PATH = Path(__file__).parent / "perft" / "kawuxing.txt"
VECTORS = Path(__file__).parents[1] / "vectors" / "kawuxing_flow.jsonl"
REWRITE = os.environ.get("GOLDEN_REWRITE") == "1"
DEPTH = 4
SLOW_DEPTH = 2

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "strict": {
        "kong_after_pong": False,
        "bugang_only_drawn": True,
        "reveal_no_claim": True,
        "ban_feeding": True,
        "claim_last": "hu_pong",
    },
    "loose": {"reveal_kong_check": "still_ting", "reveal_auto_hu": False, "replacement_from_tail": True},
}

CASES = {
    case["id"]: case
    for case in map(json.loads, VECTORS.read_text(encoding="utf-8").splitlines())
    if "hands" in case["start"]
}
POSITIONS = [
    ("a hu and a kong on one tile", "kwx-f07"),
    ("three of a tile beside its discard", "kwx-f14"),
    ("a kong that may be robbed", "kwx-f21"),
    ("kongs in a row", "kwx-f25"),
    ("an empty wall", "kwx-f34"),
    ("a revealed seat with a face-up triplet", "kwx-f43"),
    ("a kong that changes the waits", "kwx-f49"),
    ("two tiles, both dangerous", "kwx-f56"),
    ("a pong after which one may reveal", "kwx-f77"),
]


def build(name: str, options: str) -> Any:
    """Return the position of a worked example under other options."""
    start = CASES[name]["start"]
    seats = [
        SeatSetup(tiles_of_groups(hand), melds_of(melds), [parse_tile(tile) for tile in river.split()])
        for hand, melds, river in zip(start["hands"], start["melds"], start["rivers"], strict=True)
    ]
    return set_up(
        rules_of({"options": OPTIONS[options]}),
        seats,
        start["turn"],
        dealer=start["dealer"],
        wall=[parse_tile(tile) for tile in start["wall"].split()],
        drawn=parse_tile(start["drawn"]),
        after=start["after"],
        revealed={
            one["seat"]: [parse_tile(tile) for tile in one.get("kou", ())]
            for one in start.get("revealed", ())
        },
    )


def counts() -> str:
    """Return the counts of every position, set of options and depth as lines."""
    lines = []
    for title, name in POSITIONS:
        for options in OPTIONS:
            numbers = [perft(build(name, options), depth) for depth in range(1, DEPTH + 1)]
            lines.append(f"{title}; {options}: {' '.join(map(str, numbers))}")
    return "\n".join(lines) + "\n"


def test_the_counts_are_the_golden_ones() -> None:
    text = counts()
    if REWRITE:
        PATH.write_text(text, encoding="utf-8")
    assert text == PATH.read_text(encoding="utf-8")


@pytest.mark.parametrize(("title", "name"), POSITIONS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_slow_generator_counts_the_same(title: str, name: str, options: str) -> None:
    for depth in range(1, SLOW_DEPTH + 1):
        position = build(name, options)
        assert slow_perft(position, depth) == perft(position, depth)


def slow_perft(position: Any, depth: int) -> int:
    """Count as ``perft`` does, by trying every conceivable action of every seat."""
    if depth == 0 or position.outcome() is not None:
        return 1
    total = 0
    after = position.clone()
    for seat in range(3):
        table = Table(position, seat)
        for action in table.conceivable():
            expected = position.asked[seat] is not None and table.allows(action)
            try:
                after.apply(seat, action)
            except ActionRefused:
                assert not expected, (seat, action)
                continue
            assert expected, (seat, action)
            total += slow_perft(after, depth - 1)
            after = position.clone()
    return total


def texts(hand: int) -> list[str]:
    return [TILE_TEXTS[tile] for tile in hand_tiles(hand)]


class Table:
    """What the rules, read plainly, allow a seat now."""

    def __init__(self, position: Any, seat: int) -> None:
        self.position, self.seat, self.rules = position, seat, position.rules
        self.hand = texts(position.hands[seat])
        self.melds = [(meld.kind, TILE_TEXTS[meld.tile]) for meld in position.melds[seat]]
        self.drawn = TILE_TEXTS[position.drawn] if position.drawn >= 0 else ""
        self.wall = len(position.wall[position.at : position.end_at])
        self.reveal = position.revealed[seat]
        self.kou = [TILE_TEXTS[tile] for tile in self.reveal.kou] if self.reveal else []

    def conceivable(self) -> list[str]:
        """Return every text that is an action of some position with these tiles."""
        found = ["hu", "pass", "peng", "piao 0"]
        for tile in plain.KINDS:
            found += [f"discard {tile}", f"gang an {tile}", f"gang bu {tile}", f"gang ming {tile}"]
            triplets = [kind for kind in plain.KINDS if self.hand.count(kind) >= 3]
            for size in range(len(triplets) + 1):
                found += [" ".join(["liang", tile, *kou]) for kou in combinations(triplets, size)]
        return found

    def waits(self, hand: list[str], melds: list[tuple[str, str]], pairs: bool = True) -> set[str]:
        owned = [*self.copies(melds), *hand]
        return {tile for tile in plain.waits(hand, pairs and not melds) if owned.count(tile) < 4}

    @staticmethod
    def copies(melds: list[tuple[str, str]]) -> list[str]:
        return [tile for kind, tile in melds for _ in range(3 if kind == "peng" else 4)]

    def shown_waits(self, seat: int) -> set[str]:
        reveal = self.position.revealed[seat]
        return {TILE_TEXTS[tile] for tile in range(34) if reveal and reveal.waits >> tile & 1}

    def allows(self, action: str) -> bool:
        phase = self.position.phase
        if phase == "turn":
            return self.seat == self.position.turn and self.in_turn(action)
        tile = TILE_TEXTS[self.position.shown[0]]
        if action == "pass":
            return True
        if action == "hu":
            return tile in self.waits(self.hand, self.melds)
        if phase == "rob":
            return False
        if action == "peng":
            may = self.wall > 0 or self.rules.claim_last == "hu_pong"
            return self.reveal is None and self.hand.count(tile) >= 2 and may
        return action == f"gang ming {tile}" and self.may_kong("ming", tile)

    def in_turn(self, action: str) -> bool:
        kind, *words = action.split(" ")
        if kind == "hu":
            rest = list(self.hand)
            if not self.drawn:
                return False
            rest.remove(self.drawn)
            return self.drawn in self.waits(rest, self.melds)
        if kind == "gang":
            return words[0] != "ming" and self.may_kong(words[0], words[1])
        if kind == "discard":
            return self.may_discard(words[0])
        return kind == "liang" and self.may_reveal(words[0], words[1:])

    def may_discard(self, tile: str) -> bool:
        if tile not in self.hand:
            return False
        if self.reveal is not None:
            return tile == self.drawn
        return tile not in self.dangerous() or not set(self.hand) - self.dangerous()

    def dangerous(self) -> set[str]:
        if not self.rules.ban_feeding:
            return set()
        return {tile for other in range(3) if other != self.seat for tile in self.shown_waits(other)}

    def may_reveal(self, tile: str, kou: list[str]) -> bool:
        if self.reveal is not None or not self.may_discard(tile):
            return False
        rest = list(self.hand)
        rest.remove(tile)
        waits = self.waits(rest, self.melds)
        if not waits or any(rest.count(hidden) < 3 for hidden in kou):
            return False
        fixed = list(rest)
        for hidden in kou:
            for _ in range(3):
                fixed.remove(hidden)
        laid = [*self.melds, *[("peng", hidden) for hidden in kou]]
        return not kou or self.waits(fixed, laid, pairs=False) == waits

    def may_kong(self, kind: str, tile: str) -> bool:
        needed = {"an": 4, "bu": 1, "ming": 3}[kind]
        held, own_turn = self.hand.count(tile), kind != "ming"
        if not self.wall or held < needed or (kind == "bu" and ("peng", tile) not in self.melds):
            return False
        if own_turn and not self.drawn and not self.rules.kong_after_pong:
            return False
        if kind == "bu" and self.rules.bugang_only_drawn and tile != self.drawn:
            return False
        if self.reveal is None:
            return True
        if own_turn and tile != self.drawn:
            return False
        if not own_turn and self.rules.reveal_no_claim and tile not in self.kou:
            return False
        rest = [kept for kept in self.hand if kept != tile] + [tile] * (held - needed)
        laid = [meld for meld in self.melds if meld != ("peng", tile)] + [(kind, tile)]
        after = self.waits(rest, laid)
        same = self.rules.reveal_kong_check == "same_waits"
        return after == self.shown_waits(self.seat) if same else bool(after)
