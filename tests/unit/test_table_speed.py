"""What keeps a process with many tables quick, and what that must not change."""

from __future__ import annotations

import asyncio
import gc
import random
from itertools import count

import pytest

from engine import GAMES
from services.chassis.clock import SystemClock, VirtualClock, run_virtual
from services.chassis.ids import SeededIds
from services.chassis.memory import set_aside
from services.table.core import commands as c
from services.table.core import events as e
from services.table.core.duties import consequence
from services.table.core.spec import fingerprint_of
from services.table.core.state import OpenQuestion, decode_state, encode_state
from services.table.core.table import Table
from services.table.replay import Replay
from services.table.sessions import AT_REST_S, Session, Sessions
from services.table.tables import Tables
from tests.simulation.tables import spec

ID = "0-speed1"
PEOPLE = ("p_a", "p_b", "p_c")


class Chance:
    """Seeds from a seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def token(self, n: int) -> bytes:
        return self._rng.randbytes(n)

    def below(self, n: int) -> int:
        return self._rng.randrange(n)


def played(seed: int, answers: int) -> list[e.TableEvent]:
    """Return the events of a table of three persons, rounds one after another, as its owner logs them."""
    chance, now = Chance(seed), 1_790_000_000_000
    timing = '{"claim_pause_ms":0,"between_ms":0}'
    made_from = spec(*PEOPLE, rounds=64, timing=timing)
    first = e.TableCreated(now, made_from, fingerprint_of(made_from))
    table = Table.create(ID, first, GAMES)
    log: list[e.TableEvent] = [first]

    def do(*events: e.TableEvent) -> None:
        for event in events:
            table.apply(event)
            log.append(event)
        while (after := consequence(table, now, chance)) is not None:
            table.apply(after)
            log.append(after)
        table.outputs = []

    for seat in range(3):
        do(e.SeatTaken(now, seat, 0))
    while answers:
        now += 50
        if table.s.phase == "opening":
            do(e.RoundAnnounced(now, table.round.no, now + 1))
            now += 10
            do(e.Dealt(now, ()))
        elif table.s.phase == "between":
            do(e.OutboxDone(now, f"finished/{table.round.no}"))
            opened = e.RoundOpened(now, table.round.no + 1, chance.token(32), bytes(32), table.s.dealer, 0)
            do(opened)
        else:
            seat, question = chance_of(chance, table)
            act = c.Act(
                table.round_id, question.number, question.actions[chance.below(len(question.actions))]
            )
            decision = c.decide(table, PEOPLE[seat], "", act, now, table.version)
            assert isinstance(decision, c.Do)
            do(*decision.events)
            answers -= 1
    return log


def chance_of(chance: Chance, table: Table) -> tuple[int, OpenQuestion]:
    """Return one of the open questions."""
    open_ = [(seat, asked) for seat, asked in enumerate(table.questions) if asked is not None]
    return open_[chance.below(len(open_))]


def folded(log: list[e.TableEvent]) -> Table:
    """Return the table of a log, folded event by event."""
    first, *rest = log
    assert isinstance(first, e.TableCreated)
    table = Table.create(ID, first, GAMES)
    for event in rest:
        table.apply(event)
    return table


@pytest.mark.parametrize("seed", range(6))
def test_a_table_made_from_its_last_checkpoint_is_the_one_that_was_folded_from_the_start(seed: int) -> None:
    log = played(seed, 90)
    whole = folded(log)
    at = len(log) * (seed + 1) // 7
    before = folded(log[:at])
    checkpoint = e.TableCheckpoint(log[at - 1].at, ID, before.base, tuple(before.since))
    replay = Replay(GAMES)
    replay.take([(ID, event) for event in log[:at]])
    replay.take([("", checkpoint)])
    replay.take([(ID, event) for event in log[at:]])
    while replay.fold():
        pass
    made = replay.live[ID]
    assert encode_state(made.s) == encode_state(whole.s)
    assert made.questions == whole.questions or _but_for_versions(made) == _but_for_versions(whole)


def _but_for_versions(table: Table) -> list[object]:
    return [q and (q.number, q.actions, q.told_as, q.shown_at, q.deadline) for q in table.questions]


def test_what_stands_before_a_checkpoint_is_not_folded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    log = played(1, 60)
    table = folded(log)
    applied = count()
    replay = Replay(GAMES)
    replay.take([(ID, event) for event in log])
    replay.take([("", e.TableCheckpoint(log[-1].at, ID, table.base, tuple(table.since)))])
    apply = Table.apply
    monkeypatch.setattr(Table, "apply", lambda self, event: (next(applied), apply(self, event))[1])
    while replay.fold():
        pass
    assert next(applied) == len(table.since) < len(log) - 1


def test_a_base_of_checkpoints_holds_nothing_of_the_round_before() -> None:
    table = folded(played(2, 120))
    assert table.round.no > 1
    base = decode_state(table.base)
    assert base.board.round_end is None
    assert [listener.events for listener in base.listeners if listener is not None] == [[], [], [], []]
    assert len(table.base) < 4_096


def test_a_table_closed_in_the_log_is_remembered_by_its_fingerprint_alone() -> None:
    log = played(3, 5)
    first = log[0]
    assert isinstance(first, e.TableCreated)
    for base_first in (False, True):
        replay = Replay(GAMES)
        replay.take([(ID, event) for event in log])
        if base_first:
            table = folded(log)
            replay.take([("", e.TableCheckpoint(log[-1].at, ID, table.base, tuple(table.since)))])
        replay.take([(ID, e.TableClosed(log[-1].at))])
        assert not replay.fold()
        assert replay.closed == {ID: first.fingerprint}


async def test_tables_are_made_in_slices_and_the_collector_is_left_as_it_was() -> None:
    none = lambda *_: None  # noqa: E731 - nobody is told anything here
    tables = Tables(SystemClock(), SeededIds("fold"), GAMES, show=none, done=none, owes=none, closed=none)
    log = played(4, 20)
    for number in range(5):
        tables.replay(number + 1, [(f"0-fold{number}", event) for event in log])
    assert not tables.live
    assert gc.isenabled()
    await tables.fold()
    assert len(tables.live) == 5
    assert gc.isenabled()


def test_tables_at_rest_are_looked_at_in_equal_parts() -> None:
    sessions = Sessions()
    names = [f"0-t{number}" for number in range(30)]
    for name in names:
        for seat in range(3):
            sessions.add(Session("gw", f"s{seat}", name, f"p_{seat}", seat, 0, 0))
    parts = [sessions.tables_of(second) for second in range(AT_REST_S)]
    assert sorted(name for part in parts for name in part) == sorted(names)
    assert {len(part) for part in parts} == {30 // AT_REST_S}
    assert sessions.tables_of(AT_REST_S) == parts[0]
    sessions.close(names[0])
    for seat in range(3):
        sessions.remove("gw", f"s{seat}", names[1])
    assert sorted(name for second in range(AT_REST_S) for name in sessions.tables_of(second)) == sorted(
        names[2:]
    )


def test_what_lives_long_is_set_aside_and_looked_at_again_when_a_shard_was_let_go() -> None:
    class Ring:
        """A cycle."""

        def __init__(self, gone: list[str]) -> None:
            self.itself = self
            self.gone = gone

        def __del__(self) -> None:
            self.gone.append("gone")

    async def main(clock: VirtualClock) -> None:
        released, gone = [0], list[str]()
        task = asyncio.ensure_future(set_aside(clock, lambda: released[0]))
        kept = Ring(gone)
        await clock.sleep(2.5)
        assert gc.get_freeze_count() > 0
        del kept
        await clock.sleep(3.0)
        assert gone == [], "nobody looks at it"
        released[0] = 1
        await clock.sleep(1.5)
        assert gone == ["gone"]
        # Another service of the process; the first one ends.
        others = [0]
        second = asyncio.ensure_future(set_aside(clock, lambda: others[0]))
        kept = Ring(gone)
        await clock.sleep(2.5)
        del kept
        task.cancel()
        await clock.sleep(3.0)
        assert gone == ["gone", "gone"], "it takes over, from the beginning"
        assert gc.get_freeze_count() > 0
        second.cancel()
        await asyncio.gather(task, second, return_exceptions=True)
        assert gc.get_freeze_count() == 0

    run_virtual(main)
