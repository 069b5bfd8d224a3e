"""What the databases must hold at the end: every ticket come to an end, every coin in its place."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from services.economy.store.proof import prove
from tests.simulation.client import Violation
from tests.simulation.lobby import CARDS, CARDS_EACH

if TYPE_CHECKING:
    from tests.simulation.person import Person
    from tests.simulation.world import World

WELCOME = 20_000
WELCOME_CARDS = 20


def is_settled(world: World) -> bool:
    logs, facts = world.logs, world.facts
    live = world.live_tables()
    return (
        logs.is_over()
        and all(told.is_closed or table_id in live for table_id, told in logs.tables.items())
        and set(facts.finished) <= set(facts.settled)
        # A table that hears of its money later shows that to its seats, who have to see it.
        and all(
            told.is_closed or len(set(told.table.s.settled)) >= len(told.records)
            for told in logs.tables.values()
        )
        and set(facts.matches) == set(logs.tables)
        and all(has_seen_all(world, person) for person in world.persons)
        and judge_tickets(world, only_look=True)
        and judge_money(world, only_look=True)
    )


def has_seen_all(world: World, person: Person) -> bool:
    """Return whether a person has been shown the last frame of the table he stays at.

    Raises:
        Violation: He was shown frames of a table that no log knows of.
    """
    for table_id, client in person.players.items():
        told = world.logs.tables.get(table_id)
        if told is None:
            if client.last:
                raise Violation(f"{person.player_id} saw a frame of {table_id}, which is in no log")
            return False
        if told.table.pending:
            if told.table.s.phase != "finished":
                return False
            # Nothing more comes of the log; what its owner shows in a moment counts.
            world.logs.show_all(told)
        seat = told.table.seat_of(person.player_id)
        if seat is None or client.last < told.table.listener(seat).number:
            return False
    return True


def waiting(world: World) -> str:
    """Say what is not over yet."""
    logs, facts = world.logs, world.facts
    live = world.live_tables()
    return "; ".join(
        f"{what}: {found}"
        for what, found in {
            "matches": [
                f"{table_id} {told.table.s.phase} {[owed.key for owed in told.table.s.owed]}"
                for table_id, told in logs.tables.items()
                if not told.is_closed and (told.table.s.phase != "finished" or told.table.s.owed)
            ],
            "without an owner": [
                t for t, told in logs.tables.items() if not told.is_closed and t not in live
            ],
            "not settled": sorted(set(facts.finished) - set(facts.settled)),
            "settlements not heard": [
                table_id
                for table_id, told in logs.tables.items()
                if not told.is_closed and len(set(told.table.s.settled)) < len(told.records)
            ],
            "matches not told": sorted(set(logs.tables) - set(facts.matches)),
            "playing": world.playing,
            "have not seen all": [p.player_id for p in world.persons if not has_seen_all(world, p)],
            "tickets, rooms, stakes": not (
                judge_tickets(world, only_look=True) and judge_money(world, only_look=True)
            ),
        }.items()
        if found
    )


def judge_tickets(world: World, *, only_look: bool = False) -> bool:
    """Every ticket was matched or cancelled, every room closed, every table made and over, nobody engaged.

    Raises:
        Violation: One was not, unless `only_look`.
    """
    engine = world.commons.database("matchmaking").engine
    with engine.connect() as connection:
        open_rows = [
            *_rows(
                connection, "SELECT ticket_id, state FROM tickets WHERE state NOT IN ('matched', 'cancelled')"
            ),
            *_rows(connection, "SELECT room_id, state FROM rooms WHERE state <> 'closed'"),
            *_rows(connection, "SELECT table_id, state FROM placements WHERE state <> 'ended'"),
            *_rows(connection, "SELECT player_id, ref FROM engagements"),
        ]
        cancelled = _rows(
            connection,
            "SELECT ticket_id, table_id FROM tickets WHERE state = 'cancelled' AND table_id IS NOT NULL",
        )
        placed = {row[0] for row in _rows(connection, "SELECT table_id FROM placements")}
        seated = _rows(
            connection, "SELECT ticket_id, player_id, table_id FROM tickets WHERE state = 'matched'"
        )
    if only_look:
        return not open_rows
    if open_rows:
        raise Violation(f"left open: {open_rows}")
    if cancelled:
        raise Violation(f"left open: {cancelled} are cancelled, and have a seat")
    if placed != set(world.logs.tables):
        raise Violation(f"tables of matchmaking: {sorted(placed)}, of the logs: {sorted(world.logs.tables)}")
    for ticket_id, player_id, table_id in seated:
        if world.logs.tables[table_id].table.seat_of(player_id) is None:
            raise Violation(
                f"ticket {ticket_id} of {player_id} was matched with {table_id}, where he has no seat"
            )
    return True


def judge_money(world: World, *, only_look: bool = False) -> bool:
    """Stakes are closed, the book proves itself, and every wallet is the welcome grant and what rounds moved.

    Raises:
        Violation: One is not, unless `only_look`.
    """
    engine = world.commons.database("economy").engine
    with engine.connect() as connection:
        held = _rows(connection, "SELECT match_id FROM room_holds WHERE state = 'held'")
        if only_look and held:
            return False
        if held:
            raise Violation(f"room cards of matches that are over are held: {held}")
        stakes = _rows(
            connection, "SELECT match_id, seat, state FROM stakes WHERE state NOT IN ('closed', 'tombstone')"
        )
        if only_look:
            return not stakes
        if stakes:
            raise Violation(f"stakes are left: {stakes}")
        findings = prove(connection, world.clock.now_ms()).findings
        if findings:
            raise Violation(f"the book is wrong: {list(findings)}")
        (fees,) = _rows(
            connection, "SELECT COALESCE(SUM(balance), 0) FROM accounts WHERE id LIKE 'house/fees/%'"
        )
        if fees[0] != world.facts.fees:
            raise Violation(f"the house has taken {fees[0]} of fees, and rounds have paid {world.facts.fees}")
        _judge_cards(world, connection)
        wallets = {
            row[0]: row[1]
            for row in _rows(
                connection,
                "SELECT owner, balance FROM accounts WHERE kind = 'wallet' AND currency = 'gold'",
            )
        }
    for person in world.persons:
        due = WELCOME + world.facts.coins[person.player_id]
        if wallets.get(person.player_id, 0) != due:
            raise Violation(f"{person.player_id} has {wallets.get(person.player_id)}, and should have {due}")
    return True


def _judge_cards(world: World, connection: Connection) -> None:
    """Each room that friends have played in is paid for once, as agreed; nobody has paid anything else.

    Raises:
        Violation: It is not so.
    """
    kept = {
        row[0]: (row[1], json.loads(row[2]), json.loads(row[3]))
        for row in _rows(
            connection, "SELECT match_id, payer, seats, kept FROM room_holds WHERE state = 'kept'"
        )
    }
    played = {
        table_id
        for table_id, log in world.logs.tables.items()
        if log.table.s.spec.room_code and log.table.s.rounds_played
        if sum(not seat.bot for seat in log.table.s.seats) > 1
    }
    if set(kept) != played:
        raise Violation(f"paid for: {sorted(kept)}; played by friends in rooms: {sorted(played)}")
    paid: Counter[str] = Counter()
    for match_id, (payer, seats, cards) in kept.items():
        people = sum(player.startswith("p_") for player in seats)
        due = CARDS_EACH * people if payer == "each" else CARDS
        if sum(cards) != due:
            raise Violation(f"{match_id} has cost {cards}, and should have cost {due} ({payer})")
        paid.update(dict(zip(seats, cards, strict=True)))
    wallets = "SELECT owner, balance FROM accounts WHERE kind = 'wallet' AND currency = 'room_card'"
    have = {row[0]: row[1] for row in _rows(connection, wallets)}
    for person in world.persons:
        if have.get(person.player_id, 0) != WELCOME_CARDS - paid[person.player_id]:
            raise Violation(f"{person.player_id} has {have.get(person.player_id)} room cards, paid {paid}")


def judge_records(world: World) -> None:
    """Each round that has ended is kept for replay, byte for byte as the log and its stream have it.

    Raises:
        Violation: One is not, or another is.
    """
    with world.commons.database("table").engine.connect() as connection:
        kept = dict(_rows(connection, "SELECT round_id, record FROM records"))
    told = {fact.round_id: fact.record for fact in world.facts.finished.values()}
    logged = {record for log in world.logs.tables.values() for record in log.records}
    if kept != told or set(kept.values()) != logged:
        raise Violation(
            f"records are kept of {sorted(kept)}, published {sorted(told)}, and {len(logged)} are in the logs"
        )


def _rows(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(text(statement))]
