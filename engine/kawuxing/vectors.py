"""Runs worked examples through the engine and says where they disagree.

The examples are data in one JSON object a line; ``run_case`` takes one object and returns every disagreement
as one sentence. An example that cannot be set up disagrees, it does not raise. The flow of a round is in
``flow_vectors.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.errors import Refusal
from engine.kawuxing.fans import DISCARDED, SELF_DRAWN, Moment, Win, best_fan, best_win, is_thirteen, waits_of
from engine.kawuxing.flow_vectors import melds_of, rules_of, run_flow, tiles_of_groups
from engine.kawuxing.game import Kawuxing
from engine.kawuxing.melds import AN, MING, Laid
from engine.kawuxing.reveal import keeps_waits
from engine.kawuxing.rules import RuleSet
from engine.kawuxing.settle import (
    SEATS,
    Ready,
    Table,
    chain_factor,
    draw_payments,
    factor,
    kong_payments,
    points_of,
    win_payments,
)
from engine.kawuxing.winning import needs_two
from engine.mahjong.tiles import COPIES, ONE, TILE_TEXTS, count_of, make_hand, parse_tile, tiles_of_mask

_GAME: Final = Kawuxing()


def run_case(case: Mapping[str, Any]) -> list[str]:
    """Return every way in which the engine disagrees with a worked example; empty if it agrees."""
    try:
        if case.get("kind") == "flow":
            return run_flow(case)
        op = _OPS.get(case.get("op", ""))
        if op is None:
            return [f"unknown op {case.get('op')!r}"]
        got = op(rules_of(case), case["input"])
        return [
            f"{key}: expected {value!r}, got {got.get(key)!r}"
            for key, value in case["expect"].items()
            if key not in got or got[key] != value
        ]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, AssertionError) as error:
        return [f"the example cannot be read: {type(error).__name__} {error}"]
    except Refusal as error:
        return [f"the engine refuses the example: {error}"]


def _allowed(rules: RuleSet, tile: int) -> bool:
    text = TILE_TEXTS[tile]
    return text[0] in rules.suits or text in ("z5", "z6", "z7")


def _tiles(rules: RuleSet, given: Mapping[str, Any]) -> tuple[list[int], tuple[Laid, ...], bool]:
    """Return the tiles in hand, the melds, and whether such a hand can be held."""
    tiles, melds = tiles_of_groups(given["hand"]), melds_of(given.get("melds") or ())
    owned = [*tiles, *[meld.tile for meld in melds for _ in range(meld.size)]]
    if given.get("win"):
        owned.append(parse_tile(given["win"]))
    fits = all(owned.count(tile) <= COPIES and _allowed(rules, tile) for tile in set(owned))
    return tiles, melds, fits


def _hand(rules: RuleSet, given: Mapping[str, Any]) -> tuple[int, tuple[Laid, ...], bool]:
    """Return the hand, the melds, and whether they are a hand of 13 in this game."""
    tiles, melds, fits = _tiles(rules, given)
    if not fits or any(tiles.count(tile) > COPIES for tile in tiles):
        return 0, melds, False
    hand = make_hand(tiles)
    return hand, melds, is_thirteen(hand, melds)


def _win(rules: RuleSet, given: Mapping[str, Any]) -> Win | None:
    hand, melds, fits = _hand(rules, given)
    tile = parse_tile(given["win"])
    if not fits or count_of(hand, tile) == COPIES:
        return None
    moment = Moment(given.get("how", DISCARDED), bool(given.get("last")), given.get("first", ""))
    return best_win(rules, hand + ONE[tile], melds, tile, moment)


def _waits(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    hand, melds, fits = _hand(rules, given)
    tiles = tiles_of_mask(waits_of(hand, melds)) if fits else ()
    wins = {tile: best_win(rules, hand + ONE[tile], melds, tile, Moment()) for tile in tiles}
    middle = [tile for tile, win in wins.items() if win is not None and "卡五星" in dict(win.names)]
    return {
        "waits": [TILE_TEXTS[tile] for tile in tiles],
        "kawuxing": [TILE_TEXTS[tile] for tile in middle],
        "du": any(win is not None and win.du for win in wins.values()),
        "fans": {TILE_TEXTS[tile]: win.fan for tile, win in wins.items() if win is not None},
    }


def _score(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    win = _win(rules, given)
    if win is None:
        return {"win": False}
    return {"win": True, "fans": dict(win.names), "fan": win.fan, "kan": win.kan, "du": win.du}


def _table(rules: RuleSet, given: Mapping[str, Any]) -> Table:
    revealed = tuple([bool(shown) for shown in given.get("liang") or (False,) * SEATS])
    return Table(rules.base, revealed, tuple(given.get("piao") or (0, 0, 0)))


def _may_win(rules: RuleSet, table: Table, seat: int, win: Win, given: Mapping[str, Any]) -> bool:
    """Return whether a win reaches what 起胡 asks for."""
    how = given.get("how", DISCARDED)
    konged = given.get("konged")
    if konged is None:
        konged = any(meld.size == COPIES for meld in melds_of(given.get("melds") or ()))
    if isinstance(konged, Sequence):
        konged = (
            seat in konged if konged and not isinstance(konged[0], bool) else bool(konged and konged[seat])
        )
    if not needs_two(rules, how in SELF_DRAWN, bool(konged)):
        return True
    payers = [other for other in range(SEATS) if other != seat] if how in SELF_DRAWN else [given["from"]]
    shown = table.revealed
    return all(win.fan * factor(rules, shown[seat], shown[other], how in SELF_DRAWN) >= 2 for other in payers)


def _settle(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    win = _win(rules, given)
    if win is None:
        return {"win": False}
    seat, how, table = given["w"], given.get("how", DISCARDED), _table(rules, given)
    if not _may_win(rules, table, seat, win, given):
        return {"win": False, "fan": win.fan, "fans": dict(win.names)}
    payments = win_payments(
        rules,
        table,
        ((seat, win),),
        how,
        given.get("from", seat),
        given.get("ma", 0),
        bool(given.get("forced")),
    )
    return {"win": True, "fan": win.fan, "fans": dict(win.names), "delta": list(points_of(payments))}


def _multi(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    how, table, source = given.get("how", DISCARDED), _table(rules, given), given["from"]
    wins = []
    for winner in given["winners"]:
        one = {**given, **winner}
        win = _win(rules, one)
        if win is not None and _may_win(rules, table, winner["w"], win, one):
            wins.append((winner["w"], win))
    wins.sort(key=lambda pair: pair[0])
    payments = win_payments(rules, table, wins, how, source, 0, bool(given.get("forced")))
    winners = [seat for seat, _ in wins]
    result = {"winners": winners, "from": source, "last_drawer": source}
    dealer = _GAME.succession(rules, given.get("dealer", 0), 0, result)[0]
    return {"delta": list(points_of(payments)), "next_dealer": dealer, "winners": winners}


def _kongs(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    points = [0] * SEATS
    chain, last = 0, -1
    for event in given["events"]:
        if event["t"] == "break":
            chain, last = 0, -1
            continue
        seat, kind = event["by"], event["t"]
        source = event.get("from", seat)
        if event.get("robbed"):
            chain, last = 0, -1
            continue
        # A chain goes on by the same seat, or by a 直杠 on the discard of the seat that has just konged.
        if last >= 0 and (source != last if kind == MING else seat != last):
            chain = 0
        if rules.chain_requires_drawn and kind == AN and event.get("drawn") is False:
            chain = 0
        payments = kong_payments(rules.base, chain_factor(rules, chain), kind, seat, source)
        points = [have + more for have, more in zip(points, points_of(payments), strict=True)]
        chain, last = chain + 1, seat
    return {"delta": points}


def _huangzhuang(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    seats, fans = [], []
    for player in given["players"]:
        hand, melds, fits = _hand(rules, player)
        waits = waits_of(hand, melds) if fits else 0
        fans.append(best_fan(rules, hand, melds, waits))
        seats.append(Ready(fans[-1], bool(player.get("liang"))))
    first = given.get("first")
    payments = draw_payments(rules, rules.base, seats, -1 if first is None else first)
    kongs = given.get("points") or (0,) * SEATS
    delta = [have + more for have, more in zip(kongs, points_of(payments), strict=True)]
    return {"delta": delta, "best": fans}


def _kou(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    hand, melds, fits = _hand(rules, given)
    tiles = [parse_tile(text) for text in given["kou"]]
    waits = waits_of(hand, melds) if fits else 0
    held = len(set(tiles)) == len(tiles) and all(count_of(hand, tile) >= 3 for tile in tiles)
    return {"ok": bool(waits) and held and keeps_waits(hand, melds, waits, tiles)}


_OPS: Final = {
    "waits": _waits,
    "score": _score,
    "settle": _settle,
    "multi": _multi,
    "kongs": _kongs,
    "huangzhuang": _huangzhuang,
    "kou": _kou,
}
