"""The proof's part about sums: of transfers, running balances, accounts that equal their entries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, and_, case, func, or_, select

from services.economy.core.money import CURRENCIES
from services.economy.store import schema

SLACK = 100_000
"""Entries of one transfer lie closer together than so many ids, whoever else writes at the same time."""

_ENTRIES, _ACCOUNTS = schema.entries, schema.accounts


def wrong_sums(connection: Connection, since: int) -> Iterator[str]:
    """Yield the transfers with entries after id `since` that do not sum to zero in each currency."""
    table = _ENTRIES
    total = func.sum(table.c.amount)
    query = (
        select(table.c.transfer_id, table.c.currency, total.label("total"))
        .where(table.c.id > since - SLACK)
        .group_by(table.c.transfer_id, table.c.currency)
        .having(and_(total != 0, func.max(table.c.id) > since))
        .order_by(table.c.transfer_id)
    )
    for row in connection.execute(query):
        yield f"transfer {row.transfer_id}: entries in {row.currency} sum to {row.total}, not 0"


def wrong_running_balances(connection: Connection, since: int) -> Iterator[str]:
    """Yield the entries after id `since` that do not carry on from the entry of their account before them."""
    table = _ENTRIES
    before = (
        func.lag(table.c.balance_after)
        .over(partition_by=(table.c.account, table.c.currency), order_by=table.c.id)
        .label("before")
    )
    recent = select(
        table.c.id, table.c.account, table.c.currency, table.c.amount, table.c.balance_after, before
    )
    inner = recent.where(table.c.id > since).subquery()
    carried: Any = inner.c.before
    if since:
        earlier = table.alias("earlier")
        last = (
            select(earlier.c.balance_after)
            .where(
                earlier.c.account == inner.c.account,
                earlier.c.currency == inner.c.currency,
                earlier.c.id < inner.c.id,
            )
            .order_by(earlier.c.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        carried = case((inner.c.before.is_(None), last), else_=inner.c.before)
    expected = func.coalesce(carried, 0) + inner.c.amount
    query = (
        select(inner, expected.label("expected"))
        .where(expected != inner.c.balance_after)
        .order_by(inner.c.id)
    )
    for row in connection.execute(query):
        yield (
            f"entry {row.id} of {row.account} {row.currency}: says {row.balance_after} after it, "
            f"the entries up to it sum to {row.expected}"
        )


def wrong_owners(connection: Connection, since: int) -> Iterator[str]:
    """Yield the entries after id `since` that are listed for somebody else than their account is."""
    table, of = _ENTRIES, _ACCOUNTS
    query = (
        select(table.c.id, table.c.account, table.c.owner, of.c.owner.label("real"))
        .join(of, and_(of.c.id == table.c.account, of.c.currency == table.c.currency))
        .where(table.c.id > since, table.c.owner != of.c.owner)
        .order_by(table.c.id)
    )
    for row in connection.execute(query):
        yield f"entry {row.id} of {row.account}: is listed for {row.owner!r}, the account is of {row.real!r}"


def wrong_balances(connection: Connection, since: int) -> Iterator[str]:
    """Yield the accounts that are not what their entries say: all (`since` 0), or those touched after it."""
    yield from _touched(connection, since) if since else _every(connection)


def wrong_accounts(connection: Connection) -> Iterator[str]:
    """Yield what is wrong with the accounts without a look at entries: totals, signs, names."""
    of = _ACCOUNTS
    total = func.sum(of.c.balance)
    query = select(of.c.currency, total.label("total")).group_by(of.c.currency).having(total != 0)
    for row in connection.execute(query.order_by(of.c.currency)):
        yield f"all accounts in {row.currency} sum to {row.total}, not 0"
    named = or_(
        and_(of.c.kind == "wallet", of.c.id == "wallet/" + of.c.owner, of.c.owner != ""),
        and_(of.c.kind == "stake", of.c.id.like("stake/%")),
        and_(of.c.kind == "house", of.c.id.like("house/%"), of.c.owner == ""),
        and_(of.c.kind == "issuer", or_(of.c.id == "issuer", of.c.id.like("provider/%")), of.c.owner == ""),
    )
    odd = or_(and_(of.c.balance < 0, of.c.kind != "issuer"), ~named, of.c.currency.not_in(list(CURRENCIES)))
    for row in connection.execute(select(of).where(odd).order_by(of.c.id, of.c.currency)):
        if row.balance < 0 and row.kind != "issuer":
            yield f"account {row.id} {row.currency}: balance {row.balance} is negative"
        else:
            yield f"account {row.id} {row.currency}: is a {row.kind} of {row.owner!r}"


def _every(connection: Connection) -> Iterator[str]:
    table, of = _ENTRIES, _ACCOUNTS
    sums = (
        select(table.c.account, table.c.currency, func.sum(table.c.amount).label("total"))
        .group_by(table.c.account, table.c.currency)
        .subquery()
    )
    joined = and_(sums.c.account == of.c.id, sums.c.currency == of.c.currency)
    total = func.coalesce(sums.c.total, 0)
    query = (
        select(of.c.id, of.c.currency, of.c.balance, total.label("total"))
        .outerjoin(sums, joined)
        .where(of.c.balance != total)
        .order_by(of.c.id, of.c.currency)
    )
    for row in connection.execute(query):
        yield f"account {row.id} {row.currency}: balance {row.balance}, entries sum to {row.total}"
    orphans = (
        select(sums.c.account, sums.c.currency)
        .outerjoin(of, joined)
        .where(of.c.id.is_(None))
        .order_by(sums.c.account)
    )
    yield from _orphans(connection, orphans)


def _touched(connection: Connection, since: int) -> Iterator[str]:
    table, of = _ENTRIES, _ACCOUNTS
    last = (
        select(func.max(table.c.id).label("id"))
        .where(table.c.id > since)
        .group_by(table.c.account, table.c.currency)
        .subquery()
    )
    joined = and_(of.c.id == table.c.account, of.c.currency == table.c.currency)
    newest = select(
        table.c.account, table.c.currency, table.c.balance_after, of.c.balance, of.c.id
    ).join_from(table, last, last.c.id == table.c.id)
    query = newest.join(of, joined).where(of.c.balance != table.c.balance_after).order_by(table.c.account)
    for row in connection.execute(query):
        yield (
            f"account {row.account} {row.currency}: balance {row.balance}, entries sum to {row.balance_after}"
        )
    orphans = newest.outerjoin(of, joined).where(of.c.id.is_(None)).order_by(table.c.account)
    yield from _orphans(connection, orphans)


def _orphans(connection: Connection, query: Select[Any]) -> Iterator[str]:
    for row in connection.execute(query):
        yield f"account {row.account} {row.currency}: has entries, but does not exist"
