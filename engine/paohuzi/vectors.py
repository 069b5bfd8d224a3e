"""Runs worked examples (Rule 14) through the engine and says where they disagree.

The examples are data in one JSON object a line; ``run_case`` takes one object and returns every disagreement
as one sentence. An example that cannot be set up disagrees, it does not raise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import Refusal
from engine.paohuzi.actions import HU, PASS, PENG
from engine.paohuzi.cards import CARD_TEXTS, cards_from_texts, format_cards, make_hand, parse_card
from engine.paohuzi.claims import remember_passed_hu
from engine.paohuzi.eating import eats, orders_of_eating, pairs_of_eating
from engine.paohuzi.game import Paohuzi
from engine.paohuzi.hu import Laid
from engine.paohuzi.position import Position
from engine.paohuzi.rules import RuleSet
from engine.paohuzi.scoring import Win, best_hu
from engine.paohuzi.setup import SeatSetup, discard, draw, open_round, set_up

_GAME = Paohuzi()
_VARIANTS = ("876cc", "luzhou-10xi", "bafang-yongzhou", "tongyi-qmt")
_STEPS_MAX = 50


def run_case(case: Mapping[str, Any]) -> list[str]:
    """Return every way in which the engine disagrees with a worked example; empty if it agrees."""
    try:
        kind = case["kind"]
        if kind == "eat":
            return _eat(case)
        if kind in ("score", "hu"):
            return _score(case)
        if kind == "flow":
            return _flow(case)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return [f"the example cannot be read: {type(error).__name__} {error}"]
    except Refusal as error:
        return [f"the engine refuses the example: {error}"]
    return [f"unknown kind {case.get('kind')!r}"]


def _rules(case: Mapping[str, Any], variant: str) -> RuleSet:
    overrides = {**(case.get("override") or {}), **(case["input"].get("override") or {})}
    return _GAME.ruleset(variant, {name: _option(name, value) for name, value in overrides.items()})


def _option(name: str, value: Any) -> Any:
    """Return an option as the rule set spells it; examples may write none and off for null and false."""
    if name == "point_cap" and value in ("none", 0):
        return None
    if name == "win_cap_by_balance" and value == "off":
        return False
    return value


def _laid(melds: Sequence[Sequence[str]]) -> tuple[Laid, ...]:
    return tuple(Laid(meld[0], tuple(sorted(cards_from_texts(meld[1:])))) for meld in melds)


def _differences(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    return [
        f"{where}: {key}: expected {expected[key]!r}, got {got.get(key)!r}"
        for key in expected
        if expected[key] != got.get(key)
    ]


def _is_last(*places: Mapping[str, Any]) -> bool:
    """Return whether the card is the last of the wall; an example may note that in several places."""
    return any(place.get(key) for place in places for key in ("last", "last_card"))


# --- eat ----------------------------------------------------------------------------------------------------


def _eat(case: Mapping[str, Any]) -> list[str]:
    given = case["input"]
    hand = make_hand(cards_from_texts(given["concealed"]))
    card = parse_card(given["card"])
    keep_one = bool(given.get("need_discard", True)) and _rules(case, "876cc").forbid_claim_without_discard
    ways = eats(hand, card, keep_one, given.get("filler", 0))
    sets = [melds for melds, _ in ways]
    got = {
        "sets": sorted(_set_text(melds) for melds in sets),
        "eat_bi_pairs": pairs_of_eating(sets),
        "ordered": orders_of_eating(sets),
    }
    expected = dict(case["expect"])
    if "sets" in expected:
        expected["sets"] = sorted(
            _set_text([tuple(sorted(cards_from_texts(meld))) for meld in melds]) for melds in expected["sets"]
        )
    return _differences("eat", expected, got)


def _set_text(melds: Sequence[Sequence[int]]) -> str:
    return " ".join(sorted(format_cards(meld) for meld in melds))


# --- score and hu -------------------------------------------------------------------------------------------


def _score(case: Mapping[str, Any]) -> list[str]:
    given = case["input"]
    hand = make_hand(cards_from_texts(given["concealed"]))
    laid = _laid(given.get("exposed") or ())
    winning = given["win"]
    card = parse_card(winning["card"]) if winning.get("card") else -1
    found: list[str] = []
    for variant, expected in case["expect"].items():
        rules = _rules(case, variant)
        win = best_hu(rules, hand, laid, card, winning["source"], _is_last(given, winning))
        found += _differences(variant, expected, _win_fields(rules, win))
    return found


def _win_fields(rules: RuleSet, win: Win | None) -> dict[str, Any]:
    if win is None:
        return {"can_hu": False}
    coins = win.points * rules.base_stake
    return {
        "can_hu": True,
        "xi": win.xi,
        "deng": win.deng,
        "zimo_bonus": win.zimo_bonus,
        "names": dict(win.names),
        "fan": win.fan,
        "per_loser": coins,
        "winner_gain": 2 * coins,
    }


# --- flow ---------------------------------------------------------------------------------------------------


def _flow(case: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for variant in case.get("variants") or _VARIANTS:
        rules = _rules(case, variant)
        sub = case.get("sub", "")
        if sub == "dealer":
            got = _dealers(rules, case["input"])
        elif sub == "opening":
            got = _opening(rules, case["input"])
        elif sub == "":
            got = _single(rules, case["input"])
        else:
            return [f"unknown sub {sub!r}"]
        found += _differences(variant, case["expect"], got)
    return found


def _dealers(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    dealer, draws = given["first_dealer"], 0
    dealers = []
    for winner in given["results"]:
        won = isinstance(winner, int) and winner >= 0
        dealer, draws = _GAME.succession(rules, dealer, draws, {"winners": [winner] if won else []})
        dealers.append(dealer)
    return {"dealers": dealers}


def _opening(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    hands = [cards_from_texts(hand) for hand in given["hands"]]
    dealer = given["dealer"]
    position = set_up(rules, [SeatSetup(hand=hand) for hand in hands], dealer)
    position.trace = []
    open_round(position, hands[dealer][-1])
    return {**_answered(position, given), **_marks(position)}


def _single(rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    seats = [
        SeatSetup(
            hand=cards_from_texts(player.get("concealed") or ()),
            melds=_laid(player.get("exposed") or ()),
            filler=player.get("filler", 0),
            deficit=player.get("deficit", 0),
            own_discards=cards_from_texts(player.get("own_discards") or ()),
            dead_peng=cards_from_texts(player.get("dead_peng") or ()),
            dead_chi=cards_from_texts(player.get("dead_chi") or ()),
            passed_hu={parse_card(text): xi for text, xi in (player.get("passed_hu") or {}).items()},
            dead_hand=bool(player.get("dead_hand")),
        )
        for player in given["players"]
    ]
    position = set_up(rules, seats, given.get("dealer", 0))
    position.trace = []
    event = given["event"]
    card = parse_card(event["card"])
    if event["type"] == "draw":
        draw(
            position,
            event["seat"],
            card,
            _is_last(event, given),
        )
    elif event["type"] == "discard":
        discard(position, event["seat"], card)
    else:
        raise ValueError(f"unknown event {event['type']!r}")
    return {**_answered(position, given), **_marks(position)}


def _marks(position: Position) -> dict[str, Any]:
    """Return the 臭牌 marks and 臭胡 records after the card is settled; seats without any are absent."""
    got: dict[str, Any] = {}
    got["dead"] = {
        str(seat): {"peng": _names(position.peng_dead[seat]), "chi": _names(position.chi_dead[seat])}
        for seat in range(3)
        if position.peng_dead[seat] or position.chi_dead[seat]
    }
    got["passed_hu"] = {
        str(seat): {CARD_TEXTS[at]: xi for at, xi in passed.items()}
        for seat, passed in enumerate(position.passed_hu)
        if passed
    }
    return got


def _names(mask: int) -> list[str]:
    return [CARD_TEXTS[card] for card in range(20) if mask >> card & 1]


def _answered(position: Position, given: Mapping[str, Any]) -> dict[str, Any]:
    """Answer every question as the example says, pass otherwise, up to the first due discard or next draw."""
    responses = given.get("responses") or {}
    trace = position.trace
    assert trace is not None, "an example is always traced"
    for _ in range(_STEPS_MAX):
        asked = position.to_act()
        if not asked or any(token.startswith(("discard@", "draw@")) for token in trace):
            break
        seat = asked[0]
        legal = position.legal_actions(seat)
        action = _response(seat, legal, responses)
        if action is None:
            if HU in legal:
                remember_passed_hu(position, seat, position.open_card)
            trace.append(f"discard@{seat}")
            break
        position.apply(seat, action)
    return {"trace": _until_next(trace)}


def _response(seat: int, legal: Sequence[str], responses: Mapping[str, Any]) -> str | None:
    if HU in legal and responses.get(f"hu@{seat}") == "take":
        return HU
    if PENG in legal and responses.get(f"peng@{seat}") == "take":
        return PENG
    melds = responses.get(f"chi@{seat}")
    if melds:
        action = "chi " + _set_text([tuple(sorted(cards_from_texts(meld))) for meld in melds])
        if action in legal:
            return action
    return PASS if PASS in legal else None


def _until_next(trace: Sequence[str]) -> list[str]:
    for at, token in enumerate(trace):
        if token.startswith(("discard@", "draw@")):
            return list(trace[: at + 1])
    return list(trace)
