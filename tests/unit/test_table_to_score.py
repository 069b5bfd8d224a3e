"""A match to a score ends after the round in which somebody reaches it; a spec says what was agreed on."""

from __future__ import annotations

import json
from hashlib import sha256

import msgspec
import pytest

from engine import GAMES
from services.chassis.errors import Refusal
from services.table.core.events import RoundEnded, Spec
from services.table.core.spec import TO_SCORE_MAX, fingerprint_of, make_spec
from tests.simulation.script import Script
from tests.simulation.tables import spec

QUICK = (
    '{"claim_pause_ms":200,"turn_ms":3000,"claim_ms":2000,"between_ms":500,"nonce_ms":400,"seat_ms":20000}'
)


def _agreed(**more: object) -> Spec:
    return msgspec.structs.replace(spec("p_a", rounds=64, timing=QUICK), **more)


def _played_out(to_score: int, seed: int) -> Script:
    script = Script(_agreed(to_score=to_score), seed, noise=0)
    while script.table.s.phase != "finished":
        while script.table.s.owed and script.table.s.phase == "between":
            script.pay(settle=False)
        assert script.step()
    return script


@pytest.mark.parametrize(("to_score", "seed"), [(1, 8), (25, 2), (10, 3)])
def test_the_match_ends_with_the_first_round_that_reaches_the_score_and_never_before(
    to_score: int, seed: int
) -> None:
    script = _played_out(to_score, seed)
    state = script.table.s
    sums = [[0] * len(state.seats)]
    for event in script.events:
        if isinstance(event, RoundEnded):
            points = json.loads(_result(event.record))["points"]
            sums.append([was + now for was, now in zip(sums[-1], points, strict=True)])
    assert state.cause == "score_reached"
    assert max(sums[-1]) >= to_score
    assert all(max(before) < to_score for before in sums[:-1])
    assert state.scores == sums[-1]


def _result(record: bytes) -> str:
    """The result that a record ends with (docs/record-format.md)."""
    (line,) = [line for line in record.decode().splitlines() if line.startswith("Result: ")]
    return line.removeprefix("Result: ")


def test_without_a_score_only_rounds_count() -> None:
    script = Script(msgspec.structs.replace(spec("p_a", rounds=1, timing=QUICK)), 2, noise=0)
    while script.table.s.phase != "finished":
        assert script.step()
    assert script.table.s.cause == "all_rounds"


@pytest.mark.parametrize(
    ("field", "value"),
    [("to_score", -1), ("to_score", TO_SCORE_MAX + 1), ("chat", "loud")],
)
def test_what_cannot_be_agreed_on_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(Refusal) as refused:
        _made(**{field: value})
    assert (refused.value.reason, refused.value.details["field"]) == ("INVALID_ARGUMENT", field)


def _made(**more: object) -> Spec:
    given: dict[str, object] = {
        "game": "paohuzi",
        "preset": "tongyi-qmt",
        "options_json": "",
        "rounds": 8,
        "players": ["p_a", "bot:normal", "bot:normal"],
        "stake": None,
        "timing_json": "",
        "room_code": "123456",
        "spectators": False,
    } | more
    return make_spec(GAMES, **given)  # type: ignore[arg-type]  # the fields of one call, by name


def test_what_says_nothing_new_has_the_fingerprint_that_owners_of_before_give_it() -> None:
    """An owner of an older version may be asked again for the same table: it must know it."""
    plain = _made(chat="all")
    names = [name for name in Spec.__struct_fields__ if name not in ("to_score", "chat", "voice")]
    old = [msgspec.to_builtins(getattr(plain, name)) for name in names[: names.index("spectators") + 1]]
    assert fingerprint_of(plain) == sha256(msgspec.msgpack.encode(old)).digest()[:16]
    for change in ({"to_score": 1}, {"chat": "no"}, {"voice": True}):
        assert fingerprint_of(_made(**change)) != fingerprint_of(plain)
