"""What a program with an API key is told unasked, by the scopes of the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paiju.gateway.v1.gateway_service_pb2 import Notice

PLAY: Final = "play"
"""Tables, and all that leads there."""

SCOPE_OF_NOTICE: Final[Mapping[str, str]] = {
    "chat": PLAY,
    "friend": "friends",
    "invite": PLAY,
    "play_ending": PLAY,
    "room": PLAY,
    "ticket": PLAY,
    "wallet": "wallet.read",
}
"""By the name of what the notice says: the scope that opens the call which says the same."""


def hears(scopes: frozenset[str] | None, notice: Notice) -> bool:
    """Return whether who has these scopes (None = the person himself) is told; without a scope no one is.

    >>> hears(frozenset({"play"}), Notice(friend={})), hears(None, Notice(friend={}))
    (False, True)
    """
    return scopes is None or SCOPE_OF_NOTICE.get(notice.WhichOneof("body") or "") in scopes
