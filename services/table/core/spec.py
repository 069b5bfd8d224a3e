"""Checking what a table would be made from."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec

from engine import errors
from engine.face import Game
from services.chassis.errors import Refusal
from services.table.core.events import Spec, Stake, Timing

ROUNDS_MAX = 64
WAIT_MS_MAX = 86_400_000
OPTIONS_BYTES_MAX = 8_192
ROOM_CODE_CHARS_MAX = 16
HALL_ID_CHARS_MAX = 64
WATCH_DELAY_MS_MAX = 600_000
LONGER_MS_MAX = 3_600_000
MISSES_MAX = 10
COINS_MAX = 10**15
TO_SCORE_MAX = 100_000
CHATS = ("", "all", "phrases", "no")

TABLE_ID = re.compile(r"(0|[1-9a-f][0-9a-f]{0,3})-[0-9a-z]{4,48}")
"""`<shard in hex>-<random>`."""

_PLAYER = re.compile(r"p_[0-9A-Za-z_-]{1,62}")
_CURRENCIES = ("gold",)


def shard_of(table_id: str) -> str:
    """Return the shard in a table's id, in hex.

    Raises:
        Refusal: INVALID_ARGUMENT: it is no such id.
    """
    found = TABLE_ID.fullmatch(table_id)
    if found is None:
        raise Refusal("INVALID_ARGUMENT", field="table_id")
    return found.group(1)


def check_rules(games: Mapping[str, Game], game: str, preset: str, options: Mapping[str, Any]) -> Any:
    """Return the rule set of a preset with changed options.

    Raises:
        Refusal: UNKNOWN_GAME, UNKNOWN_PRESET, UNKNOWN_OPTION (with the known ones), BAD_OPTION.
    """
    try:
        return games[game].ruleset(preset, dict(options))
    except errors.UnknownName as unknown:
        raise Refusal(unknown.reason, name=unknown.name[:64], known=", ".join(unknown.known)) from None
    except errors.BadOption as bad:
        raise Refusal("BAD_OPTION", option=bad.option, allowed=bad.allowed) from None


def make_spec(
    games: Mapping[str, Game],
    *,
    game: str,
    preset: str,
    options_json: str,
    rounds: int,
    players: Sequence[str],
    stake: Stake | None,
    timing_json: str,
    room_code: str,
    spectators: bool,
    to_score: int = 0,
    chat: str = "",
    voice: bool = False,
    watch_delay_ms: int = 0,
    hall_id: str = "",
    watch_leave: bool = False,
) -> Spec:
    """Return what a table is made from, all spelt out.

    Raises:
        Refusal: INVALID_ARGUMENT with the field, UNKNOWN_BOT, or as `check_rules`.
    """
    options = _object(options_json, "options_json")
    if stake is not None:
        _check_stake(stake)
        options["base_stake"] = stake.base_stake
    # What a round costs is said by the stake, and by nobody's options.
    fee = stake.fee if stake is not None else 0
    given = options.pop("fee", fee)
    if type(given) is not int or given not in (0, fee):
        raise Refusal("BAD_OPTION", option="fee", allowed=str(fee))
    if fee:
        options["fee"] = fee
    timing, longer = _timing(timing_json)
    rules = check_rules(games, game, preset, options)
    if not 1 <= rounds <= ROUNDS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="rounds")
    _check_players(games[game], players)
    if len(room_code) > ROOM_CODE_CHARS_MAX or not (
        (room_code.isascii() and room_code.isalnum()) or not room_code
    ):
        raise Refusal("INVALID_ARGUMENT", field="room_code")
    if not 0 <= to_score <= TO_SCORE_MAX:
        raise Refusal("INVALID_ARGUMENT", field="to_score")
    if chat not in CHATS:
        raise Refusal("INVALID_ARGUMENT", field="chat")
    if not 0 <= watch_delay_ms <= WATCH_DELAY_MS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="watch_delay_ms")
    if len(hall_id) > HALL_ID_CHARS_MAX or not hall_id.isprintable():
        raise Refusal("INVALID_ARGUMENT", field="hall_id")
    if watch_leave and spectators:
        # Either everybody may watch, or who is let in.
        raise Refusal("INVALID_ARGUMENT", field="watch_leave")
    return Spec(
        game=game,
        preset=preset,
        label=f"{rules.preset}@{rules.version}",
        options=rules.as_json(),
        rounds=rounds,
        players=tuple(players),
        stake=stake,
        timing=timing,
        room_code=room_code,
        spectators=spectators,
        to_score=to_score,
        chat="" if chat == "all" else chat,
        voice=voice,
        watch_delay_ms=watch_delay_ms,
        hall_id=hall_id,
        bank_ms=longer["bank_ms"],
        extend_ms=longer["extend_ms"],
        misses=longer["misses"],
        watch_leave=watch_leave,
    )


def fingerprint_of(spec: Spec) -> bytes:
    """Return what tells a repeat of a request from another one."""
    plain = msgspec.to_builtins(spec)
    if spec.stake is not None and not spec.stake.fee:
        # A table without a fee has the fingerprint that owners give it who know of no fees.
        plain[_STAKE] = plain[_STAKE][:-1]
    while len(plain) > _NEWER and not plain[-1]:
        # The same of what else came to a spec later, as long as it says nothing.
        plain.pop()
    return sha256(msgspec.msgpack.encode(plain)).digest()[:16]


_STAKE = Spec.__struct_fields__.index("stake")
_NEWER = Spec.__struct_fields__.index("spectators") + 1
"""Where the fields begin that owners of before do not know."""


def shared(spec: Spec) -> Spec:
    """Return the same spec, made of one copy in memory of what many tables have alike."""
    return msgspec.structs.replace(
        spec,
        game=sys.intern(spec.game),
        preset=sys.intern(spec.preset),
        label=sys.intern(spec.label),
        options=sys.intern(spec.options),
        hall_id=sys.intern(spec.hall_id),
        timing=_shared_timing(spec.timing),
    )


@lru_cache(maxsize=256)
def _shared_timing(timing: Timing) -> Timing:
    return timing


def _object(text: str, field: str) -> dict[str, Any]:
    if not text:
        return {}
    if len(text.encode()) > OPTIONS_BYTES_MAX:
        raise Refusal("INVALID_ARGUMENT", field=field)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal("INVALID_ARGUMENT", field=field) from None
    if not isinstance(value, dict):
        raise Refusal("INVALID_ARGUMENT", field=field)
    return value


def _check_stake(stake: Stake) -> None:
    if stake.currency not in _CURRENCIES:
        raise Refusal("INVALID_ARGUMENT", field="stake.currency")
    for field, value, least in (
        ("buy_in", stake.buy_in, 1),
        ("base_stake", stake.base_stake, 1),
        ("minimum", stake.minimum, 0),
        ("fee", stake.fee, 0),
    ):
        if not least <= value <= COINS_MAX:
            raise Refusal("INVALID_ARGUMENT", field=f"stake.{field}")
    if stake.fee and stake.minimum + stake.fee > stake.buy_in:
        # Nobody could play a second round, nor add enough to.
        raise Refusal("INVALID_ARGUMENT", field="stake.fee")


def _check_players(game: Game, players: Sequence[str]) -> None:
    if len(players) != game.seats:
        raise Refusal("INVALID_ARGUMENT", field="seats")
    people = [player for player in players if not player.startswith("bot:")]
    if len(set(people)) != len(people) or not all(_PLAYER.fullmatch(player) for player in people):
        raise Refusal("INVALID_ARGUMENT", field="seats")
    for player in players:
        if player.startswith("bot:") and player[4:] not in game.bots:
            raise Refusal("UNKNOWN_BOT", name=player[4:][:64], known=", ".join(game.bots))


_LONGER = {"bank_ms": LONGER_MS_MAX, "extend_ms": LONGER_MS_MAX, "misses": MISSES_MAX}
"""What a seat may take beyond the waits, with the most of it."""


def _timing(text: str) -> tuple[Timing, dict[str, int]]:
    """Return the waits, and what a seat may take, or miss, beyond them."""
    asked = _object(text, "timing_json")
    longer = {name: asked.pop(name, 0) for name in _LONGER}
    for name, value in longer.items():
        if type(value) is not int or not 0 <= value <= _LONGER[name]:
            raise Refusal("INVALID_ARGUMENT", field="timing_json")
    try:
        timing = msgspec.convert(asked, Timing)
    except msgspec.ValidationError:
        raise Refusal("INVALID_ARGUMENT", field="timing_json") from None
    for name in timing.__struct_fields__:
        if not 0 <= getattr(timing, name) <= WAIT_MS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="timing_json")
    return timing, longer
