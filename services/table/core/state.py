"""The plain data of a table: all of its state but the cards of the round in play."""

from __future__ import annotations

import msgspec

from services.table.core.events import AddAsked, SitAsked, Spec
from services.table.core.frames import Board, Listener

SAID_MAX = 8
"""Accepted commands remembered per seat, for repeats."""

ANSWERED_MAX = 8
"""Answered questions remembered per seat, for repeats."""

SPECTATORS = -1
"""The listener that is no seat."""


class Said(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A command that was done, and the answer to it (empty = accepted)."""

    command_id: str
    digest: bytes
    reason: str


class Given(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An answered question."""

    question: int
    action: str
    by_seat: bool
    """False: the table answered for the seat."""
    round_no: int = 0
    """The round the question belonged to."""


class Seat(msgspec.Struct, gc=False):
    """A place at the table."""

    player: str
    bot: str = ""
    """The bot's name; empty = a person."""
    taken: bool = False
    sitting: SitAsked | None = None
    """Asked to sit; the stake is being opened."""
    online: bool = False
    auto_play: bool = False
    shown_auto_play: bool = False
    """As the others see it: a switch caused by an answer shows no earlier than what follows the answer."""
    left: bool = False
    """Has gone away: it is played for. From a friends' room it may come back (`match.is_gone`)."""
    sent_away: bool = False
    """Its player may not play on."""
    ready: bool = False
    head: bytes = b""
    link: bytes = b""
    """The last known link of the nonce chain; empty = gives none."""
    score: int = 0
    """As shown; the true one is `State.scores`."""
    stake: int = 0
    """As shown."""
    questions: int = 0
    """How many questions this seat was asked in the match."""
    bank: int = 0
    """Milliseconds left in its time bank."""
    shown_bank: int = 0
    """As everyone sees it: what an answer has cost shows no earlier than what follows the answer."""
    extensions: int = 0
    """How often it may still ask for more time."""
    misses: int = 0
    """Questions in a row that its player has missed."""
    missed_turns: int = 0
    """Turns in a row that he has missed: of them everybody knows."""
    shown_misses: int = 0
    """The same as everyone sees it: shown no earlier than what follows the miss."""
    adding: AddAsked | None = None
    """Asked to add to the stake; economy has not answered yet."""
    declined: bool = False
    """Adds nothing to the stake, which is short: the match ends."""
    said: list[Said] = []
    answered: list[Given] = []

    def remember(self, command_id: str, digest: bytes, reason: str) -> None:
        """Keep the answer to a command for its repeats."""
        self.said = [*self.said, Said(command_id, digest, reason)][-SAID_MAX:]


class Round(msgspec.Struct, gc=False):
    """The round that was opened last."""

    no: int
    seed: bytes
    commitment: bytes
    opened_at: int
    dealer: int
    draws_in_row: int
    nonces: list[bytes]
    due: list[bool]
    """Seats that were to reveal a nonce when the round opened."""
    heads: list[bytes]
    nonces_until: int = 0
    """0 = not announced yet."""
    started: int = 0
    ended_at: int = 0
    end_shown_at: int = 0
    is_voided: bool = False
    verdict: str = ""
    auditor: str = ""
    is_settled: bool = False
    coins: tuple[int, ...] = ()
    stakes: tuple[int, ...] = ()
    fees: tuple[int, ...] = ()


class Owed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something the table owes to the world until it is acknowledged (the outbox)."""

    key: str
    """`stake/<seat>`, `opened/<n>`, `finished/<n>`, `voided/<n>`, `add/<seat>`, `match`, `close/<seat>`."""
    at: int
    record: bytes = b""
    reason: str = ""


class State(msgspec.Struct, gc=False):
    """A table without the cards."""

    table_id: str
    spec: Spec
    fingerprint: bytes
    created_at: int
    seats: list[Seat]
    listeners: list[Listener | None]
    """By seat (None for a bot), and last the spectators."""
    board: Board
    scores: list[int]
    stakes: list[int]
    at: int = 0
    """Of the last event."""
    shown_at: int = 0
    """Of the last frame."""
    pause_until: int = 0
    """Before this the next public event of the game is not shown."""
    grace_until: int = 0
    """No deadline is earlier."""
    phase: str = "seating"
    """The true one; what is shown may lag behind by the pauses."""
    dealer: int = -1
    draws_in_row: int = 0
    rounds_played: int = 0
    round: Round | None = None
    owed: list[Owed] = []
    votes: dict[int, bool] = {}
    vote_until: int = 0
    is_dissolved: bool = False
    paused: str = ""
    short_until: int = 0
    """While stakes are short: then the match ends."""
    audited: list[int] = []
    """Rounds that scoring has spoken of."""
    settled: list[int] = []
    """Rounds whose money is done."""
    is_disputed: bool = False
    """A round of the match waits for a person: no further one is opened."""
    closing: str = ""
    cause: str = ""
    finished_at: int = 0
    frozen: str = ""
    disputed: list[int] = []
    """Rounds that wait for a person."""
    is_overruled: bool = False
    """A person has found the engine wrong about a round: the match goes on no more."""
    paused_at: int = 0
    announced: list[int] = []
    """When the last rounds began to be seen."""
    let_in: list[str] = []
    """Who may watch by leave of a seat."""


class OpenQuestion(msgspec.Struct, frozen=True, gc=False):
    """A question of the round in play."""

    number: int
    actions: tuple[str, ...]
    """All legal answers."""
    told_as: tuple[str, ...]
    """The same as its seat is told them: perhaps in a shorter form (`Game.question`)."""
    shown_at: int
    """Not known to the seat before."""
    deadline: int
    is_turn: bool
    version: int
    """Of the table, when it was asked: unknown to the seat until that is durable."""
    bank_from: int = 0
    """From here on the seat's time bank runs, up to the deadline; 0 = it does not."""


class Thought(msgspec.Struct, gc=False):
    """What a bot that needs long to think answers to its question. Only the owner knows; never in the log."""

    question: int
    give_up_at: int
    """Then a quick bot answers for it."""
    action: str = ""
    """Empty while it thinks."""


class Ask(msgspec.Struct, gc=False):
    """Somebody asks for leave to watch. Only the owner knows; never in the log."""

    until_ms: int
    """Without an answer it is a no then."""
    heard: float
    """When he has asked last, monotonic seconds."""


class CommandDone(msgspec.Struct, frozen=True, gc=False):
    """A command that had to wait for something (a stake) is answered now."""

    seat: int
    command_id: str
    reason: str


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(State)


def encode_state(state: State) -> bytes:
    """Return a state as bytes, exactly."""
    return _encoder.encode(state)


def decode_state(data: bytes) -> State:
    """Return the state that `encode_state` has written."""
    return _decoder.decode(data)
