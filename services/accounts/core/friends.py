"""What may come of a wish to be friends, decided without a database."""

from __future__ import annotations

import enum
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from services.accounts.core.names import NICKNAME_CHARACTERS_MAX, RAW_CHARACTERS_MAX
from services.chassis.errors import Refusal

PLAYER_ID: Final = re.compile(r"p_[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class FriendLimits:
    """How many of each there may be."""

    friends: int
    """Friends of a player."""
    open_requests: int
    """Requests of a player that wait, and requests to him."""
    asks_a_day: int
    """Requests that a player sends in a day of the platform, those taken back included."""
    blocked: int
    """People whom a player has blocked."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What two people are to each other, seen from the first."""

    are_friends: bool = False
    has_asked: bool = False
    """The first has asked, and it waits; whether the other has declined it, or blocks him, is not told."""
    is_asked: bool = False
    """The other has asked, whether the first has declined it or not."""
    has_declined: bool = False
    """The first has declined that."""
    has_blocked: bool = False
    """The first blocks the other."""
    is_blocked: bool = False
    """The other blocks the first."""


@dataclass(frozen=True, slots=True)
class Held:
    """What two people have of all that is limited."""

    friends: int = 0
    his_friends: int = 0
    sent: int = 0
    """Requests of the first that wait."""
    his_received: int = 0
    """Requests to the other that wait, those he is not shown too: else a full list would tell of a block."""
    asks_today: int = 0


class Friendship(enum.Enum):
    """What somebody is to the caller."""

    NOTHING = enum.auto()
    FRIENDS = enum.auto()
    ASKED = enum.auto()
    """The caller has asked him."""
    ASKS = enum.auto()
    """He has asked the caller."""
    BLOCKED = enum.auto()
    """The caller blocks him."""


class Step(enum.Enum):
    """What a wish comes to."""

    NOTHING = enum.auto()
    """It is so already."""
    ASK = enum.auto()
    """The request is kept."""
    BEFRIEND = enum.auto()
    """They are friends from now on."""


def friendship(pair: Pair) -> Friendship:
    """Return what the other is to the first: nothing in it depends on whether he is blocked by him."""
    if pair.has_blocked:
        return Friendship.BLOCKED
    if pair.are_friends:
        return Friendship.FRIENDS
    if pair.is_asked and not pair.has_declined:
        return Friendship.ASKS
    return Friendship.ASKED if pair.has_asked else Friendship.NOTHING


def on_ask(pair: Pair, held: Held, limits: FriendLimits) -> Step:
    """Return what comes of asking.

    Who is blocked by the other gets the answers of one who is not.

    Raises:
        Refusal: FRIEND_BLOCKED, FRIENDS_FULL, FRIEND_HAS_ENOUGH, FRIEND_REQUESTS_FULL, FRIEND_INBOX_FULL,
            FRIEND_ASKS_SPENT.
    """
    if pair.has_blocked:
        raise Refusal("FRIEND_BLOCKED")
    if pair.are_friends:
        return Step.NOTHING
    if pair.is_asked:
        _check_room(held, limits)
        return Step.BEFRIEND
    if pair.has_asked:
        return Step.NOTHING
    if held.asks_today >= limits.asks_a_day:
        raise Refusal("FRIEND_ASKS_SPENT", most=limits.asks_a_day)
    if held.friends >= limits.friends:
        raise Refusal("FRIENDS_FULL", most=limits.friends)
    if held.sent >= limits.open_requests:
        raise Refusal("FRIEND_REQUESTS_FULL", most=limits.open_requests)
    if held.his_received >= limits.open_requests:
        raise Refusal("FRIEND_INBOX_FULL")
    return Step.ASK


def on_accept(pair: Pair, held: Held, limits: FriendLimits) -> Step:
    """Return what comes of accepting; a request that was declined may still be.

    Raises:
        Refusal: FRIEND_BLOCKED, FRIEND_REQUEST_GONE, FRIENDS_FULL, FRIEND_HAS_ENOUGH.
    """
    if pair.has_blocked:
        raise Refusal("FRIEND_BLOCKED")
    if pair.are_friends:
        return Step.NOTHING
    if not pair.is_asked:
        raise Refusal("FRIEND_REQUEST_GONE")
    _check_room(held, limits)
    return Step.BEFRIEND


def player_id_of(text: str) -> str:
    """Return the id of a person.

    Raises:
        Refusal: INVALID_ARGUMENT: it is none.
    """
    if not PLAYER_ID.fullmatch(text):
        raise Refusal("INVALID_ARGUMENT", field="player_id")
    return text


def sought_nickname(text: str) -> str:
    """Return a nickname as those that are kept are written.

    Raises:
        Refusal: INVALID_ARGUMENT: nobody can be called so.
    """
    name = re.sub(" +", " ", unicodedata.normalize("NFKC", text[: RAW_CHARACTERS_MAX + 1])).strip(" ")
    if not 1 <= len(name) <= NICKNAME_CHARACTERS_MAX or "\x00" in name or len(text) > RAW_CHARACTERS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="nickname")
    return name


def _check_room(held: Held, limits: FriendLimits) -> None:
    if held.friends >= limits.friends:
        raise Refusal("FRIENDS_FULL", most=limits.friends)
    if held.his_friends >= limits.friends:
        raise Refusal("FRIEND_HAS_ENOUGH")
