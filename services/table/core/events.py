"""What is appended to a shard's log, and its encoding (docs/adr/0031-shard-log-encoding.md).

A message of the log is a batch: `[version, [[table_id, event], …]]` in MessagePack; events are arrays that
begin with their tag. Tags and the order of fields are never changed; new fields come last with a default. A
table's state is the fold of its events and of the shard's (`table_id` empty), so they hold every fact that
another owner must repeat: seeds, choices of bots, absolute times.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

# What a table is made from stands in its first event.
from services.table.core.terms import Spec as Spec
from services.table.core.terms import Stake as Stake
from services.table.core.terms import Timing as Timing

VERSION = 1
"""Of the batch; a reader refuses a newer one."""


class Event(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A fact of the log."""

    at: int
    """Unix milliseconds (UTC); never less than the event before."""


class TableCreated(Event, frozen=True, tag=1):
    """A table exists; its seats are offered."""

    spec: Spec
    fingerprint: bytes
    """Of the request, so that a repeat is told from another request under the same id."""


class Commanded(Event, frozen=True):
    """What a seat asked for, with the command's id and a digest of its content."""

    seat: int
    command_id: str
    digest: bytes


class SitAsked(Commanded, frozen=True, tag=2):
    """A player takes his seat; at a coin table the stake must still be opened."""

    nonce_head: bytes


class SeatTaken(Event, frozen=True, tag=3):
    """The stake is open (or none is needed)."""

    seat: int
    stake: int


class SitRefused(Event, frozen=True, tag=4):
    """The stake could not be opened."""

    seat: int
    reason: str


class RoundOpened(Event, frozen=True, tag=5):
    """A round is prepared; its commitment must be published before anybody hears of it."""

    round_no: int
    seed: bytes
    """Never shown before the round is over."""
    commitment: bytes
    dealer: int
    """-1: drawn from the deal stream (the first round)."""
    draws_in_row: int


class RoundAnnounced(Event, frozen=True, tag=6):
    """The stream ROUNDS has the commitment: nonces may be revealed until a moment."""

    round_no: int
    nonces_until: int


class NonceGiven(Commanded, frozen=True, tag=7):
    """A seat reveals the next link of its chain."""

    nonce: bytes


class Dealt(Event, frozen=True, tag=8):
    """Nonces are closed, the missing seats give none for the rest of the match; the cards are dealt."""

    missing: tuple[int, ...]


class Answered(Event, frozen=True, tag=9):
    """A question is answered."""

    seat: int
    question: int
    action: str
    cause: str
    """`` by the seat itself, `bot`, `timeout`, or `auto`."""


class RoundEnded(Event, frozen=True, tag=10):
    """The round is over; the record holds the seed, all answers and the engine's result."""

    round_no: int
    record: bytes


class RoundVoided(Event, frozen=True, tag=11):
    """An opened round will never be played to its end."""

    round_no: int
    reason: str


class OutboxDone(Event, frozen=True, tag=12):
    """What the table owed to the world has been acknowledged (`finished/3`, `match`, `close/0`, …)."""

    key: str


class Audited(Event, frozen=True, tag=13):
    """Scoring has spoken."""

    round_no: int
    is_agreed: bool
    auditor: str


class Settled(Event, frozen=True, tag=14):
    """The round's coins have moved (or it plays for points and is booked)."""

    round_no: int
    coins: tuple[int, ...]
    stakes: tuple[int, ...]
    outcome: str = ""
    """Of a disputed round: `ENGINE`, `SCORING` or `VOID`, as a person decided it."""
    fees: tuple[int, ...] = ()


class ReadySaid(Commanded, frozen=True, tag=15):
    """A seat is ready for the next round."""


class Left(Commanded, frozen=True, tag=16):
    """A player has left; his seat is played for until the round's end."""


class Voted(Commanded, frozen=True, tag=17):
    """A seat votes on ending the match now."""

    agree: bool


class VoteEnded(Event, frozen=True, tag=18):
    """The vote is over."""

    agreed: bool


class AutoPlaySet(Commanded, frozen=True, tag=19):
    """托管 is switched."""

    on: bool


class PresenceChanged(Event, frozen=True, tag=20):
    """A seat's player is connected, or is not."""

    seat: int
    online: bool


class PauseSet(Event, frozen=True, tag=21):
    """The match waits for this reason; empty = it goes on."""

    reason: str
    until: int = 0
    """Of `STAKE_SHORT`: then the match ends."""


class CloseAsked(Event, frozen=True, tag=22):
    """The house ends the match after the current round."""

    reason: str


class MatchEnded(Event, frozen=True, tag=23):
    """The match is over."""

    cause: str


class TableClosed(Event, frozen=True, tag=24):
    """Nothing is owed any more: the table is forgotten."""


class TableFrozen(Event, frozen=True, tag=25):
    """The rules engine broke: nothing is guessed, nothing more is played."""

    why: str


class AddAsked(Commanded, frozen=True, tag=26):
    """Coins of the seat's player (or, for a bot, of the house) are to go into its stake, which is short."""

    amount: int


class StakeAdded(Event, frozen=True, tag=27):
    """They are in it."""

    seat: int
    stake: int
    """What it holds now."""


class AddRefused(Event, frozen=True, tag=28):
    """They could not be added."""

    seat: int
    reason: str


class StakeDeclined(Commanded, frozen=True, tag=29):
    """A seat adds nothing to its stake, which is short."""


class SentAway(Event, frozen=True, tag=30):
    """A player may not play on; between two rounds his seat is left."""

    seat: int
    reason: str
    again_at: int
    """When he may play again; 0 = that depends on something else than time."""
    again: str
    """The same as people read it."""


class Extended(Commanded, frozen=True, tag=31):
    """A seat takes more time for its turn."""

    question: int


class WatchLet(Commanded, frozen=True, tag=32):
    """A seat lets somebody watch who has asked, or does not, or sends him away."""

    player: str
    allow: bool


class ShardTaken(Event, frozen=True, tag=40):
    """A new owner; its sequence in the log is the epoch. Each deadline is at least `at + grace_ms`."""

    owner: str
    incarnation: str
    grace_ms: int


class ShardReleased(Event, frozen=True, tag=41):
    """The owner lets go."""


class ShardStalled(Event, frozen=True, tag=42):
    """The log could not be reached for a while: each deadline is at least `at + grace_ms`."""

    grace_ms: int


class ShardCut(Event, frozen=True, tag=44):
    """The log has lost its end: frames that were shown, owners that were heard of."""

    base: int
    """From here on the epoch is the sequence of `ShardTaken` plus the largest of these."""
    skip: int
    """So many numbers of frames are left out for each listener: what was shown under them stays true."""


class TableCheckpoint(Event, frozen=True, tag=43):
    """A table as it is now: a state without a round in play, and what has happened since."""

    table_id: str
    base: bytes
    """Empty: nothing before `since`."""
    since: tuple[TableEvent, ...]


TableEvent = (
    TableCreated
    | SitAsked
    | SeatTaken
    | SitRefused
    | RoundOpened
    | RoundAnnounced
    | NonceGiven
    | Dealt
    | Answered
    | RoundEnded
    | RoundVoided
    | OutboxDone
    | Audited
    | Settled
    | ReadySaid
    | Left
    | Voted
    | VoteEnded
    | AutoPlaySet
    | PresenceChanged
    | PauseSet
    | CloseAsked
    | MatchEnded
    | TableClosed
    | TableFrozen
    | AddAsked
    | StakeAdded
    | AddRefused
    | StakeDeclined
    | SentAway
    | Extended
    | WatchLet
    | ShardTaken
    | ShardStalled
    | ShardCut
)
"""What a table folds; the last three are told to every table of the shard."""

AnyEvent = TableEvent | ShardReleased | TableCheckpoint


class Batch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One message of the log."""

    version: int
    entries: tuple[tuple[str, AnyEvent], ...]


class UnreadableLog(Exception):
    """The log holds what this version cannot read: a person has to look."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Batch)


ENTRY_BYTES = 32
"""About what an entry of a batch takes beside its event."""


def encode_event(event: AnyEvent) -> bytes:
    """Return an event as it stands in a batch."""
    return _encoder.encode(event)


def join_batch(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a message of the log from encoded events."""
    return _encoder.encode((VERSION, [(table_id, msgspec.Raw(event)) for table_id, event in entries]))


def encode_batch(entries: Iterable[tuple[str, AnyEvent]]) -> bytes:
    """Return a message of the log."""
    return _encoder.encode((VERSION, tuple(entries)))


def decode_batch(payload: bytes) -> tuple[tuple[str, AnyEvent], ...]:
    """Return the entries of a message of the log: (table_id or empty, event).

    Raises:
        UnreadableLog: Damaged, or of a newer version.
    """
    try:
        batch = _decoder.decode(payload)
    except msgspec.DecodeError as error:
        raise UnreadableLog(str(error)) from error
    if batch.version > VERSION:
        raise UnreadableLog(f"a log of version {batch.version}, this program reads up to {VERSION}")
    return batch.entries
