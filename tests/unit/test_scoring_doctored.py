"""What a record protects (docs/record-format.md): a header, option or figure changed alone is disputed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine import GAMES
from engine.record import canonical_json, parse_record
from services.scoring.core.audit import audit_alone
from services.scoring.core.games import GAMES as AUDITED
from tests.support.finished import PlayedMatch

UNPROTECTED_OPTIONS = {"base_stake", "fee", "win_cap_by_balance", "opening_ti_show_one"}
"""They act in settlement or display; what a point was worth is in the facts about the round."""

UNPROTECTED_HEADERS = {"Options", "Seats", "Started"}
"""Options are changed one by one; players and times need only be plausible."""


def others(value: Any) -> Iterator[Any]:
    """Yield values like this one, with one thing in it changed."""
    if isinstance(value, dict):
        yield {**value, "more": 1}
        for key, inner in value.items():
            yield {name: kept for name, kept in value.items() if name != key}
            yield from ({**value, key: other} for other in others(inner))
    elif isinstance(value, list):
        yield [*value, 0]
        for at, inner in enumerate(value):
            yield value[:at] + value[at + 1 :]
            yield from ([*value[:at], other, *value[at + 1 :]] for other in others(inner))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value + 10**20, float(value), str(value), None)
    elif isinstance(value, str):
        yield from (value + "x", value[:-1] or "x", None, 3)
    else:
        yield from (0, "", False)


def agreed_to(text: str) -> bool:
    """Say what scoring says."""
    return audit_alone(text.encode()).agreed


@pytest.fixture(scope="module", params=sorted(AUDITED))
def text(request: pytest.FixtureRequest) -> str:
    """An honest record of each game, won by somebody."""
    game: str = request.param
    seats = GAMES[game].seats
    match = PlayedMatch(
        game=game,
        preset=next(iter(GAMES[game].presets)),
        players=("p_a", "p_b", *["bot:normal"] * (seats - 2)),
    )
    for _ in range(20):
        record = match.round()[1].record.decode()
        if parse_record(record).result["winners"]:
            assert agreed_to(record)
            return record
    raise AssertionError("somebody wins one of twenty rounds")


def test_a_result_with_one_thing_changed_is_disputed(text: str) -> None:
    result = parse_record(text).result
    start, _, written = text.rpartition("Result: ")
    assert written == canonical_json(result) + "\n"
    # Melds can be shown in several right ways; every other key has one value.
    changed = [other for other in others(result) if other.get("melds") == result.get("melds")]
    assert len(changed) > 50
    assert [one for one in changed if agreed_to(f"{start}Result: {canonical_json(one)}\n")] == []


def test_an_option_of_the_rules_changed_is_disputed(text: str) -> None:
    options = (
        GAMES[parse_record(text).game]
        .ruleset_from(parse_record(text).preset, parse_record(text).options)
        .options()
    )
    written = canonical_json(options)
    for name, value in options.items():
        for other in others(value):
            doctored = text.replace(written, canonical_json({**options, name: other}))
            assert doctored != text
            is_left_open = name in UNPROTECTED_OPTIONS and type(other) is type(value)
            assert is_left_open or not agreed_to(doctored), (name, other)


def test_a_header_with_one_character_changed_is_disputed(text: str) -> None:
    lines = text.split("\n")
    for at, line in enumerate(lines[: lines.index("")]):
        name, _, value = line.partition(": ")
        if name in UNPROTECTED_HEADERS:
            continue
        for place, old in enumerate(value):
            for new in {"0", "1", "a", " ", "-"} - {old}:
                doctored = f"{name}: {value[:place]}{new}{value[place + 1 :]}"
                assert not agreed_to("\n".join([*lines[:at], doctored, *lines[at + 1 :]])), doctored
