"""Mutants of what is shown: numbers of frames, epochs, secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paiju.table.v1.wire_pb2 import Command

from engine.fair_deal import wall_order
from services.gateway.bus.tables import Tables as GatewayTables
from services.gateway.core.attachment import Attachment, Verdict
from services.table.core import answers
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.beats import texts_for
from services.table.core.table import Table
from services.table.desk import Desk
from services.table.journal import Entry, Journal
from services.table.replay import Replay
from services.table.tables import Tables
from tests.simulation.mutants.planting import Patch, mutant


@mutant("frame-is-logged", "one-content-per-frame", "owner-is-the-log")
def resumed_takes_a_number_without_an_event(patch: Patch) -> None:
    """Frames: no frame without an event. Here a new owner says `resumed` once more, from memory."""
    serve = Tables.serve

    def talkative(self: Tables, journal: Journal) -> None:
        for table in self.live.values():
            if table.s.phase != "finished":
                table.tell(f.Resumed(1))
            table.outputs.clear()
        serve(self, journal)

    patch.setattr(Tables, "serve", talkative)


@mutant("frame-is-logged", "one-content-per-frame", "owner-is-the-log")
def presence_is_shown_and_not_logged(patch: Patch) -> None:
    """Frames: no frame without an event. Here who is connected is told from memory."""
    do = Tables.do

    def unlogged(self: Tables, table_id: str, events: Any) -> bool:
        events = tuple(events)
        if len(events) == 1 and isinstance(events[0], e.PresenceChanged):
            table = self.live[table_id]
            table.apply(events[0])
            self._hold_outputs(table_id, table)
            self._schedule(table_id, table)
            return True
        return do(self, table_id, events)

    patch.setattr(Tables, "do", unlogged)


@mutant("frame-is-logged", "one-content-per-frame", "owner-is-the-log", "resumed-is-told")
def a_takeover_is_no_event_of_the_tables(patch: Patch) -> None:
    """Frames: `ShardTaken` is the frame `resumed`, for every owner that reads it."""
    take = Replay.take

    def deaf(self: Replay, entries: Sequence[Entry]) -> None:
        take(self, [pair for pair in entries if not isinstance(pair[1], e.ShardTaken)])

    patch.setattr(Replay, "take", deaf)


@mutant("view-is-not-older", "no-gap", "legal-is-accepted", "refused-is-not-played")
def frames_and_answers_carry_no_epoch(patch: Patch) -> None:
    """Epochs: a gateway drops what has a lower epoch than it has seen, so that a zombie shows nothing old.

    Two more guards are removed with it: `attach` names the epoch it has seen, so that a zombie notices; and a
    gateway drops a view that it has not asked for, if it is older than what it has shown.
    """
    heard, take = GatewayTables._heard_epoch, Desk.take

    def any_epoch(self: GatewayTables, shard: int, epoch: int) -> bool:
        heard(self, shard, epoch)
        return True

    def blind(self: Desk, gateway: str, command: Command, *, is_sure: bool = False) -> None:
        if command.command.WhichOneof("body") == "attach":
            command.command.attach.epoch = 0
        take(self, gateway, command, is_sure=is_sure)

    def any_view(self: Attachment, number: int, now: float) -> Verdict:
        self.heard_at, self.last, self.asks = now, number, 0
        return Verdict.FORWARD

    patch.setattr(GatewayTables, "_heard_epoch", any_epoch)
    patch.setattr(Attachment, "judge_view", any_view)
    patch.setattr(Desk, "take", blind)


@mutant("no-gap")
def a_gateway_forwards_frames_although_one_is_missing(patch: Patch) -> None:
    """Frames: numbered without gaps; core NATS loses, and whoever is behind asks for the gap."""

    def lax(self: Attachment, number: int, now: float) -> Verdict:
        self.heard_at = now
        if number <= self.last:
            return Verdict.DROP
        self.last = number
        return Verdict.FORWARD

    patch.setattr(Attachment, "judge_frame", lax)


@mutant("secrecy", "question-fits-events")
def every_seat_reads_what_the_first_seat_reads(patch: Patch) -> None:
    """Secrecy: a frame is the fold of an event for one seat, and tells what it may know. A leaked hand."""
    patch.setattr(answers, "texts_for", lambda group, listener: texts_for(group, 0))


@mutant("secrecy")
def spectators_read_what_the_first_seat_reads(patch: Patch) -> None:
    """Secrecy: what spectators are shown is public, and holds no hand. A leaked card."""
    make = answers._beat

    def open_hand(table: Table, group: Any, *more: Any) -> Any:
        beat = make(table, group, *more)
        body = beat.bodies[-1]
        if isinstance(body, f.Play):
            leaked = f.Play(body.round_id, texts_for(group, 0), None, body.turn_seat, body.turn_deadline)
            beat.bodies = (*beat.bodies[:-1], leaked)
        return beat

    patch.setattr(answers, "_beat", open_hand)


@mutant("resumed-is-told", "time-outs-in-time")
def a_stalled_log_grants_time_without_a_word(patch: Patch) -> None:
    """Frames: whoever is granted grace is told so: `resumed`, with its length."""
    resume = Table._resume

    def silent(self: Table, event: Any) -> None:
        if isinstance(event, e.ShardStalled):
            self.s.grace_until = max(self.s.grace_until, self.s.at + event.grace_ms)
        else:
            resume(self, event)

    patch.setattr(Table, "_resume", silent)


@mutant("frame-is-logged", "one-content-per-frame", "question-fits-events", "no-gap")
def a_seat_gets_the_frames_of_all_seats(patch: Patch) -> None:
    """Secrecy: a session listens for its own seat, or for the spectators'. A leaked card."""

    def generous(self: Desk, table: Table, frame: f.Shown) -> None:
        for session in self._sessions.at_table(table.s.table_id):
            if frame.number > session.from_number and (session.seat == frame.listener or frame.listener >= 0):
                self._out.frame(session, self._frames.encode(frame))
        for session in self._sessions.at_table(table.s.table_id):
            if frame.listener < 0 and frame.number > session.from_number:
                self._out.frame(session, self._frames.encode(frame))

    patch.setattr(Desk, "show", generous)


@mutant("audits-agree", "secrecy")
def the_wall_does_not_depend_on_the_nonces(patch: Patch) -> None:
    """A fair deal: the wall follows from the seed, the round's id and every nonce."""

    def alone(seed: bytes, round_id: str, nonces: Any, size: int) -> Any:
        return wall_order(seed, round_id, [b""] * len(nonces), size)

    patch.setattr(answers, "wall_order", alone)
