"""What the two sides of a disputed round say, and whether money could follow the engine's word."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["ENGINE", "SCORING", "VOID"]

OUTCOMES: Final[tuple[Outcome, ...]] = ("ENGINE", "SCORING", "VOID")

DEAL_FIELDS: Final = ("commitment", "nonce", "dealer", "draws_in_row", "deal", "seed")
"""First words of the fields by which scoring names what is wrong with a deal."""

_INT32_MAX: Final = 2**31 - 1
_POINTS_MAX: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Word:
    """How a round ended, as one side says."""

    players: tuple[str, ...]
    """By seat."""
    points: tuple[int, ...]
    """By seat, before `base_stake`."""
    winners: tuple[int, ...]
    end: str
    how: str
    from_seat: int
    huxi: int
    fan: int
    names: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Deal:
    """What a record says of its deal, as text."""

    commitment: str
    seed: str
    nonces: tuple[str, ...]


def engine_word(record: bytes, round_id: str, sha256: bytes) -> Word | str:
    """Return what the engine says by the record that scoring judged, or why that can't be told.

    Args:
        record: docs/record-format.md; empty: it could not be had.
        round_id: The round it must be of.
        sha256: Of the record that was judged.

    Returns:
        The word; or `no_record`, `record_changed` (another one was judged), `record_unreadable`.
    """
    if not record:
        return "no_record"
    if hashlib.sha256(record).digest() != sha256:
        return "record_changed"
    try:
        headers = _headers(record)
        result = json.loads(record.rsplit(b"\nResult: ", 1)[1])
        players = tuple(headers["Seats"].split(" "))
        word = Word(
            players=players,
            points=tuple(_number(points, _POINTS_MAX) for points in result["points"]),
            winners=tuple(_number(seat, len(players) - 1) for seat in result["winners"]),
            end=str(result["end"]),
            how=str(result["how"]),
            from_seat=_number(result.get("from", -1), len(players) - 1),
            huxi=_number(result.get("huxi", 0), _INT32_MAX),
            fan=_number(result.get("fan", 0), _INT32_MAX),
            names={str(name): _number(fan, _POINTS_MAX) for name, fan in result["names"].items()},
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return "record_unreadable"
    if headers["Round"] != round_id or len(word.points) != len(players):
        return "record_unreadable"
    return word


def deal_of(record: bytes) -> Deal | None:
    """Return what a record says of its deal; None: it has no such headers."""
    try:
        headers = _headers(record)
        return Deal(headers["Commitment"], headers["Seed"], tuple(headers["Nonces"].split(",")))
    except (ValueError, KeyError):
        return None


def concerns_the_deal(field: str) -> bool:
    """Return whether a difference is about how the deal was fixed, and not about what was made of it.

    >>> concerns_the_deal("nonce 2"), concerns_the_deal("dealer"), concerns_the_deal("dealer_next")
    (True, True, False)
    """
    return field.partition(" ")[0] in DEAL_FIELDS


def _headers(record: bytes) -> dict[str, str]:
    head = record.partition(b"\n\n")[0].decode("utf-8")
    headers = {}
    for line in head.split("\n"):
        name, value = line.split(": ", 1)
        headers[name] = value
    return headers


def _number(value: object, largest: int) -> int:
    if type(value) is not int or not -_POINTS_MAX <= value <= largest:
        raise ValueError(f"not a number up to {largest}")
    return value
