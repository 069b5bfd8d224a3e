"""What time and the rules make due at a table: the next event its owner must append unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from engine.fair_deal import SEED_BYTES, commit
from services.table.core import events as e
from services.table.core.match import end_cause
from services.table.core.state import OpenQuestion, Thought
from services.table.core.table import NEVER, Table
from services.table.core.topup import short_duties, short_stakes

SETTLEMENT_WAIT_MS = 5_000
"""After this the match says that it waits for its money."""

DISPUTE_WAIT_MS = 60_000
"""So long a match waits for a person to decide about its round; then it ends. Its stakes go on waiting."""

SLOW = frozenset({"hard"})
"""Bots that may need a good part of a second of the processor for an answer."""

QUICK = "normal"
"""The bot that answers for a slow one which is late."""

LATE_MS = 2_000
"""So long a slow bot may think beyond the usual pause when everybody knows that it is on turn."""

NOW = 0
"""Due as soon as what came before is in the log."""


class Chance(Protocol):
    """Where seeds and the choices of bots come from."""

    def token(self, n: int) -> bytes:
        """Return `n` secret bytes."""

    def below(self, n: int) -> int:
        """Return a number below `n`."""


Make = Callable[[int, Chance], e.TableEvent]
Duty = tuple[int, Make]
"""When, and the event (given the time and chance)."""


class _Draws:
    """Chance as bots want it."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def randrange(self, stop: int, /) -> int:
        """Return a number below `stop`."""
        return self._chance.below(stop)


def next_due(table: Table) -> int:
    """Return when the table needs its owner next (a beat included): `NOW`, a time, or `NEVER`."""
    if _is_plain_play(table):
        due = min(
            [
                _answer_due(table, number, question)
                for number, question in enumerate(table.questions)
                if question is not None
            ],
            default=NEVER,
        )
    else:
        due = min([at for at, _ in _duties(table)], default=NEVER)
    return min(due, table.pending[0].show_at) if table.pending else due


def _is_plain_play(table: Table) -> bool:
    """Say whether nothing but answers can be due: the usual case, and the one that is asked for most."""
    state, position = table.s, table.position
    return (
        state.phase == "playing"
        and not state.vote_until
        and not state.is_dissolved
        and not state.frozen
        and position is not None
        and position.outcome() is None
    )


def due_event(table: Table, now: int, chance: Chance) -> e.TableEvent | None:
    """Return the event that is due by `now`, or None. Apply it and ask again."""
    for at, make in _duties(table):
        if at <= now:
            return make(now, chance)
    return None


def consequence(table: Table, now: int, chance: Chance) -> e.TableEvent | None:
    """Return the event that follows from the last one at once, whatever the time."""
    if _is_plain_play(table):
        return None
    for at, make in _duties(table):
        if at == NOW:
            return make(now, chance)
    return None


def _duties(table: Table) -> Iterator[Duty]:
    state = table.s
    if state.phase == "finished":
        if not state.owed and not table.pending:
            yield state.finished_at + state.spec.timing.linger_ms, lambda now, _: e.TableClosed(now)
        return
    if state.frozen:
        if state.closing:
            yield NOW, _end_frozen(table)
        return
    yield from _vote_duties(table)
    yield from _PHASES[state.phase](table)


def _end_frozen(table: Table) -> Make:
    round_ = table.s.round
    if round_ is not None and not round_.ended_at:
        return lambda now, _: e.RoundVoided(now, round_.no, "TABLE_FROZEN")
    return lambda now, _: e.MatchEnded(now, "voided")


def _vote_duties(table: Table) -> Iterator[Duty]:
    state = table.s
    if not state.vote_until:
        return
    voters = [number for number, seat in enumerate(state.seats) if not seat.bot and not seat.left]
    if not all(state.votes.values()):
        yield NOW, lambda now, _: e.VoteEnded(now, agreed=False)
    elif all(number in state.votes for number in voters):
        yield NOW, lambda now, _: e.VoteEnded(now, agreed=True)
    else:
        yield max(state.vote_until, state.grace_until), lambda now, _: e.VoteEnded(now, agreed=True)


def _seating(table: Table) -> Iterator[Duty]:
    state = table.s
    if any(seat.left for seat in state.seats):
        yield NOW, lambda now, _: e.MatchEnded(now, "left")
    elif state.closing:
        yield NOW, lambda now, _: e.MatchEnded(now, "voided")
    elif all(seat.taken for seat in state.seats):
        yield NOW, _open_round(table)
    else:
        until = max(state.created_at + state.spec.timing.seat_ms, state.grace_until)
        yield until, lambda now, _: e.MatchEnded(now, "left")


def _open_round(table: Table) -> Make:
    state = table.s
    number = state.round.no + 1 if state.round is not None else 1

    def make(now: int, chance: Chance) -> e.TableEvent:
        seed = chance.token(SEED_BYTES)
        commitment = commit(f"{state.table_id}/{number}", seed)
        return e.RoundOpened(now, number, seed, commitment, state.dealer, state.draws_in_row)

    return make


def _voids(table: Table) -> Iterator[Duty]:
    state = table.s
    if state.is_dissolved and state.spec.stake is None:
        number = table.round.no
        yield NOW, lambda now, _: e.RoundVoided(now, number, "MATCH_DISSOLVED")


def _opening(table: Table) -> Iterator[Duty]:
    yield from _voids(table)
    round_ = table.round
    if not round_.nonces_until:
        return
    missing = tuple(number for number, due in enumerate(round_.due) if due and not round_.nonces[number])
    if missing:
        yield max(round_.nonces_until, table.s.grace_until), lambda now, _: e.Dealt(now, missing)
    else:
        yield NOW, lambda now, _: e.Dealt(now, ())


def _playing(table: Table) -> Iterator[Duty]:
    yield from _voids(table)
    assert table.position is not None, "a round in play has a position"
    if table.position.outcome() is not None:
        yield NOW, _end_round(table)
        return
    for number, question in enumerate(table.questions):
        if question is None:
            continue
        seat = table.s.seats[number]
        due = _answer_due(table, number, question)
        if seat.bot:
            yield due, _bot_answer(table, number, question)
        else:
            yield due, _answer(table, number, "auto" if seat.auto_play else "timeout")


def _answer_due(table: Table, number: int, question: OpenQuestion) -> int:
    """Return when the table answers for a seat that has not."""
    state = table.s
    seat = state.seats[number]
    if not seat.bot and not seat.auto_play:
        return max(question.deadline, state.grace_until)
    # Inside the pause for a claim, so that nobody can tell whether a bot was asked.
    pause_ms = state.spec.timing.claim_pause_ms
    at = question.shown_at + (pause_ms if question.is_turn else pause_ms * 3 // 5)
    thought = table.thoughts[number] if seat.bot else None
    if thought is not None and thought.question == question.number and not thought.action:
        return max(at, thought.give_up_at)
    return at


def _bot_answer(table: Table, number: int, question: OpenQuestion) -> Make:
    bot, thought = table.s.seats[number].bot, table.thoughts[number]
    if thought is None or thought.question != question.number:
        return _answer(table, number, "bot", bot)
    action = thought.action
    if action:
        return lambda now, _: e.Answered(now, number, question.number, action, "bot")
    return _answer(table, number, "bot", QUICK)


def slow_seats(table: Table) -> tuple[int, ...]:
    """Return the seats of bots that need long to think."""
    return tuple([number for number, seat in enumerate(table.s.seats) if seat.bot in SLOW])


def to_think_of(table: Table, number: int, now: int) -> Thought | None:
    """Return the thought to begin for a seat of a slow bot; None = nothing is asked, or it thinks already.

    A question that others don't know of must be answered inside the pause, so that time tells nothing.
    """
    question, thought = table.questions[number], table.thoughts[number]
    if question is None or (thought is not None and thought.question == question.number):
        return None
    pause_ms = table.s.spec.timing.claim_pause_ms
    late_ms = pause_ms + LATE_MS if question.is_turn or not pause_ms else pause_ms * 9 // 10
    return Thought(question.number, max(question.shown_at, now) + late_ms)


def _answer(table: Table, number: int, cause: str, bot: str = "") -> Make:
    def make(now: int, chance: Chance) -> e.TableEvent:
        assert table.position is not None, "a question belongs to a round in play"
        question = table.questions[number]
        assert question is not None, "there is a question to answer"
        view = table.position.view(number)
        action = table.game.bots[bot](view, _Draws(chance)) if bot else table.game.fallback(view)
        return e.Answered(now, number, question.number, action, cause)

    return make


def _end_round(table: Table) -> Make:
    record = table.record()
    number = table.round.no
    return lambda now, _: e.RoundEnded(now, number, record)


def _between(table: Table) -> Iterator[Duty]:
    state, round_ = table.s, table.round
    cause = end_cause(state)
    if state.is_disputed and not cause:
        if state.paused != "ROUND_DISPUTED":
            yield NOW, lambda now, _: e.PauseSet(now, "ROUND_DISPUTED")
        else:
            until = max(state.paused_at + DISPUTE_WAIT_MS, state.grace_until)
            yield until, lambda now, _: e.MatchEnded(now, "disputed")
        return
    if cause:
        yield NOW, lambda now, _: e.MatchEnded(now, cause)
        return
    if state.spec.stake is not None and not round_.is_settled:
        if not state.paused:
            wait_until = max(round_.end_shown_at + SETTLEMENT_WAIT_MS, state.grace_until)
            yield wait_until, lambda now, _: e.PauseSet(now, "SETTLEMENT_PENDING")
        return
    short = short_stakes(state)
    if short:
        yield from short_duties(table, short)
        return
    if state.paused:
        yield NOW, lambda now, _: e.PauseSet(now, "")
        return
    people = [seat for seat in state.seats if not seat.bot]
    is_ready = bool(people) and all(seat.ready or seat.auto_play for seat in people)
    wait_ms = 0 if is_ready and any(seat.ready for seat in people) else state.spec.timing.between_ms
    if not table.is_asking:
        yield round_.end_shown_at + wait_ms, _open_round(table)


_PHASES: dict[str, Callable[[Table], Iterator[Duty]]] = {
    "seating": _seating,
    "opening": _opening,
    "playing": _playing,
    "between": _between,
}
