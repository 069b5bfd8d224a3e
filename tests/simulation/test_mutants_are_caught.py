"""The simulation bites: each rule of the shard log that is left out makes some seed fail.

A mutant is planted into the running code of one world. `SEEDS_MAX` seeds may be tried for each; the first one
that fails convicts it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.chassis import log
from services.chassis.bus.port import Fenced
from services.chassis.clock import run_virtual
from services.table import tables
from services.table.core import commands
from services.table.core import events as e
from services.table.journal import Journal
from services.table.outbox import Outbox
from services.table.shard import Shard
from tests.simulation.world import World

SEEDS_MAX = 12
HEALED_S = 450.0
"""Time for two rounds of the longest game (four seats, a pause after each discard) after the faults."""
Patch = pytest.MonkeyPatch


def show_before_the_acknowledgement(patch: Patch) -> None:
    patch.setattr(Journal, "hold", lambda self, release: release())


def a_fenced_owner_goes_on(patch: Patch) -> None:
    append = Journal._append

    async def stubborn(self: Journal) -> None:
        try:
            await append(self)
        except Fenced as fenced:
            self.last = fenced.last
            self.in_flight_id = ""

    patch.setattr(Journal, "_append", stubborn)


def the_seed_is_drawn_again_by_each_owner(patch: Patch) -> None:
    restore = tables.Tables.replay

    def forgetful(self: tables.Tables, seq: int, entries: Any) -> None:
        changed = tuple(
            (table_id, e.RoundOpened(**{**_fields(event), "seed": bytes(32)}))
            if isinstance(event, e.RoundOpened)
            else (table_id, event)
            for table_id, event in entries
        )
        restore(self, seq, changed)

    patch.setattr(tables.Tables, "replay", forgetful)


def _fields(event: e.RoundOpened) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def questions_are_not_compared(patch: Patch) -> None:
    decide = commands._act

    def careless(live: Any, number: int, command: commands.Act, now: int, version: int) -> Any:
        question = live.questions[number]
        if question is not None and question.shown_at <= now and command.action in question.actions:
            return commands.Do((e.Answered(now, number, question.number, command.action, ""),))
        return decide(live, number, command, now, version)

    patch.setattr(commands, "_act", careless)


def rounds_are_published_once_at_most(patch: Patch) -> None:
    pay = Outbox._finished

    async def once(self: Outbox, live: Any, owed: Any, round_no: int) -> Any:
        if getattr(self, "paid_once", None) is None:
            self.paid_once = True  # type: ignore[attr-defined]
            return (e.OutboxDone(self._tables.now(), owed.key),)
        return await pay(self, live, owed, round_no)

    patch.setitem(Outbox._KINDS, "finished", once)


def checkpoints_forget_what_has_happened_since(patch: Patch) -> None:
    patch.setattr(tables, "CHECKPOINT_AFTER", 10)
    patch.setattr(tables, "PURGE_AFTER", 2)
    make = tables.Tables.checkpoints

    def short(self: tables.Tables, bytes_left: int) -> Any:
        return [
            (table_id, e.TableCheckpoint(event.at, event.table_id, event.base, event.since[:-2]))
            for table_id, event in make(self, bytes_left)
            if isinstance(event, e.TableCheckpoint) and len(event.since) > 3
        ]

    patch.setattr(tables.Tables, "checkpoints", short)


def the_reader_stops_before_its_own_fence(patch: Patch) -> None:
    read = Shard._read

    async def hasty(self: Shard) -> bool:
        entries = 0
        replay = self.tables.replay

        def some(seq: int, batch: Any) -> None:
            nonlocal entries
            entries += 1
            if seq == self.epoch or self.epoch - seq > 3:
                replay(seq, batch)

        patch.setattr(self.tables, "replay", some)
        return await read(self)

    patch.setattr(Shard, "_read", hasty)


def reason_of(error: BaseException) -> str:
    """Return the innermost reason of nested groups of exceptions, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}".split("\n")[0][:160]


MUTANTS: list[Callable[[Patch], None]] = [
    show_before_the_acknowledgement,
    a_fenced_owner_goes_on,
    the_seed_is_drawn_again_by_each_owner,
    questions_are_not_compared,
    rounds_are_published_once_at_most,
    checkpoints_forget_what_has_happened_since,
    the_reader_stops_before_its_own_fence,
]


@pytest.mark.parametrize("seed", range(1000, 1003))
def test_the_same_worlds_are_sound_without_a_mutant(seed: int) -> None:
    run_virtual(lambda clock: World(clock, seed, healed_s=HEALED_S).run())


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: str(mutant.__name__))
def test_a_rule_that_is_left_out_is_noticed(mutant: Callable[[Patch], None]) -> None:
    log.configure("critical", as_json=True)
    try:
        for seed in range(1000, 1000 + SEEDS_MAX):
            with pytest.MonkeyPatch.context() as patch:
                mutant(patch)
                try:
                    run_virtual(lambda clock: World(clock, seed, healed_s=HEALED_S).run())  # noqa: B023 - run at once
                except BaseException as noticed:  # noqa: BLE001 - whatever the world's judge raises
                    print(f"seed {seed}: {reason_of(noticed)}")
                    return
    finally:
        log.configure("warning", as_json=True)
    pytest.fail(f"{SEEDS_MAX} seeds have not noticed it")
