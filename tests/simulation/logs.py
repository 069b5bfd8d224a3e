"""The shard logs as they are written: folded at once, so that whatever is shown can be held against them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from paiju.table.v1 import play_pb2 as p

from engine import GAMES
from engine.record import parse_record
from services.scoring.core.deal import shuffled
from services.table.core import events as e
from services.table.core.events import decode_batch
from services.table.core.frames import Play, RoundOpening, Shown
from services.table.core.state import SPECTATORS
from services.table.core.table import NEVER, Table
from services.table.encode import FrameEncoder, view_of
from tests.simulation.client import TableFold, Violation
from tests.simulation.playing import Client
from tests.simulation.script import observables


@dataclass
class Told:
    """A table as its log has it."""

    table: Table
    created_at: float
    frames: dict[int, dict[int, Shown]] = field(default_factory=lambda: defaultdict(dict))
    """Listener → number → frame."""
    public: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Number of a frame of those who watch → its time by its owner's clock, and owners until then."""
    first_views: dict[int, p.TableView] = field(default_factory=dict)
    """Seat → what it saw before its first frame."""
    ended_at: float = float("inf")
    records: list[bytes] = field(default_factory=list)
    is_closed: bool = False


class Logs:
    """See the module; a contradiction is a `Violation`."""

    def __init__(self) -> None:
        self.tables: dict[str, Told] = {}
        self.answers: dict[tuple[str, int, int], e.Answered] = {}
        self.takings: Counter[str] = Counter()
        """How often each shard was taken."""
        self.appends = 0
        self.events = 0
        self.checkpoints = 0
        self.shown = 0
        self._unproven: list[tuple[Client, int, bytes]] = []
        self._encoder = FrameEncoder()

    # Writing

    def take(self, shard: str, payload: bytes, now: float) -> None:
        """Take the next message of a shard's log, written now."""
        self.appends += 1
        for table_id, event in decode_batch(payload):
            self.events += 1
            self._fold(shard, table_id, event, now)

    def _fold(self, shard: str, table_id: str, event: e.AnyEvent, now: float) -> None:
        if isinstance(event, e.ShardTaken | e.ShardStalled):
            self.takings[shard] += isinstance(event, e.ShardTaken)
            for at, told in self.tables.items():
                if at.startswith(f"{shard}-") and not told.is_closed:
                    told.table.apply(event)
                    self._collect(told)
        elif isinstance(event, e.TableCreated):
            if table_id in self.tables:
                raise Violation(f"{table_id} was created twice")
            told = self.tables[table_id] = Told(Table.create(table_id, event, GAMES), now)
            self._collect(told)
            for seat, player in enumerate((*event.spec.players, "")):
                if not player.startswith("bot:"):
                    listener = seat if player else SPECTATORS
                    told.first_views[listener] = p.TableView.FromString(view_of(told.table, listener))
        elif isinstance(event, e.TableCheckpoint):
            self.checkpoints += 1
        elif not isinstance(event, e.ShardReleased):
            self._apply(table_id, event, now)

    def _apply(self, table_id: str, event: e.TableEvent, now: float) -> None:
        told = self.tables[table_id]
        if isinstance(event, e.Answered):
            key = (table_id, event.seat, event.question)
            if key in self.answers:
                raise Violation(f"question {key} was answered twice: {self.answers[key]} and {event}")
            self.answers[key] = event
        elif isinstance(event, e.RoundEnded):
            told.records.append(event.record)
        elif isinstance(event, e.MatchEnded):
            told.ended_at = min(told.ended_at, now)
        elif isinstance(event, e.TableClosed):
            told.is_closed = True
        elif isinstance(event, e.TableFrozen):
            raise Violation(f"{table_id} was frozen: {event.why}")
        told.table.apply(event)
        self._collect(told)

    def show_all(self, told: Told) -> None:
        """Show what still waits for its time."""
        told.table.advance(NEVER)
        self._collect(told)

    def _collect(self, told: Told) -> None:
        for output in told.table.outputs:
            if isinstance(output, Shown):
                if output.listener == SPECTATORS:
                    shard = told.table.s.table_id.partition("-")[0]
                    told.public.setdefault(output.number, (output.at, self.takings[shard]))
                known = told.frames[output.listener].setdefault(output.number, output)
                if known != output:
                    raise Violation(
                        f"frame {output.number} of seat {output.listener} of {told.table.s.table_id} "
                        f"had two contents: {known} and {output}"
                    )
        told.table.outputs.clear()

    # Showing

    def saw(self, client: Client, number: int, data: bytes) -> None:
        """Hold a frame that a client is shown against the log, as it is in this moment."""
        self.shown += 1
        told = self.tables.get(client.table_id)
        if told is None:
            raise Violation(f"{client.player} is shown a table that is in no log: {client.table_id}")
        seat = client.listens_to(told.table.seat_of(client.player))
        frame = told.frames[seat].get(number)
        if frame is not None:
            self._compare(client, frame, data)
            return
        # Beats that wait for their moment are shown without a further event; each may change the seats too.
        pending = 2 * len(told.table.pending)
        if number > told.table.listener(seat).number + pending:
            raise Violation(f"{client.player} is shown frame {number}, which is in no log")
        self._unproven.append((client, number, data))

    def saw_view(self, client: Client, view: p.TableView) -> None:
        """Hold the number of a view that a client is shown against the log, as it is in this moment."""
        told = self.tables.get(client.table_id)
        if told is None:
            raise Violation(f"{client.player} is shown a table that is in no log: {client.table_id}")
        listener = told.table.listener(view.seat)
        if view.number > listener.number + 2 * len(told.table.pending):
            raise Violation(f"{client.player} is shown view {view.number}, which is in no log")
        if view.seat != client.listens_to(told.table.seat_of(client.player)):
            raise Violation(f"{client.player} is shown the view of seat {view.seat} of {client.table_id}")

    def _compare(self, client: Client, frame: Shown, data: bytes) -> None:
        expected = self._encoder.encode(frame)
        if expected != data:
            raise Violation(f"{client.player} was shown frame {frame.number} as {data!r}, not {expected!r}")

    # At the end

    def is_over(self) -> bool:
        """Return whether every match has ended and owes nothing."""
        return all(
            told.is_closed or (told.table.s.phase == "finished" and not told.table.s.owed)
            for told in self.tables.values()
        )

    def judge(self, clients: list[Client], staying: list[Client], live: dict[str, Table]) -> None:
        """Judge what only the end shows.

        Args:
            clients: Everybody who played.
            staying: Of them, those who have stayed until all was settled.
            live: The tables as their present owners have them.
        """
        for told in self.tables.values():
            self.show_all(told)
        for client, number, data in self._unproven:
            told = self.tables[client.table_id]
            frame = told.frames[client.listens_to(told.table.seat_of(client.player))].get(number)
            if frame is None:
                raise Violation(f"{client.player} was shown frame {number}, which never was in the log")
            self._compare(client, frame, data)
        for client in clients:
            self._judge_client(client, staying)
        for table_id, told in self.tables.items():
            if table_id in live:
                live[table_id].advance(NEVER)
                mine, its = observables(told.table), observables(live[table_id])
                if mine["state"] != its["state"]:
                    raise Violation(f"the owner of {table_id} does not have what its log says")
            elif not told.is_closed:
                raise Violation(f"nobody owns {table_id}")
            for record in told.records:
                judge_secrecy(told, record)

    def _judge_client(self, client: Client, staying: list[Client]) -> None:
        told = self.tables[client.table_id]
        seat = told.table.seat_of(client.player)
        assert seat is not None
        last = told.table.listener(seat).number
        if client in staying and client.last != last:
            raise Violation(f"{client.player} has seen {client.last} frames of {last}")
        for given in client.accepted:
            found = self.answers.get((client.table_id, seat, given.question))
            if found is None or (found.action, found.cause) != (given.action, ""):
                raise Violation(f"{given} was acknowledged to {client.player}, and the log has {found}")
        for (table_id, of, number), event in self.answers.items():
            if (table_id, of, event.cause) != (client.table_id, seat, ""):
                continue
            if (number, event.action) not in client.tried:
                raise Violation(f"{client.player} never said {event}")
            if (number, event.action) in client.refusals:
                raise Violation(f"{event} was refused to {client.player}, and was played")
        self.judge_views(client)

    def judge_views(self, client: Client) -> None:
        """Each view is the fold of the frames up to its number: it shows no more than they do."""
        told = self.tables[client.table_id]
        seat = client.listens_to(told.table.seat_of(client.player))
        fold = TableFold()
        fold.start(told.first_views[seat])
        at = fold.view.number
        for view in sorted(client.views, key=lambda view: view.number):
            while at < view.number:
                at += 1
                fold.add(p.Frame.FromString(self._encoder.encode(told.frames[seat][at])))
            if view != fold.view:
                raise Violation(
                    f"{client.player} was shown a view that is not the fold:\n{view}\n{fold.view}"
                )

    def judge_seats(self, players: list[str]) -> None:
        """Nobody has a seat in two matches at the same time."""
        for player in players:
            matches = sorted(
                (told.created_at, told.ended_at, table_id)
                for table_id, told in self.tables.items()
                if told.table.seat_of(player) is not None
            )
            for (_, ended_at, first), (created_at, _, second) in pairwise(matches):
                if created_at < ended_at:
                    raise Violation(f"{player} sits at {first} and {second} at the same time")


def judge_secrecy(told: Told, record: bytes) -> None:
    """What each listener was told of a round must be what the rules show him: no other hand, no wall.

    The deal is recomputed by scoring's code, the round is played again by the rules engine alone; neither
    knows the table's frames.
    """
    read = parse_record(record.decode())
    game = GAMES[read.game]
    nonces = [None if nonce == "-" else bytes.fromhex(nonce) for nonce in read.nonces]
    deck = game.deck()
    wall = [deck[at] for at in shuffled(bytes.fromhex(read.seed), read.round_id, nonces, len(deck))]
    position = game.deal(read.rules(), wall, read.dealer, read.draws_in_row)
    events = [*position.opening_events()]
    for line in read.actions:
        events += position.apply(line.seat, line.action)
    for listener, frames in told.frames.items():
        seat = None if listener < 0 else listener
        may = [text for event in events if (text := event.text_for(seat)) is not None]
        was = _texts(frames, read.round_id)
        if may != was:
            other = next((pair for pair in zip(may, was, strict=False) if pair[0] != pair[1]), None)
            raise Violation(f"seat {listener} of {read.round_id} was told what is not for it: {other}")


def _texts(frames: dict[int, Shown], round_id: str) -> list[str]:
    texts: list[str] = []
    is_in = False
    for number in sorted(frames):
        body = frames[number].body
        if isinstance(body, RoundOpening):
            is_in = body.round_id == round_id
        if is_in and isinstance(body, Play):
            texts += body.events
    return texts
