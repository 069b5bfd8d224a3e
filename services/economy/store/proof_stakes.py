"""The proof's part about stakes: each holds what it was given, as long as it may, and gave back the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, Text, and_, cast, except_, select

from services.economy.core.money import content_hash, stake
from services.economy.store import schema

CLOSING_MS_MAX = 60_000
"""So long after the end of its match a stake may wait to be asked to close."""

_STAKES, _ACCOUNTS, _MATCHES = schema.stakes, schema.accounts, schema.matches
_OF, _ENTRIES = schema.transfers, schema.entries
_NAME: Any = cast("stake/" + _STAKES.c.match_id + "/" + cast(_STAKES.c.seat, Text), Text)


def stakes_that_hold_too_long(connection: Connection, now_ms: int, since: int) -> Iterator[str]:
    """Yield the stakes that hold coins after their time.

    Args:
        connection: The book.
        now_ms: Unix milliseconds.
        since: 0 = every stake; otherwise those not closed, and accounts with entries after this id.
    """
    held = select(_ACCOUNTS).where(_ACCOUNTS.c.kind == "stake", _ACCOUNTS.c.balance != 0)
    query = select(
        _STAKES,
        _MATCHES.c.next_round_no,
        _MATCHES.c.last_round_no.label("ended_after"),
        _MATCHES.c.ended_at_ms,
        _ACCOUNTS.c.balance,
    ).outerjoin(_MATCHES, _MATCHES.c.match_id == _STAKES.c.match_id)
    query = query.outerjoin(_ACCOUNTS, _is_its_account())
    if since:
        touched = select(_ENTRIES.c.account).where(_ENTRIES.c.id > since)
        held = held.where(_ACCOUNTS.c.id.in_(touched))
        live = _STAKES.c.state.in_(["open", "closing"])
        query = query.where(live | _ACCOUNTS.c.id.in_(touched))
    for row in connection.execute(query.order_by(_STAKES.c.match_id, _STAKES.c.seat)):
        problem = _holds_too_long(row, now_ms)
        if problem:
            yield f"{stake(row.match_id, row.seat, '', '').id}: {problem}"
    unknown = held.outerjoin(_STAKES, _is_its_account()).where(_STAKES.c.match_id.is_(None))
    for row in connection.execute(unknown.order_by(_ACCOUNTS.c.id, _ACCOUNTS.c.currency)):
        yield f"{row.id}: holds {row.balance} {row.currency}, but no such stake was opened"


def _holds_too_long(row: Row[Any], now_ms: int) -> str:
    balance = row.balance or 0
    next_round_no = row.next_round_no or 1
    if row.state in ("closed", "tombstone"):
        return f"{row.state}, but holds {balance} {row.currency}" if balance else ""
    if row.state == "closing" and (row.last_round_no or 0) < next_round_no:
        return f"should have closed after round {row.last_round_no}, holds {balance}"
    is_over = row.ended_at_ms is not None and row.ended_after < next_round_no
    # Also one that waits to close after a round that will never be.
    if is_over and row.ended_at_ms + CLOSING_MS_MAX < now_ms:
        return f"its match ended after round {row.ended_after}, it still holds {balance}"
    return ""


def wrong_stakes(connection: Connection) -> Iterator[str]:
    """Yield the stakes that are not what was asked for, or did not get or give back what they say."""
    name = cast(_STAKES.c.match_id + "/" + cast(_STAKES.c.seat, Text), Text)
    opened, closed = _OF.alias("opened"), _OF.alias("closed")
    last = (
        select(_ENTRIES.c.amount)
        .where(_ENTRIES.c.account == "stake/" + name, _ENTRIES.c.currency == _STAKES.c.currency)
        .order_by(_ENTRIES.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(
            _STAKES, opened.c.answer, closed.c.id.label("closing"), _ACCOUNTS.c.owner, last.label("last"),
            _MATCHES.c.next_round_no,
        )
        .outerjoin(opened, opened.c.key == "stake_open/" + name)
        .outerjoin(closed, closed.c.key == "stake_close/" + name)
        .outerjoin(_MATCHES, _MATCHES.c.match_id == _STAKES.c.match_id)
        .outerjoin(_ACCOUNTS, _is_its_account())
        .where(_STAKES.c.state != "tombstone")
        .order_by(_STAKES.c.match_id, _STAKES.c.seat)
    )  # fmt: skip
    for row in connection.execute(query.execution_options(yield_per=1_000)):
        problem = _stake_problem(row)
        if problem:
            yield f"{stake(row.match_id, row.seat, '', '').id}: {problem}"
    # Not a join: SQLite has no index of names that are put together.
    known = select(_NAME, _STAKES.c.currency).where(_STAKES.c.state != "tombstone")
    of_stakes = select(_ACCOUNTS.c.id, _ACCOUNTS.c.currency).where(_ACCOUNTS.c.kind == "stake")
    for name, currency in sorted(map(tuple, connection.execute(except_(of_stakes, known)))):
        yield f"{name}: holds or held {currency}, but is not among the stakes"
    tombs = select(_STAKES).where(_STAKES.c.state == "tombstone")
    for row in connection.execute(tombs.order_by(_STAKES.c.match_id, _STAKES.c.seat)):
        if row.player_id or row.currency or row.buy_in or row.returned or bytes(row.content_hash):
            yield f"{stake(row.match_id, row.seat, '', '').id}: tombstone of {row.player_id!r}"


def _stake_problem(row: Row[Any]) -> str:
    if content_hash(row.player_id, row.currency, row.buy_in) != row.content_hash:
        return f"{row.buy_in} {row.currency} of {row.player_id} is not what was asked for"
    if row.answer != row.buy_in:
        return f"opened with {row.buy_in}, its transfer says {row.answer}"
    if row.owner != stake(row.match_id, row.seat, row.player_id, row.currency).owner:
        return f"is of {row.player_id}, its account of {row.owner!r}"
    gave_back = -row.last if row.closing is not None and row.last is not None else 0
    if row.state == "closed" and (row.returned or 0) != gave_back:
        return f"gave back {row.returned}, its last entry says {gave_back}"
    if row.state != "closed" and row.closing is not None:
        return f"{row.state}, but its coins went back"
    if row.state != "closed" and row.returned:
        return f"{row.state}, but gave back {row.returned}"
    if row.state == "closed" and not (row.last_round_no or 0) < (row.next_round_no or 1):
        return f"closed after round {row.last_round_no}, which is not done"
    if (row.last_round_no is None) != (row.state == "open"):
        return f"{row.state} after round {row.last_round_no}"
    return ""


def _is_its_account() -> Any:
    return and_(_ACCOUNTS.c.id == _NAME, _ACCOUNTS.c.currency == _STAKES.c.currency)
