"""Room cards that are held for matches: taken once, and once given back or kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    insert,
    select,
    update,
)

from services.chassis.errors import Refusal
from services.economy.core.money import Account, Transfer, content_hash, move, wallet
from services.economy.core.room_cards import CURRENCY, held_of, kept_of, rooms_of
from services.economy.store.ledger import Book
from services.economy.store.matches import hold_matches

metadata = MetaData()

room_holds = Table(
    "room_holds",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("content_hash", LargeBinary, nullable=False),
    Column("payer", Text, nullable=False),
    Column("seats", Text, nullable=False),
    Column("held", Text, nullable=False),
    Column("kept", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    CheckConstraint("state IN ('held', 'kept', 'returned')", name="room_holds_state"),
)
"""`seats`: player ids; `held`: cards taken from each; `kept`: cards each has paid, once it is over; JSON.
A row without seats is a tombstone: its cards were given back before they were asked for."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of the match of a room."""

    match_id: str
    scores: tuple[int, ...]
    rounds_played: int


def hold(
    connection: Connection,
    match_id: str,
    payer: str,
    cards: int,
    seats: Sequence[str],
    owner_id: str,
    now_ms: int,
) -> tuple[tuple[int, ...], bool]:
    """Take the cards of a match from all who pay, or from nobody.

    Returns:
        How many are held of each seat, and whether they were taken just now (False: a repeat).

    Raises:
        Refusal: INVALID_ARGUMENT; REQUEST_ID_REUSED: the match has others; ROOM_CARDS_CLOSED: they were given
            back; ROOM_CARDS_TOO_FEW, with the player.
    """
    held = held_of(payer, cards, seats, owner_id)
    hold_matches(connection, [match_id])
    same = content_hash(payer, cards, list(seats), owner_id)
    row = _find(connection, match_id)
    if row is not None:
        if row.state == "returned":
            raise Refusal("ROOM_CARDS_CLOSED", match_id=match_id)
        if row.content_hash != same:
            raise Refusal("REQUEST_ID_REUSED")
        return held, False
    paying = {seat: wallet(player, CURRENCY) for seat, player in enumerate(seats) if held[seat]}
    book, pool = Book(connection), rooms_of(match_id)
    book.lock([*paying.values(), pool])
    for seat, purse in paying.items():
        there = book.balance(purse)
        if there < held[seat]:
            raise Refusal("ROOM_CARDS_TOO_FEW", needed=held[seat], cards=there, player_id=purse.owner)
        key = f"room/{match_id}/{seat}"
        book.post(Transfer(key, "room_hold", move(purse, pool, held[seat]), now_ms, match_id))
    book.flush()
    connection.execute(
        insert(room_holds).values(
            match_id=match_id,
            state="held",
            content_hash=same,
            payer=payer,
            seats=json.dumps(list(seats)),
            held=json.dumps(held),
            kept="",
            at_ms=now_ms,
        )
    )
    return held, True


def give_back(connection: Connection, match_id: str, now_ms: int) -> tuple[str, list[str]]:
    """Give all cards of a match back, or say that it has kept them; without any, leave a tombstone.

    Returns:
        `returned` or `kept`, and the players whose wallets changed.
    """
    hold_matches(connection, [match_id])
    row = _find(connection, match_id)
    if row is None:
        connection.execute(
            insert(room_holds).values(
                match_id=match_id,
                state="returned",
                content_hash=b"",
                payer="",
                seats="[]",
                held="[]",
                kept="[]",
                at_ms=now_ms,
            )
        )
        return "returned", []
    if row.state != "held":
        return row.state, []
    return "returned", _settle(connection, row, (0,) * len(json.loads(row.held)), now_ms)


def end(connection: Connection, ended: Sequence[Ended], now_ms: int) -> list[str]:
    """Keep, or give back, the cards of matches that are over; those without cards change nothing.

    Returns:
        The players whose wallets changed.
    """
    wanted = {one.match_id: one for one in ended}
    query = select(room_holds).where(room_holds.c.match_id.in_(wanted), room_holds.c.state == "held")
    due = sorted(row.match_id for row in connection.execute(query))
    if not due:
        return []
    hold_matches(connection, due)
    told: list[str] = []
    for match_id in due:
        row, one = _find(connection, match_id), wanted[match_id]
        if row is None or row.state != "held":
            continue  # somebody was quicker
        kept = kept_of(row.payer, json.loads(row.held), one.scores, one.rounds_played)
        told += _settle(connection, row, kept, now_ms)
    return told


def _settle(connection: Connection, row: Row[Any], kept: Sequence[int], now_ms: int) -> list[str]:
    match_id, seats, held = row.match_id, json.loads(row.seats), json.loads(row.held)
    back = {seat: held[seat] - kept[seat] for seat in range(len(seats)) if held[seat] > kept[seat]}
    pool = rooms_of(match_id)
    purses: dict[int, Account] = {seat: wallet(seats[seat], CURRENCY) for seat in back}
    book = Book(connection)
    book.lock([*purses.values(), pool])
    for seat, purse in purses.items():
        key = f"room_back/{match_id}/{seat}"
        book.post(Transfer(key, "room_return", move(pool, purse, back[seat]), now_ms, match_id))
    book.flush()
    state = "kept" if any(kept) else "returned"
    is_it = room_holds.c.match_id == match_id
    connection.execute(update(room_holds).where(is_it).values(state=state, kept=json.dumps(list(kept))))
    return [purse.owner for purse in purses.values()]


def _find(connection: Connection, match_id: str) -> Row[Any] | None:
    return connection.execute(select(room_holds).where(room_holds.c.match_id == match_id)).first()
