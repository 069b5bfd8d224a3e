"""What happened at the tables, by their log alone: each one folded, with every frame that it had to show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine import GAMES
from services.chassis.bus.registry import event_of
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.events import UnreadableLog, decode_batch
from services.table.core.state import SPECTATORS, encode_state
from services.table.core.table import Table
from services.table.encode import FrameEncoder, view_of
from tests.chaos.gather import Entry

FOR_EVER = 1 << 60

Wanted = Mapping[tuple[str, int], frozenset[int]]
"""By table and seat: the numbers at which somebody was shown a whole view."""


@dataclass(frozen=True)
class Problem:
    """Something that must never be.

    Attributes:
        kind: See `check.py`.
        text: What, of whom.
    """

    kind: str
    text: str


class Told(Table):
    """A table that remembers all it has shown."""

    encoder: FrameEncoder
    wanted: Wanted

    def remember(self, wanted: Wanted, encoder: FrameEncoder) -> None:
        """Begin; what its creation has shown is remembered too."""
        self.wanted, self.encoder = wanted, encoder
        self.frames: dict[int, dict[int, bytes]] = defaultdict(dict)
        self.views: dict[tuple[int, int], bytes] = {}
        for shown in self.outputs:
            if isinstance(shown, f.Shown):
                self._keep(shown)

    def _show(self, number: int, at: int, body: f.Body) -> None:
        super()._show(number, at, body)
        if self.s.listeners[number] is not None and hasattr(self, "frames"):
            shown = self.outputs[-1]
            assert isinstance(shown, f.Shown), "what was put out last is what was shown"
            self._keep(shown)

    def _keep(self, shown: f.Shown) -> None:
        self.frames[shown.listener][shown.number] = self.encoder.encode(shown)
        if shown.number in self.wanted.get((self.s.table_id, shown.listener), ()):
            self.views[shown.listener, shown.number] = view_of(self, shown.listener)


@dataclass
class Story:
    """See the module.

    Attributes:
        tables: Every table there ever was, at the end of its log.
        answers: By table, seat and question: the round it was given in, and the answer.
        records: Of finished rounds, by id, as the log has them.
        opened: Rounds that were announced, in the log's order.
        voided: Rounds that were voided.
        problems: What is wrong with the log itself.
        events: How many there are.
        takeovers: How often a shard was taken.
    """

    tables: dict[str, Told] = field(default_factory=dict)
    answers: dict[tuple[str, int, int], tuple[int, e.Answered]] = field(default_factory=dict)
    records: dict[str, bytes] = field(default_factory=dict)
    opened: dict[str, None] = field(default_factory=dict)
    voided: dict[str, None] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    events: int = 0
    takeovers: int = 0
    checkpoints: int = 0

    def wrong(self, kind: str, text: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(kind, text))


def told_by(logs: Iterable[tuple[str, Sequence[Entry]]], wanted: Wanted) -> Story:
    """Fold the tables' logs.

    Args:
        logs: Names and messages of the streams, each in order and from its beginning.
        wanted: Where views are made.
    """
    story = Story()
    encoder = FrameEncoder()
    for name, entries in logs:
        for before, entry in enumerate(entries):
            if entry.seq != before + 1:
                story.wrong("log", f"{name}: message {before + 1} is missing, {entry.seq} is there")
                break
        by_shard: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            by_shard[entry.subject].append(entry)
        for subject, mine in sorted(by_shard.items()):
            _Shard(story, subject, wanted, encoder).read(mine)
    for table in story.tables.values():
        table.advance(FOR_EVER)
    return story


def same_history(
    whole: Mapping[str, Sequence[Entry]], kept: Mapping[str, Sequence[Entry]]
) -> Iterator[Problem]:
    """Yield where what is left of a log is not the end of what it was, or does not follow from itself."""
    for name, entries in kept.items():
        known = {entry.seq: entry for entry in whole.get(name, ())}
        before: dict[str, int] = {}
        for entry in entries:
            was = known.get(entry.seq)
            if was is None or (was.msg_id, was.payload) != (entry.msg_id, entry.payload):
                yield Problem("log", f"{name}: message {entry.seq} is another one than it was")
            # The first one that is left may follow one that was purged.
            if entry.expected_last != before.get(entry.subject, entry.expected_last):
                last = before[entry.subject]
                yield Problem(
                    "log", f"{name}: {entry.seq} follows {last}, meant to follow {entry.expected_last}"
                )
            before[entry.subject] = entry.seq
        if entries and whole.get(name) and entries[-1].seq != whole[name][-1].seq:
            yield Problem("log", f"{name}: it ends with {entries[-1].seq}, and has had {whole[name][-1].seq}")


class _Shard:
    """One shard's log."""

    def __init__(self, story: Story, subject: str, wanted: Wanted, encoder: FrameEncoder) -> None:
        self._story = story
        self._subject = subject
        self._wanted = wanted
        self._encoder = encoder
        self._live: dict[str, Told] = {}
        self._owner = ""
        self._past: set[str] = set()

    def read(self, entries: Sequence[Entry]) -> None:
        """Fold it."""
        wrong = self._story.wrong
        before, ids = 0, set[str]()
        for entry in entries:
            if entry.expected_last not in (before, -1):
                wrong(
                    "log",
                    f"{self._subject}: {entry.seq} follows {before}, and was to follow {entry.expected_last}",
                )
            before = entry.seq
            if entry.msg_id in ids:
                wrong("log", f"{self._subject}: {entry.seq} is there twice: {entry.msg_id}")
            ids.add(entry.msg_id)
            try:
                batch = decode_batch(entry.payload)
            except UnreadableLog as problem:
                wrong("log", f"{self._subject}: {entry.seq} cannot be read: {problem}")
                return
            self._fence(entry, batch)
            for table_id, event in batch:
                self._story.events += 1
                try:
                    self._take(table_id, event)
                except Exception as problem:  # noqa: BLE001 - whatever it is, the log does not fold
                    wrong(
                        "log", f"{self._subject}: {entry.seq}: {table_id} {type(event).__name__}: {problem!r}"
                    )
                    self._live.pop(table_id, None)

    def _fence(self, entry: Entry, batch: Sequence[tuple[str, e.AnyEvent]]) -> None:
        """Nobody but the last taker appends."""
        writer = entry.msg_id.partition("/")[0]
        if any(isinstance(event, e.ShardTaken) for _, event in batch):
            self._story.takeovers += 1
            if self._owner:
                self._past.add(self._owner)
            self._owner = writer
            # One process may take a shard again that it had given away.
            self._past.discard(writer)
        elif writer != self._owner:
            whose = "an owner that was fenced" if writer in self._past else "one who never took it"
            self._story.wrong("fence", f"{self._subject}: {entry.seq} was appended by {whose}: {writer}")

    def _take(self, table_id: str, event: e.AnyEvent) -> None:
        story = self._story
        if isinstance(event, e.TableCreated):
            if table_id in story.tables:
                story.wrong("created", f"{table_id} was created twice")
                return
            made = Told.create(table_id, event, GAMES)
            assert isinstance(made, Told), "a class method makes its own class"
            made.remember(self._wanted, self._encoder)
            self._live[table_id] = story.tables[table_id] = made
        elif isinstance(event, e.ShardTaken | e.ShardStalled):
            for table in self._live.values():
                table.apply(event)
                table.outputs.clear()
        elif isinstance(event, e.TableCheckpoint):
            story.checkpoints += 1
            self._hold_against(event)
        elif not isinstance(event, e.ShardReleased):
            table_ = self._live.get(table_id)
            if table_ is None:
                story.wrong(
                    "log", f"{self._subject}: {table_id} {type(event).__name__}: there is no such table"
                )
                return
            self._note(table_, event)
            table_.apply(event)
            table_.outputs.clear()
            if isinstance(event, e.TableClosed):
                del self._live[table_id]

    def _note(self, table: Told, event: e.TableEvent) -> None:
        story, table_id = self._story, table.s.table_id
        match event:
            case e.Answered():
                key = (table_id, event.seat, event.question)
                if key in story.answers:
                    story.wrong(
                        "answered", f"{table_id} seat {event.seat} question {event.question}: answered twice"
                    )
                story.answers[key] = (table.round.no, event)
            case e.RoundOpened():
                story.opened[f"{table_id}/{event.round_no}"] = None
            case e.RoundEnded():
                story.records[f"{table_id}/{event.round_no}"] = event.record
            case e.RoundVoided():
                story.voided[f"{table_id}/{event.round_no}"] = None
            case e.TableFrozen():
                story.wrong("frozen", f"{table_id}: {event.why}")
            case _:
                pass

    def _hold_against(self, event: e.TableCheckpoint) -> None:
        """A checkpoint is the table as the log made it."""
        table = self._live.get(event.table_id)
        if table is None:
            self._story.wrong("checkpoint", f"{event.table_id}: there is no such table")
            return
        restored = Table.restore(event.table_id, event.base, event.since, GAMES)
        mine, its = (encode_state(each.s) for each in (_up_to(table), _up_to(restored)))
        if mine != its:
            self._story.wrong("checkpoint", f"{event.table_id}: a checkpoint is not what the log makes")


def _up_to(table: Table) -> Table:
    """Return a copy with everything shown, which does not change the table itself."""
    copied = Table.restore(table.s.table_id, table.base, tuple(table.since), GAMES)
    copied.advance(FOR_EVER)
    return copied


def seat_frames(table: Told, seat: int) -> dict[int, bytes]:
    """Return all frames of a seat, by number; of the spectators for -1."""
    return table.frames[SPECTATORS if seat < 0 else seat]


def facts(entries: Iterable[Entry], *types: Any) -> list[Any]:
    """Return the facts of these types in a stream, in order."""
    known = {event_of(cls).prefix: cls for cls in types}
    return [
        known[prefix].FromString(entry.payload)
        for entry in entries
        if (prefix := entry.subject.rpartition(".")[0]) in known
    ]
