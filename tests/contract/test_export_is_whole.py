"""What is held about people, people can have: every table of every service is exported, or says why not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import inspect

from services.accounts.export import Export
from services.chassis.clock import SystemClock
from services.chassis.db import InlineDatabase, migrate
from services.chassis.db.sqlite import sqlite_engine
from services.launch.catalog import wirings
from tests.support.process import MemoryWorld, system_ids

NOBODY: Final = "of nobody: "
"""Begins the reason of a table that says nothing of a person."""

PERSON: Final = re.compile(
    r"(^|_)(player|owner|host|staff|friend|asker|asked|blocked|other|inviter|from|to)_id$"
)
"""Columns that name a person; `owner`, `players`, `seats`, `payload` and `subject` may, too."""

HELD: Final[dict[str, dict[str, str]]] = {
    "accounts": {
        "players": "accounts.person",
        "device_keys": "accounts.person",
        "sessions": "accounts.person",
        "passwords": "accounts.person",
        "identities": "accounts.person",
        "api_keys": "accounts.person",
        "api_key_secrets": "accounts.person: of the keys; of secrets only hashes are kept",
        "roles": "accounts.person",
        "challenges": NOBODY + "a key that asks to sign in, for two minutes",
        "oidc_flows": NOBODY + "a sign-in under way, for ten minutes",
        "staff_log": "accounts.staff_log",
        "friends": "accounts.friends",
        "friend_requests": "accounts.friends",
        "friend_blocks": "accounts.friends",
        "friend_asks": "accounts.friends",
        "presence_hidden": "accounts.friends",
        "room_invitations": "accounts.friends",
        "protection": "accounts.protection",
        "protection_keys": "accounts.person: of the ways in, as hashes",
        "protection_rounds": "table.records: which rounds were counted, for three days",
        "protection_days": "accounts.protection: today; other days are kept for three, for what comes late",
        "protection_warnings": "accounts.protection: that he was warned of the end it names",
        "outbox": NOBODY + "events on their way, and a day after",
    },
    "economy": {
        "accounts": "economy.wallet",
        "entries": "economy.entries",
        "transfers": "economy.entries",
        "stakes": "economy.wallet: live ones; what became of the others stands in the entries",
        "matches": NOBODY + "which round of a match is next",
        "rounds": "table.records: the audits of the rounds that he played; their coins stand in the entries",
        "disputes": NOBODY + "which rounds wait for staff",
        "decisions": "accounts.staff_log",
        "alerts": NOBODY + "second words about rounds",
        "acknowledgements": "accounts.staff_log",
        "topup_orders": "economy.orders",
        "topup_history": "economy.orders: the steps by which each came to its state",
        "topup_events": "economy.orders: what the provider said of each",
        "topup_problems": "economy.orders: what the provider said that fits none, until staff has looked",
        "topup_returns": "economy.orders: what went back of each",
        "topup_debts": "economy.orders: what is owed of each",
        "topup_waivers": "accounts.staff_log",
        "sandbox_payments": NOBODY + "a bank's own books, for development",
        "sandbox_returns": NOBODY + "as above",
        "sandbox_deliveries": NOBODY + "as above",
        "room_holds": "economy.entries: what was held and given back",
        "proof_runs": NOBODY + "how far the reconciler is",
        "proof_records": NOBODY + "hashes of records",
        "proof_words": NOBODY + "hashes of what was said of rounds",
        "outbox": NOBODY + "events on their way, and a day after",
    },
    "scoring": {
        "openings": NOBODY + "commitments of rounds",
        "audits": "table.records: what scoring made of the rounds that he played",
        "voids": NOBODY + "rounds that were never played",
        "alerts": NOBODY + "rounds that were said twice",
        "outbox": NOBODY + "events on their way, and a day after",
    },
    "table": {
        "records": "table.records",
        "record_players": "table.records",
        "favourites": "table.favourites",
        "shares": "table.shares",
        "play_likes": "table.likes",
        "shard_marks": NOBODY + "how far a shard's log was read",
    },
    "matchmaking": {
        "engagements": "matchmaking.whereabouts",
        "tickets": "matchmaking.whereabouts: the one that waits; others are forgotten within days",
        "rooms": "matchmaking.rooms",
        "places": "matchmaking.rooms",
        "room_swaps": "matchmaking.rooms: who would like to sit elsewhere in a room that waits",
        "room_kicks": "matchmaking.rooms: who may not come back for some minutes",
        "placements": "table.records: the seats of a table to be made",
    },
    "chat": {
        "messages": "chat.messages",
        "outbox": NOBODY + "events on their way, and a day after",
    },
    "progress": {
        "played_rounds": NOBODY + "which rounds were counted",
        "plays": "progress.statistics",
        "counted": NOBODY + "which rounds an older version counted",
        "statistics": "progress.statistics: an older version's; `plays` holds them now",
        "play_days": "progress.statistics_days",
        "shown_to": "progress.statistics",
        "sign_ins": "progress.sign_in: the days in a row; each reward stands in the entries",
        "rewards": "economy.entries: each once it is paid",
        "ratings": "progress.ratings",
        "rated_rounds": NOBODY + "which rounds were rated",
        "rating_steps": "progress.ratings: what was thought before rounds, until none comes late",
    },
    "anticheat": {
        "counted": NOBODY + "which events are in the figures",
        "players": "anticheat.statistics",
        "pairs": "anticheat.statistics: with whom he played, which his records say; what follows is secret",
        "answer_times": "anticheat.statistics",
    },
}
"""Service → table → the section of the export that holds it, with a reason where that isn't plain."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """Service → table → columns, as migrations make them."""
    folder: Path = tmp_path_factory.mktemp("held")
    found: dict[str, dict[str, list[str]]] = {}
    for wiring in wirings():
        if not wiring.has_database:
            continue
        url = f"sqlite:///{folder / wiring.name}.db"
        migrate(url, wiring.name)
        engine = sqlite_engine(url)
        seen = inspect(engine)
        found[wiring.name] = {
            table: [column["name"] for column in seen.get_columns(table)]
            for table in seen.get_table_names()
            if not table.startswith("alembic_version")
        }
        engine.dispose()
    return found


def test_every_table_of_every_service_is_exported_or_says_why_not(
    tables: dict[str, dict[str, list[str]]],
) -> None:
    unknown = {name: sorted(held.keys() - HELD.get(name, {}).keys()) for name, held in tables.items()}
    assert {name: found for name, found in unknown.items() if found} == {}


def test_what_names_a_person_is_not_said_to_be_of_nobody(tables: dict[str, dict[str, list[str]]]) -> None:
    excused = {
        (service, table)
        for service, held in HELD.items()
        for table, why in held.items()
        if why.startswith(NOBODY) and any(PERSON.search(column) for column in tables[service].get(table, []))
    }
    # A sign-in that links an identity to an account names that, for ten minutes.
    assert excused == {("accounts", "oidc_flows")}


def test_the_sections_that_are_named_exist(tmp_path: Path) -> None:
    world = MemoryWorld(SystemClock(), database=lambda _: InlineDatabase(SystemClock()), data_dir=tmp_path)
    export = Export(world.database("accounts"), world.process("accounts", system_ids()).rpc)
    known = {f"{section.service}.{section.name}" for section in export.sections}
    named = {why.partition(":")[0] for held in HELD.values() for why in held.values()} - {NOBODY[:-2]}
    assert named <= known
    # Where somebody sits is no table: the log of his shard says it.
    assert known - named == {"table.seats", "economy.day"}
