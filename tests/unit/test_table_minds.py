"""Bots that think long: in processes of their own, and what is played when they are late or dead."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from engine.search import Chance as SeededChance
from services.chassis.clock import SystemClock
from services.chassis.metrics import Metrics
from services.table.core import commands as c
from services.table.core import duties
from services.table.core import events as e
from services.table.core.duties import due_event, next_due, slow_seats, to_think_of
from services.table.core.spec import fingerprint_of
from services.table.core.table import Table
from services.table.minds import AGAIN_AFTER_S, ASKED_PER_PROCESS_MAX, Minds
from tests.simulation.script import START, Chance
from tests.simulation.tables import spec

PAUSE = '{"claim_pause_ms":1000}'


class LaterClock(SystemClock):
    """The system's clock, set forward by a test."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


@pytest.fixture
async def minds() -> AsyncIterator[Minds]:
    made = Minds(1, LaterClock(), Metrics())
    yield made
    made.close()


async def asked(minds: Minds, game: str, bot: str, view: Any, seed: int) -> str:
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    minds.ask(game, bot, view, seed, answer.set_result)
    async with asyncio.timeout(30):
        return await answer


def a_view(name: str, seed: int = 1) -> Any:
    """Return the view of a seat that is asked, some way into a round."""
    game, rng = GAMES[name], random.Random(seed)
    position = game.deal(next(iter(game.presets.values())), shuffled(game.deck(), rng), 0)
    for _ in range(12):
        seat = position.to_act()[0]
        position.apply(seat, game.bots["random"](position.view(seat), rng))
    return position.view(position.to_act()[0])


async def test_another_process_gives_the_very_answer_of_the_bot_in_every_game(minds: Minds) -> None:
    for name, game in GAMES.items():
        view = a_view(name)
        for bot in sorted(game.bots.keys() & {"random", "normal"}):
            there = await asked(minds, name, bot, view, 77)
            assert there == game.bots[bot](view, SeededChance(77)), f"{name} {bot}"


async def test_who_asks_a_dead_pool_gets_no_answer_at_once_and_later_a_new_pool(minds: Minds) -> None:
    view = a_view("paohuzi")
    assert await asked(minds, "paohuzi", "random", view, 1)
    assert minds._pool is not None
    for pid in list(minds._pool._processes):
        os.kill(pid, signal.SIGKILL)
    answers = [await asked(minds, "paohuzi", "random", view, seed) for seed in range(3)]
    assert answers[-1] == "", "nobody waits for a pool that died"
    clock = minds._clock
    assert isinstance(clock, LaterClock)
    clock.ahead = AGAIN_AFTER_S + 1
    assert await asked(minds, "paohuzi", "random", view, 1)


async def test_questions_beyond_the_bound_are_turned_away_at_once(minds: Minds) -> None:
    view = a_view("paohuzi")
    waiting = [asked(minds, "paohuzi", "random", view, seed) for seed in range(ASKED_PER_PROCESS_MAX + 5)]
    answers = await asyncio.gather(*waiting)
    assert [bool(answer) for answer in answers] == [True] * ASKED_PER_PROCESS_MAX + [False] * 5


async def test_a_bot_that_breaks_is_no_answer_and_the_others_think_on(minds: Minds) -> None:
    assert await asked(minds, "paohuzi", "no such bot", a_view("paohuzi"), 1) == ""
    assert await asked(minds, "paohuzi", "random", a_view("paohuzi"), 1)


class Slow:
    """A table with a person and slow bots, played by hand."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, game: str = "doudizhu", preset: str = "qiang"
    ) -> None:
        monkeypatch.setattr(duties, "SLOW", frozenset({"random"}))
        made = spec("p_a", game=game, preset=preset, timing=PAUSE, bot="random")
        self.table = Table.create("0-slow1", e.TableCreated(START, made, fingerprint_of(made)), GAMES)
        self.now, self.chance = START, Chance(random.Random(3))
        self.apply(*self.decide(c.Sit(b"")))

    def decide(self, command: c.Command) -> tuple[e.TableEvent, ...]:
        decision = c.decide(self.table, "p_a", "id", command, self.now, self.table.version)
        assert isinstance(decision, c.Do)
        return decision.events

    def apply(self, *events: e.TableEvent) -> None:
        for event in events:
            self.table.apply(event)

    def until_asked(self, hidden: bool = False) -> int:
        """Go on until a slow bot is asked; return its seat."""
        while True:
            for owed in list(self.table.s.owed):
                if owed.key.startswith("opened"):
                    self.apply(e.RoundAnnounced(self.now, 1, self.now + 1))
            for seat in slow_seats(self.table):
                question = self.table.questions[seat]
                if question is not None and question.is_turn != hidden:
                    return seat
            self.now = max(self.now, next_due(self.table))
            self.table.advance(self.now)
            event = due_event(self.table, self.now, self.chance)
            if event is not None:
                self.apply(event)


def test_a_slow_bot_is_waited_for_and_its_answer_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    seat = slow.until_asked()
    thought = to_think_of(slow.table, seat, slow.now)
    assert thought is not None
    slow.table.thoughts[seat] = thought
    assert to_think_of(slow.table, seat, slow.now) is None, "it thinks once of each question"
    question = slow.table.questions[seat]
    assert question is not None
    assert due_event(slow.table, question.shown_at + 1_500, slow.chance) is None, "it thinks still"
    thought.action = question.actions[-1]
    event = due_event(slow.table, question.shown_at + 1_500, slow.chance)
    assert isinstance(event, e.Answered)
    assert (event.seat, event.action, event.cause) == (seat, question.actions[-1], "bot")


def test_a_slow_bot_that_is_late_is_answered_for_by_the_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    seat = slow.until_asked()
    thought = slow.table.thoughts[seat] = to_think_of(slow.table, seat, slow.now)
    assert thought is not None
    assert slow.table.position is not None
    quick = GAMES["doudizhu"].bots[duties.QUICK](slow.table.position.view(seat), Chance(random.Random(0)))  # type: ignore[arg-type]
    event = due_event(slow.table, thought.give_up_at, slow.chance)
    assert isinstance(event, e.Answered)
    assert (event.seat, event.action, event.cause) == (seat, quick, "bot")


def test_a_question_that_others_do_not_know_of_is_answered_inside_the_pause_whatever_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Slow(monkeypatch)
    seat = slow.until_asked(hidden=True)
    question = slow.table.questions[seat]
    assert question is not None
    thought = to_think_of(slow.table, seat, question.shown_at)
    assert thought is not None
    assert question.shown_at < thought.give_up_at < question.shown_at + 1_000


def test_without_processes_a_slow_bot_thinks_in_line_and_a_seed_gives_the_same_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(duties, "SLOW", frozenset({"random"}))
    events = []
    for _ in range(2):
        slow = Slow(monkeypatch)
        seat = slow.until_asked()
        question = slow.table.questions[seat]
        assert question is not None
        events.append(due_event(slow.table, question.deadline, slow.chance))
    assert events[0] == events[1]
    assert isinstance(events[0], e.Answered)
