"""Whatever is done in whatever order: coins are conserved, nothing is negative, each round settles once."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import Engine, event, select

from services.economy.core.rounds import RoundFact
from services.economy.store import schema
from tests.support.anything import ANSWERS, ELSEWHERE, MOVES_NOTHING, NAMES, OPERATIONS, Operation, do
from tests.support.book import Books, agreed, seated, voided
from tests.support.deeds import DEEDS, Deed
from tests.support.written import written_by_economy

MATCHES = ("0-m", "1-n")
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

points = st.tuples(st.integers(-40, 40), st.integers(-40, 40)).map(lambda two: (*two, -sum(two)))
numbers = st.integers(1, 5)


def one_of(name: str) -> st.SearchStrategy[Operation]:
    """Return operations of one kind."""
    return st.tuples(st.just(name), st.tuples(*map(st.sampled_from, OPERATIONS[name].domains)))


operations = st.lists(st.sampled_from(NAMES).flatmap(one_of), min_size=1, max_size=40)


def test_any_operation_is_every_operation_of_economy() -> None:
    drawn = {kind.of for kind in OPERATIONS.values()} | MOVES_NOTHING | {ANSWERS}
    assert drawn == {name for name in written_by_economy() if not name.startswith(ELSEWHERE)}


def invariants(books: Books) -> None:
    assert books.prove().findings == ()
    rows = books.run(lambda c: c.execute(select(schema.accounts)).all())
    totals: dict[str, int] = defaultdict(int)
    for row in rows:
        totals[row.currency] += row.balance
        assert row.balance >= 0 or row.kind == "issuer"
    assert not any(totals.values())
    settled: dict[str, list[int]] = defaultdict(list)
    for payload in books.events("RoundSettled"):
        one = RoundSettled.FromString(payload)
        settled[one.match_id].append(one.round_no)
    for match_id, found in settled.items():
        assert found == sorted(set(found)), f"{match_id} settled {found}"


@QUICK
@given(operations)
def test_any_interleaving_conserves_coins_and_leaves_nothing_negative(
    done: Sequence[Operation],
) -> None:
    books = Books()
    books.grant("p_a", 1_000, "start/a")
    books.grant("p_b", 1_000, "start/b")
    for operation in done:
        do(books, operation)
    invariants(books)


@QUICK
@given(operations)
def test_doing_everything_twice_is_doing_it_once(done: Sequence[Operation]) -> None:
    once, twice = Books(), Books()
    for operation in done:
        do(once, operation)
        do(twice, operation)
        do(twice, operation)
    assert once.dump() == twice.dump()


@QUICK
@given(
    st.lists(points, min_size=1, max_size=6),
    st.sets(numbers, max_size=2),
    st.randoms(use_true_random=False),
    st.integers(1, 4),
)
def test_audits_repeated_and_in_any_order_settle_once_and_in_order(
    won: Sequence[tuple[int, int, int]], void: set[int], chance: random.Random, batch: int
) -> None:
    def facts_of(match: str) -> list[RoundFact]:
        return [
            voided(match, number) if number in void else agreed(match, number, points=each)
            for number, each in enumerate(won, start=1)
        ]

    straight, mixed = Books(), Books()
    for books in (straight, mixed):
        seated(books, "0-m")
        seated(books, "1-n")
    for match in MATCHES:
        for fact in facts_of(match):
            straight.hear(fact)
    said = [fact for match in MATCHES for fact in facts_of(match)]
    said += chance.choices(said, k=len(said))
    chance.shuffle(said)
    for start in range(0, len(said), batch):
        mixed.hear(*said[start : start + batch])
    for match in MATCHES:
        assert mixed.stakes(match) == straight.stakes(match)
        for number in range(1, len(won) + 1):
            assert mixed.state(f"{match}/{number}") == straight.state(f"{match}/{number}")
    invariants(mixed)


class Killed(Exception):
    """The process died."""


def killed_at(engine: Engine, statement: int) -> Callable[[], None]:
    """Let the process die before its nth statement (0 = before COMMIT only); return how to undo that."""
    seen = 0

    def before(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == statement:
            raise Killed

    event.listen(engine, "before_cursor_execute", before)
    return lambda: event.remove(engine, "before_cursor_execute", before)


@pytest.mark.parametrize("deed", DEEDS, ids=str)
def test_a_kill_before_any_statement_leaves_all_or_nothing(deed: Deed) -> None:
    books, whole = Books(), Books()
    for one in (books, whole):
        deed.prepare(one)
    before = books.dump()
    deed.act(whole)
    after = whole.dump()
    assert before != after
    for statement in range(1, 200):
        undo = killed_at(books.engine, statement)
        try:
            deed.act(books)
        except Killed:
            undo()
            # What was half done once stays so: every third look finds it too.
            assert statement % 3 or books.dump() == before, f"half done when killed before {statement}"
        else:
            undo()
            break
    assert statement > 1
    assert books.dump() == after
    invariants(books)
