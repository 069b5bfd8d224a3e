"""The one place that writes money: a unit of work over accounts, locked in order and changed at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from services.chassis.errors import Refusal
from services.economy.core.kinds import check_kind
from services.economy.core.money import Account, Transfer, check_transfer
from services.economy.store import schema
from services.economy.store.bulk import among, insert_rows, update_rows

_KNOWN = select(
    schema.transfers.c.key, schema.transfers.c.content_hash, schema.transfers.c.answer, schema.transfers.c.id
)


@dataclass(frozen=True, slots=True)
class Posted:
    """What the first caller of a transfer was told."""

    transfer_id: str
    balance_after: int
    """Of the account that was posted to last."""
    is_new: bool
    """False: a repeat; nothing moved this time."""


class Book:
    """A unit of work: `lock` the accounts, `post` transfers, `flush`. Without `flush` nothing is written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._balances: dict[tuple[str, str], int] = {}
        self._changed: set[tuple[str, str]] = set()
        self._transfers: list[dict[str, object]] = []
        self._entries: list[dict[str, object]] = []
        self._posted: dict[str, tuple[bytes, Posted]] = {}

    def lock(self, accounts: Iterable[Account], keys: Iterable[str] = ()) -> None:
        """Hold these accounts until the transaction ends, making absent ones; learn known transfers.

        Deadlocks are ruled out by order: a stake account is only locked by who holds its match (see
        `hold_matches`); all others are taken in one call, sorted.

        Args:
            accounts: Every account that `post` will name.
            keys: Keys of transfers that may have been posted before.
        """
        missing = [
            account
            for account in sorted(set(accounts))
            if (account.id, account.currency) not in self._balances
        ]
        if missing:
            self._load(missing)
            absent = [account for account in missing if (account.id, account.currency) not in self._balances]
            if absent:
                self._make(absent)
                self._load(absent)
        wanted_keys = list(keys)
        if wanted_keys:
            for row in self._connection.execute(
                _KNOWN.where(among(self._connection, schema.transfers.c.key, wanted_keys))
            ):
                self._posted[row.key] = row.content_hash, Posted(row.id, row.answer, is_new=False)

    def balance(self, account: Account) -> int:
        """Return the balance of a locked account, with what was posted so far."""
        return self._balances[account.id, account.currency]

    def known(self, key: str) -> bool:
        """Return whether a transfer was posted before under this key (which `lock` was told)."""
        return key in self._posted

    def post(self, transfer: Transfer) -> Posted:
        """Stage a transfer over locked accounts; a repeat changes nothing and gets the first answer.

        Raises:
            Refusal: REQUEST_ID_REUSED: the key was used for other content. INSUFFICIENT_FUNDS: an account
                that is no issuer would fall below zero; nothing of the transfer is staged.
            Defect: The postings don't sum to zero, or are not as `core/kinds.py` declares the kind.
        """
        check_transfer(transfer)
        check_kind(transfer)
        first = self._posted.get(transfer.key)
        if first is not None:
            if first[0] != transfer.content_hash:
                raise Refusal("REQUEST_ID_REUSED")
            return first[1]
        after = dict[tuple[str, str], int]()
        lines: list[dict[str, object]] = []
        for posting in transfer.postings:
            account = posting.account
            key = account.id, account.currency
            held = after.get(key, self._balances[key])
            balance = after[key] = held + posting.amount
            if balance < 0 and account.kind != "issuer":
                raise Refusal(
                    "INSUFFICIENT_FUNDS",
                    account=account.id,
                    currency=account.currency,
                    available=held,
                    needed=-posting.amount,
                )
            lines.append(
                {
                    "transfer_id": transfer.id,
                    "account": account.id,
                    "currency": account.currency,
                    "owner": account.owner,
                    "amount": posting.amount,
                    "balance_after": balance,
                }
            )
        self._balances.update(after)
        self._changed.update(after)
        self._entries.extend(lines)
        answer = self._balances[transfer.postings[-1].account.id, transfer.postings[-1].account.currency]
        self._transfers.append(
            {
                "id": transfer.id,
                "key": transfer.key,
                "kind": transfer.kind,
                "content_hash": transfer.content_hash,
                "answer": answer,
                "reference": transfer.reference,
                "at_ms": transfer.at_ms,
            }
        )
        posted = Posted(transfer.id, answer, is_new=True)
        self._posted[transfer.key] = transfer.content_hash, Posted(transfer.id, answer, is_new=False)
        return posted

    def flush(self) -> None:
        """Write what was staged: transfers, entries, balances."""
        if not self._transfers:
            return
        insert_rows(self._connection, schema.transfers, self._transfers)
        insert_rows(self._connection, schema.entries, self._entries)
        balances = [
            {"id": account_id, "currency": currency, "balance": self._balances[account_id, currency]}
            for account_id, currency in sorted(self._changed)
        ]
        update_rows(self._connection, schema.accounts, ("id", "currency"), balances)
        self._transfers, self._entries = [], []
        self._changed.clear()

    def _load(self, accounts: list[Account]) -> None:
        table = schema.accounts
        query = (
            select(table.c.id, table.c.currency, table.c.balance)
            .where(among(self._connection, table.c.id, (account.id for account in accounts)))
            .order_by(table.c.id, table.c.currency)
            .with_for_update()
        )
        for row in self._connection.execute(query):
            self._balances[row.id, row.currency] = row.balance

    def _make(self, accounts: list[Account]) -> None:
        insert_rows(
            self._connection,
            schema.accounts,
            [
                {
                    "id": account.id,
                    "currency": account.currency,
                    "kind": account.kind,
                    "owner": account.owner,
                    "balance": 0,
                }
                for account in accounts
            ],
            or_keep=True,
        )
