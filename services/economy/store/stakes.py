"""Stake accounts: opened once, closed once, and never again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from paiju.economy.v1 import events_pb2
from sqlalchemy import Connection, Row, insert, or_, select

from services.chassis import outbox
from services.chassis.errors import Refusal
from services.economy.core.money import (
    Account,
    Transfer,
    content_hash,
    house,
    is_bot,
    issuer,
    move,
    purse,
    stake,
)
from services.economy.store import schema
from services.economy.store.bulk import among, update_rows
from services.economy.store.ledger import Book
from services.economy.store.matches import HeldMatch, hold_matches

_STAKES = select(schema.stakes)


def open_stake(
    connection: Connection,
    match_id: str,
    seat: int,
    player_id: str,
    currency: str,
    buy_in: int,
    house_float: int,
    now_ms: int,
) -> int:
    """Move a buy-in into the stake account of a seat, and return what it holds then (a repeat: held then).

    A bot's buy-in comes from the house; when the house is short, the issuer gives it `house_float`, or the
    buy-in if that is more.

    Raises:
        Refusal: REQUEST_ID_REUSED: the seat has another stake. STAKE_CLOSED: it is closing, closed, or was
            closed before it came. INSUFFICIENT_FUNDS.
    """
    hold_matches(connection, [match_id])
    same = content_hash(player_id, currency, buy_in)
    row = _one(connection, match_id, seat)
    if row is not None:
        if row.state != "open":
            raise Refusal("STAKE_CLOSED", match_id=match_id, seat=seat)
        if row.content_hash != same:
            raise Refusal("REQUEST_ID_REUSED")
        return int(row.buy_in)
    target, source = stake(match_id, seat, player_id, currency), purse(player_id, currency)
    reference = f"{match_id}/{seat}"
    book = Book(connection)
    if is_bot(player_id):
        book.lock([source, target, issuer(currency)])
        if book.balance(source) < buy_in:
            funding = move(issuer(currency), house(currency), max(house_float, buy_in))
            book.post(Transfer(f"house_funding/{reference}", "house_funding", funding, now_ms, reference))
    else:
        book.lock([source, target])
    posted = book.post(
        Transfer(f"stake_open/{reference}", "stake_open", move(source, target, buy_in), now_ms, reference)
    )
    book.flush()
    connection.execute(
        insert(schema.stakes),
        {
            "match_id": match_id,
            "seat": seat,
            "player_id": player_id,
            "currency": currency,
            "buy_in": buy_in,
            "state": "open",
            "content_hash": same,
        },
    )
    return posted.balance_after


def close_stake(
    connection: Connection, match_id: str, seat: int, last_round_no: int, now_ms: int
) -> tuple[bool, str]:
    """Close a stake, now or after `last_round_no` is done.

    Returns:
        Whether it is closed, and the player whose coins went back just now, if they did.

    Raises:
        Refusal: REQUEST_ID_REUSED: it is closing after another round.
    """
    match = hold_matches(connection, [match_id])[match_id]
    row = _one(connection, match_id, seat)
    if row is None:
        tombstone = {
            "match_id": match_id,
            "seat": seat,
            "player_id": "",
            "currency": "",
            "buy_in": 0,
            "state": "tombstone",
            "last_round_no": last_round_no,
            "content_hash": b"",
        }
        connection.execute(insert(schema.stakes), tombstone)
        return True, ""
    if row.state in ("closed", "tombstone"):
        return True, ""
    if row.state == "closing":
        if row.last_round_no != last_round_no:
            raise Refusal("REQUEST_ID_REUSED")
        return False, ""
    if last_round_no < match.next_round_no:
        book = Book(connection)
        close_rows(connection, book, [row], {match_id: last_round_no}, now_ms)
        return True, str(row.player_id)
    _set_states(connection, [_state(row, "closing", last_round_no, 0)])
    return False, ""


def close_due(
    connection: Connection, book: Book, matches: Iterable[HeldMatch], now_ms: int
) -> Sequence[Row[Any]]:
    """Close the stakes of held matches that waited for a round which is done now; return their rows.

    Changes nothing but what `book.flush` (called here, if anything closes) and the states write.
    """
    next_round = {match.match_id: match.next_round_no for match in matches}
    if not next_round:
        return []
    query = _STAKES.where(
        among(connection, schema.stakes.c.match_id, next_round), schema.stakes.c.state == "closing"
    ).order_by(schema.stakes.c.match_id, schema.stakes.c.seat)
    due = [row for row in connection.execute(query) if row.last_round_no < next_round[row.match_id]]
    close_rows(connection, book, due, {row.match_id: row.last_round_no for row in due}, now_ms)
    return due


def close_rows(
    connection: Connection, book: Book, rows: Sequence[Row[Any]], last: dict[str, int], now_ms: int
) -> None:
    """Move what these stakes hold back to their purses, and write and announce that they are closed."""
    if not rows:
        return
    accounts: list[Account] = []
    for row in rows:
        accounts.append(purse(row.player_id, row.currency))
        accounts.append(stake(row.match_id, row.seat, row.player_id, row.currency))
    book.lock(accounts)
    states: list[dict[str, object]] = []
    for row in rows:
        account = stake(row.match_id, row.seat, row.player_id, row.currency)
        amount = book.balance(account)
        reference = f"{row.match_id}/{row.seat}"
        if amount:
            postings = move(account, purse(row.player_id, row.currency), amount)
            book.post(Transfer(f"stake_close/{reference}", "stake_close", postings, now_ms, reference))
        states.append(_state(row, "closed", last[row.match_id], amount))
    book.flush()
    _set_states(connection, states)
    for state, row in zip(states, rows, strict=True):
        closed = events_pb2.StakeClosed(
            match_id=row.match_id,
            seat=row.seat,
            player_id=row.player_id,
            currency=row.currency,
            amount=int(str(state["returned"])),
        )
        outbox.put(connection, closed, f"stake_closed:{row.match_id}/{row.seat}")


def stakes_of(connection: Connection, match_ids: Iterable[str]) -> Sequence[Row[Any]]:
    """Return the open and closing stakes of matches, by match and seat."""
    return connection.execute(
        _STAKES.where(
            among(connection, schema.stakes.c.match_id, match_ids),
            or_(schema.stakes.c.state == "open", schema.stakes.c.state == "closing"),
        ).order_by(schema.stakes.c.match_id, schema.stakes.c.seat)
    ).all()


def all_stakes(connection: Connection, match_id: str) -> list[tuple[int, str, str, int, str]]:
    """Return every stake of a match in seat order: (seat, player id, currency, coins in it, state)."""
    rows = connection.execute(
        _STAKES.where(schema.stakes.c.match_id == match_id).order_by(schema.stakes.c.seat)
    ).all()
    accounts = {stake(match_id, row.seat, row.player_id, row.currency).id for row in rows}
    held = {
        (row.id, row.currency): row.balance
        for row in connection.execute(
            select(schema.accounts).where(schema.accounts.c.id.in_(sorted(accounts)))
        )
    }
    return [
        (
            row.seat,
            row.player_id,
            row.currency,
            held.get((stake(match_id, row.seat, row.player_id, row.currency).id, row.currency), 0),
            row.state,
        )
        for row in rows
    ]


def _one(connection: Connection, match_id: str, seat: int) -> Row[Any] | None:
    query = _STAKES.where(schema.stakes.c.match_id == match_id, schema.stakes.c.seat == seat)
    return connection.execute(query).one_or_none()


def _set_states(connection: Connection, states: Sequence[dict[str, object]]) -> None:
    update_rows(connection, schema.stakes, ("match_id", "seat"), states)


def _state(row: Row[Any], state: str, last_round_no: int, returned: int) -> dict[str, object]:
    return {
        "match_id": row.match_id,
        "seat": row.seat,
        "state": state,
        "last_round_no": last_round_no,
        "returned": returned,
    }
