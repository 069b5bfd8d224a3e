"""The proof's part about transfers: each is what was asked for, each settlement follows from a round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Connection, Row, and_, select

from services.chassis.errors import Defect
from services.economy.core.kinds import check_kind
from services.economy.core.money import Account, AccountKind, Posting, Transfer
from services.economy.store import schema
from services.economy.store.bulk import among
from services.economy.store.proof_entries import SLACK
from services.economy.store.proof_keys import key_problem
from services.economy.store.proof_rounds import settlement_problem

BATCH = 500
_ENTRIES, _OF, _ROUNDS, _DECIDED = schema.entries, schema.transfers, schema.rounds, schema.decisions


@dataclass
class _Gathered:
    """The entries of one transfer, as far as they were read."""

    rows: list[Row[Any]] = field(default_factory=list)
    sums: dict[str, int] = field(default_factory=dict)

    def add(self, row: Any) -> None:
        self.rows.append(row)
        self.sums[row.currency] = self.sums.get(row.currency, 0) + row.amount

    @property
    def transfer(self) -> Transfer:
        """What the entries say was asked for."""
        head = self.rows[0]
        postings = tuple(Posting(_account(row.account, row.currency), row.amount) for row in self.rows)
        return Transfer(head.key, head.kind, postings, head.at_ms, head.reference)

    @property
    def is_whole(self) -> bool:
        head = self.rows[0]
        if head.key is None or any(self.sums.values()):
            return False
        return bool(self.transfer.content_hash == head.content_hash)


def wrong_transfers(connection: Connection, since: int) -> Iterator[str]:
    """Read the entries after id `since` in order, and yield each transfer that is not what it was.

    A transfer's hash names its kind, its reference and its postings in order, its id comes from its key; so
    none of these can be changed alone. Settlements are computed again, see `proof_rounds`.
    """
    query = (
        select(
            _ENTRIES.c.id, _ENTRIES.c.transfer_id, _ENTRIES.c.account, _ENTRIES.c.currency,
            _ENTRIES.c.amount, _ENTRIES.c.balance_after, _OF.c.key, _OF.c.kind, _OF.c.content_hash,
            _OF.c.answer, _OF.c.reference, _OF.c.at_ms,
        )
        .outerjoin(_OF, _OF.c.id == _ENTRIES.c.transfer_id)
        .where(_ENTRIES.c.id > since - SLACK)
        .order_by(_ENTRIES.c.id)
        .execution_options(yield_per=2_000)
    )  # fmt: skip
    gathered: dict[str, _Gathered] = {}
    settlements: list[_Gathered] = []
    for row in connection.execute(query):
        one = gathered.setdefault(row.transfer_id, _Gathered())
        one.add(row)
        if not one.is_whole:
            continue
        del gathered[row.transfer_id]
        if row.id <= since:
            continue
        yield from _wrong_transfer(one)
        if row.kind == "settlement":
            settlements.append(one)
            if len(settlements) >= BATCH:
                yield from _wrong_settlements(connection, settlements)
                settlements.clear()
    broken = [one for one in gathered.values() if one.rows[-1].id > since]
    for one in broken:
        head = one.rows[0]
        if head.key is None:
            yield f"transfer {head.transfer_id}: has entries, but is not in the book"
        elif not any(one.sums.values()):
            yield f"transfer {head.transfer_id}: {head.kind} is not what was asked for under {head.key}"
    settlements += [one for one in broken if one.rows[0].kind == "settlement"]
    yield from _wrong_settlements(connection, settlements)


def transfers_without_entries(connection: Connection) -> Iterator[str]:
    """Yield the transfers that moved nothing."""
    # A join, not NOT EXISTS: there is no index by transfer, and SQLite makes one of its own for a join only.
    joined = select(_OF.c.id).outerjoin(_ENTRIES, _ENTRIES.c.transfer_id == _OF.c.id)
    for row in connection.execute(joined.where(_ENTRIES.c.id.is_(None)).order_by(_OF.c.id)):
        yield f"transfer {row.id}: has no entries"


def _wrong_transfer(one: _Gathered) -> Iterator[str]:
    head, last, transfer = one.rows[0], one.rows[-1], one.transfer
    if transfer.id != head.transfer_id:
        yield f"transfer {head.transfer_id}: is not the one of key {head.key}, that is {transfer.id}"
    if head.answer != last.balance_after:
        yield f"transfer {head.transfer_id}: answered {head.answer}, its last entry says {last.balance_after}"
    try:
        check_kind(transfer)
    except Defect as defect:
        yield str(defect)
    problem = key_problem(transfer)
    if problem:
        yield f"transfer {head.transfer_id}: {problem}"


def _wrong_settlements(connection: Connection, settlements: Iterable[_Gathered]) -> Iterator[str]:
    by_round = {one.rows[0].reference: one for one in settlements}
    heads = {one.rows[0].transfer_id: one for one in settlements}
    if not by_round:
        return
    query = (
        select(_ROUNDS, _DECIDED.c.settled)
        .outerjoin(_DECIDED, and_(_DECIDED.c.round_id == _ROUNDS.c.round_id, _DECIDED.c.outcome != "VOID"))
        .where(among(connection, _ROUNDS.c.round_id, by_round))
    )
    found = {row.round_id: row for row in connection.execute(query)}
    for transfer_id, one in sorted(heads.items()):
        head = one.rows[0]
        row = found.get(head.reference)
        if row is None or row.state != "settled" or row.transfer_id != transfer_id:
            yield f"settlement {transfer_id}: round {head.reference} is not settled by it"
            continue
        moved = {line.account: int(line.amount) for line in one.rows}
        held = {line.account: line.balance_after - line.amount for line in one.rows}
        problem = settlement_problem(row, moved, held)
        if not problem and row.settled_at_ms != head.at_ms:
            problem = f"settled at {row.settled_at_ms}, its transfer is of {head.at_ms}"
        if problem:
            yield f"round {row.round_id}: {problem}"


def _account(account_id: str, currency: str) -> Account:
    """Return the account of an entry; of its kind, its name is proof (`wrong_accounts`)."""
    place = account_id.partition("/")[0]
    kind = "issuer" if place in ("issuer", "provider") else place
    return Account(account_id, currency, cast(AccountKind, kind), "")
