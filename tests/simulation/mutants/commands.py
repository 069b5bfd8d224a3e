"""Mutants of questions, repeats and refusals: what an owner answers, and when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paiju.table.v1.wire_pb2 import Command

from services.table.core import commands, duties
from services.table.core import events as e
from services.table.core.table import Table
from services.table.desk import Desk
from services.table.journal import Journal
from services.table.log_clock import LogClock
from services.table.sessions import Outgoing
from services.table.tables import Tables
from tests.simulation.mutants.planting import LONG_AND_SLOW, Patch, mutant, slow_log


@mutant("only-what-was-said", "acknowledged-is-logged")
def an_answer_counts_for_whatever_question_is_open(patch: Patch) -> None:
    """Questions: an action names the question it answers."""
    decide = commands._act

    def careless(table: Table, number: int, command: commands.Act, now: int, version: int) -> Any:
        question = table.questions[number]
        if question is not None and question.shown_at <= now and command.action in question.actions:
            return commands.Do((e.Answered(now, number, question.number, command.action, ""),))
        return decide(table, number, command, now, version)

    patch.setattr(commands, "_act", careless)


@mutant("refused-is-not-played", "legal-is-accepted", "repeat-gets-first-answer")
def a_repeat_in_flight_is_taken_as_new(patch: Patch) -> None:
    """Repeats: also while its batch is in flight, the same answer again waits for the same ack.

    The second guard is removed with it: a refusal that waits for the batch would leave behind the acceptance,
    and go unheard.
    """
    act = commands._act

    def forgetful(table: Table, number: int, command: commands.Act, now: int, version: int) -> Any:
        seat = table.s.seats[number]
        known = seat.answered
        if table.version != version:
            seat.answered = known[:-1]
        try:
            return act(table, number, command, now, version)
        finally:
            seat.answered = known

    patch.setattr(commands, "_act", forgetful)
    _leave_at_once(patch, lambda reason: reason == "QUESTION_CLOSED")


@mutant("refused-is-not-played", "nobody-waits-for-ever", weather=LONG_AND_SLOW)
def a_refusal_leaves_before_what_it_rests_on_is_durable(patch: Patch) -> None:
    """Refusals: one leaves only after the batch it rests on is durable. The log is slow here."""
    slow_log(patch)
    _leave_at_once(patch, bool)


@mutant("acknowledged-is-logged", "repeat-gets-first-answer", "refused-is-not-played")
def the_repeat_of_an_answer_is_accepted_before_the_answer_is_durable(patch: Patch) -> None:
    """Repeats: a repeat gets the first answer, and waits for the same ack. Here only the first one waits."""
    decide = Desk._decide

    def hasty(self: Desk, gateway: str, sender: Any, table: Table, command: Command, is_sure: bool) -> None:
        before = table.version
        with _unheld(self._journal) as held:
            decide(self, gateway, sender, table, command, is_sure)
        for release in held:
            if table.version == before:
                release()
            else:
                self._journal.hold(release)

    patch.setattr(Desk, "_decide", hasty)


def _leave_at_once(patch: Patch, is_hasty: Any) -> None:
    reply = Desk._reply

    def hasty(self: Desk, sender: Any, table: Table, listener: int, reason: str, **details: str) -> None:
        if not is_hasty(reason):
            reply(self, sender, table, listener, reason, **details)
            return
        with _unheld(self._journal) as held:
            reply(self, sender, table, listener, reason, **details)
        for release in held:
            release()

    patch.setattr(Desk, "_reply", hasty)


@contextmanager
def _unheld(journal: Journal) -> Iterator[list[Any]]:
    """Collect what would be held meanwhile."""
    held: list[Any] = []
    journal.hold = held.append  # type: ignore[method-assign, assignment]
    try:
        yield held
    finally:
        del journal.hold


@mutant("acknowledged-is-logged")
def a_repeat_with_other_content_gets_the_first_answer(patch: Patch) -> None:
    """Repeats: an answered question takes the same action again; another is refused as `ALREADY_ANSWERED`."""
    act = commands._act

    def lax(table: Table, number: int, command: commands.Act, now: int, version: int) -> Any:
        decision = act(table, number, command, now, version)
        is_other = isinstance(decision, commands.Refused) and decision.reason == "ALREADY_ANSWERED"
        return commands.Again("") if is_other else decision

    patch.setattr(commands, "_act", lax)


@mutant("acknowledged-is-logged", "nobody-waits-for-ever", "legal-is-accepted", "refused-is-not-played")
def an_answer_goes_to_whoever_was_answered_before(patch: Patch) -> None:
    """Answers: each goes to the session that asked, under the tag it asked with."""
    answer = Outgoing.answer

    def crossed(self: Any, to: Any, *what: Any) -> None:
        before = self.__dict__.setdefault("answered_last", to)
        self.answered_last = to
        answer(self, before, *what)

    patch.setattr(Outgoing, "answer", crossed)


@mutant("answered-once")
def the_table_answers_twice_for_an_absent_seat(patch: Patch) -> None:
    """托管: the table answers each question of the seat once, as an event like any other answer."""
    do = Tables.do

    def twice(self: Tables, table_id: str, events: Any) -> bool:
        events = tuple(events)
        is_done = do(self, table_id, events)
        for event in events:
            if is_done and isinstance(event, e.Answered) and event.cause in ("auto", "timeout"):
                assert self.journal is not None
                self.journal.stage(table_id, event)
        return is_done

    patch.setattr(Tables, "do", twice)


@mutant("nobody-waits-for-ever")
def a_new_owner_forgets_the_deadlines(patch: Patch) -> None:
    """Deadlines are absolute and in the log: a new owner keeps those of the tables it has replayed."""
    serve, schedule = Tables.serve, Tables._schedule

    def forgetful(self: Tables, journal: Journal) -> None:
        self.__dict__["replayed"] = set(self.live)
        serve(self, journal)

    def only_new(self: Tables, table_id: str, table: Table) -> None:
        if table_id not in self.__dict__.get("replayed", ()):
            schedule(self, table_id, table)

    patch.setattr(Tables, "serve", forgetful)
    patch.setattr(Tables, "_schedule", only_new)


@mutant("time-outs-in-time")
def deadlines_get_no_grace_after_a_takeover(patch: Patch) -> None:
    """Grace: after a takeover no deadline is earlier than `at + grace_ms`."""
    answer_due = duties._answer_due

    def strict(table: Table, number: int, question: Any) -> int:
        grace, table.s.grace_until = table.s.grace_until, 0
        try:
            return answer_due(table, number, question)
        finally:
            table.s.grace_until = grace

    patch.setattr(duties, "_answer_due", strict)


@mutant("time-goes-on")
def a_new_owner_takes_its_own_clock_for_the_tables_time(patch: Patch) -> None:
    """Time of a table never goes back: a new owner's clock starts no earlier than the log's last event.

    Two guards keep it, the shard's clock and the tables' floor; both are removed.
    """
    serve = Tables.serve

    def late(self: Tables, journal: Journal) -> None:
        while self._replay.fold():
            pass
        self._replay.last_at = 0
        serve(self, journal)

    patch.setattr(Tables, "serve", late)
    patch.setattr(LogClock, "follow", lambda self, at: None)
