"""What a table is made from: the game and its rules, who sits where, coins, waits.

It stands in the log as a part of the table's first event, so what `events` says of fields counts here too.
"""

from __future__ import annotations

import msgspec


class Stake(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Coins at a table."""

    currency: str
    buy_in: int
    base_stake: int
    minimum: int
    fee: int = 0
    """Each seat pays it for each round."""


class Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Waits of a table, in milliseconds."""

    claim_pause_ms: int = 700
    """Between a card shown to all and the next public event."""
    turn_ms: int = 15_000
    """For a due discard."""
    claim_ms: int = 10_000
    """For every other question."""
    nonce_ms: int = 1_500
    """For revealing nonces, once the commitment is out."""
    between_ms: int = 12_000
    """From the end of a round to the next, unless everybody is ready."""
    seat_ms: int = 30_000
    """For taking the offered seats."""
    vote_ms: int = 60_000
    """For a vote; silence then agrees."""
    linger_ms: int = 600_000
    """A finished table can still be looked at for so long."""


class Spec(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a table was made from, checked and spelt out."""

    game: str
    preset: str
    """As asked for, e.g. `tongyi-qmt`."""
    label: str
    """`tongyi-qmt@1` or `custom@0`."""
    options: str
    """All options, canonical JSON."""
    rounds: int
    players: tuple[str, ...]
    """By seat: `p_…` or `bot:<name>`."""
    stake: Stake | None
    timing: Timing
    room_code: str
    spectators: bool
    watch_delay_ms: int = 0
    """Spectators are shown everything so much later."""
    hall_id: str = ""
    """As matchmaking calls it; the table only tells it on."""
    to_score: int = 0
    """The match ends after the round in which a sum reaches this; 0 = by rounds only."""
    chat: str = ""
    """What may be said: everything if empty, else `phrases` or `no`."""
    voice: bool = False
    """Talking is allowed."""
    bank_ms: int = 0
    """A seat may need so much longer for its turns, over the whole match."""
    extend_ms: int = 0
    """Once in a match a seat may take so much more for a turn; 0 = never."""
    misses: int = 0
    """With so many questions missed in a row 托管 begins; 0 and 1: with the first."""
    watch_leave: bool = False
    """Who wants to watch needs leave of a seat; `spectators` is false then, so that owners who know of no
    leave let nobody in."""
