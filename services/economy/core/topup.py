"""Orders of gems as values: the states they may be in, and how many gems an amount of money is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from services.chassis.errors import Defect, Refusal
from services.economy.core.money import Account

CURRENCY: Final = "CNY"
"""Of all prices, in fen (1/100)."""

FEN_MAX: Final = 10_000_000
"""No order costs more: 100,000 yuan."""

GEMS_MAX: Final = 10_000_000
"""No order buys more gems."""

REQUEST_ID_CHARACTERS_MAX: Final = 100

State = Literal[
    "created", "waiting", "paid", "expired", "closed", "part_refunded", "refunded", "charged_back"
]
STATES: Final[tuple[State, ...]] = get_args(State)

NEXT: Final[Mapping[State, frozenset[State]]] = {
    "created": frozenset({"waiting", "paid", "expired", "closed"}),
    "waiting": frozenset({"paid", "expired", "closed"}),
    # Money that comes late is money: the player gets what he paid for.
    "expired": frozenset({"paid"}),
    "closed": frozenset({"paid"}),
    "paid": frozenset({"part_refunded", "refunded", "charged_back"}),
    # Backwards: the provider would not make a refund, or a bank took its chargeback back.
    "part_refunded": frozenset({"paid", "refunded", "charged_back"}),
    "refunded": frozenset({"paid", "part_refunded", "charged_back"}),
    "charged_back": frozenset({"paid", "part_refunded", "refunded"}),
}
"""Where an order may go from each state."""

OPEN: Final[tuple[State, ...]] = ("created", "waiting")
"""The provider may still be paid for it, as far as we know."""

PAID: Final[tuple[State, ...]] = ("paid", "part_refunded", "refunded", "charged_back")
"""Money came for it, wherever that is now."""


def provider_account(name: str) -> Account:
    """Return where the gems of a provider's payments come from: what it owes is what it was paid for."""
    return Account(f"provider/{name}", "gem", "issuer", "")


def exchange_account() -> Account:
    """Return where spent gems go; nothing ever leaves it."""
    return Account("house/exchange", "gem", "house", "")


def check_step(order_id: str, before: State, after: State) -> None:
    """See that an order may go from one state to another.

    Raises:
        Defect: It may not.
    """
    if after not in NEXT[before]:
        raise Defect(f"order {order_id} may not go from {before} to {after}")


def state_of_paid(price_fen: int, returned_fen: int, charged_back_fen: int) -> State:
    """Return the state of a paid order of which so much went back, chargebacks included."""
    if charged_back_fen:
        return "charged_back"
    if returned_fen >= price_fen:
        return "refunded"
    return "part_refunded" if returned_fen else "paid"


def gems_back(gems: int, price_fen: int, returned_fen: int) -> int:
    """Return how many of an order's gems go back once `returned_fen` in all went back.

    In proportion, and a started gem is a whole one: nobody keeps a gem for nothing. More than the price is
    the price.

    >>> gems_back(60, 600, 300), gems_back(60, 600, 301), gems_back(60, 600, 600), gems_back(60, 600, 999)
    (30, 31, 60, 60)
    """
    returned_fen = min(returned_fen, price_fen)
    return -(-gems * returned_fen // price_fen)


def refundable_fen(gems: int, price_fen: int, returned_fen: int, unspent: int) -> int:
    """Return the most that can go back now, in fen: what is not back yet, as far as its gems are unspent.

    Args:
        gems: All that the order gave.
        returned_fen: What went back before.
        unspent: Gems of this order that its player still holds.

    >>> refundable_fen(60, 600, 0, 60), refundable_fen(60, 600, 0, 59), refundable_fen(60, 600, 300, 0)
    (600, 590, 0)
    """
    returned_fen = min(returned_fen, price_fen)
    may_go = gems_back(gems, price_fen, returned_fen) + unspent
    # The largest sum whose gems, rounded up, are not more than may go.
    return max(0, min(price_fen, may_go * price_fen // gems) - returned_fen)


def unspent_of(held: int, later: int, left: int) -> int:
    """Return how many gems of an order are unspent: the oldest gems are spent first.

    Args:
        held: Gems in the wallet.
        later: Gems that orders paid later gave, less those that went back.
        left: Gems that this order gave, less those that went back.

    >>> unspent_of(100, 60, 60), unspent_of(50, 60, 60), unspent_of(500, 60, 60)
    (40, 0, 60)
    """
    return max(0, min(left, held - later))


def check_request_id(request_id: str) -> str:
    """Return a request id of 1 to 100 characters.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    # PostgreSQL keeps no NUL in a text.
    if not 1 <= len(request_id) <= REQUEST_ID_CHARACTERS_MAX or "\x00" in request_id:
        raise Refusal("INVALID_ARGUMENT", field="request_id")
    return request_id
