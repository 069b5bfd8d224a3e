"""The proof: the book, or what is new in it, checked from its parts; says what is wrong, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection, func, select

from services.economy.store import schema
from services.economy.store.dispute_proof import wrong_alerts, wrong_disputes
from services.economy.store.proof_entries import (
    wrong_accounts,
    wrong_balances,
    wrong_owners,
    wrong_running_balances,
    wrong_sums,
)
from services.economy.store.proof_guards import missing_guards
from services.economy.store.proof_rooms import holds_that_outlive_their_match, wrong_holds
from services.economy.store.proof_rounds import wrong_events, wrong_order, wrong_rounds
from services.economy.store.proof_stakes import stakes_that_hold_too_long, wrong_stakes
from services.economy.store.proof_told import wrong_tales
from services.economy.store.proof_transfers import transfers_without_entries, wrong_transfers
from services.economy.store.topup_proof import debtors_with_gems, orders_unlike_their_entries
from services.economy.store.topup_proof_orders import orders_of_other_entries, wrong_orders
from services.economy.store.topup_proof_words import strays

FINDINGS_MAX = 200
"""Enough for a person; more of the same says nothing new."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was checked, and what is wrong."""

    transfers: int
    accounts: int
    findings: tuple[str, ...]
    mark: int = 0
    """The last entry there was; a later proof may begin after it."""


def prove(connection: Connection, now_ms: int, since: int = 0) -> Proof:
    """Check the book on one snapshot.

    Args:
        connection: The book, in a transaction that sees one snapshot.
        now_ms: Unix milliseconds.
        since: 0 = everything. Otherwise only what entries after this id touched, and what is cheap to check
            whole: totals, signs and names of accounts, stakes that are not closed, cards that are held. A
            change to what is older shows in the totals or in the next whole proof.
    """
    entries, of, accounts = schema.entries, schema.transfers, schema.accounts
    mark = connection.execute(select(func.coalesce(func.max(entries.c.id), 0))).scalar_one()
    findings = list(islice(_findings(connection, now_ms, since), FINDINGS_MAX + 1))
    if len(findings) > FINDINGS_MAX:
        findings[FINDINGS_MAX] = f"stopped after {FINDINGS_MAX} findings"
    if since:
        touched = select(func.count(func.distinct(entries.c.transfer_id))).where(entries.c.id > since)
        transfers = connection.execute(touched).scalar_one()
    else:
        transfers = connection.execute(select(func.count()).select_from(of)).scalar_one()
    count = connection.execute(select(func.count()).select_from(accounts)).scalar_one()
    return Proof(int(transfers), int(count), tuple(findings), int(mark))


def _findings(connection: Connection, now_ms: int, since: int) -> Iterator[str]:
    yield from missing_guards(connection)
    yield from wrong_sums(connection, since)
    yield from wrong_transfers(connection, since)
    yield from wrong_accounts(connection)
    yield from wrong_balances(connection, since)
    yield from wrong_running_balances(connection, since)
    yield from wrong_owners(connection, since)
    yield from stakes_that_hold_too_long(connection, now_ms, since)
    yield from holds_that_outlive_their_match(connection, now_ms)
    if since:
        return
    yield from transfers_without_entries(connection)
    yield from orders_unlike_their_entries(connection)
    yield from orders_of_other_entries(connection)
    yield from wrong_orders(connection)
    yield from strays(connection)
    yield from debtors_with_gems(connection)
    yield from wrong_rounds(connection)
    yield from wrong_order(connection)
    yield from wrong_events(connection, now_ms)
    yield from wrong_tales(connection, now_ms)
    yield from wrong_disputes(connection)
    yield from wrong_alerts(connection)
    yield from wrong_stakes(connection)
    yield from wrong_holds(connection)
