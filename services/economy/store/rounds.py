"""Rounds: the first word about each is kept; money moves in order of their numbers, many at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from paiju.scoring.v1.events_pb2 import RoundAudited
from sqlalchemy import Connection, select

from services.economy.core import caps
from services.economy.core.money import Account, Posting, Transfer, fees_of, is_bot, stake
from services.economy.core.rounds import (
    STATE_WHEN_HEARD,
    HeldStake,
    RoundFact,
    RoundState,
    cap_inputs,
    ready,
)
from services.economy.store import facts, schema
from services.economy.store.bulk import among, insert_rows, update_rows
from services.economy.store.disputes import open_disputes
from services.economy.store.ledger import Book
from services.economy.store.matches import HeldMatch, hold_matches, save_matches
from services.economy.store.stakes import close_due, stakes_of


@dataclass
class Heard:
    """What a batch of facts came to."""

    settled: int = 0
    voided: int = 0
    disputed: list[tuple[str, str]] = field(default_factory=list)
    """Round ids with the cause."""
    alerts: list[tuple[str, str]] = field(default_factory=list)
    """Round ids with the kind."""
    players: set[str] = field(default_factory=set)
    """Whose coins changed."""


@dataclass
class _Round:
    """A round in this transaction: stored before, or heard just now."""

    fact: RoundFact
    state: RoundState
    is_new: bool
    stakes_before: tuple[int, ...] = ()
    coins: tuple[int, ...] = ()
    moves: tuple[int, ...] = ()
    """What each stake gains or loses: `coins` less the fee."""
    transfer_id: str = ""
    settled_at_ms: int = 0
    changed: bool = False


def hear(connection: Connection, batch: Sequence[RoundFact], now_ms: int) -> Heard:
    """Take in what was said of rounds, and do all that can be done now, in one transaction.

    A repeat changes nothing. A second word about a round that differs from the first becomes an alert.
    """
    heard = Heard()
    if not batch:
        return heard
    matches = hold_matches(connection, (fact.match_id for fact in batch))
    by_match = _take_in(connection, batch, heard, now_ms)
    due: dict[str, list[_Round]] = {}
    for match_id, of_match in by_match.items():
        numbers = ready(matches[match_id].next_round_no, _states(of_match))
        if numbers:
            due[match_id] = [of_match[number] for number in numbers]
        if any(one.state == "disputed" for one in of_match.values()):
            matches[match_id].suspend()
        # Whoever waited for this match must not go on with what it read before (repeatable read).
        matches[match_id].changed = True
    _do(connection, matches, by_match, due, heard, now_ms)
    return heard


def decide(connection: Connection, match: HeldMatch, fact: RoundFact, now_ms: int) -> Heard:
    """Do the disputed round that a held match waits for, as a person decided, and all that waited behind it.

    Args:
        connection: The transaction.
        match: Locked by it.
        fact: What was decided, `agreed` or `void`; the round is `match.next_round_no`.
        now_ms: Unix milliseconds.

    Returns:
        What it came to. If `disputed` names the round again, with the cause, it cannot be settled so, and the
        caller must undo the transaction.
    """
    heard = Heard()
    of_match = _undone(connection, [match.match_id])[match.match_id]
    of_match[fact.round_no] = _Round(fact, STATE_WHEN_HEARD[fact.kind], is_new=False)
    others = select(schema.rounds.c.round_id).where(
        schema.rounds.c.match_id == match.match_id,
        schema.rounds.c.state == "disputed",
        schema.rounds.c.round_id != fact.round_id,
    )
    match.suspended = connection.execute(others.limit(1)).one_or_none() is not None
    match.changed = True
    due = [of_match[number] for number in ready(match.next_round_no, _states(of_match))]
    by_match = {match.match_id: of_match}
    _do(connection, {match.match_id: match}, by_match, {match.match_id: due}, heard, now_ms)
    return heard


def _do(
    connection: Connection,
    matches: dict[str, HeldMatch],
    by_match: dict[str, dict[int, _Round]],
    due: dict[str, list[_Round]],
    heard: Heard,
    now_ms: int,
) -> None:
    """Do what is due, write it, and close the stakes that waited for it."""
    book = Book(connection)
    _settle(connection, book, matches, due, heard, now_ms)
    _write(connection, by_match)
    save_matches(connection, matches)
    closed = close_due(connection, book, [matches[match_id] for match_id in due], now_ms)
    heard.players.update(row.player_id for row in closed if not is_bot(row.player_id))


def _states(of_match: Mapping[int, _Round]) -> dict[int, RoundState]:
    return {number: one.state for number, one in of_match.items()}


def _take_in(
    connection: Connection, batch: Sequence[RoundFact], heard: Heard, now_ms: int
) -> dict[str, dict[int, _Round]]:
    """Return the rounds of these matches that are not done, with what is new; alert on contradictions."""
    table = schema.rounds
    known = {
        row.round_id: row.digest
        for row in connection.execute(
            select(table.c.round_id, table.c.digest).where(
                among(connection, table.c.round_id, (one.round_id for one in batch))
            )
        )
    }
    by_match = _undone(connection, [fact.match_id for fact in batch])
    alerts: list[dict[str, object]] = []
    disputes: list[tuple[RoundFact, str]] = []
    for fact in batch:
        digest = known.get(fact.round_id)
        if digest is None:
            known[fact.round_id] = fact.digest
            by_match[fact.match_id][fact.round_no] = _Round(fact, STATE_WHEN_HEARD[fact.kind], is_new=True)
            if fact.kind == "disputed":
                disputes.append((fact, "disputed"))
                heard.disputed.append((fact.round_id, "disputed"))
        elif digest != fact.digest:
            kind = "void_contradicts" if fact.kind == "void" else "audit_contradicts"
            alerts.append(
                {
                    "round_id": fact.round_id,
                    "kind": kind,
                    "digest": fact.digest,
                    "payload": fact.payload,
                    "at_ms": now_ms,
                }
            )
            heard.alerts.append((fact.round_id, kind))
    insert_rows(connection, schema.alerts, alerts, or_keep=True)
    open_disputes(connection, disputes, now_ms)
    return by_match


def _undone(connection: Connection, match_ids: Iterable[str]) -> dict[str, dict[int, _Round]]:
    """Return the rounds of matches that were heard of and wait for an earlier one."""
    table = schema.rounds
    by_match: dict[str, dict[int, _Round]] = defaultdict(dict)
    undone = select(table.c.round_id, table.c.state, table.c.digest, table.c.payload).where(
        among(connection, table.c.match_id, match_ids),
        table.c.state.in_(["waiting", "waiting_void"]),
    )
    for row in connection.execute(undone):
        fact = facts.from_stored(row.state, row.payload)
        by_match[fact.match_id][fact.round_no] = _Round(fact, row.state, is_new=False)
    return by_match


def _settle(
    connection: Connection,
    book: Book,
    matches: dict[str, HeldMatch],
    due: dict[str, list[_Round]],
    heard: Heard,
    now_ms: int,
) -> None:
    """Move the coins of rounds that are due, match by match in order of their numbers."""
    with_coins = {match for match, of_match in due.items() if any(one.fact.for_coins for one in of_match)}
    held: dict[str, list[tuple[Account, HeldStake]]] = defaultdict(list)
    if with_coins:
        for row in stakes_of(connection, with_coins):
            account = stake(row.match_id, row.seat, row.player_id, row.currency)
            held[row.match_id].append((account, HeldStake(row.seat, row.player_id, row.currency, 0)))
        accounts = [account for of_match in held.values() for account, _ in of_match]
        with_fees = {match for match in with_coins if any(_has_fee(one.fact) for one in due[match])}
        accounts += [
            fees_of(match, currency)
            for match in with_fees
            for currency in {account.currency for account, _ in held[match]}
        ]
        book.lock(accounts)
    events = []
    disputes: list[tuple[RoundFact, str]] = []
    for match_id, of_match in due.items():
        match = matches[match_id]
        for one in of_match:
            one.changed = True
            if one.fact.kind == "void":
                one.state = "voided"
                heard.voided += 1
            else:
                cause = _settle_one(book, one, held[match_id] if one.fact.for_coins else [], now_ms)
                if cause:
                    one.state = "disputed"
                    match.suspend()
                    disputes.append((one.fact, cause))
                    heard.disputed.append((one.fact.round_id, cause))
                    break
                heard.settled += 1
                events.append(
                    facts.round_settled(one.fact, one.stakes_before, one.coins, one.transfer_id, now_ms)
                )
                heard.players.update(
                    seat.player_id
                    for seat in one.fact.seats
                    if one.fact.for_coins and not seat.is_bot and one.moves[seat.seat]
                )
            match.move_to(one.fact.round_no + 1)
    book.flush()
    open_disputes(connection, disputes, now_ms)
    facts.announce(connection, events)


def _settle_one(book: Book, one: _Round, stakes: Sequence[tuple[Account, HeldStake]], now_ms: int) -> str:
    """Stage the coins of one round; return why a person has to look instead, or nothing."""
    now_held = [
        HeldStake(held.seat, held.player_id, held.currency, book.balance(account)) for account, held in stakes
    ]
    inputs = cap_inputs(one.fact, now_held)
    if isinstance(inputs, str):
        return inputs
    one.stakes_before = inputs.stakes
    one.coins = caps.settle(inputs) if one.fact.for_coins else (0,) * len(inputs.points)
    paid = caps.fees(inputs)
    one.moves = tuple(won - fee for won, fee in zip(one.coins, paid, strict=True))
    postings = [Posting(account, one.moves[held.seat]) for account, held in stakes if one.moves[held.seat]]
    if sum(paid):
        postings.append(Posting(fees_of(one.fact.match_id, stakes[0][1].currency), sum(paid)))
    if postings:
        round_id = one.fact.round_id
        transfer = Transfer(f"settlement/{round_id}", "settlement", tuple(postings), now_ms, round_id)
        posted = book.post(transfer)
        one.transfer_id = posted.transfer_id
    one.state = "settled"
    one.settled_at_ms = now_ms
    return ""


def _has_fee(fact: RoundFact) -> bool:
    """Return whether a fee may have to be posted; options that can't be read settle nothing."""
    try:
        return fact.for_coins and caps.terms_of(fact.settlement_json).fee > 0
    except ValueError:
        return False


def _write(connection: Connection, by_match: dict[str, dict[int, _Round]]) -> None:
    every = [one for of_match in by_match.values() for one in of_match.values()]
    new = [
        {
            "round_id": one.fact.round_id,
            "match_id": one.fact.match_id,
            "round_no": one.fact.round_no,
            "digest": one.fact.digest,
            "payload": one.fact.payload,
            **_outcome(one),
        }
        for one in every
        if one.is_new
    ]
    old = [
        {"round_id": one.fact.round_id, **_outcome(one)} for one in every if one.changed and not one.is_new
    ]
    insert_rows(connection, schema.rounds, new)
    update_rows(connection, schema.rounds, ("round_id",), old)


def _outcome(one: _Round) -> dict[str, object]:
    return {
        "state": one.state,
        "stakes_before": json.dumps(one.stakes_before),
        "coins": json.dumps(one.coins),
        "transfer_id": one.transfer_id,
        "settled_at_ms": one.settled_at_ms,
    }


OUTSIDERS_MS = 600_000
"""Who did not play a round hears of its money so long after its end: nobody who watches is shown it later."""


def settlement_of(
    connection: Connection, round_id: str, player_id: str = "", now_ms: int = 0
) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return the state of a round as callers see it; coins and fees by seat once it is settled.

    Args:
        connection: To the database.
        round_id: The round.
        player_id: Who asks; empty = a service.
        now_ms: Now.
    """
    table = schema.rounds
    row = connection.execute(select(table).where(table.c.round_id == round_id)).one_or_none()
    if row is None or (player_id and now_ms < _outsiders_from(row.state, row.payload, player_id)):
        return "waiting", (), ()
    state = {"waiting_void": "voided"}.get(row.state, row.state)
    if state != "settled":
        return state, (), ()
    return state, json.loads(row.coins), fees_paid(row.payload, row.stakes_before)


def _outsiders_from(state: str, payload: bytes, player_id: str) -> int:
    """Return from when on somebody may know of a round's money: 0 = at once, for he has played it."""
    seats = facts.from_stored(state, payload).seats
    if not seats or any(seat.player_id == player_id for seat in seats):
        return 0
    return RoundAudited.FromString(payload).ended_at_ms + OUTSIDERS_MS


def fees_paid(payload: bytes, stakes_before: str) -> Sequence[int]:
    """Return the fees by seat of a settled round, computed again from what is kept of it."""
    fact = facts.from_stored("settled", payload)
    points = tuple(seat.points for seat in sorted(fact.seats, key=lambda seat: seat.seat))
    stakes = tuple(json.loads(stakes_before))
    return caps.fees(caps.CapInputs.under(caps.terms_of(fact.settlement_json), points, stakes))
