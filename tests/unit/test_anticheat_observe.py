"""How people answered, read off real records."""

import hmac

import pytest

from engine import GAMES, Refusal
from engine.record import Record, RecordedAction, format_record, parse_record
from services.anticheat.core.observe import observe
from services.launch.arena import play_round
from services.table.settings import TableSettings


def a_record(number: int = 1) -> Record:
    game = GAMES["paohuzi"]
    seed = hmac.digest(b"observe", b"%d" % number, "sha256")
    bots = ("random", "random", "random")
    record, _ = play_round(game, game.ruleset("876cc"), bots, f"m-1/{number}", seed, 0, 0)
    assert record is not None
    return record


def by_people(record: Record, causes: dict[int, str]) -> bytes:
    """Return the record as if seats 0 and 1 were people; `causes` by number of the action, else their own."""
    actions = tuple(
        RecordedAction(a.seat, a.action, 1000 * number, "bot" if a.seat == 2 else causes.get(number, ""))
        for number, a in enumerate(record.actions)
    )
    fields = {name: getattr(record, name) for name in Record.__dataclass_fields__}
    return format_record(
        Record(**fields | {"seats": ("p_a", "p_b", "bot:normal"), "actions": actions})
    ).encode()


def test_own_answers_are_counted_and_timed_from_their_question() -> None:
    record = a_record()
    counts = observe(by_people(record, {}))
    assert [c.player_id for c in counts] == ["p_a", "p_b"]
    for seat, count in enumerate(counts):
        own = [n for n, a in enumerate(record.actions) if a.seat == seat]
        assert count.actions == len(own) == len(count.answer_ms)
        assert all(ms >= 0 and ms % 1000 == 0 for ms in count.answer_ms)
    # An answer that follows the one which opened its question by one line took one second.
    assert any(1000 in count.answer_ms for count in counts)


@pytest.mark.parametrize("name", TableSettings().games)
def test_rounds_of_every_game_are_observed(name: str) -> None:
    game = GAMES[name]
    bots = ("random",) * game.seats
    preset = list(game.presets)[-1]
    record, _ = play_round(game, game.ruleset(preset), bots, "m-1/1", bytes(32), 0, 0)
    assert record is not None
    people = tuple(f"p_{seat}" for seat in range(game.seats))
    actions = tuple(
        RecordedAction(a.seat, a.action, 1000 * number, "") for number, a in enumerate(record.actions)
    )
    fields = {each: getattr(record, each) for each in Record.__dataclass_fields__}
    counts = observe(format_record(Record(**fields | {"seats": people, "actions": actions})).encode())
    assert [count.player_id for count in counts] == list(people)
    for seat, count in enumerate(counts):
        assert count.actions == sum(action.seat == seat for action in actions) > 0
    # Who is asked together is timed from the same moment: the second answer took longer.
    assert max(ms for count in counts for ms in count.answer_ms) >= 1000


def test_a_time_out_is_no_answer_of_ones_own() -> None:
    record = a_record()
    first = next(n for n, a in enumerate(record.actions) if a.seat == 0)
    plain = observe(by_people(record, {}))[0]
    late = observe(by_people(record, {first: "timeout"}))[0]
    assert (late.actions, late.timeouts) == (plain.actions - 1, 1)
    assert len(late.answer_ms) == plain.actions - 1


def test_a_hu_that_was_there_and_not_taken_is_counted() -> None:
    declined = taken = 0
    for number in range(1, 120):
        record = a_record(number)
        taken += sum(a.action == "hu" for a in record.actions if a.seat < 2)
        declined += sum(c.hu_declined for c in observe(by_people(record, {})))
    assert taken > 0
    assert declined > 0


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(Refusal):
        observe(b"Paiju-Record: 1\n")


def test_the_record_is_read_as_it_was_written() -> None:
    record = a_record(3)
    assert parse_record(format_record(record)) == record
