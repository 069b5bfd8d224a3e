"""What can be done with a book of economy, and what comes before it: each a function of the book."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select

from services.chassis.auth import Staff
from services.economy.core.disputes import Outcome, engine_word
from services.economy.core.topup_payments import EventKind, PaymentStatus, Purchase, RefundAnswer
from services.economy.store import (
    decisions,
    facts,
    room_cards,
    schema,
    topup_desk,
    topup_orders,
    topup_refunds,
    topup_sandbox,
    topup_schema,
    topup_waivers,
)
from tests.support import topups
from tests.support.book import PLAYERS, Books, agreed, audited, record_of
from tests.support.topups import CATALOGUE, NOW_MS, STAFF, event

JUDGE: Final = Staff("p_anna", "disputes")

Act = Callable[[Books], object]


@dataclass(frozen=True)
class Transaction:
    """Something the store does, in a transaction of its own."""

    fn: Callable[[Connection], object]

    def __call__(self, books: Books) -> object:
        return books.run(self.fn)


# Rounds and stakes


def seated(match: str) -> Act:
    """Three stakes of 500, whoever had gold before."""

    def prepare(books: Books) -> None:
        for player in PLAYERS[:2]:
            books.grant(player, 1_000, f"for {match}/{player}")
        for seat, player in enumerate(PLAYERS):
            books.open(match, seat, player, 500)

    return prepare


def waiting(match: str) -> Act:
    """Rounds 2 and 3 wait for 1, and all stakes for round 4."""

    def prepare(books: Books) -> None:
        seated(match)(books)
        books.hear(agreed(match, 2), agreed(match, 3))
        for seat in range(3):
            books.close(match, seat, 4)

    return prepare


def disputed(match: str) -> Act:
    """Round 1 is disputed, round 2 waits behind it, a stake waits for round 2."""

    def prepare(books: Books) -> None:
        seated(match)(books)
        said = audited(match, 1, verdict="DISPUTED")
        said.record_sha256 = hashlib.sha256(record_of(said.round_id)).digest()
        books.hear(facts.from_audited(said), agreed(match, 2))
        books.close(match, 0, 2)

    return prepare


def decided(match: str, outcome: Outcome) -> Act:
    round_id, record = f"{match}/1", record_of(f"{match}/1")
    word = engine_word(record, round_id, hashlib.sha256(record).digest())
    one = decisions.Decision(round_id, outcome, "looked at it", JUDGE, match, word, record)
    return Transaction(lambda c: decisions.resolve(c, one, NOW_MS)[0].round_id)


def contradicted(match: str) -> Act:
    def prepare(books: Books) -> None:
        seated(match)(books)
        books.hear(agreed(match, 1))
        books.hear(agreed(match, 1, points=(2, -1, -1)))

    return prepare


def looked_at(match: str) -> Act:
    def act(connection: Connection) -> object:
        digest = connection.execute(
            select(schema.alerts.c.digest).where(schema.alerts.c.round_id == f"{match}/1")
        ).scalar_one()
        look = decisions.Look(f"{match}/1", "audit_contradicts", bytes(digest), "seen", JUDGE, match)
        return decisions.acknowledge(connection, look, NOW_MS)[1]

    return Transaction(act)


# Room cards


def with_cards(*names: str) -> Act:
    def prepare(books: Books) -> None:
        for name in names:
            books.grant(name, 20, f"cards/{name}", "room_card")

    return prepare


def hold(match: str, *seats: str) -> Act:
    return Transaction(lambda c: room_cards.hold(c, match, "winner", 4, seats, seats[0], NOW_MS))


def held(match: str, *seats: str) -> Act:
    def prepare(books: Books) -> None:
        with_cards(*seats)(books)
        hold(match, *seats)(books)

    return prepare


# Top-ups


def bought(order: str, player: str, *spent: str) -> Act:
    """An order that is paid, of which so many times twenty gems are spent."""

    def prepare(books: Books) -> None:
        books.run(lambda c: topups.new_order(c, order, player))
        books.run(lambda c: topups.take(c, event(f"paid {order}", order_id=order)))
        for request in spent:
            books.run(lambda c, r=request: topups.spend(c, player, f"{order} {r}"))  # type: ignore[misc] # mypy can't infer a lambda with a default

    return prepare


def ordered(order: str, player: str) -> Act:
    return Transaction(lambda c: topups.new_order(c, order, player))


def said(order: str, kind: EventKind, fen: int = 600, return_id: str = "") -> Act:
    """A webhook."""
    one = event(f"{kind} {order}", kind, order, fen, return_id)
    return Transaction(lambda c: topups.take(c, one))


def owing(order: str, player: str) -> Act:
    """A player who owes 60 gems."""

    def prepare(books: Books) -> None:
        bought(order, player, "1", "2", "3", "4")(books)
        said(order, "charged_back", 600, f"back {order}")(books)

    return prepare


def after(*acts: Act) -> Act:
    """Several, one after the other."""

    def prepare(books: Books) -> None:
        for act in acts:
            act(books)

    return prepare


def refund(order: str, fen: int, *, even_if_spent: bool = False) -> Act:
    wish = topup_refunds.Wish(f"r {order}", f"r {order}", order, fen, "asked for", STAFF, even_if_spent)
    return Transaction(lambda c: topup_refunds.ask(c, wish, CATALOGUE, NOW_MS)[2])


def refund_answered(order: str, answer: RefundAnswer) -> Act:
    def act(connection: Connection) -> object:
        table = topup_schema.returns
        asked = connection.execute(select(table).where(table.c.return_id == f"r {order}")).one()
        return topup_refunds.answer(connection, asked, answer, CATALOGUE, NOW_MS)

    return Transaction(act)


def resolved(order: str) -> Act:
    def act(connection: Connection) -> None:
        table = topup_schema.problems
        which = connection.execute(select(table.c.id).where(table.c.order_id == order)).scalar_one()
        topup_desk.resolve_problem(connection, which, STAFF, "seen to", NOW_MS)

    return Transaction(act)


def waived(order: str, gems: int) -> Act:
    waiver = topup_waivers.Waiver(f"w {order}", order, gems, "let be", STAFF)
    return Transaction(lambda c: topup_waivers.waive(c, waiver, CATALOGUE, NOW_MS)[1])


def lapsed(order: str) -> Act:
    return Transaction(lambda c: topup_orders.lapse(c, order, "expired", "expiry", NOW_MS).state)


def asked(order: str) -> Act:
    """The provider was asked, and says that it was paid."""
    status = PaymentStatus("paid", 600, "CNY", f"pay_{order}", NOW_MS)
    return Transaction(lambda c: topups.ask(c, order, status))


# The sandbox's own books


def purchase(order: str) -> Purchase:
    return Purchase(order, 600, "CNY", "小", "small", NOW_MS + 1_800_000)


def registered(order: str) -> Act:
    return Transaction(lambda c: topup_sandbox.register(c, f"sp {order}", purchase(order)))


def on_pay_page(order: str, what: topup_sandbox.Act) -> Act:
    ids = (f"se {order} {what}", f"sb {order} {what}")
    return Transaction(lambda c: topup_sandbox.act(c, f"sp {order}", what, ids, NOW_MS))


def delivered(order: str) -> Act:
    def act(connection: Connection) -> None:
        table = topup_schema.sandbox_deliveries
        one = connection.execute(select(table.c.id).order_by(table.c.id.desc()).limit(1)).scalar_one()
        topup_sandbox.sent(connection, one, 1, True, NOW_MS)

    return Transaction(act)


def nothing(_: Books) -> None:
    """Nothing comes before."""


def make(connection: Connection, order: str, player: str) -> object:
    product = CATALOGUE.product("small")
    assert product is not None
    new = topup_orders.NewOrder(
        order, player, f"request of {order}", product, topups.PROVIDER, NOW_MS + 9, NOW_MS + 3
    )
    return topup_orders.make_order(
        connection, new, CATALOGUE, (0, topup_orders.spent_since(connection, player, 0)), 100, NOW_MS
    ).state


def ask_later(connection: Connection, order: str) -> None:
    table = topup_schema.returns
    asked = connection.execute(select(table).where(table.c.return_id == f"r {order}")).one()
    topup_refunds.ask_later(connection, asked, NOW_MS + 99)
