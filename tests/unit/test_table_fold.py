"""A table is the fold of its log: whoever folds it, with whatever checkpoint, sees and shows the same."""

from __future__ import annotations

import pytest

from engine import GAMES
from services.table.core import events as e
from services.table.core.events import Stake, decode_batch, encode_batch
from services.table.core.frames import Shown
from services.table.core.table import Table
from tests.simulation.script import Script, fold_of, observables, view
from tests.simulation.tables import spec

QUICK = '{"claim_pause_ms":200,"turn_ms":3000,"claim_ms":2000,"between_ms":500,"linger_ms":1000}'
STAKE = Stake("gold", 200, 50, 60, 30)
"""So little that some do not reach for another round."""
NAMES = list(GAMES)
SEEDS = range(6 * len(NAMES))


def script(seed: int, noise: float = 0.12) -> Script:
    """Return a table of one of the games, in turn, with one to all of its seats taken by people."""
    game, seed = GAMES[NAMES[seed % len(NAMES)]], seed // len(NAMES)
    people = [f"p_{name}" for name in "abcd"][: 1 + seed % game.seats]
    stake = STAKE if seed % 2 else None
    made = spec(*people, rounds=1 + seed % 3, timing=QUICK, stake=stake, game=game.name)
    return Script(made, seed, noise)


def refolded(of: Script) -> Table:
    first, *rest = of.events
    assert isinstance(first, e.TableCreated)
    table = Table.create(of.table_id, first, GAMES)
    for event in rest:
        table.apply(event)
    table.advance(of.now)
    table.outputs.clear()
    return table


@pytest.mark.parametrize("seed", SEEDS)
def test_every_match_comes_to_its_end(seed: int) -> None:
    played = script(seed).run()
    assert isinstance(played.events[-1], e.TableClosed)
    assert played.table.s.board.phase == "finished"
    assert not played.table.s.owed
    assert sum(played.table.s.scores) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_checkpoint_at_any_step_and_the_rest_of_the_log_are_the_whole_log(seed: int) -> None:
    played = script(seed)
    checkpoints: list[tuple[int, bytes, tuple[e.TableEvent, ...]]] = []
    while played.step():
        table = played.table
        if len(played.events) % 7 == 0:
            restored = Table.restore(played.table_id, table.base, tuple(table.since), GAMES)
            restored.advance(played.now)
            assert observables(restored) == observables(table)
            checkpoints.append((len(played.events), table.base, tuple(table.since)))
    whole = observables(refolded(played))
    assert whole == observables(played.table)
    for count, base, since in checkpoints[:: max(1, len(checkpoints) // 8)]:
        later = Table.restore(played.table_id, base, since, GAMES)
        for event in played.events[count:]:
            later.apply(event)
        later.advance(played.now)
        assert observables(later) == whole


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_are_numbered_without_gaps_and_in_the_order_of_time(seed: int) -> None:
    played = script(seed).run()
    for listener in range(-1, len(played.table.s.seats)):
        if listener >= 0 and played.table.s.seats[listener].bot:
            assert not played.frames(listener), "a bot listens to nothing"
            continue
        frames = played.frames(listener)
        assert [frame.number for frame in frames] == list(range(1, len(frames) + 1))
        assert [frame.at for frame in frames] == sorted(frame.at for frame in frames)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_view_at_any_frame_and_the_frames_after_it_are_the_last_view(seed: int) -> None:
    played = script(seed)
    listeners = [-1, *(number for number, seat in enumerate(played.table.s.seats) if not seat.bot)]
    taken = {listener: [view(played.table, listener)] for listener in listeners}
    while played.step():
        if len(played.events) % 5 == 0:
            for listener in listeners:
                taken[listener].append(view(played.table, listener))
    for listener in listeners:
        last = view(played.table, listener)
        frames = played.frames(listener)
        for at in taken[listener][:: max(1, len(taken[listener]) // 12)]:
            assert fold_of(frames[at.number :], at) == last


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_an_old_owner_still_shows_the_new_one_gives_each_number_the_same_content(seed: int) -> None:
    """An owner that was replaced may show its pending beats by time alone; the new one does at the fence."""
    played = script(seed)
    for _ in range(40 + seed * 17):
        if not played.step():
            break
    table = played.table
    old = Table.restore(played.table_id, table.base, tuple(table.since), GAMES)
    old.advance(played.now + 100_000)
    new = Table.restore(played.table_id, table.base, tuple(table.since), GAMES)
    new.apply(e.ShardTaken(played.now, "new", "i", 1_000))
    new.advance(played.now + 100_000)
    shown_by_old, shown_by_new = (
        {(frame.listener, frame.number): frame for frame in table.outputs if isinstance(frame, Shown)}
        for table in (old, new)
    )
    for key in shown_by_old.keys() & shown_by_new.keys():
        assert shown_by_old[key] == shown_by_new[key]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_event_of_a_match_survives_its_encoding(seed: int) -> None:
    played = script(seed).run()
    entries = tuple((played.table_id, event) for event in played.events)
    assert decode_batch(encode_batch(entries)) == entries


@pytest.mark.parametrize("seed", range(len(NAMES)))
def test_nobodys_time_ends_before_what_he_is_shown_when_a_table_is_resumed(seed: int) -> None:
    """Also where something waited for its time: it is shown at once, and the grace counts from there."""
    played = script(seed + 2 * len(NAMES))
    waited = 0
    while played.step():
        table = Table.restore(played.table_id, played.table.base, tuple(played.table.since), GAMES)
        table.advance(played.now)
        asked = [
            number
            for number, question in enumerate(table.questions)
            if question is not None and table.s.listeners[number] is not None
        ]
        if not asked or not table.pending:
            continue
        waited += 1
        table.apply(e.ShardTaken(max(played.now, table.s.at), "new", "i", 60_000))
        for number in asked:
            question, shown = table.questions[number], table.listener(number).question
            assert question is not None
            if shown is not None and shown.number == question.number:
                assert shown.deadline <= max(question.deadline, table.s.grace_until)
    assert waited
