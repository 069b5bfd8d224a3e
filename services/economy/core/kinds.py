"""The one table of transfer kinds: from where to where coins may move, and nowhere else.

The ledger refuses a transfer whose kind is not declared here or does not fit. What is true of this table is
therefore true of the book: `paths_from` walks it, and tests prove by it that nothing won leads to gems, to a
provider, or out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from services.chassis.errors import Defect, Refusal
from services.economy.core.money import Account, Transfer

WAGERED: Final = ("gold",)
"""What stakes may hold. Activity is never wagered, gems and room cards are only spent."""

WON: Final = ("gold", "room_card", "activity")
"""What playing brings, or gems buy: it can never become gems, cash or goods."""

PLACES: Final = ("wallet", "stake", "bots", "fees", "rooms", "exchange", "issuer", "provider")
"""Kinds of accounts, as far as kinds of transfers tell them apart; see `place_of`."""

_HOUSES: Final = {"house/bots": "bots", "house/exchange": "exchange"}


class Spot(NamedTuple):
    """A kind of account in one currency: a node of the graph."""

    place: str
    currency: str


@dataclass(frozen=True, slots=True)
class Kind:
    """Where a kind of transfer takes from, and where it gives to."""

    takes_from: frozenset[Spot]
    gives_to: frozenset[Spot]


def _kind(takes_from: Iterable[tuple[str, str]], gives_to: Iterable[tuple[str, str]]) -> Kind:
    return Kind(frozenset(Spot(*one) for one in takes_from), frozenset(Spot(*one) for one in gives_to))


def _in(currencies: Iterable[str], takes_from: Iterable[str], gives_to: Iterable[str]) -> Kind:
    """Return a kind that moves each of these currencies between the same places."""
    wanted = tuple(currencies)
    return _kind(
        [(place, currency) for place in takes_from for currency in wanted],
        [(place, currency) for place in gives_to for currency in wanted],
    )


GRANTS: Final[Mapping[str, Kind]] = {
    "welcome": _in(["gold", "room_card"], ["issuer"], ["wallet"]),
    "sign_in": _in(WON, ["issuer"], ["wallet"]),
    "task": _in(WON, ["issuer"], ["wallet"]),
    "relief": _in(["gold"], ["issuer"], ["wallet"]),
}
"""What the house gives away. Gems are never among it: they come from providers only."""

KINDS: Final[Mapping[str, Kind]] = {
    **GRANTS,
    "house_funding": _in(WAGERED, ["issuer"], ["bots"]),
    "stake_open": _in(WAGERED, ["wallet", "bots"], ["stake"]),
    "stake_topup": _in(WAGERED, ["wallet", "bots"], ["stake"]),
    "stake_close": _in(WAGERED, ["stake"], ["wallet", "bots"]),
    "settlement": _in(WAGERED, ["stake", "bots"], ["stake", "fees"]),
    "fee": _in(WAGERED, ["stake", "wallet", "bots"], ["fees"]),
    # What a friends' room costs: held when it starts; what was not spent comes back.
    "room_hold": _in(["room_card"], ["wallet"], ["rooms"]),
    "room_return": _in(["room_card"], ["rooms"], ["wallet"]),
    # A top-up: the provider has been paid, so it owes these gems to the player.
    "topup": _in(["gem"], ["provider"], ["wallet"]),
    "topup_bonus": _in(["gem"], ["provider"], ["wallet"]),
    # The money went back: so do the gems, to where they came from.
    "refund": _in(["gem"], ["wallet"], ["provider"]),
    "chargeback": _in(["gem"], ["wallet"], ["provider"]),
    # A later top-up pays what an earlier one owes.
    "debt": _in(["gem"], ["wallet"], ["provider"]),
    # A refund that the provider would not make, a chargeback that the bank took back.
    "refund_undone": _in(["gem"], ["provider"], ["wallet"]),
    # The only kind that touches two currencies; one way.
    "exchange": _kind(
        [("wallet", "gem"), ("issuer", "gold"), ("issuer", "room_card")],
        [("exchange", "gem"), ("wallet", "gold"), ("wallet", "room_card")],
    ),
}
"""Every kind of transfer there is."""


def place_of(account: Account) -> str:
    """Return which of `PLACES` an account is.

    Raises:
        Defect: It is none of them.
    """
    if account.kind in ("wallet", "stake"):
        return account.kind
    if account.kind == "issuer":
        if account.id == "issuer":
            return "issuer"
        if account.id.startswith("provider/"):
            return "provider"
    elif account.kind == "house":
        if account.id in _HOUSES:
            return _HOUSES[account.id]
        if account.id.startswith("house/fees/"):  # one for each match, see `money.fees_of`
            return "fees"
        if account.id.startswith("house/rooms/"):  # one for each match, see `room_cards.rooms_of`
            return "rooms"
    raise Defect(f"account {account.id} of kind {account.kind} is none that transfers may touch")


def check_kind(transfer: Transfer) -> None:
    """See that a transfer moves coins only as its kind may.

    Raises:
        Defect: The kind is not declared, or takes from or gives to where it may not.
    """
    kind = KINDS.get(transfer.kind)
    if kind is None:
        raise Defect(f"transfer {transfer.key}: kind {transfer.kind!r} is not declared")
    for posting in transfer.postings:
        account = posting.account
        spot = place_of(account), account.currency
        if spot not in (kind.takes_from if posting.amount < 0 else kind.gives_to):
            verb = "take from" if posting.amount < 0 else "give to"
            raise Defect(f"transfer {transfer.key}: {transfer.kind} may not {verb} {account.id} {spot[1]}")


def check_grant(kind: str, currency: str) -> None:
    """See that the house gives this away.

    Raises:
        Refusal: INVALID_ARGUMENT: no such kind of grant, or not in this currency.
    """
    if kind not in GRANTS:
        raise Refusal("INVALID_ARGUMENT", field="kind", known=", ".join(sorted(GRANTS)))
    if Spot("wallet", currency) not in GRANTS[kind].gives_to:
        raise Refusal("INVALID_ARGUMENT", field="money.currency")


def paths_from(starts: Iterable[Spot], kinds: Mapping[str, Kind] = KINDS) -> dict[Spot, tuple[str, ...]]:
    """Return every spot that value can get to from `starts`, with the kinds of transfer of a shortest way.

    A kind is read at its widest: what it takes from any of its sources may end in any of its targets, also in
    another currency.
    """
    ways: dict[Spot, tuple[str, ...]] = dict.fromkeys(starts, ())
    edge = list(ways)
    while edge:
        reached: list[Spot] = []
        for spot in edge:
            for name in sorted(kinds):
                if spot not in kinds[name].takes_from:
                    continue
                for target in sorted(kinds[name].gives_to):
                    if target not in ways:
                        ways[target] = (*ways[spot], name)
                        reached.append(target)
        edge = reached
    return ways
