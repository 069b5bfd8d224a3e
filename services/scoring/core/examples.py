"""Worked examples of 跑胡子 (rules §14), run through scoring's own code."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from services.scoring.core import eating, explain, payment, play, table, tiles
from services.scoring.core.explain import BadHand
from services.scoring.core.hands import BadMeld, laid
from services.scoring.core.rules import BadOptions, Options, preset_named, with_overrides
from services.scoring.core.table import Ending, Seat, Table
from services.scoring.core.tiles import UnknownCard

KINDS: Final = ("score", "hu", "eat", "flow")
VARIANTS: Final = ("876cc", "luzhou-10xi", "bafang-yongzhou", "tongyi-qmt")
"""What an example of the order of play is about, if it does not say."""

_SPELLINGS: Final[Mapping[tuple[str, object], object]] = {
    ("point_cap", "none"): None,
    ("point_cap", 0): None,
    ("win_cap_by_balance", "off"): False,
}
"""Values that examples may write in another way."""

_SCORE_FIELDS: Final = (
    "can_hu",
    "xi",
    "deng",
    "zimo_bonus",
    "names",
    "fan",
    "per_loser",
    "winner_gain",
)


def run_case(case: Mapping[str, Any]) -> list[str]:
    """Return what a worked example expects and scoring says otherwise; empty if all agree."""
    try:
        return _mismatches(case)
    except (BadHand, BadMeld, BadOptions, UnknownCard) as bad:
        return [f"cannot be run: {bad}"]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as bad:
        return [f"cannot be run: {type(bad).__name__}: {bad}"]


def _mismatches(case: Mapping[str, Any]) -> list[str]:
    kind = case.get("kind")
    if kind in {"score", "hu"}:
        return [wrong for variant in case["expect"] for wrong in _score(case, variant)]
    if kind == "eat":
        return _eat(case)
    if kind != "flow":
        return [f"no kind {kind!r}: there are {', '.join(KINDS)}"]
    if case.get("sub") == "dealer":
        return [wrong for variant in _variants(case) for wrong in _dealers(case, variant)]
    run = _opening if case.get("sub") == "opening" else _flow
    return [wrong for variant in _variants(case) for wrong in run(case, variant)]


def _variants(case: Mapping[str, Any]) -> list[str]:
    return list(case.get("variants") or VARIANTS)


def _override(case: Mapping[str, Any]) -> dict[str, object]:
    said = {**(case.get("override") or {}), **(case["input"].get("override") or {})}
    return {
        name: _SPELLINGS.get((name, value), value) if not isinstance(value, bool) else value
        for name, value in said.items()
    }


def _is_last(*places: Mapping[str, Any]) -> bool:
    """Say whether the card is the last of the wall; an example may note that in several places."""
    return any(place.get(name) for place in places for name in ("last_card", "last"))


def _options(case: Mapping[str, Any], variant: str) -> Options:
    return with_overrides(preset_named(variant), _override(case))


def _differences(where: str, expected: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name not in got:
            wrong.append(f"{where} {name}: expected {value!r}, but nobody computes it")
        elif got[name] != value:
            wrong.append(f"{where} {name}: expected {value!r}, got {got[name]!r}")
    return wrong


def _score(case: Mapping[str, Any], variant: str) -> list[str]:
    given = case["input"]
    win = given["win"]
    scored = explain.score_example(
        explain.HandToScore(
            preset=variant,
            overrides=_override(case),
            concealed=given["concealed"],
            exposed=[(meld[0], meld[1:]) for meld in given.get("exposed") or []],
            card=win.get("card"),
            source=win["source"],
            last_card=_is_last(given, win),
        )
    )
    got: dict[str, Any] = {name: getattr(scored, name) for name in _SCORE_FIELDS}
    got["names"] = {name.name: name.fan for name in scored.names}
    return _differences(variant, case["expect"][variant], got)


def _eat(case: Mapping[str, Any]) -> list[str]:
    given, expected = case["input"], dict(case["expect"])
    keep = given.get("need_discard", True) and _options(case, "876cc").forbid_claim_without_discard
    meals = eating.legal_meals(
        tiles.counted(tiles.kind_of(card) for card in given["concealed"]),
        tiles.kind_of(given["card"]),
        must_keep_loose=keep,
        filler=given.get("filler", 0),
    )
    got = {
        "sets": sorted(sorted(meld.text for meld in meal) for meal in meals),
        "eat_bi_pairs": eating.choices(meals),
        "ordered": eating.orders(meals),
    }
    if "sets" in expected:
        expected["sets"] = sorted(
            sorted(tiles.text_of(tiles.kind_of(card) for card in meld) for meld in meal)
            for meal in expected["sets"]
        )
    return _differences("eat", expected, got)


def _dealers(case: Mapping[str, Any], variant: str) -> list[str]:
    options = _options(case, variant)
    dealer, draws = case["input"].get("first_dealer", 0), case["input"].get("draws_in_row", 0)
    dealers = []
    for result in case["input"]["results"]:
        # A seat has won; anything else (null, -1, a word) is a 荒庄.
        winner = result if type(result) is int and result >= 0 else None
        dealer, draws = table.succession(options, dealer, draws, winner)
        dealers.append(dealer)
    return _differences(variant, case["expect"], {"dealers": dealers, "draws_in_row": draws})


def _seat(player: Mapping[str, Any]) -> Seat:
    def kinds(name: str) -> set[int]:
        return {tiles.kind_of(card) for card in player.get(name) or []}

    return Seat(
        hand=tiles.counted(tiles.kind_of(card) for card in player.get("concealed") or []),
        melds=[
            laid(meld[0], [tiles.kind_of(card) for card in meld[1:]]) for meld in player.get("exposed") or []
        ],
        own_discards=kinds("own_discards"),
        passed_peng=kinds("dead_peng"),
        passed_chi=kinds("dead_chi"),
        passed_hu={tiles.kind_of(card): xi for card, xi in (player.get("passed_hu") or {}).items()},
        dead=bool(player.get("dead_hand", False)),
        filler=player.get("filler", 0),
        deficit=player.get("deficit", 0),
    )


def _flow(case: Mapping[str, Any], variant: str) -> list[str]:
    given, event = case["input"], case["input"]["event"]
    card, seat = tiles.kind_of(event["card"]), event["seat"]
    # A second card in the wall says that the first is not the last; nobody draws it.
    at = Table(
        options=_options(case, variant),
        dealer=given.get("dealer", 0),
        seats=[_seat(player) for player in given["players"]],
        wall=[card] if _is_last(given, event) else [card, card],
    )
    start: play.Step = play.Draw(seat) if event["type"] == "draw" else play.Discarded(seat, card)
    return _differences(variant, case["expect"], _played(at, start, given.get("responses") or {}))


def _opening(case: Mapping[str, Any], variant: str) -> list[str]:
    given = case["input"]
    hands = [tiles.counted(tiles.kind_of(card) for card in hand) for hand in given["hands"]]
    at = Table(
        options=_options(case, variant),
        dealer=given["dealer"],
        seats=[Seat(hand) for hand in hands],
        wall=[0, 0],
        liang=tiles.kind_of(given["hands"][given["dealer"]][-1]),
    )
    return _differences(variant, case["expect"], _played(at, None, given.get("responses") or {}))


def _played(at: Table, step: play.Step | None, responses: Mapping[str, Any]) -> dict[str, Any]:
    """Play until the card is settled: a seat discards or draws next, or the round is over."""
    steps = play.opening(at) if step is None else play.follow(at, step)
    while True:
        try:
            asked = next(steps)
            while True:
                seat = min(asked)
                asked = steps.send((seat, _response(seat, asked[seat], responses)))
        except StopIteration as done:
            step = done.value
        if not isinstance(step, play.Completed):
            break
        steps = play.follow(at, step)
    if isinstance(step, play.Draw):
        at.note("draw", step.seat)
    return _observed(at, step)


def _response(seat: int, actions: Sequence[str], responses: Mapping[str, Any]) -> str:
    """Return what an example lets a seat answer: what it takes, or else a pass or any discard."""
    for kind in ("hu", "peng", "chi"):
        wanted = responses.get(f"{kind}@{seat}")
        if isinstance(wanted, list):
            melds = sorted(tiles.text_of(tiles.kind_of(card) for card in meld) for meld in wanted)
            exact = f"{kind} {' '.join(melds)}"
            fitting = [action for action in actions if action == exact]
        elif wanted == "take":
            fitting = [action for action in actions if action.partition(" ")[0] == kind]
        else:
            fitting = []
        if fitting:
            return fitting[0]
    return "pass" if "pass" in actions else next(action for action in actions if action != "hu")


def _observed(at: Table, step: play.Step | None) -> dict[str, Any]:
    def written(cards: set[int]) -> list[str]:
        return [tiles.NAMES[card] for card in sorted(cards)]

    seats = list(enumerate(at.seats))
    got: dict[str, Any] = {
        "trace": at.trace,
        "dead": {
            str(number): {"peng": written(seat.passed_peng), "chi": written(seat.passed_chi)}
            for number, seat in seats
            if seat.passed_peng or seat.passed_chi
        },
        "passed_hu": {
            str(number): {tiles.NAMES[card]: xi for card, xi in seat.passed_hu.items()}
            for number, seat in seats
            if seat.passed_hu
        },
        "own_discards": {
            str(number): written(seat.own_discards) for number, seat in seats if seat.own_discards
        },
        "dead_hands": [number for number, seat in seats if seat.dead],
    }
    if isinstance(step, Ending) and step.win is not None and step.winner is not None:
        points = payment.points_by_seat(step.win.points, step.winner, step.how, step.from_seat, at.options)
        got |= {"winner": step.winner, "how": step.how, "xi": step.win.xi, "points": list(points)}
        got |= {"names": dict(step.win.names), "fan": step.win.fan}
    return got
