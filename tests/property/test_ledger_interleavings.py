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

from services.chassis.errors import Refusal
from services.economy.core.rounds import RoundFact
from services.economy.store import schema
from tests.support.book import PLAYERS, Books, agreed, seated, voided

MATCHES = ("0-m", "1-n")
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

points = st.tuples(st.integers(-40, 40), st.integers(-40, 40)).map(lambda two: (*two, -sum(two)))
match_ids = st.sampled_from(MATCHES)
numbers = st.integers(1, 5)

grants = st.tuples(
    st.just("grant"), st.sampled_from(["p_a", "p_b"]), st.integers(1, 900), st.sampled_from("xyz")
)
opens = st.tuples(
    st.just("open"), match_ids, st.integers(0, 2), st.sampled_from([*PLAYERS, "p_c"]), st.integers(1, 600)
)
closes = st.tuples(st.just("close"), match_ids, st.integers(0, 2), st.integers(0, 5))
audits = st.tuples(
    st.just("audit"),
    match_ids,
    numbers,
    points,
    st.sampled_from(["AGREED"] * 5 + ["DISPUTED"]),
    st.booleans(),
    st.sampled_from([0, 0, 7, 500]),
)
adds = st.tuples(
    st.just("add"),
    match_ids,
    st.integers(0, 2),
    st.sampled_from(PLAYERS),
    st.integers(1, 600),
    st.integers(0, 5),
)
claims = st.tuples(st.just("claim"), st.sampled_from(["p_a", "p_c"]), st.sampled_from("xyz"))
voids = st.tuples(st.just("void"), match_ids, numbers)
operations = st.lists(
    st.one_of(grants, opens, closes, audits, audits, audits, voids, adds, claims), min_size=1, max_size=40
)


REASONS = (
    "",
    "REQUEST_ID_REUSED",
    "INSUFFICIENT_FUNDS",
    "STAKE_CLOSED",
    "STAKE_UNKNOWN",
    "STAKE_TOO_LARGE",
    "NOT_SEATED",
    "SETTLEMENT_PENDING",
    "WRONG_PHASE",
    "RELIEF_NOT_NEEDED",
    "RELIEF_USED_UP",
)


def do(books: Books, operation: tuple[object, ...]) -> None:
    """Do one operation; a refusal is an answer like any other."""
    name, *rest = operation
    calls: dict[object, Callable[..., object]] = {
        "grant": lambda player, amount, key: books.grant(player, amount, f"{player}/{key}"),
        "open": books.open,
        "close": books.close,
        "audit": lambda match, number, won, verdict, cap, fee: books.hear(
            agreed(match, number, points=won, verdict=verdict, win_cap=cap, fee=fee)
        ),
        "add": books.add,
        "claim": books.claim,
        "void": lambda match, number: books.hear(voided(match, number)),
    }
    reason = ""
    try:
        calls[name](*rest)
    except Refusal as refusal:
        reason = refusal.reason
    assert reason in REASONS


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
    done: Sequence[tuple[object, ...]],
) -> None:
    books = Books()
    books.grant("p_a", 1_000, "start/a")
    books.grant("p_b", 1_000, "start/b")
    for operation in done:
        do(books, operation)
    invariants(books)


@QUICK
@given(operations)
def test_doing_everything_twice_is_doing_it_once(done: Sequence[tuple[object, ...]]) -> None:
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


def scenario(name: str) -> tuple[Books, Callable[[Books], object]]:
    books = seated(Books())
    if name == "open":
        return books, lambda one: one.open("1-n", 0, "bot:normal", 60_000)
    if name == "close":
        return books, lambda one: one.close("0-m", 0, 0)
    if name == "grant":
        return books, lambda one: one.grant("p_new", 5)
    books.hear(agreed(number=2), agreed(number=3))
    for seat in range(3):
        books.close("0-m", seat, 4)
    return books, lambda one: one.hear(
        agreed(number=1), agreed(number=4), agreed(number=2, points=(2, -1, -1))
    )


@pytest.mark.parametrize("name", ["open", "close", "grant", "settle"])
def test_a_kill_before_any_statement_leaves_all_or_nothing(name: str) -> None:
    books, act = scenario(name)
    before = books.dump()
    whole, act_whole = scenario(name)
    act_whole(whole)
    after = whole.dump()
    assert before != after
    for statement in range(1, 200):
        undo = killed_at(books.engine, statement)
        try:
            act(books)
        except Killed:
            undo()
            assert books.dump() == before, f"half done when killed before statement {statement}"
        else:
            undo()
            break
    assert statement > 4
    assert books.dump() == after
    invariants(books)
