"""What a player has won and lost in a day, read from the book itself, and the relief he has had."""

from __future__ import annotations

from paiju.economy.v1 import economy_service_pb2 as pb
from sqlalchemy import Connection, and_, select

from services.chassis.days import begin_of, day_of, day_text
from services.economy.core.money import Transfer, issuer, move, wallet
from services.economy.core.relief import PER_DAY_MAX, DayCaps, ReliefTerms
from services.economy.store import schema
from services.economy.store.bulk import among
from services.economy.store.ledger import Book, Posted
from services.economy.store.wallets import wallets_of

CURRENCY = "gold"
LOOK_BACK = 200
"""Entries read at a time, newest first, until a whole lot of them is older than the day."""


def net_of(connection: Connection, player_id: str, day: int) -> int:
    """Return the gold that settlements brought (above 0) or took (below 0) in a day, fees included.

    It is the sum of immutable entries: nothing is counted apart from them, so nothing can differ from them.
    """
    table, of = schema.entries, schema.transfers
    query = (
        select(table.c.id, table.c.amount, table.c.currency, of.c.kind, of.c.at_ms)
        .join(of, of.c.id == table.c.transfer_id)
        .where(table.c.owner == player_id)
        .order_by(table.c.id.desc())
        .limit(LOOK_BACK)
    )
    net: int = 0
    before_id: int | None = None
    while True:
        rows = connection.execute(query if before_id is None else query.where(table.c.id < before_id)).all()
        net += sum(
            int(row.amount)
            for row in rows
            if row.kind == "settlement" and row.currency == CURRENCY and day_of(row.at_ms) == day
        )
        if len(rows) < LOOK_BACK or all(day_of(row.at_ms) < day for row in rows):
            return net
        before_id = rows[-1].id


def check_caps(connection: Connection, player_id: str, caps: DayCaps, now_ms: int) -> None:
    """Let a player put coins at stake who has not reached a cap of today.

    Raises:
        Refusal: DAILY_WIN_CAP, DAILY_LOSS_CAP.
    """
    if not caps.is_set:
        return
    refusal = caps.refusal(net_of(connection, player_id, day_of(now_ms)))
    if refusal is not None:
        raise refusal


def claim_relief(
    connection: Connection, player_id: str, request_id: str, terms: ReliefTerms, now_ms: int
) -> tuple[Posted, int]:
    """Give relief, once per request and so often a day; return what the first caller was told, and the gold.

    The key of a transfer holds the day and the number of the claim: more than `per_day` cannot be written,
    however many ask at once. A repeat is known on the day after too, and on the day before.

    Raises:
        Refusal: RELIEF_NOT_NEEDED, RELIEF_USED_UP.
    """
    target, source, today = wallet(player_id, CURRENCY), issuer(CURRENCY), day_of(now_ms)
    book = Book(connection)
    book.lock([source, target])
    # The day after, too: another machine's clock, or this one's a moment ago, may be past midnight already.
    claims = _claims(connection, player_id, (today, today - 1, today + 1), PER_DAY_MAX)
    for _, reference, transfer_id, answer, amount in claims:
        if reference == request_id:
            return Posted(transfer_id, answer, is_new=False), amount
    taken = {key for key, *_ in claims}
    free = [key for n in range(terms.per_day) if (key := _key(player_id, today, n)) not in taken]
    refusal = terms.refusal(_held(connection, player_id), terms.per_day - len(free))
    if refusal is not None:
        raise refusal
    posted = book.post(Transfer(free[0], "relief", move(source, target, terms.gold), now_ms, request_id))
    book.flush()
    return posted, terms.gold


def day_for(
    connection: Connection, player_id: str, caps: DayCaps, terms: ReliefTerms, now_ms: int
) -> pb.GetDayResponse:
    """Return a player's day as he sees it."""
    today = day_of(now_ms)
    net = net_of(connection, player_id, today)
    claimed = len(_claims(connection, player_id, (today,), terms.per_day))
    capped = caps.refusal(net)
    refused = terms.refusal(_held(connection, player_id), claimed)
    return pb.GetDayResponse(
        day=day_text(today),
        ends_at_ms=begin_of(today + 1),
        net=net,
        win_cap=caps.win,
        loss_cap=caps.loss,
        refusal=capped.reason if capped else "",
        relief=pb.Relief(
            gold=terms.gold,
            below=terms.below if terms.exists else 0,
            per_day=terms.per_day,
            left=max(0, terms.per_day - claimed) if terms.exists else 0,
            refusal=refused.reason if refused else "",
        ),
    )


def _held(connection: Connection, player_id: str) -> int:
    """Return the gold in a player's wallet and open stakes."""
    found = wallets_of(connection, [player_id])[player_id]
    return sum(money.amount for money in (*found.balances, *found.staked) if money.currency == CURRENCY)


def _claims(
    connection: Connection, player_id: str, days: tuple[int, ...], most: int
) -> list[tuple[str, str, str, int, int]]:
    """Return the claims of days: (key, request id, transfer id, balance after, gold) each."""
    of, table = schema.transfers, schema.entries
    keys = [_key(player_id, day, n) for day in days for n in range(most)]
    query = (
        select(of.c.key, of.c.reference, of.c.id, of.c.answer, table.c.amount)
        .join(table, and_(table.c.transfer_id == of.c.id, table.c.owner == player_id))
        .where(among(connection, of.c.key, keys))
        .order_by(of.c.key)
    )
    return [(row.key, row.reference, row.id, row.answer, row.amount) for row in connection.execute(query)]


def _key(player_id: str, day: int, n: int) -> str:
    return f"relief/{player_id}/{day}/{n}"
