"""What each event does to a table, but for answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.answers import dealt, extended
from services.table.core.match import end_cause
from services.table.core.state import CommandDone, Round
from services.table.core.topup import (
    STAKE_SHORT,
    add_asked,
    add_refused,
    end_adding,
    stake_added,
    stake_declined,
    tell_short,
)

if TYPE_CHECKING:
    from services.table.core.table import Table

ANNOUNCED_MAX = 16
"""Rounds whose beginning is remembered: more are not begun within the delay of watching."""

SINCE_MAX = 512
"""After so many events since the base of checkpoints, any moment between two rounds is good for a new one."""


def _sit_asked(table: Table, event: e.SitAsked) -> None:
    seat = table.s.seats[event.seat]
    seat.sitting = event
    seat.head = seat.link = event.nonce_head
    if table.s.spec.stake is not None:
        table.owe(f"stake/{event.seat}", event.at)


def _end_sitting(table: Table, number: int, reason: str) -> None:
    seat = table.s.seats[number]
    table.paid(f"stake/{number}")
    if seat.sitting is not None:
        seat.remember(seat.sitting.command_id, seat.sitting.digest, reason)
        table.outputs.append(CommandDone(number, seat.sitting.command_id, reason))
        seat.sitting = None


def _seat_taken(table: Table, event: e.SeatTaken) -> None:
    seat = table.s.seats[event.seat]
    seat.taken = True
    seat.stake = table.s.stakes[event.seat] = event.stake
    _end_sitting(table, event.seat, "")
    table.tell_seats()


def _sit_refused(table: Table, event: e.SitRefused) -> None:
    seat = table.s.seats[event.seat]
    seat.head = seat.link = b""
    _end_sitting(table, event.seat, event.reason)


def _round_opened(table: Table, event: e.RoundOpened) -> None:
    state = table.s
    for seat in state.seats:
        seat.ready = False
    state.round = Round(
        no=event.round_no,
        seed=event.seed,
        commitment=event.commitment,
        opened_at=event.at,
        dealer=event.dealer,
        draws_in_row=event.draws_in_row,
        nonces=[b""] * len(state.seats),
        due=[bool(seat.link) for seat in state.seats],
        heads=[seat.head if seat.link else b"" for seat in state.seats],
    )
    state.phase = "opening"
    table.answers = []
    table.owe(f"opened/{event.round_no}", event.at)
    if len(table.since) > SINCE_MAX:
        table.rebase()


def _round_announced(table: Table, event: e.RoundAnnounced) -> None:
    round_ = table.round
    table.paid(f"opened/{event.round_no}")
    if round_.is_voided:
        return
    round_.nonces_until = event.nonces_until
    table.s.announced = [*table.s.announced, max(event.at, table.s.pause_until)][-ANNOUNCED_MAX:]
    table.queue(
        f.RoundOpening(table.round_id, round_.no, round_.commitment, round_.dealer, event.nonces_until)
    )
    table.rebase()


def _nonce_given(table: Table, event: e.NonceGiven) -> None:
    seat = table.s.seats[event.seat]
    seat.link = table.round.nonces[event.seat] = event.nonce
    seat.remember(event.command_id, event.digest, "")
    table.queue(f.NonceSeen(event.seat, event.nonce))


def _clear_cards(table: Table) -> None:
    table.position = None
    table.questions = [None] * len(table.s.seats)


def _round_ended(table: Table, event: e.RoundEnded) -> None:
    state, round_ = table.s, table.round
    assert table.position is not None, "a round ends that is in play"
    outcome = table.position.outcome()
    assert outcome is not None, "a round ends when the rules say so"
    state.scores = [score + points for score, points in zip(state.scores, outcome.points, strict=True)]
    state.rounds_played += 1
    state.dealer, state.draws_in_row = table.game.succession(
        table.rules, round_.dealer, round_.draws_in_row, outcome.result()
    )
    round_.ended_at = event.at
    round_.end_shown_at = max(event.at, state.pause_until)
    state.phase = "between"
    _clear_cards(table)
    table.owe(f"finished/{event.round_no}", event.at, event.record)
    zh, en = explained(table.game.explain(table.rules, outcome))
    next_at = 0 if end_cause(state) else round_.end_shown_at + state.spec.timing.between_ms
    result = event.record.rsplit(b"\nResult: ", 1)[1].decode().rstrip("\n")
    table.queue(
        f.RoundEnd(table.round_id, result, round_.seed, tuple(state.scores), zh, en, event.record, next_at)
    )


def _round_voided(table: Table, event: e.RoundVoided) -> None:
    state, round_ = table.s, table.round
    round_.is_voided = True
    round_.ended_at = event.at
    round_.end_shown_at = max(event.at, state.pause_until)
    state.phase = "between"
    _clear_cards(table)
    table.owe(f"voided/{event.round_no}", event.at, reason=event.reason)
    if round_.nonces_until:
        scores = tuple(state.scores)
        table.queue(f.RoundEnd(table.round_id, "", round_.seed, scores, (), (), b"", 0))
        table.queue(f.Settlement(table.round_id, "VOIDED", "", (), (), settled=True))


def _outbox_done(table: Table, event: e.OutboxDone) -> None:
    table.paid(event.key)


def _audited(table: Table, event: e.Audited) -> None:
    round_ = table.round
    verdict = "AGREED" if event.is_agreed else "DISPUTED"
    table.s.audited.append(event.round_no)
    if not event.is_agreed:
        table.s.disputed = [*table.s.disputed, event.round_no]
        table.s.is_disputed = True
    if round_.no != event.round_no:
        table.queue(_settlement(table, event.round_no, verdict, event.auditor, (), (), (), is_settled=False))
        return
    round_.verdict, round_.auditor = verdict, event.auditor
    _queue_settlement(table)


def _settled(table: Table, event: e.Settled) -> None:
    round_ = table.round
    table.s.settled.append(event.round_no)
    table.s.disputed = [number for number in table.s.disputed if number != event.round_no]
    table.s.is_disputed = bool(table.s.disputed)
    table.s.is_overruled = table.s.is_overruled or event.outcome in ("SCORING", "VOID")
    if event.stakes:
        table.s.stakes = list(event.stakes)
    verdict = {"": "AGREED", "VOID": "VOIDED"}.get(event.outcome, "DECIDED")
    if round_.no != event.round_no:
        table.queue(
            _settlement(
                table, event.round_no, verdict, "", event.coins, event.stakes, event.fees, is_settled=True
            )
        )
        return
    round_.verdict = verdict
    round_.is_settled = True
    round_.coins, round_.stakes, round_.fees = event.coins, event.stakes, event.fees
    _queue_settlement(table)


def _queue_settlement(table: Table) -> None:
    round_ = table.round
    table.queue(
        _settlement(
            table,
            round_.no,
            round_.verdict,
            round_.auditor,
            round_.coins,
            round_.stakes,
            round_.fees,
            is_settled=round_.is_settled,
        )
    )


def _settlement(
    table: Table,
    round_no: int,
    verdict: str,
    auditor: str,
    coins: tuple[int, ...],
    stakes: tuple[int, ...],
    fees: tuple[int, ...],
    *,
    is_settled: bool,
) -> f.Settlement:
    round_id = f"{table.s.table_id}/{round_no}"
    return f.Settlement(round_id, verdict, auditor, coins, stakes, is_settled, fees)


def _ready_said(table: Table, event: e.ReadySaid) -> None:
    seat = table.s.seats[event.seat]
    seat.ready = True
    seat.remember(event.command_id, event.digest, "")
    table.tell_seats()


def _left(table: Table, event: e.Left) -> None:
    seat = table.s.seats[event.seat]
    seat.left = seat.auto_play = seat.shown_auto_play = True
    seat.remember(event.command_id, event.digest, "")
    table.tell_seats()


def _sent_away(table: Table, event: e.SentAway) -> None:
    seat = table.s.seats[event.seat]
    seat.left = seat.sent_away = seat.auto_play = seat.shown_auto_play = True
    table.tell_one(event.seat, f.SentAway(event.reason, event.again_at, event.again))
    table.tell_seats()


def _voted(table: Table, event: e.Voted) -> None:
    state = table.s
    if not state.vote_until:
        state.vote_until = event.at + state.spec.timing.vote_ms
    state.votes[event.seat] = event.agree
    state.seats[event.seat].remember(event.command_id, event.digest, "")
    _tell_vote(table, state.vote_until)


def _vote_ended(table: Table, event: e.VoteEnded) -> None:
    state = table.s
    state.vote_until = 0
    state.is_dissolved = event.agreed
    _tell_vote(table, 0)
    state.votes = {}


def _tell_vote(table: Table, until: int) -> None:
    votes = sorted(table.s.votes.items())
    agreed = tuple(seat for seat, agree in votes if agree)
    refused = tuple(seat for seat, agree in votes if not agree)
    table.tell(f.VoteChanged(agreed, refused, until))


def _auto_play_set(table: Table, event: e.AutoPlaySet) -> None:
    seat = table.s.seats[event.seat]
    seat.auto_play = seat.shown_auto_play = event.on
    # Whoever wants to play for himself again is back.
    seat.left = False
    seat.misses = seat.missed_turns = seat.shown_misses = 0
    seat.remember(event.command_id, event.digest, "")
    table.tell_seats()


def _presence_changed(table: Table, event: e.PresenceChanged) -> None:
    table.s.seats[event.seat].online = event.online
    table.tell_seats()


def _pause_set(table: Table, event: e.PauseSet) -> None:
    table.s.paused = event.reason
    table.s.paused_at = event.at if event.reason else 0
    table.s.short_until = event.until
    if event.reason == STAKE_SHORT:
        tell_short(table)
    else:
        table.queue(f.Paused(event.reason))


def _close_asked(table: Table, event: e.CloseAsked) -> None:
    table.s.closing = event.reason


def _watch_let(table: Table, event: e.WatchLet) -> None:
    state = table.s
    state.seats[event.seat].remember(event.command_id, event.digest, "")
    others = [player for player in state.let_in if player != event.player]
    state.let_in = [*others, event.player] if event.allow else others


def _match_ended(table: Table, event: e.MatchEnded) -> None:
    state = table.s
    state.phase = "finished"
    state.cause = event.cause
    state.finished_at = event.at
    _clear_cards(table)
    for number in range(len(state.seats)):
        _end_sitting(table, number, "MATCH_OVER")
        end_adding(table, number, "MATCH_OVER")
    table.owe("match", event.at)
    if state.spec.stake is not None:
        for number in range(len(state.seats)):
            table.owe(f"close/{number}", event.at)
    table.queue(f.MatchEnd(event.cause, tuple(state.scores), state.rounds_played))


def _table_closed(table: Table, event: e.TableClosed) -> None:
    assert not table.s.owed, "a table closes when it owes nothing"


def _table_frozen(table: Table, event: e.TableFrozen) -> None:
    table.s.frozen = event.why
    table.pending = []
    _clear_cards(table)
    table.tell(f.Paused("TABLE_FROZEN"))


def explained(lines: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines of an explanation, in Chinese and in English."""
    return tuple(line.zh for line in lines), tuple(line.en for line in lines)


FOLDS: dict[type[e.Event], Callable[[Table, Any], None]] = {
    e.SitAsked: _sit_asked,
    e.SeatTaken: _seat_taken,
    e.SitRefused: _sit_refused,
    e.RoundOpened: _round_opened,
    e.RoundAnnounced: _round_announced,
    e.NonceGiven: _nonce_given,
    e.Dealt: dealt,
    e.RoundEnded: _round_ended,
    e.RoundVoided: _round_voided,
    e.OutboxDone: _outbox_done,
    e.Audited: _audited,
    e.Settled: _settled,
    e.ReadySaid: _ready_said,
    e.Left: _left,
    e.Voted: _voted,
    e.VoteEnded: _vote_ended,
    e.AutoPlaySet: _auto_play_set,
    e.PresenceChanged: _presence_changed,
    e.PauseSet: _pause_set,
    e.AddAsked: add_asked,
    e.StakeAdded: stake_added,
    e.AddRefused: add_refused,
    e.StakeDeclined: stake_declined,
    e.CloseAsked: _close_asked,
    e.MatchEnded: _match_ended,
    e.TableClosed: _table_closed,
    e.TableFrozen: _table_frozen,
    e.SentAway: _sent_away,
    e.Extended: extended,
    e.WatchLet: _watch_let,
}
"""By event type; `Answered` and the shard's events are not here."""
