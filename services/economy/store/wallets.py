"""Wallets: what is in them, what came and went, and what the house gives."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from paiju.economy.v1 import economy_service_pb2 as pb
from sqlalchemy import (
    CompoundSelect,
    Connection,
    Row,
    Text,
    and_,
    any_,
    bindparam,
    cast,
    func,
    literal_column,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects import postgresql

from services.economy.core.kinds import check_grant
from services.economy.core.money import CURRENCIES, Transfer, issuer, move, wallet
from services.economy.store import schema
from services.economy.store.ledger import Book, Posted


def grant(
    connection: Connection,
    key: str,
    kind: str,
    player_id: str,
    currency: str,
    amount: int,
    reference: str,
    now_ms: int,
) -> Posted:
    """Give a player coins, once per key.

    Raises:
        Refusal: REQUEST_ID_REUSED; INVALID_ARGUMENT: the house gives no such thing (core/kinds.py).
    """
    check_grant(kind, currency)
    return grant_many(connection, [(key, kind, player_id, currency, amount, reference)], now_ms)[0]


def grant_many(
    connection: Connection, grants: Sequence[tuple[str, str, str, str, int, str]], now_ms: int
) -> list[Posted]:
    """Give several players coins: (key, kind, player id, currency, amount, reference) each."""
    book = _locked(connection, grants)
    posted = [book.post(_transfer(one, now_ms)) for one in grants]
    book.flush()
    return posted


def welcome_many(
    connection: Connection, grants: Sequence[tuple[str, str, str, str, int, str]], now_ms: int
) -> list[str]:
    """Grant like `grant_many`, but leave out keys that were paid before (whatever the amount was then).

    Returns:
        The players who were paid now.
    """
    book = _locked(connection, grants)
    new = [one for one in grants if not book.known(one[0])]
    for one in new:
        book.post(_transfer(one, now_ms))
    book.flush()
    return [player_id for _, _, player_id, *_ in new]


def _locked(connection: Connection, grants: Sequence[tuple[str, str, str, str, int, str]]) -> Book:
    book = Book(connection)
    accounts = [issuer(currency) for _, _, _, currency, _, _ in grants]
    accounts += [wallet(player_id, currency) for _, _, player_id, currency, _, _ in grants]
    book.lock(accounts, [key for key, *_ in grants])
    return book


def _transfer(one: tuple[str, str, str, str, int, str], now_ms: int) -> Transfer:
    key, kind, player_id, currency, amount, reference = one
    postings = move(issuer(currency), wallet(player_id, currency), amount)
    return Transfer(key, kind, postings, now_ms, reference)


@cache
def held_query(dialect: str) -> CompoundSelect[Any]:
    """Return the question for wallets and stakes of players, made once; `held_parameters` go with it."""
    table, of = schema.accounts, schema.stakes
    if dialect == "postgresql":
        names: Any = any_(bindparam("names", type_=postgresql.ARRAY(Text)))
        players: Any = any_(bindparam("players", type_=postgresql.ARRAY(Text)))
        is_wallet, is_players = table.c.id == names, of.c.player_id == players
    else:
        each = func.json_each(bindparam("names")).table_valued("value")
        is_wallet = table.c.id.in_(select(each.c.value))
        each = func.json_each(bindparam("players")).table_valued("value")
        is_players = of.c.player_id.in_(select(each.c.value))
    its_account = and_(
        table.c.id == "stake/" + of.c.match_id + "/" + cast(of.c.seat, Text),
        table.c.currency == of.c.currency,
    )
    is_live = or_(of.c.state == "open", of.c.state == "closing")
    held = select(table.c.owner, literal_column("'wallet'"), table.c.currency, table.c.balance)
    staked = select(of.c.player_id, literal_column("'stake'"), of.c.currency, table.c.balance)
    return union_all(held.where(is_wallet), staked.join(table, its_account).where(is_players, is_live))


def held_parameters(dialect: str, player_ids: Sequence[str]) -> dict[str, Any]:
    """Return what `held_query` is asked for these players."""
    names = [wallet(player_id, CURRENCIES[0]).id for player_id in player_ids]
    if dialect == "postgresql":
        return {"names": names, "players": list(player_ids)}
    return {"names": json.dumps(names), "players": json.dumps(list(player_ids))}


def wallets_of(connection: Connection, player_ids: Iterable[str]) -> dict[str, pb.GetWalletResponse]:
    """Return the wallets of players, empty ones included."""
    wanted, dialect = sorted(set(player_ids)), connection.dialect.name
    rows = connection.execute(held_query(dialect), held_parameters(dialect, wanted))
    return wallets_from(wanted, (tuple(row) for row in rows))


def wallets_from(wanted: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> dict[str, pb.GetWalletResponse]:
    """Return the wallets of players, empty ones included, from the rows of `held_query`."""
    held: dict[tuple[str, str, str], int] = defaultdict(int)
    for owner, place, currency, balance in rows:
        held[owner, place, currency] += balance
    return {
        player_id: pb.GetWalletResponse(
            balances=[
                pb.Money(currency=currency, amount=held[player_id, "wallet", currency])
                for currency in CURRENCIES
            ],
            staked=[
                pb.Money(currency=currency, amount=held[player_id, "stake", currency])
                for currency in CURRENCIES
                if held[player_id, "stake", currency]
            ],
        )
        for player_id in wanted
    }


def entries_of(
    connection: Connection, player_id: str, currency: str, page_size: int, before_id: int | None
) -> Sequence[Row[Any]]:
    """Return a player's entries, newest first, older than entry `before_id`; a settlement with what is kept
    of its round (`payload`, `stakes_before`), from which its fee follows.
    """
    table, of, rounds = schema.entries, schema.transfers, schema.rounds
    query = (
        select(table, of.c.kind, of.c.reference, of.c.at_ms, rounds.c.payload, rounds.c.stakes_before)
        .join(of, of.c.id == table.c.transfer_id)
        .outerjoin(rounds, and_(of.c.kind == "settlement", rounds.c.round_id == of.c.reference))
        .where(table.c.owner == player_id)
        .order_by(table.c.id.desc())
        .limit(page_size)
    )
    if currency:
        query = query.where(table.c.currency == currency)
    if before_id is not None:
        query = query.where(table.c.id < before_id)
    return connection.execute(query).all()
