"""Accounts and transfers as values, and what makes a transfer lawful."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from services.chassis.errors import Defect, Refusal

CURRENCIES: Final = ("gold", "room_card", "activity", "gem")
"""All currencies, in the order in which a wallet shows them."""

MATCH_ID_CHARACTERS_MAX: Final = 96

COINS_MAX: Final = 10**15
"""No single amount is larger; sums of a thousand of them still fit 64 bits."""

_AS_TEXT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode
"""Made once: `json.dumps` makes an encoder for each call."""

AccountKind = Literal["wallet", "stake", "house", "issuer"]
"""Only an `issuer` may be below zero: what it owes is what exists."""


class Account(NamedTuple):
    """One account in one currency; the tuple order is the order of locking."""

    id: str
    currency: str
    kind: AccountKind
    owner: str
    """The player it belongs to; empty for the house and the issuer."""


def wallet(player_id: str, currency: str) -> Account:
    """Return the wallet of a player."""
    return Account(f"wallet/{player_id}", currency, "wallet", player_id)


def stake(match_id: str, seat: int, player_id: str, currency: str) -> Account:
    """Return the stake account of a seat."""
    owner = "" if is_bot(player_id) else player_id
    return Account(f"stake/{match_id}/{seat}", currency, "stake", owner)


def house(currency: str) -> Account:
    """Return the account that pays for the bots' stakes and takes what they bring home."""
    return Account("house/bots", currency, "house", "")


def fees_of(match_id: str, currency: str) -> Account:
    """Return the account that collects the fees of a match: the house's income is the sum of all of them.

    One for all matches would be the one row that every batch of every process waits for.
    """
    return Account(f"house/fees/{match_id}", currency, "house", "")


def issuer(currency: str) -> Account:
    """Return the account that all coins come from."""
    return Account("issuer", currency, "issuer", "")


def purse(player_id: str, currency: str) -> Account:
    """Return where a seat's buy-in comes from and goes back to: the wallet, or the house for a bot."""
    return house(currency) if is_bot(player_id) else wallet(player_id, currency)


def is_bot(player_id: str) -> bool:
    """Return whether a seat is played by the house."""
    return player_id.startswith("bot:")


@dataclass(frozen=True, slots=True)
class Posting:
    """What a transfer does to one account."""

    account: Account
    amount: int
    """Signed, never 0."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A movement of coins, to be written once."""

    key: str
    """Idempotency key."""
    kind: str
    """`welcome`, `stake_open`, …"""
    postings: tuple[Posting, ...]
    at_ms: int
    reference: str = ""
    """What it belongs to, e.g. a round id."""

    @property
    def id(self) -> str:
        """Its name: derived from the key, so that a repeat has the same."""
        return "t_" + hashlib.sha256(self.key.encode()).hexdigest()[:20]

    @property
    def content_hash(self) -> bytes:
        """Hash of everything a repeat must have in common with the first (not the time)."""
        return content_hash(
            self.kind,
            self.reference,
            [[posting.account.id, posting.account.currency, posting.amount] for posting in self.postings],
        )


def content_hash(*parts: object) -> bytes:
    """Return 32 bytes that name these JSON values."""
    return hashlib.sha256(_AS_TEXT(parts).encode()).digest()


def move(source: Account, target: Account, amount: int) -> tuple[Posting, Posting]:
    """Return the postings that bring `amount` from one account to another of the same currency."""
    return Posting(source, -amount), Posting(target, amount)


def check_transfer(transfer: Transfer) -> None:
    """See that a transfer creates and destroys nothing.

    Raises:
        Defect: Its postings don't sum to zero in each currency, or one is zero, or there is none.
    """
    sums: dict[str, int] = defaultdict(int)
    for posting in transfer.postings:
        if posting.amount == 0:
            raise Defect(f"transfer {transfer.key}: a posting of zero")
        sums[posting.account.currency] += posting.amount
    if not transfer.postings or any(sums.values()):
        raise Defect(f"transfer {transfer.key}: postings sum to {dict(sums)}")


def check_currency(currency: str) -> str:
    """Return a known currency.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    if currency not in CURRENCIES:
        raise Refusal("INVALID_ARGUMENT", field="currency", known=", ".join(CURRENCIES))
    return currency


def check_amount(amount: int, field: str, maximum: int = COINS_MAX) -> int:
    """Return an amount from 1 to `maximum`.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    if not 1 <= amount <= maximum:
        raise Refusal("INVALID_ARGUMENT", field=field, minimum=1, maximum=maximum)
    return amount


def split_round_id(round_id: str) -> tuple[str, int]:
    """Return match id and round number of `<match_id>/<round_no>`.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    match_id, slash, number = round_id.rpartition("/")
    is_number = number.isascii() and number.isdigit() and len(number) <= 10 and 1 <= int(number) < 2**31
    is_name = 1 <= len(match_id) <= MATCH_ID_CHARACTERS_MAX and "\x00" not in match_id
    if not (slash and is_number and is_name):
        raise Refusal("INVALID_ARGUMENT", field="round_id")
    return match_id, int(number)


def zero_sum(amounts: Sequence[int]) -> bool:
    """Return whether amounts balance."""
    return sum(amounts) == 0
