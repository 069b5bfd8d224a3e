"""Between the core's values and the wire (protos/paiju/table/v1).

Building protobuf objects costs far more than encoding them: a body shown to several listeners is encoded
once, and what goes out most is written by hand (`wire.py`).
"""

from __future__ import annotations

from typing import Any

from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import table_service_pb2 as s

from engine.record import canonical_json
from services.chassis.errors import Refusal
from services.table import wire
from services.table.core import commands as c
from services.table.core import frames as f
from services.table.core.lagging import empty_board, is_shown_live
from services.table.core.state import SPECTATORS
from services.table.core.table import Table

BODIES_MAX = 64
"""Encoded bodies kept for the next listener of the same body, who is shown it at the same moment."""


class FrameEncoder:
    """Turns frames into bytes."""

    def __init__(self) -> None:
        self._bodies: dict[int, tuple[f.Body, bytes]] = {}
        """A body that is kept cannot give its place in memory, which is the key, to another."""

    def encode(self, frame: f.Shown) -> bytes:
        """Return a serialised `Frame`."""
        body = frame.body
        held = self._bodies.get(id(body))
        if held is None:
            if len(self._bodies) >= BODIES_MAX:
                self._bodies.clear()
            made = wire.play(body) if type(body) is f.Play else _frame_of(body).SerializeToString()
            held = self._bodies[id(body)] = (body, made)
        return wire.frame(frame.number, frame.at, held[1])


def _frame_of(body: f.Body) -> p.Frame:
    match body:
        case f.Play():
            return p.Frame(play=_play(body))
        case f.SeatsChanged():
            return p.Frame(seats_changed=p.SeatsChanged(seats=_seats(body.seats)))
        case f.RoundOpening():
            return p.Frame(round_opening=_opening(body))
        case f.NonceSeen():
            return p.Frame(nonce_seen=_nonce(body))
        case f.RoundEnd():
            return p.Frame(round_end=_round_end(body))
        case f.Settlement():
            return p.Frame(round_settlement=_settlement(body))
        case f.MatchEnd():
            return p.Frame(match_end=_match_end(body))
        case f.Resumed():
            return p.Frame(resumed=p.Resumed(grace_ms=body.grace_ms))
        case f.VoteChanged():
            return p.Frame(vote_changed=_vote(body))
        case f.Paused():
            return p.Frame(paused=_paused(body))
        case f.SentAway():
            return p.Frame(sent_away=_sent_away(body))


def _play(body: f.Play) -> p.Play:
    return p.Play(
        events=body.events,
        question=_question(body.question),
        turn_seat=body.turn_seat,
        turn_deadline_at_ms=body.turn_deadline,
        round_id=body.round_id,
    )


def _question(question: f.Question | None) -> p.Question | None:
    if question is None:
        return None
    return p.Question(
        number=question.number,
        actions=question.actions,
        deadline_at_ms=question.deadline,
        misses=question.misses,
    )


def _seats(seats: tuple[f.SeatView, ...]) -> list[p.SeatState]:
    return [
        p.SeatState(
            seat=number,
            player_id=seat.player,
            taken=seat.taken,
            online=seat.online,
            auto_play=seat.auto_play,
            left=seat.left,
            ready=seat.ready,
            gives_nonces=seat.gives_nonces,
            score=seat.score,
            stake=seat.stake,
            bank_ms=seat.bank,
            extensions=seat.extensions,
            misses=seat.misses,
        )
        for number, seat in enumerate(seats)
    ]


def _opening(body: f.RoundOpening) -> p.RoundOpening:
    return p.RoundOpening(
        round_id=body.round_id,
        commitment=body.commitment,
        dealer=body.dealer,
        nonces_until_ms=body.nonces_until,
    )


def _nonce(body: f.NonceSeen) -> p.NonceSeen:
    return p.NonceSeen(seat=body.seat, nonce=body.nonce)


def _round_end(body: f.RoundEnd) -> p.RoundEnd:
    return p.RoundEnd(
        round_id=body.round_id,
        result_json=body.result,
        seed=body.seed,
        scores=body.scores,
        explanation_zh=body.explanation_zh,
        explanation_en=body.explanation_en,
        record=body.record,
        next_round_at_ms=body.next_round_at,
    )


def _settlement(body: f.Settlement) -> p.RoundSettlement:
    return p.RoundSettlement(
        round_id=body.round_id,
        verdict=body.verdict,
        auditor=body.auditor,
        coins=body.coins,
        stakes=body.stakes,
        settled=body.settled,
        fees=body.fees,
    )


def _match_end(body: f.MatchEnd) -> p.MatchEnd:
    return p.MatchEnd(cause=body.cause, scores=body.scores, rounds_played=body.rounds_played)


def _paused(body: f.Paused) -> p.Paused:
    short = [
        p.ShortStake(seat=one.seat, stake=one.stake, least=one.least, most=one.most) for one in body.short
    ]
    return p.Paused(reason=body.reason, short=short, until_ms=body.until)


def _vote(body: f.VoteChanged) -> p.VoteChanged:
    return p.VoteChanged(agreed=body.agreed, refused=body.refused, until_ms=body.until)


def _sent_away(body: f.SentAway) -> p.SentAway:
    refusal = Refusal(body.reason, again=body.again)
    return p.SentAway(
        reason=body.reason,
        again_at_ms=body.again_at,
        message_zh=refusal.text("zh-CN"),
        message_en=refusal.text("en"),
    )


def timing_json(table: Table) -> str:
    """Return the waits of a table as JSON."""
    spec, timing = table.s.spec, table.s.spec.timing
    waits = {name: getattr(timing, name) for name in timing.__struct_fields__}
    longer = {"bank_ms": spec.bank_ms, "extend_ms": spec.extend_ms, "misses": spec.misses}
    return str(canonical_json({**waits, **longer}))


def view_of(table: Table, seat: int) -> bytes:
    """Return the serialised `TableView` of a listener: the fold of all his frames so far."""
    return view_from(table, seat, table.s.board, table.listener(seat))


def view_from(table: Table, seat: int, board: f.Board, listener: f.Listener) -> bytes:
    """Return a serialised `TableView` from these folds."""
    state = table.s
    spec = state.spec
    view = p.TableView(
        number=listener.number,
        table_id=state.table_id,
        match_id=state.table_id,
        game=spec.game,
        preset=spec.label,
        options_json=spec.options,
        rounds=spec.rounds,
        round_no=board.round_no,
        phase=board.phase,
        seat=seat if seat >= 0 else SPECTATORS,
        seats=_seats(board.seats),
        nonces=[_nonce(nonce) for nonce in board.nonces],
        timing_json=timing_json(table),
        base_stake=spec.stake.base_stake if spec.stake else 0,
        room_code=spec.room_code,
        fee=spec.stake.fee if spec.stake else 0,
        to_score=spec.to_score,
        chat=spec.chat,
    )
    if board.opening is not None:
        view.opening.CopyFrom(_opening(board.opening))
        view.play.CopyFrom(
            p.Play(
                events=listener.events,
                question=_question(listener.question),
                turn_seat=listener.turn_seat,
                turn_deadline_at_ms=listener.turn_deadline,
                round_id=board.opening.round_id,
            )
        )
    if board.round_end is not None:
        view.round_end.CopyFrom(_round_end(board.round_end))
    if board.settlement is not None:
        view.settlement.CopyFrom(_settlement(board.settlement))
    if board.match_end is not None:
        view.match_end.CopyFrom(_match_end(board.match_end))
    if board.vote is not None:
        view.vote.CopyFrom(_vote(board.vote))
    if board.paused is not None:
        view.paused.CopyFrom(_paused(board.paused))
    if listener.sent_away is not None:
        view.sent_away.CopyFrom(_sent_away(listener.sent_away))
    return view.SerializeToString()


def summary_of(table: Table) -> s.TableSummary:
    """Return what anybody may know of a table."""
    state, board = table.s, table.s.board
    spec = state.spec
    return s.TableSummary(
        table_id=state.table_id,
        match_id=state.table_id,
        game=spec.game,
        preset=spec.label,
        phase=board.phase,
        round_no=board.round_no,
        rounds=spec.rounds,
        seats=_seats(board.seats),
        room_code=spec.room_code,
        base_stake=spec.stake.base_stake if spec.stake else 0,
        spectators=spec.spectators,
        fee=spec.stake.fee if spec.stake else 0,
        to_score=spec.to_score,
        chat=spec.chat,
        voice=spec.voice,
        watch_leave=spec.watch_leave,
    )


def outside_of(table: Table, now: int) -> s.TableSummary:
    """Return what somebody without a seat may know of a table: nothing that a watcher does not know yet.

    Args:
        table: The table.
        now: Unix milliseconds.
    """
    summary = summary_of(table)
    summary.ClearField("room_code")
    if table.s.phase == "finished" and not is_shown_live(table, now):
        return summary
    del summary.seats[:]
    summary.seats.extend(_seats(empty_board(table).seats))
    summary.phase = "playing"
    summary.round_no = 0
    return summary


def command_of(command: p.TableCommand) -> c.Command | None:
    """Return the core's command, or None for `attach`, `detach` and nothing."""
    match command.WhichOneof("body"):
        case "act":
            act = command.act
            return c.Act(act.round_id, act.question, act.action)
        case "sit":
            return c.Sit(command.sit.nonce_head)
        case "reveal_nonce":
            return c.Reveal(command.reveal_nonce.round_id, command.reveal_nonce.nonce)
        case "ready":
            return c.Ready()
        case "leave":
            return c.Leave()
        case "dissolve_vote":
            return c.Vote(command.dissolve_vote.agree)
        case "set_auto_play":
            return c.AutoPlay(command.set_auto_play.on)
        case "add_stake":
            return c.AddStake(command.add_stake.amount)
        case "decline_stake":
            return c.DeclineStake()
        case "extend":
            return c.Extend(command.extend.round_id, command.extend.question)
        case "let_watch":
            return c.LetWatch(command.let_watch.player_id, command.let_watch.allow)
        case _:
            return None


def answer_of(reason: str, number: int, **details: Any) -> bytes:
    """Return the serialised `CommandAnswer`; an empty reason accepts."""
    if not reason:
        return wire.accepted(number)
    refusal = Refusal(reason, **details)
    answer = p.CommandAnswer(
        reason=reason, message_zh=refusal.text("zh-CN"), message_en=refusal.text("en"), number=number
    )
    return answer.SerializeToString()
