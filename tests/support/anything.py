"""Any operation of economy, with any arguments: by Hypothesis for one book, by chance for eight writers.

Small domains, so that operations meet: the same keys with other content, rounds out of order, orders paid
twice, debts, seats that are gone.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, select

from services.chassis.auth import Staff
from services.chassis.errors import Refusal
from services.economy.core.disputes import OUTCOMES, engine_word
from services.economy.core.topup_payments import PaymentStatus
from services.economy.store import (
    decisions,
    facts,
    matches,
    room_cards,
    schema,
    topup_desk,
    topup_orders,
    topup_schema,
    topup_waivers,
    wallets,
)
from tests.support import topups
from tests.support.book import NOW_MS, PLAYERS, Books, agreed, audited, record_of, voided
from tests.support.topups import CATALOGUE, STAFF, event

Domain: TypeAlias = Sequence[Any]
Operation: TypeAlias = tuple[str, tuple[Any, ...]]
"""A name of `OPERATIONS`, and its arguments."""

JUDGE: Final = Staff("p_anna", "disputes")

REASONS: Final = frozenset(
    {
        "REQUEST_ID_REUSED", "INSUFFICIENT_FUNDS", "STAKE_CLOSED", "STAKE_UNKNOWN", "STAKE_TOO_LARGE",
        "NOT_SEATED", "SETTLEMENT_PENDING", "WRONG_PHASE", "RELIEF_NOT_NEEDED", "RELIEF_USED_UP",
        "ROOM_CARDS_CLOSED", "ROOM_CARDS_TOO_FEW", "DISPUTE_UNKNOWN", "DISPUTE_RESOLVED",
        "DISPUTE_OUT_OF_TURN", "DISPUTE_SIDE_UNUSABLE", "ALERT_ACKNOWLEDGED", "ORDER_UNKNOWN",
        "ORDER_NOT_PAID", "REFUND_TOO_LARGE", "REFUND_SPENT", "DEBT_SETTLED", "TOO_MANY_ORDERS",
    }
)  # fmt: skip
"""A refusal with one of these is an answer like any other."""

_PEOPLE: Final = ("p_a", "p_b", "p_c")
_MATCHES: Final = ("0-m", "1-n")
_SEATS: Final = range(3)
_NUMBERS: Final = range(1, 6)
_KEYS: Final = "xyz"
_ORDERS: Final = tuple(f"o_{player}_{key}" for player in _PEOPLE for key in "xy")
_POINTS: Final = [(one, two, -one - two) for one in range(-40, 41, 8) for two in range(-36, 41, 19)]
_FEN: Final = (1, 200, 300, 600, 601, 6_801)


@dataclass(frozen=True)
class Kind:
    """A kind of operation."""

    of: str
    """The function of the store that does it, as economy hands it to a transaction."""
    call: Callable[..., object]
    """Of the book and one value of each domain."""
    domains: tuple[Domain, ...]


def do(books: Books, operation: Operation) -> None:
    """Do an operation; a refusal is an answer like any other."""
    name, arguments = operation
    try:
        OPERATIONS[name].call(books, *arguments)
    except Refusal as refusal:
        if refusal.reason not in REASONS:
            raise


def draw(chance: random.Random) -> Operation:
    """Return an operation by chance."""
    name = chance.choice(NAMES)
    return name, tuple(chance.choice(domain) for domain in OPERATIONS[name].domains)


def _audit(books: Books, match: str, number: int, won: Any, verdict: str, cap: bool, fee: int) -> object:
    said = audited(match, number, points=won, verdict=verdict, win_cap=cap, fee=fee)
    said.record_sha256 = hashlib.sha256(record_of(said.round_id)).digest()
    return books.hear(facts.from_audited(said))


def _decide(books: Books, match: str, number: int, outcome: Any, key: str) -> object:
    round_id, record = f"{match}/{number}", record_of(f"{match}/{number}")
    word = engine_word(record, round_id, hashlib.sha256(record).digest())
    one = decisions.Decision(round_id, outcome, "looked at it", JUDGE, key, word, record)
    return books.run(lambda c: decisions.resolve(c, one, NOW_MS)[0].round_id)


def _look(books: Books, match: str, number: int, key: str) -> None:
    def look(connection: Connection) -> None:
        alert = schema.alerts.c
        query = select(alert.kind, alert.digest).where(alert.round_id == f"{match}/{number}")
        for at, row in enumerate(connection.execute(query.order_by(alert.kind, alert.digest)).all()):
            seen = decisions.Look(
                f"{match}/{number}", row.kind, bytes(row.digest), "seen", JUDGE, f"{key}{at}"
            )
            decisions.acknowledge(connection, seen, NOW_MS)

    books.run(look)


def _welcome(books: Books, player: str, gold: int) -> object:
    gift = (f"welcome/{player}", "welcome", player, "gold", gold, "")
    return books.run(lambda c: wallets.welcome_many(c, [gift], NOW_MS))


def _hold(books: Books, match: str, payer: str, cards: int, owner: str) -> object:
    return books.run(lambda c: room_cards.hold(c, match, payer, cards, [*_PEOPLE, "bot:x"], owner, NOW_MS))


def _ended(books: Books, match: str, scores: Any, rounds: int) -> object:
    return books.run(lambda c: room_cards.end(c, [room_cards.Ended(match, scores, rounds)], NOW_MS))


# Orders: one that was never made is a webhook's business only.


def _with_order(order: str, fn: Callable[[Connection], object]) -> Callable[[Connection], object]:
    return lambda c: fn(c) if topup_orders.order_of(c, order) is not None else None


def _order(books: Books, player: str, key: str, product: str) -> object:
    return books.run(lambda c: topups.new_order(c, f"o_{player}_{key}", player, product).state)


def _opened(books: Books, order: str) -> object:
    return books.run(
        _with_order(order, lambda c: topup_orders.open_at_provider(c, order, "/pay", NOW_MS).state)
    )


def _said(books: Books, order: str, kind: Any, fen: int, return_id: str, payment: str) -> object:
    """A webhook: its id may be that of another that said something else."""
    said = event(f"{order}/{kind}/{return_id}{payment}", kind, order, fen, return_id, payment_id=payment)
    return books.run(lambda c: topups.take(c, said))


def _paid(books: Books, order: str) -> object:
    """A webhook that says what is true."""

    def pay(connection: Connection) -> object:
        row = topup_orders.order_of(connection, order)
        fen = row.price_fen if row is not None else 600
        return topups.take(connection, event(f"{order}/paid", order_id=order, amount_fen=fen))

    return books.run(pay)


def _asked(books: Books, order: str, state: Any, fen: int) -> object:
    status = PaymentStatus(state, fen, "CNY", f"pay_{order}", NOW_MS)
    return books.run(_with_order(order, lambda c: topups.ask(c, order, status)))


def _refund(books: Books, order: str, fen: int, key: str, answer: Any, even: bool) -> object:
    return books.run(lambda c: topups.refund(c, order, fen, key, answer, even)[0].state)


def _waive(books: Books, order: str, gems: int, key: str) -> object:
    waiver = topup_waivers.Waiver(key, order, gems, "let be", STAFF)
    return books.run(lambda c: topup_waivers.waive(c, waiver, CATALOGUE, NOW_MS)[1])


def _lapse(books: Books, order: str) -> object:
    lapse = _with_order(order, lambda c: topup_orders.lapse(c, order, "expired", "expiry", NOW_MS).state)
    return books.run(lapse)


def _see_to(books: Books, order: str) -> None:
    def see_to(connection: Connection) -> None:
        table = topup_schema.problems
        which = select(table.c.id).where(table.c.order_id == order).order_by(table.c.id)
        for problem_id in connection.execute(which).scalars().all():
            topup_desk.resolve_problem(connection, problem_id, STAFF, "seen to", NOW_MS)

    books.run(see_to)


OPERATIONS: Final[dict[str, Kind]] = {
    "grant": Kind(
        "wallets.grant",
        lambda b, player, amount, key: b.grant(player, amount, f"{player}/{key}"),
        (_PEOPLE[:2], range(1, 900), _KEYS),
    ),
    "cards": Kind(
        "wallets.grant",
        lambda b, player, amount, key: b.grant(player, amount, f"cards/{player}/{key}", "room_card"),
        (_PEOPLE, range(1, 9), _KEYS),
    ),
    "welcome": Kind("wallets.welcome_many", _welcome, (_PEOPLE, (50, 60))),
    "open": Kind("stakes.open_stake", Books.open, (_MATCHES, _SEATS, (*PLAYERS, "p_c"), range(1, 600))),
    "add": Kind("stakes.add_stake", Books.add, (_MATCHES, _SEATS, PLAYERS, range(1, 600), range(6))),
    "close": Kind("stakes.close_stake", Books.close, (_MATCHES, _SEATS, range(6))),
    "claim": Kind("days.claim_relief", Books.claim, (("p_a", "p_c"), _KEYS)),
    **{
        # An audit is what happens most.
        f"audit{number}": Kind(
            "rounds.hear",
            _audit,
            (_MATCHES, _NUMBERS, _POINTS, ["AGREED"] * 5 + ["DISPUTED"], (False, True), (0, 0, 7, 500)),
        )
        for number in range(4)
    },
    "void": Kind("rounds.hear", lambda b, match, number: b.hear(voided(match, number)), (_MATCHES, _NUMBERS)),
    "batch": Kind(
        "rounds.hear",
        lambda b, match, won: b.hear(*(agreed(match, number, points=won) for number in (3, 1, 2))),
        (_MATCHES, _POINTS),
    ),
    "decide": Kind("decisions.resolve", _decide, (_MATCHES, _NUMBERS, OUTCOMES, _KEYS)),
    "look": Kind("decisions.acknowledge", _look, (_MATCHES, _NUMBERS, _KEYS)),
    "over": Kind(
        "matches.end_matches",
        lambda b, match, last: b.run(lambda c: matches.end_matches(c, [(match, last, NOW_MS)])),
        (_MATCHES, range(6)),
    ),
    "hold": Kind("room_cards.hold", _hold, (_MATCHES, ("owner", "each", "winner"), (1, 2, 4), _PEOPLE)),
    "give back": Kind(
        "room_cards.give_back",
        lambda b, match: b.run(lambda c: room_cards.give_back(c, match, NOW_MS)),
        (_MATCHES,),
    ),
    "ended": Kind(
        "room_cards.end", _ended, (_MATCHES, ((5, -5, 0, 0), (3, 3, -6, 0), (0, 0, 0, 0), (1,)), (0, 8))
    ),
    "order": Kind("topup_orders.make_order", _order, (_PEOPLE, "xy", ("small", "large"))),
    "opened": Kind("topup_orders.open_at_provider", _opened, (_ORDERS,)),
    "paid": Kind("topup_payments.take_event", _paid, (_ORDERS,)),
    "said": Kind(
        "topup_payments.take_event",
        _said,
        (
            _ORDERS,
            ("paid", "closed", "refunded", "charged_back", "chargeback_reversed"),
            _FEN,
            ("", "u", "v"),
            ("", "another"),
        ),
    ),
    "asked": Kind(
        "topup_payments.take_status", _asked, (_ORDERS, ("paid", "closed", "waiting"), (600, 6_801))
    ),
    "refund": Kind(
        "topup_refunds.ask",
        _refund,
        (_ORDERS, _FEN, _KEYS, ("done", "refused", "pending", None), (False, True)),
    ),
    "waive": Kind("topup_waivers.waive", _waive, (_ORDERS, (1, 20, 60), _KEYS)),
    "spend": Kind(
        "topup_exchange.exchange",
        lambda b, player, key: b.run(lambda c: topups.spend(c, player, key)),
        (_PEOPLE, "uvwxyz"),
    ),
    "lapse": Kind("topup_orders.lapse", _lapse, (_ORDERS,)),
    "see to": Kind("topup_desk.resolve_problem", _see_to, (_ORDERS,)),
}
NAMES: Final = tuple(OPERATIONS)

MOVES_NOTHING: Final = frozenset({"topup_orders.look_again", "topup_refunds.ask_later"})
"""When somebody is asked again: no column of money is touched."""
ELSEWHERE: Final = "topup_sandbox."
"""The sandbox's own books: a bank is nobody's ledger here."""
ANSWERS: Final = "topup_refunds.answer"
"""`refund` asks and takes the answer in."""
