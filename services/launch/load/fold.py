"""What a client knows of a table: the fold of its frames, to be held against a view.

It keeps references, copies nothing, and makes a message only when it is asked for one: thousands of clients
fold every frame they hear.
"""

from __future__ import annotations

from typing import Final

from paiju.table.v1.play_pb2 import (
    Frame,
    MatchEnd,
    NonceSeen,
    Paused,
    Question,
    RoundEnd,
    RoundOpening,
    RoundSettlement,
    SeatState,
    SentAway,
    TableView,
    VoteChanged,
)

_FOLDED: Final = (
    "seats",
    "nonces",
    "opening",
    "play",
    "round_end",
    "settlement",
    "match_end",
    "vote",
    "paused",
    "sent_away",
)


class TableFold:
    """The frames of one listener, added up; begins with a view."""

    def __init__(self, view: TableView) -> None:
        self.start(view)

    def start(self, view: TableView) -> None:
        """Begin anew with a view."""
        self._base = view
        self.number = view.number
        self.phase = view.phase
        self.round_no = view.round_no
        self.seats: list[SeatState] = list(view.seats)
        self.texts: list[str] = list(view.play.events)
        """Event texts of the round."""
        self.round_id = view.play.round_id
        self.question: Question | None = view.play.question if view.play.HasField("question") else None
        self._has_play = view.HasField("play")
        self._turn_seat = view.play.turn_seat
        self._turn_deadline = view.play.turn_deadline_at_ms
        self.opening: RoundOpening | None = view.opening if view.HasField("opening") else None
        self._nonces: list[NonceSeen] = list(view.nonces)
        self._end: RoundEnd | None = view.round_end if view.HasField("round_end") else None
        self._settlement: RoundSettlement | None = view.settlement if view.HasField("settlement") else None
        self._match_end: MatchEnd | None = view.match_end if view.HasField("match_end") else None
        self._vote: VoteChanged | None = view.vote if view.HasField("vote") else None
        self._paused: Paused | None = view.paused if view.HasField("paused") else None
        self._sent_away: SentAway | None = view.sent_away if view.HasField("sent_away") else None

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._match_end is not None

    @property
    def is_settled(self) -> bool:
        """Whether the last round that ended was audited, and settled where there is something to settle."""
        return self._settlement is not None and self._settlement.settled

    def add(self, frame: Frame) -> str:
        """Take the next frame and return the name of its body."""
        self.number = frame.number
        kind = frame.WhichOneof("body")
        match kind:
            case "play":
                play = frame.play
                if self.phase == "opening":
                    self.phase = "playing"
                self._has_play = True
                self.round_id = play.round_id
                self.texts.extend(play.events)
                self.question = play.question if play.HasField("question") else None
                self._turn_seat, self._turn_deadline = play.turn_seat, play.turn_deadline_at_ms
            case "seats_changed":
                self.seats = list(frame.seats_changed.seats)
            case "round_opening":
                self._open(frame.round_opening)
            case "nonce_seen":
                self._nonces.append(frame.nonce_seen)
            case "round_end":
                self._end, self.phase = frame.round_end, "between"
                self.question, self._turn_seat, self._turn_deadline = None, -1, 0
            case "round_settlement":
                if self._end is not None and self._end.round_id == frame.round_settlement.round_id:
                    self._settlement = frame.round_settlement
            case "match_end":
                self._match_end, self.phase = frame.match_end, "finished"
            case "vote_changed":
                self._vote = frame.vote_changed if frame.vote_changed.until_ms else None
            case "paused":
                self._paused = frame.paused if frame.paused.reason else None
            case "sent_away":
                self._sent_away = frame.sent_away
            case "resumed":
                self._grace(frame.at_ms + frame.resumed.grace_ms)
        return kind or ""

    def view(self) -> TableView:
        """Return the view that the frames add up to."""
        made = TableView()
        made.CopyFrom(self._base)
        for name in _FOLDED:
            made.ClearField(name)
        made.number, made.phase, made.round_no = self.number, self.phase, self.round_no
        made.seats.extend(self.seats)
        made.nonces.extend(self._nonces)
        if self._has_play:
            made.play.round_id = self.round_id
            made.play.events.extend(self.texts)
            made.play.turn_seat, made.play.turn_deadline_at_ms = self._turn_seat, self._turn_deadline
            if self.question is not None:
                made.play.question.CopyFrom(self.question)
        for name, value in (
            ("opening", self.opening),
            ("round_end", self._end),
            ("settlement", self._settlement),
            ("match_end", self._match_end),
            ("vote", self._vote),
            ("paused", self._paused),
            ("sent_away", self._sent_away),
        ):
            if value is not None:
                getattr(made, name).CopyFrom(value)
        return made

    def _open(self, opening: RoundOpening) -> None:
        self.opening, self.phase = opening, "opening"
        self.round_no = int(opening.round_id.rpartition("/")[2])
        self._nonces, self.texts = [], []
        self._end = self._settlement = None
        self._has_play, self.round_id = True, opening.round_id
        self.question, self._turn_seat, self._turn_deadline = None, -1, 0

    def _grace(self, until: int) -> None:
        if self.question is not None:
            question = Question()
            question.CopyFrom(self.question)
            question.deadline_at_ms = max(question.deadline_at_ms, until)
            self.question = question
        if self._turn_deadline:
            self._turn_deadline = max(self._turn_deadline, until)
