"""The reconciler: proves the whole book from its parts and says what is wrong; changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from paiju.scoring.v1 import events_pb2 as scoring_events
from sqlalchemy import Connection, and_, func, select

from services.economy.core import caps
from services.economy.core.money import fees_of, stake
from services.economy.store import facts, schema
from services.economy.store.dispute_proof import settled_by_decision, wrong_disputes

FINDINGS_MAX = 200
"""Enough for a person; more of the same says nothing new."""

CLOSING_MS_MAX = 60_000
"""So long after the end of its match a stake may wait to be asked to close."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was checked, and what is wrong."""

    transfers: int
    accounts: int
    findings: tuple[str, ...]


def prove(connection: Connection, now_ms: int) -> Proof:
    """Check every transfer, account, settled round and stake."""
    findings: list[str] = []
    for check in (
        _transfers_that_do_not_balance(connection),
        _transfers_without_entries(connection),
        _accounts_unlike_their_entries(connection),
        _entries_out_of_order(connection),
        _settlements_without_reason(connection),
        wrong_disputes(connection),
        _stakes_that_hold_too_long(connection, now_ms),
    ):
        for finding in check:
            findings.append(finding)
            if len(findings) >= FINDINGS_MAX:
                findings.append(f"stopped after {FINDINGS_MAX} findings")
                return _proof(connection, findings)
    return _proof(connection, findings)


def _proof(connection: Connection, findings: list[str]) -> Proof:
    transfers = connection.execute(select(func.count()).select_from(schema.transfers)).scalar_one()
    accounts = connection.execute(select(func.count()).select_from(schema.accounts)).scalar_one()
    return Proof(int(transfers), int(accounts), tuple(findings))


def _transfers_that_do_not_balance(connection: Connection) -> Iterator[str]:
    table = schema.entries
    total = func.sum(table.c.amount)
    query = (
        select(table.c.transfer_id, table.c.currency, total.label("total"))
        .group_by(table.c.transfer_id, table.c.currency)
        .having(total != 0)
        .order_by(table.c.transfer_id)
    )
    for row in connection.execute(query):
        yield f"transfer {row.transfer_id}: entries in {row.currency} sum to {row.total}, not 0"


def _transfers_without_entries(connection: Connection) -> Iterator[str]:
    of, table = schema.transfers, schema.entries
    query = (
        select(of.c.id)
        .outerjoin(table, table.c.transfer_id == of.c.id)
        .where(table.c.id.is_(None))
        .order_by(of.c.id)
    )
    for row in connection.execute(query):
        yield f"transfer {row.id}: has no entries"
    query = (
        select(table.c.transfer_id.label("id"))
        .outerjoin(of, table.c.transfer_id == of.c.id)
        .where(of.c.id.is_(None))
        .distinct()
    )
    for row in connection.execute(query):
        yield f"transfer {row.id}: has entries, but is not in the book"


def _accounts_unlike_their_entries(connection: Connection) -> Iterator[str]:
    table, of = schema.entries, schema.accounts
    sums = (
        select(table.c.account, table.c.currency, func.sum(table.c.amount).label("total"))
        .group_by(table.c.account, table.c.currency)
        .subquery()
    )
    joined = and_(sums.c.account == of.c.id, sums.c.currency == of.c.currency)
    query = (
        select(of.c.id, of.c.currency, of.c.kind, of.c.balance, func.coalesce(sums.c.total, 0).label("total"))
        .outerjoin(sums, joined)
        .order_by(of.c.id, of.c.currency)
    )
    for row in connection.execute(query):
        if row.balance != row.total:
            yield f"account {row.id} {row.currency}: balance {row.balance}, entries sum to {row.total}"
        if row.balance < 0 and row.kind != "issuer":
            yield f"account {row.id} {row.currency}: balance {row.balance} is negative"
    orphans = (
        select(sums.c.account, sums.c.currency)
        .outerjoin(of, joined)
        .where(of.c.id.is_(None))
        .order_by(sums.c.account)
    )
    for orphan in connection.execute(orphans):
        yield f"account {orphan.account} {orphan.currency}: has entries, but does not exist"


def _entries_out_of_order(connection: Connection) -> Iterator[str]:
    table = schema.entries
    running = (
        func.sum(table.c.amount)
        .over(partition_by=(table.c.account, table.c.currency), order_by=table.c.id)
        .label("running")
    )
    inner = select(table.c.id, table.c.account, table.c.currency, table.c.balance_after, running).subquery()
    query = select(inner).where(inner.c.running != inner.c.balance_after).order_by(inner.c.id)
    for row in connection.execute(query):
        yield (
            f"entry {row.id} of {row.account} {row.currency}: says {row.balance_after} after it, "
            f"the entries up to it sum to {row.running}"
        )


def _settlements_without_reason(connection: Connection) -> Iterator[str]:
    rounds, of, table = schema.rounds, schema.transfers, schema.entries
    unexplained = (
        select(of.c.id, of.c.reference)
        .outerjoin(rounds, and_(rounds.c.transfer_id == of.c.id, rounds.c.state == "settled"))
        .where(of.c.kind == "settlement", rounds.c.round_id.is_(None))
        .order_by(of.c.id)
    )
    for row in connection.execute(unexplained):
        yield f"settlement {row.id}: round {row.reference} is not settled"
    lines: dict[str, dict[str, int]] = {}
    moved = select(table.c.transfer_id, table.c.account, table.c.amount).join(
        of, of.c.id == table.c.transfer_id
    )
    for line in connection.execute(moved.where(of.c.kind == "settlement")):
        lines.setdefault(line.transfer_id, {})[line.account] = line.amount
    settled = select(rounds).where(rounds.c.state == "settled").order_by(rounds.c.round_id)
    decided = settled_by_decision(connection)
    for row in connection.execute(settled):
        payload = decided.get(row.round_id, row.payload)
        problem = _settlement_problem(payload, row.stakes_before, row.coins, lines.get(row.transfer_id, {}))
        if problem:
            yield f"round {row.round_id}: {problem}"
    gaps = (
        select(rounds.c.round_id)
        .join(schema.matches, schema.matches.c.match_id == rounds.c.match_id)
        .where(
            rounds.c.state.in_(["settled", "voided"]) & (rounds.c.round_no >= schema.matches.c.next_round_no)
            | rounds.c.state.in_(["waiting", "waiting_void"])
            & (rounds.c.round_no <= schema.matches.c.next_round_no)
        )
        .order_by(rounds.c.round_id)
    )
    for row in connection.execute(gaps):
        yield f"round {row.round_id}: out of order"


def _settlement_problem(payload: bytes, stakes_before: str, coins: str, moved: dict[str, int]) -> str:
    """Return what is wrong with a settled round, computing its coins again, or nothing."""
    audit = scoring_events.RoundAudited.FromString(payload)
    if audit.verdict != scoring_events.VERDICT_AGREED:
        return "settled without an agreed audit"
    fact = facts.from_audited(audit)
    points = tuple(seat.points for seat in sorted(fact.seats, key=lambda seat: seat.seat))
    terms, stakes = caps.terms_of(fact.settlement_json), tuple(json.loads(stakes_before))
    inputs = caps.CapInputs.under(terms, points, stakes, fact.from_seat)
    again = caps.settle(inputs) if fact.for_coins else (0,) * len(points)
    fees = caps.fees(inputs)
    if list(again) != json.loads(coins):
        return f"coins are {coins}, computed again {list(again)}"
    moves = [won - fee for won, fee in zip(again, fees, strict=True)]
    expected = {stake(fact.match_id, seat, "", "").id: move for seat, move in enumerate(moves) if move}
    if sum(fees):
        expected[fees_of(fact.match_id, "").id] = sum(fees)
    if moved != expected:
        return f"its transfer moved {moved}, computed again {expected}"
    return ""


def _stakes_that_hold_too_long(connection: Connection, now_ms: int) -> Iterator[str]:
    table, of, matches = schema.stakes, schema.accounts, schema.matches
    balances = {
        (row.id, row.currency): row.balance
        for row in connection.execute(select(of).where(of.c.kind == "stake", of.c.balance != 0))
    }
    query = (
        select(
            table,
            matches.c.next_round_no,
            matches.c.last_round_no.label("ended_after"),
            matches.c.ended_at_ms,
        )
        .outerjoin(matches, matches.c.match_id == table.c.match_id)
        .order_by(table.c.match_id, table.c.seat)
    )
    for row in connection.execute(query):
        account = stake(row.match_id, row.seat, row.player_id, row.currency)
        balance = balances.pop((account.id, row.currency), 0)
        if row.state in ("closed", "tombstone") and balance:
            yield f"{account.id}: {row.state}, but holds {balance} {row.currency}"
        elif (
            row.state == "closing" and row.next_round_no is not None and row.last_round_no < row.next_round_no
        ):
            yield f"{account.id}: should have closed after round {row.last_round_no}, holds {balance}"
        elif (
            row.state == "open"
            and row.ended_at_ms is not None
            and row.ended_after < row.next_round_no
            and row.ended_at_ms + CLOSING_MS_MAX < now_ms
        ):
            yield f"{account.id}: its match ended after round {row.ended_after}, it still holds {balance}"
    for (account_id, currency), balance in sorted(balances.items()):
        yield f"{account_id}: holds {balance} {currency}, but no such stake was opened"
