"""Whatever a provider says of an order, in whatever order and however often: one book comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from services.chassis.errors import Refusal
from services.economy.core.topup_payments import EventKind, PaymentEvent
from services.economy.store import topup_orders
from services.economy.store import topup_schema as tables
from tests.support import topups
from tests.support.book import empty_book
from tests.support.topups import event


@contextmanager
def book() -> Iterator[Connection]:
    """An empty book, in one transaction."""
    engine = empty_book()
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def outcome_of(said: list[PaymentEvent]) -> tuple[object, ...]:
    """Return what a book comes to in which these words are heard in this order."""
    with book() as connection:
        topups.new_order(connection, "o_1")
        for one in said:
            topups.take(connection, one)
        assert list(topups.findings(connection)) == []
        order = topup_orders.order_of(connection, "o_1")
        assert order is not None
        owed = topup_orders.owed_by(connection, "p_a")
        return order.state, order.returned_fen, order.returned_gems, topups.gems(connection), owed


_RETURNS: st.SearchStrategy[list[PaymentEvent]] = st.lists(
    st.tuples(
        st.sampled_from(["refunded", "charged_back", "reversed"]), st.integers(1, 600), st.integers(0, 10**6)
    ),
    max_size=4,
    unique_by=lambda one: one[2],
).map(
    lambda rows: [
        event(f"{kind}{name}", said, amount_fen=fen, return_id=f"x{name}")
        for kind, fen, name in rows
        for said in _words(kind)
    ]
)


def _words(kind: str) -> list[EventKind]:
    """Return what a provider says of one return; of a reversed chargeback two things."""
    if kind == "refunded":
        return ["refunded"]
    return ["charged_back"] if kind == "charged_back" else ["charged_back", "chargeback_reversed"]


def _own_ids(said: list[PaymentEvent]) -> list[PaymentEvent]:
    return [
        event(f"e{at}", one.kind, amount_fen=one.amount_fen, return_id=one.return_id)
        for at, one in enumerate(said)
    ]


@settings(max_examples=40, deadline=None)
@given(_RETURNS, st.booleans(), st.data())
def test_any_order_and_any_repeats_of_a_provider_s_words_end_in_the_same_book(
    returns: list[PaymentEvent], is_closed: bool, data: st.DataObject
) -> None:
    said = [event("paid"), *returns, *([event("closed", "closed")] if is_closed else [])]
    said = _own_ids(said)
    straight = outcome_of(said)
    mixed = data.draw(st.permutations(said))
    doubled = [*mixed, *data.draw(st.lists(st.sampled_from(said), max_size=4))]
    assert outcome_of(mixed) == straight
    assert outcome_of(doubled) == straight


_DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("order"), st.sampled_from(["small", "large"]), st.just(0)),
        st.tuples(st.just("pay"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("spend"), st.just(0), st.just(0)),
        st.tuples(st.just("refund"), st.integers(0, 3), st.integers(1, 7_000)),
        st.tuples(st.just("refused"), st.integers(0, 3), st.integers(1, 7_000)),
        st.tuples(st.just("charge_back"), st.integers(0, 3), st.integers(1, 7_000)),
        st.tuples(st.just("reverse"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("lapse"), st.integers(0, 3), st.just(0)),
    ),
    max_size=24,
)


@settings(max_examples=50, deadline=None)
@given(_DEEDS)
def test_whatever_is_done_no_gem_is_made_of_nothing_and_no_more_goes_back_than_was_paid(
    deeds: list[tuple[str, object, int]],
) -> None:
    with book() as connection:
        made: list[str] = []
        backs: list[tuple[str, str, int]] = []
        for at, (what, which, fen) in enumerate(deeds):
            try:
                if what == "order":
                    topups.new_order(connection, f"o_{len(made)}", product_id=str(which))
                    made.append(f"o_{len(made)}")
                elif what == "spend":
                    topups.spend(connection, request_id=str(at))
                elif isinstance(which, int) and which < len(made):
                    _do(connection, at, what, made[which], fen, backs)
            except Refusal:
                continue
        assert list(topups.findings(connection)) == []
        for order in connection.execute(select(tables.orders)):
            assert 0 <= order.returned_fen <= order.price_fen
            assert 0 <= order.returned_gems <= order.gems + order.bonus_gems
        # Never below zero, and who owes holds nothing.
        held, owed = topups.gems(connection), topup_orders.owed_by(connection, "p_a")
        assert held >= 0
        assert not (held and owed)
        by_kind: dict[str, int] = {}
        for kind, amount in topups.entries(connection):
            by_kind[kind] = by_kind.get(kind, 0) + amount
        came = by_kind.get("topup", 0) + by_kind.get("topup_bonus", 0) + by_kind.get("refund_undone", 0)
        went = -sum(by_kind.get(kind, 0) for kind in ("refund", "chargeback", "debt"))
        assert went <= came
        assert held == came - went + by_kind.get("exchange", 0)


def _do(
    connection: Connection, at: int, what: str, order_id: str, fen: int, backs: list[tuple[str, str, int]]
) -> None:
    order = topup_orders.order_of(connection, order_id)
    assert order is not None
    if what == "pay":
        topups.take(connection, event(f"e{at}", order_id=order_id, amount_fen=order.price_fen))
    elif what in ("refund", "refused"):
        topups.refund(connection, order_id, fen, str(at), "done" if what == "refund" else "refused")
    elif what == "charge_back":
        fen = min(fen, order.price_fen)
        backs.append((order_id, f"cb{at}", fen))
        topups.take(connection, event(f"e{at}", "charged_back", order_id, fen, f"cb{at}"))
    elif what == "reverse":
        for known, return_id, amount in backs:
            if known == order_id:
                said = event(f"e{at}{return_id}", "chargeback_reversed", order_id, amount, return_id)
                topups.take(connection, said)
    elif what == "lapse":
        topup_orders.lapse(connection, order_id, "expired", "expiry", topups.NOW_MS)
