"""Gems spent on packs of gold or room cards: one transfer, one way."""

from __future__ import annotations

from sqlalchemy import Connection, select

from services.chassis.errors import Refusal
from services.economy.core.money import Transfer, issuer, move, wallet
from services.economy.core.topup import exchange_account
from services.economy.core.topup_products import Pack
from services.economy.store import schema
from services.economy.store.ledger import Book, Posted


def exchange(connection: Connection, player_id: str, request_id: str, pack: Pack, now_ms: int) -> Posted:
    """Pay for a pack with gems and put what it holds into the player's wallet, once per request.

    A repeat gets the first answer, also if the pack holds something else by now.

    Raises:
        Refusal: REQUEST_ID_REUSED: the request was for another pack. INSUFFICIENT_FUNDS.
    """
    gems, bought = wallet(player_id, "gem"), wallet(player_id, pack.currency)
    key = f"exchange/{player_id}/{request_id}"
    book = Book(connection)
    book.lock([gems, bought, exchange_account(), issuer(pack.currency)], [key])
    if book.known(key):
        c = schema.transfers.c
        row = connection.execute(select(c.id, c.answer, c.reference).where(c.key == key)).one()
        if row.reference != pack.id:
            raise Refusal("REQUEST_ID_REUSED")
        return Posted(row.id, row.answer, is_new=False)
    postings = move(gems, exchange_account(), pack.gems) + move(issuer(pack.currency), bought, pack.amount)
    posted = book.post(Transfer(key, "exchange", postings, now_ms, pack.id))
    book.flush()
    return posted
