"""What became of the rounds: published, recorded, audited, settled; and of the coins."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from paiju.economy.v1.events_pb2 import RoundSettled
from paiju.scoring.v1.events_pb2 import VERDICT_AGREED, RoundAudited
from paiju.table.v1.events_pb2 import MatchFinished, RoundFinished, RoundOpened, RoundVoided
from sqlalchemy import Connection, create_engine, func, select

from services.economy.store import schema
from services.economy.store.proof import prove
from services.table.store import records
from tests.chaos.gather import Entry
from tests.chaos.story import Problem, Story, facts

Streams = Mapping[str, Sequence[Entry]]


def judge_facts(story: Story, streams: Streams, counts: Counter[str]) -> Iterator[Problem]:
    """Yield what is wrong with the facts of rounds and matches."""
    of_rounds = facts(streams.get("ROUNDS", ()), RoundOpened, RoundFinished, RoundVoided)
    yield from _published(story, of_rounds)
    audits = facts(streams.get("AUDITS", ()), RoundAudited)
    verdicts: dict[str, RoundAudited] = {}
    for audit in audits:
        first = verdicts.setdefault(audit.round_id, audit)
        if (first.verdict, list(first.seats)) != (audit.verdict, list(audit.seats)):
            yield Problem("audit", f"{audit.round_id} was audited twice, with two results")
        if audit.verdict != VERDICT_AGREED:
            yield Problem("audit", f"{audit.round_id} is disputed: {list(audit.differences)}")
    settled: dict[str, RoundSettled] = {}
    order: defaultdict[str, list[int]] = defaultdict(list)
    for fact in facts(streams.get("LEDGER", ()), RoundSettled):
        first_ = settled.setdefault(fact.round_id, fact)
        if first_ != fact:
            yield Problem("settled", f"{fact.round_id} was settled twice")
        if first_ is fact:
            order[fact.match_id].append(fact.round_no)
        if sum(seat.coins for seat in fact.seats):
            yield Problem("coins", f"{fact.round_id}: its coins do not sum to zero")
    for round_id in story.records:
        counts["rounds"] += 1
        if round_id not in verdicts:
            yield Problem("audit", f"{round_id} was never audited")
        if round_id not in settled:
            yield Problem("settled", f"{round_id} was never settled")
    for round_id in sorted(settled.keys() - story.records.keys()):
        yield Problem("settled", f"{round_id} was settled, and never played to its end")
    for match_id, numbers in order.items():
        if numbers != sorted(numbers):
            yield Problem("order", f"{match_id}: its rounds were told settled in the order {numbers}")
    yield from _matches(story, streams)
    for entry in streams.get("DLQ", ()):
        yield Problem("defect", f"a consumer gave up: {entry.subject} {entry.payload[:300]!r}")


def _published(story: Story, of_rounds: Sequence[Any]) -> Iterator[Problem]:
    """What the log says is what the world was told, in every copy of it."""
    opened: set[str] = set()
    told: dict[tuple[type[Any], str], Any] = {}
    for fact in of_rounds:
        key = (type(fact), fact.round_id)
        if told.setdefault(key, fact) != fact:
            yield Problem("published", f"{fact.round_id}: two different {type(fact).__name__}")
        if isinstance(fact, RoundOpened):
            opened.add(fact.round_id)
        elif fact.round_id not in opened:
            yield Problem("published", f"{fact.round_id} ended before its commitment was out")
        if isinstance(fact, RoundFinished) and story.records.get(fact.round_id) != fact.record:
            yield Problem("published", f"{fact.round_id}: what was published is not what the log has")
    for round_id in story.opened:
        if (RoundOpened, round_id) not in told:
            yield Problem("published", f"{round_id}: its commitment was never out")
    for cls, known in ((RoundFinished, story.records), (RoundVoided, story.voided)):
        for round_id in known:
            if (cls, round_id) not in told:
                yield Problem("published", f"{round_id}: {cls.__name__} was never out")
    for round_id in sorted(story.opened.keys() - story.records.keys() - story.voided.keys()):
        yield Problem("waits", f"{round_id} was opened, and neither ended nor voided")


def _matches(story: Story, streams: Streams) -> Iterator[Problem]:
    finished: dict[str, MatchFinished] = {}
    for entries in streams.values():
        for fact in facts(entries, MatchFinished):
            if finished.setdefault(fact.match_id, fact) != fact:
                yield Problem("published", f"{fact.match_id}: two ends of a match")
    for table_id, table in story.tables.items():
        if table.s.phase != "finished":
            yield Problem("waits", f"{table_id} is still {table.s.phase}")
        elif table.s.owed:
            yield Problem("waits", f"{table_id} still owes {[owed.key for owed in table.s.owed]}")
        elif table_id not in finished:
            yield Problem("published", f"{table_id}: the end of the match was never out")


def judge_databases(story: Story, folder: Path, now_ms: int, counts: Counter[str]) -> Iterator[Problem]:
    """Yield what is wrong with the book of coins, and with the records that were kept."""
    with create_engine(f"sqlite:///{folder / 'economy.db'}").connect() as connection:
        proof = prove(connection, now_ms)
        counts["transfers"] = proof.transfers
        for finding in proof.findings:
            yield Problem("coins", finding)
        yield from _book(connection, story)
    with create_engine(f"sqlite:///{folder / 'table.db'}").connect() as connection:
        kept = {row.round_id: bytes(row.record) for row in connection.execute(select(records))}
    for round_id, record in story.records.items():
        if kept.get(round_id) != record:
            yield Problem("record", f"{round_id}: the kept record is not what the log has")
    for round_id in sorted(kept.keys() - story.records.keys()):
        yield Problem("record", f"{round_id} is kept, and never ended")


_ADDED = (
    select(schema.entries.c.account, schema.entries.c.amount)
    .join(schema.transfers, schema.transfers.c.id == schema.entries.c.transfer_id)
    .where(schema.transfers.c.kind == "stake_topup", schema.entries.c.account.like("stake/%"))
)
"""What was added to stakes between rounds."""


def _book(connection: Connection, story: Story) -> Iterator[Problem]:
    """All coins ever made are somewhere, no stake is left, and each seat took away what its rounds say."""
    total = func.sum(schema.accounts.c.balance)
    by_currency = select(schema.accounts.c.currency, total.label("total")).group_by(
        schema.accounts.c.currency
    )
    for row in connection.execute(by_currency):
        if row.total:
            yield Problem("coins", f"all accounts in {row.currency} sum to {row.total}, not 0")
    moved: defaultdict[tuple[str, int], int] = defaultdict(int)
    rounds = {row.round_id: row for row in connection.execute(select(schema.rounds))}
    for round_id in story.records:
        found = rounds.get(round_id)
        if found is None or found.state != "settled":
            state = "unknown" if found is None else found.state
            yield Problem("settled", f"{round_id} is {state} in the book")
            continue
        options = json.loads(RoundAudited.FromString(found.payload).settlement_json or "{}")
        before = json.loads(found.stakes_before)
        for seat, coins in enumerate(json.loads(found.coins)):
            moved[found.match_id, seat] += coins - min(options.get("fee", 0), before[seat])
    for account, amount in connection.execute(_ADDED):
        _, match_id, seat = account.split("/")
        moved[match_id, int(seat)] += amount
    for row in connection.execute(select(schema.stakes)):
        who = f"stake of {row.player_id} at {row.match_id} seat {row.seat}"
        if row.state == "tombstone":
            continue
        if row.state != "closed":
            yield Problem("coins", f"{who} is {row.state}")
        elif row.returned - row.buy_in != moved[row.match_id, row.seat]:
            won = moved[row.match_id, row.seat]
            yield Problem("coins", f"{who}: {row.buy_in} in, {won} won, {row.returned} out")
    yield from _in_order(connection)


def _in_order(connection: Connection) -> Iterator[Problem]:
    """Rounds of a match move coins in the order of their numbers."""
    entry, of = schema.entries, schema.transfers
    query = (
        select(of.c.reference, func.min(entry.c.id).label("first"))
        .join(entry, entry.c.transfer_id == of.c.id)
        .where(of.c.kind == "settlement")
        .group_by(of.c.id, of.c.reference)
        .order_by(func.min(entry.c.id))
    )
    last: dict[str, int] = {}
    for row in connection.execute(query):
        match_id, _, number = row.reference.rpartition("/")
        if int(number) <= last.get(match_id, 0):
            yield Problem("order", f"{row.reference} moved coins after round {last[match_id]}")
        last[match_id] = max(last.get(match_id, 0), int(number))
