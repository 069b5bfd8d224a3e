"""What a listener is shown, and the fold of it: a view is exactly the sum of the frames up to its number.

Bodies are values that know no wire and no number: listeners who may know the same share one body.
"""

from __future__ import annotations

import msgspec

RING_FRAMES = 16
"""Frames kept per listener (at least) for filling a gap; whoever lacks more gets a view."""

RING_SLACK = 8
"""More than so many above it, and the oldest are dropped."""


class SeatView(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A seat as everyone sees it; fields as in `SeatState`."""

    player: str
    taken: bool
    online: bool
    auto_play: bool
    left: bool
    ready: bool
    gives_nonces: bool
    score: int
    stake: int
    bank: int = 0
    extensions: int = 0
    misses: int = 0


class Question(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An open question, as its seat sees it."""

    number: int
    actions: tuple[str, ...]
    deadline: int
    misses: int = 0


class SeatsChanged(msgspec.Struct, frozen=True, array_like=True, tag=2, gc=False):
    """All seats as they are now."""

    seats: tuple[SeatView, ...]


class RoundOpening(msgspec.Struct, frozen=True, array_like=True, tag=3, gc=False):
    """The commitment, before any nonce."""

    round_id: str
    round_no: int
    commitment: bytes
    dealer: int
    nonces_until: int


class NonceSeen(msgspec.Struct, frozen=True, array_like=True, tag=4, gc=False):
    """A nonce was revealed; empty = missing for the rest of the match."""

    seat: int
    nonce: bytes


class Play(msgspec.Struct, frozen=True, array_like=True, tag=5, gc=False):
    """Events of the game that this listener may read, and what he owes."""

    round_id: str
    events: tuple[str, ...]
    question: Question | None
    turn_seat: int
    turn_deadline: int


class RoundEnd(msgspec.Struct, frozen=True, array_like=True, tag=6, gc=False):
    """The round is over."""

    round_id: str
    result: str
    seed: bytes
    scores: tuple[int, ...]
    explanation_zh: tuple[str, ...]
    explanation_en: tuple[str, ...]
    record: bytes
    next_round_at: int


class Settlement(msgspec.Struct, frozen=True, array_like=True, tag=7, gc=False):
    """What scoring and economy said of a round."""

    round_id: str
    verdict: str
    auditor: str
    coins: tuple[int, ...]
    stakes: tuple[int, ...]
    settled: bool
    fees: tuple[int, ...] = ()


class MatchEnd(msgspec.Struct, frozen=True, array_like=True, tag=8, gc=False):
    """The match is over."""

    cause: str
    scores: tuple[int, ...]
    rounds_played: int


class Resumed(msgspec.Struct, frozen=True, array_like=True, tag=9, gc=False):
    """Another process serves the table, or the log was out of reach for a while."""

    grace_ms: int


class VoteChanged(msgspec.Struct, frozen=True, array_like=True, tag=10, gc=False):
    """A vote on ending the match; `until` 0 = it is over."""

    agreed: tuple[int, ...]
    refused: tuple[int, ...]
    until: int


class ShortStake(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stake that does not reach for another round, and how much may be added."""

    seat: int
    stake: int
    least: int
    most: int


class Paused(msgspec.Struct, frozen=True, array_like=True, tag=11, gc=False):
    """The match waits; empty = it goes on."""

    reason: str
    short: tuple[ShortStake, ...] = ()
    """People's stakes it waits for."""
    until: int = 0


class SentAway(msgspec.Struct, frozen=True, array_like=True, tag=20, gc=False):
    """The listener may not play on, and has left."""

    reason: str
    again_at: int
    again: str


Body = (
    SeatsChanged
    | RoundOpening
    | NonceSeen
    | Play
    | RoundEnd
    | Settlement
    | MatchEnd
    | Resumed
    | VoteChanged
    | Paused
    | SentAway
)


class Board(msgspec.Struct, gc=False):
    """What all listeners have been shown alike: the fold of their frames but for `Play`."""

    phase: str = "seating"
    round_no: int = 0
    seats: tuple[SeatView, ...] = ()
    opening: RoundOpening | None = None
    nonces: list[NonceSeen] = []
    round_end: RoundEnd | None = None
    settlement: Settlement | None = None
    match_end: MatchEnd | None = None
    vote: VoteChanged | None = None
    paused: Paused | None = None

    def fold(self, body: Body) -> None:
        """Take a frame that everybody is shown now."""
        match body:
            case Play():
                if self.phase == "opening":
                    self.phase = "playing"
            case SeatsChanged():
                self.seats = body.seats
            case RoundOpening():
                self.phase, self.round_no, self.opening = "opening", body.round_no, body
                self.nonces, self.round_end, self.settlement = [], None, None
            case NonceSeen():
                self.nonces.append(body)
            case RoundEnd():
                self.phase, self.round_end = "between", body
            case Settlement():
                if self.round_end is not None and self.round_end.round_id == body.round_id:
                    self.settlement = body
            case MatchEnd():
                self.phase, self.match_end = "finished", body
            case VoteChanged():
                self.vote = body if body.until else None
            case Paused():
                self.paused = body if body.reason else None
            case Resumed() | SentAway():
                pass


class Listener(msgspec.Struct, gc=False):
    """The frames of one seat, or of the spectators: their number, and the fold of `Play`."""

    number: int = 0
    events: list[str] = []
    question: Question | None = None
    turn_seat: int = -1
    turn_deadline: int = 0
    sent_away: SentAway | None = None

    def fold(self, body: Body, at: int) -> None:
        """Take the next frame, shown at a time."""
        self.number += 1
        match body:
            case Play():
                self.events.extend(body.events)
                self.question = body.question
                self.turn_seat, self.turn_deadline = body.turn_seat, body.turn_deadline
            case RoundOpening():
                self.events, self.question = [], None
                self.turn_seat, self.turn_deadline = -1, 0
            case RoundEnd():
                self.question, self.turn_seat, self.turn_deadline = None, -1, 0
            case Resumed():
                until = at + body.grace_ms
                if self.question is not None:
                    self.question = msgspec.structs.replace(
                        self.question, deadline=max(self.question.deadline, until)
                    )
                if self.turn_deadline:
                    self.turn_deadline = max(self.turn_deadline, until)
            case SentAway():
                self.sent_away = body


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A frame is shown to a listener now."""

    listener: int
    """The seat, or -1 for the spectators."""
    number: int
    at: int
    body: Body


class Ring:
    """The last frames of a listener."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames: list[Shown] = []

    def add(self, frame: Shown) -> None:
        """Keep the newest frame."""
        self._frames.append(frame)
        if len(self._frames) > RING_FRAMES + RING_SLACK:
            del self._frames[:-RING_FRAMES]

    def after(self, number: int) -> list[Shown] | None:
        """Return the frames after a number, or None if they are not all here."""
        frames = self._frames
        if not frames:
            return None
        first, last = frames[0].number, frames[-1].number
        if not first - 1 <= number <= last:
            return None
        return [frame for frame in frames if frame.number > number]


class Beat(msgspec.Struct, gc=False):
    """What is shown at one moment: one body for everyone, or a body per listener."""

    show_at: int
    common: Body | None = None
    bodies: tuple[Body | None, ...] = ()
    public: Body | None = None
    """What the public part of `bodies` means for the board."""
