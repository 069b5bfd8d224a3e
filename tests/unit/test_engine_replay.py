"""Records played again moment by moment, and what their decisions teach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine import GAMES
from engine.errors import BadRecordAction
from engine.lessons import WAITS, NoSuchDecision, lesson
from engine.paohuzi.lesson import unseen
from engine.presets import Presets
from engine.record import Record, parse_record
from engine.replay import RecordEndsOtherwise, RecordSeedWrong, RecordUnfinished, Walk, check_seed
from tests.support.finished import PlayedMatch

PRESETS = {"paohuzi": "tongyi-qmt", "doudizhu": "classic", "kawuxing": "xiangyang", "qinghunpeng": "shanghai"}


def rounds(game: str, number: int = 3, seed: int = 5) -> Iterator[Record]:
    players = ("p_a", "p_b", "bot:normal", "bot:normal")[: GAMES[game].seats]
    match = PlayedMatch(game=game, preset=PRESETS[game], players=players, seed=seed)
    for _ in range(number):
        yield parse_record(match.round()[1].record.decode())


@pytest.mark.parametrize("game", GAMES)
def test_every_seat_is_told_the_same_public_moments_in_the_same_order(game: str) -> None:
    for record in rounds(game):
        walk = Walk(record)
        for moment in walk.moments():
            for event in moment.events:
                if event.reader is None:
                    texts = [event.text_for(seat) for seat in range(walk.game.seats)]
                    assert all(text is not None for text in texts)
                    assert len({str(text).split()[0] for text in texts}) == 1
        walk.check_result()


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_rests_on_the_seats_own_view_and_offers_what_was_legal(game: str) -> None:
    (record,) = rounds(game, 1)
    for number, answer in enumerate(record.actions, 1):
        found = lesson(Walk(record), number)
        legal = [action for action, _ in found.alternatives]
        assert (found.seat, found.action) == (answer.seat, answer.action)
        assert answer.action in legal
        assert found.suggestion in legal
        assert legal == sorted(legal)


@pytest.mark.parametrize("game", sorted(WAITS))
def test_a_card_that_a_lesson_waits_for_is_one_that_wins_when_it_comes(game: str) -> None:
    """A win was waited for before its card came; of no card more are left than there are."""
    won = 0
    for record in rounds(game, 12, seed=9):
        walk = Walk(record)
        waited: dict[int, dict[str, int]] = {}
        for moment in walk.moments():
            for event in moment.events:
                words = str(event.text_for(None)).split()
                if words[0] == "hu" and record.result["how"] in ("discard", "wall"):
                    assert record.result["card"] in waited[int(words[1])]
                    won += 1
            waited = {seat: _waits(walk, seat) for seat in range(walk.game.seats)}
        assert all(0 <= left <= 4 for waits in waited.values() for left in waits.values())
    assert won, "rounds are won by cards that were waited for"


def _waits(walk: Walk, seat: int) -> dict[str, int]:
    view = walk.position.view(seat)
    return {wait.card: wait.left for wait in WAITS[walk.game.name](view, None)}


def test_what_a_seat_of_paohuzi_cannot_see_is_what_the_others_and_the_wall_hide() -> None:
    for record in rounds("paohuzi", 4):
        walk = Walk(record)
        for _ in walk.moments():
            if walk.position.outcome() is not None:
                continue
            for seat in range(3):
                view: Any = walk.position.view(seat)
                hidden = view.wall_left + sum(n for at, n in enumerate(view.counts) if at != seat)
                hidden += sum(meld.size for melds in view.melds for meld in melds if not meld.cards)
                is_liang_taken = view.shown is not None and view.shown[2] == "liang"
                assert sum(unseen(view)) == hidden - (is_liang_taken and _holds_liang(view, seat))


def _holds_liang(view: Any, seat: int) -> bool:
    """The 亮张 lies in the hand of its dealer, where everybody has seen it."""
    return bool(view.shown[1] != seat and view.counts[view.shown[1]] == 21)


def test_a_changed_answer_names_itself() -> None:
    (record,) = rounds("paohuzi", 1)
    actions = list(record.actions)
    actions[3] = replace(actions[3], action="hu")
    with pytest.raises(BadRecordAction) as refused:
        list(Walk(replace(record, actions=tuple(actions))).moments())
    assert refused.value.index == 3


def test_a_record_that_breaks_off_or_ends_otherwise_does_not_pass() -> None:
    (record,) = rounds("kawuxing", 1)
    short = Walk(replace(record, actions=record.actions[:-1]))
    list(short.moments())
    with pytest.raises(RecordUnfinished):
        short.check_result()
    other = Walk(replace(record, result={**record.result, "end": "other"}))
    list(other.moments())
    with pytest.raises(RecordEndsOtherwise, match="end"):
        other.check_result()


def test_another_seed_is_not_the_promised_one() -> None:
    (record,) = rounds("doudizhu", 1)
    check_seed(record)
    with pytest.raises(RecordSeedWrong):
        check_seed(replace(record, seed="00" * 32))


@pytest.mark.parametrize("number", [0, -1, 10_000])
def test_there_is_no_lesson_about_an_answer_that_was_not_given(number: int) -> None:
    (record,) = rounds("paohuzi", 1)
    with pytest.raises(NoSuchDecision):
        lesson(Walk(record), number)


def test_a_record_of_a_retired_preset_version_keeps_its_rules() -> None:
    from engine.paohuzi.presets import PRESETS as KNOWN
    from engine.paohuzi.rules import OPTIONS

    old = KNOWN["tongyi-qmt"]
    new = replace(old, version=2, min_xi=18)
    book = Presets((new,), OPTIONS, retired=(old,))
    assert book.by_id["tongyi-qmt"].version == 2, "new tables get the new version"
    assert book.recorded("tongyi-qmt@1", old.as_json()) == old
    assert book.recorded("tongyi-qmt@2", new.as_json()) == new
    with pytest.raises(Exception, match="min_xi"):
        book.recorded("tongyi-qmt@1", new.as_json())
