"""Stake accounts: opened once, closed once, and never again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from paiju.economy.v1 import events_pb2
from sqlalchemy import Connection, Row, insert, or_, select

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
from services.economy.core.relief import NO_CAPS, DayCaps
from services.economy.store import schema
from services.economy.store.bulk import among, insert_rows, update_rows
from services.economy.store.days import check_caps
from services.economy.store.ledger import Book, Posted
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
    caps: DayCaps = NO_CAPS,
) -> int:
    """Move a buy-in into the stake account of a seat, and return what it holds then (a repeat: held then).

    A bot's buy-in comes from the house; when the house is short, the issuer gives it `house_float`, or the
    buy-in if that is more.

    Raises:
        Refusal: REQUEST_ID_REUSED: the seat has another stake. STAKE_CLOSED: it is closing, closed, or was
            closed before it came. INSUFFICIENT_FUNDS. DAILY_WIN_CAP, DAILY_LOSS_CAP.
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
    book.lock([source, target, issuer(currency)] if is_bot(player_id) else [source, target])
    if is_bot(player_id):
        _fund_house(book, currency, buy_in, house_float, reference, reference, now_ms)
    else:
        check_caps(connection, player_id, caps, now_ms)
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


@dataclass(frozen=True, slots=True)
class TopUp:
    """Coins to be added to a stake between two rounds."""

    match_id: str
    seat: int
    player_id: str
    amount: int
    request_id: str
    stake_max: int
    """The stake holds no more than this afterwards."""
    last_round_no: int
    """The last round that was opened; it must be done, and no later one."""


def add_stake(
    connection: Connection, top_up: TopUp, house_float: int, now_ms: int, caps: DayCaps = NO_CAPS
) -> Posted:
    """Move more coins into an open stake, once per request; a bot's come from the house.

    Raises:
        Refusal: REQUEST_ID_REUSED. STAKE_UNKNOWN, STAKE_CLOSED, NOT_SEATED: the stake of another.
            SETTLEMENT_PENDING: what a round not done yet pays depends on its stakes. WRONG_PHASE: a later
            round is done. STAKE_TOO_LARGE, INSUFFICIENT_FUNDS, DAILY_WIN_CAP, DAILY_LOSS_CAP.
    """
    match_id, seat, player_id = top_up.match_id, top_up.seat, top_up.player_id
    match = hold_matches(connection, [match_id])[match_id]
    row = _one(connection, match_id, seat)
    if row is None or row.state == "tombstone":
        raise Refusal("STAKE_UNKNOWN" if row is None else "STAKE_CLOSED")
    if row.player_id != player_id:
        raise Refusal("NOT_SEATED")
    target, source = stake(match_id, seat, player_id, row.currency), purse(player_id, row.currency)
    reference = f"{match_id}/{seat}"
    key = f"stake_topup/{reference}/{top_up.request_id}"
    transfer = Transfer(key, "stake_topup", move(source, target, top_up.amount), now_ms, reference)
    book = Book(connection)
    book.lock([source, target, issuer(row.currency)] if is_bot(player_id) else [source, target], [key])
    if not book.known(key):
        if row.state != "open":
            raise Refusal("STAKE_CLOSED")
        if match.next_round_no != top_up.last_round_no + 1:
            is_behind = match.next_round_no <= top_up.last_round_no
            raise Refusal("SETTLEMENT_PENDING" if is_behind else "WRONG_PHASE")
        held = book.balance(target)
        if held + top_up.amount > top_up.stake_max:
            raise Refusal("STAKE_TOO_LARGE", stake_max=top_up.stake_max, stake=held)
        if is_bot(player_id):
            _fund_house(book, row.currency, top_up.amount, house_float, key, reference, now_ms)
        else:
            check_caps(connection, player_id, caps, now_ms)
    posted = book.post(transfer)
    book.flush()
    return posted


def _fund_house(
    book: Book, currency: str, needed: int, house_float: int, key: str, reference: str, now_ms: int
) -> None:
    """Stage what the issuer gives a house that can't pay `needed` for a bot."""
    if book.balance(house(currency)) < needed:
        funding = move(issuer(currency), house(currency), max(house_float, needed))
        book.post(Transfer(f"house_funding/{key}", "house_funding", funding, now_ms, reference))


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
    events = [
        events_pb2.StakeClosed(
            match_id=row.match_id,
            seat=row.seat,
            player_id=row.player_id,
            currency=row.currency,
            amount=int(str(state["returned"])),
        )
        for state, row in zip(states, rows, strict=True)
    ]
    announced: list[dict[str, object]] = [
        {
            "event_id": f"stake_closed:{event.match_id}/{event.seat}",
            "type": event.DESCRIPTOR.full_name,
            "payload": event.SerializeToString(),
        }
        for event in events
    ]
    insert_rows(connection, schema.outbox, announced, or_keep=True)


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
