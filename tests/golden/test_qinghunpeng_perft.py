"""How many sequences of answers positions of 清混碰 have; a slow generator agrees with the shallow counts.

The slow generator tries every text that is an action of some position. A plain reading of the rules, on
lists of tile texts and by exhaustive search, says whether it is legal here, and `apply` must accept and
refuse the same.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bench.qinghunpeng_reference import Plain
from engine.errors import ActionRefused
from engine.mahjong.tiles import TILE_TEXTS, hand_tiles
from engine.qinghunpeng.actions import MEANING
from engine.qinghunpeng.flow_vectors import melds_of, rules_of, tiles_of_groups
from engine.qinghunpeng.patterns import Moment
from engine.qinghunpeng.setup import SeatSetup, set_up
from tests.golden.tree import perft

PATH = Path(__file__).parent / "perft" / "qinghunpeng.txt"
VECTORS = Path(__file__).parents[1] / "vectors"
REWRITE = os.environ.get("GOLDEN_REWRITE") == "1"
DEPTH = 3
SLOW_DEPTH = 2

OPTIONS: dict[str, dict[str, Any]] = {
    "seed": {},
    "shanghai": {
        "claim_lock": True,
        "no_swap": True,
        "guo_hu": "same_tile",
        "dadiaoche_angang": False,
        "min_ron": 2,
        "floor_haidi": 1,
    },
    "other": {"head_bump": True, "extra_can_start": "both", "dihu_broken_by_claims": False, "dead_wall": 3},
}

CASES = {
    case["id"]: case
    for file in ("qinghunpeng_flow.jsonl", "scoring_qinghunpeng_flow.jsonl")
    for case in map(json.loads, (VECTORS / file).read_text(encoding="utf-8").splitlines())
    if "hands" in case["start"]
}
POSITIONS = [
    ("all three runs are offered", "qhp-f02"),
    ("two winners of one tile", "qhp-f06"),
    ("four melds of three suits", "qhp-f10"),
    ("a concealed kong and flowers at the tail", "qhp-f17"),
    ("a kong that two may rob", "qhp-f36"),
    ("a kong from a discard", "qhp-f37"),
    ("an empty wall", "qhp-f40"),
    ("the same tile again", "qhp-f42"),
    ("a run beside a run of another suit", "qhp-f47"),
    ("a run that completes the hand", "qhp-f48"),
]
SEATS = (0, 1, 2, 3)


def build(name: str, options: str) -> Any:
    """Return the position of a worked example under other options."""
    start = CASES[name]["start"]
    seats = [
        SeatSetup(tiles_of_groups(hand), melds_of(melds), tiles_of_groups(river), tiles_of_groups(flowers))
        for hand, melds, river, flowers in zip(
            start["hands"], start["melds"], start["rivers"], start["flowers"], strict=True
        )
    ]
    return set_up(
        rules_of({"options": OPTIONS[options]}),
        seats,
        start["turn"],
        dealer=start["dealer"],
        wall=tiles_of_groups(start["wall"]),
        drawn=tiles_of_groups(start["drawn"])[0],
        after=start["after"],
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
    for seat in SEATS:
        table = Table(position, seat)
        for action in MEANING:
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


class Table:
    """What the rules, read plainly, allow a seat now."""

    def __init__(self, position: Any, seat: int) -> None:
        self.position, self.seat, self.rules = position, seat, position.rules
        self.hand = [TILE_TEXTS[tile] for tile in hand_tiles(position.hands[seat])]
        self.melds = [(meld.kind, TILE_TEXTS[meld.tile]) for meld in position.melds[seat]]
        self.drawn = TILE_TEXTS[position.drawn] if position.drawn >= 0 else ""
        self.free = len(position.wall[position.at : position.end_at]) - self.rules.dead_wall

    def allows(self, action: str) -> bool:
        kind, *words = action.split(" ")
        if self.position.phase == "turn":
            return self.seat == self.position.turn and self.in_turn(kind, words)
        shown, source, _ = self.position.shown
        return kind == "pass" or self.may_claim(kind, words, TILE_TEXTS[shown], source)

    def in_turn(self, kind: str, words: list[str]) -> bool:
        if kind == "hu":
            return bool(self.drawn) and self.wins(self.hand, self.drawn, "zimo")
        if kind == "discard":
            banned = TILE_TEXTS[self.position.banned] if self.position.banned >= 0 else ""
            return words[0] in self.hand and (words[0] != banned or set(self.hand) == {banned})
        if kind != "gang" or words[0] == "ming" or self.free <= 0:
            return False
        if words[0] == "an":
            return self.hand.count(words[1]) == 4 and self.unlocked("an", words[1])
        return words[1] in self.hand and ("peng", words[1]) in self.melds

    def may_claim(self, kind: str, words: list[str], tile: str, source: int) -> bool:
        if kind == "hu":
            how = "qianggang" if self.position.phase == "rob" else "discard"
            barred = self.position.passed[self.seat] >> TILE_TEXTS.index(tile) & 1
            return not barred and self.wins([*self.hand, tile], tile, how)
        if self.position.phase == "rob" or self.free <= 0:
            return False
        if kind == "peng":
            return self.hand.count(tile) >= 2 and self.unlocked("peng", tile)
        if kind == "gang":
            return words == ["ming", tile] and self.hand.count(tile) == 3 and self.unlocked("ming", tile)
        if kind != "chi" or self.seat != (source + 1) % 4:
            return False
        run = [f"{words[0][0]}{int(words[0][1]) + step}" for step in (0, 1, 2)]
        others = [other for other in run if other != tile]
        return tile in run and all(other in self.hand for other in others) and self.unlocked("chi", words[0])

    def unlocked(self, kind: str, tile: str) -> bool:
        melds = [*self.melds, (kind, tile)]
        suits = {tile[0] for _, tile in melds} - {"z"}
        runs = any(kind == "chi" for kind, _ in melds)
        return not self.rules.claim_lock or not runs or len(suits) <= 1

    def wins(self, hand: list[str], tile: str, how: str) -> bool:
        position = self.position
        first = ""
        fresh = self.seat != position.dealer and not position.discarded[self.seat]
        if fresh and not (position.touched and self.rules.dihu_broken_by_claims):
            own = how == "zimo" and position.after in ("draw", "flower")
            given = how == "discard" and position.discarded[position.shown[1]] == 1
            first = "di" if own or given else ""
        gangkai = how == "zimo" and position.after in ("kong", "flower")
        moment = Moment(how, gangkai, self.free <= 0 and how != "qianggang", first)
        exposed = len(position.flowers[self.seat])
        return Plain(self.rules, hand, self.melds, tile, exposed).best(moment) is not None
