"""A book of money in memory, and the facts that move it; for tests of economy."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeVar

from paiju.scoring.v1 import events_pb2 as scoring_events
from paiju.table.v1 import events_pb2 as table_events
from sqlalchemy import Connection, Engine, Table, select
from sqlalchemy.pool import StaticPool

from services.chassis.db import migrate
from services.chassis.db.sqlite import sqlite_engine
from services.economy.core.relief import ReliefTerms
from services.economy.core.rounds import RoundFact
from services.economy.store import days, facts, room_cards, rounds, schema, stakes, topup_schema, wallets
from services.economy.store.proof import Proof, prove

T = TypeVar("T")
TABLES: Final[dict[str, Table]] = {
    name: table
    for one in (schema.metadata, room_cards.metadata, topup_schema.metadata)
    for name, table in one.tables.items()
}
"""Everything economy keeps, but for the reconciler's notes."""
NOW_MS = 1_790_000_000_000
HOUSE_FLOAT = 50_000


@cache
def _template() -> sqlite3.Connection:
    engine = sqlite_engine("sqlite://", StaticPool)
    migrate(engine, "economy")
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    raw = engine.raw_connection().driver_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.backup(copy)
    return copy


def empty_book() -> Engine:
    """Return a migrated book in memory, copied from one that was migrated before."""
    engine = sqlite_engine("sqlite://", StaticPool)
    raw = engine.raw_connection().driver_connection
    assert isinstance(raw, sqlite3.Connection)
    _template().backup(raw)
    return engine


class Books:
    """The operations of economy on one engine, each a transaction of its own."""

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or empty_book()
        self.now_ms = NOW_MS

    def run(self, fn: Callable[[Connection], T]) -> T:
        with self.engine.begin() as connection:
            return fn(connection)

    def grant(self, player_id: str, amount: int, key: str = "", currency: str = "gold") -> int:
        key = key or f"test/{player_id}/{amount}"
        return self.run(
            lambda c: wallets.grant(c, key, "task", player_id, currency, amount, "", self.now_ms)
        ).balance_after

    def open(self, match: str, seat: int, player: str, buy_in: int, currency: str = "gold") -> int:
        return self.run(
            lambda c: stakes.open_stake(c, match, seat, player, currency, buy_in, HOUSE_FLOAT, self.now_ms)
        )

    def add(self, match: str, seat: int, player: str, amount: int, last_round_no: int) -> int:
        """Add to a stake up to 900; a request is named by what it asks for."""
        request = f"{player}/{amount}/{last_round_no}"
        top_up = stakes.TopUp(match, seat, player, amount, request, 900, last_round_no)
        return self.run(lambda c: stakes.add_stake(c, top_up, HOUSE_FLOAT, self.now_ms)).balance_after

    def claim(self, player: str, request_id: str) -> int:
        """Claim relief of 50 for who has less than 100, twice a day."""
        terms = ReliefTerms(50, 100, 2)
        return self.run(lambda c: days.claim_relief(c, player, request_id, terms, self.now_ms))[1]

    def close(self, match: str, seat: int, last_round_no: int) -> bool:
        return self.run(lambda c: stakes.close_stake(c, match, seat, last_round_no, self.now_ms))[0]

    def hear(self, *batch: RoundFact) -> rounds.Heard:
        return self.run(lambda c: rounds.hear(c, batch, self.now_ms))

    def wallet(self, player_id: str, currency: str = "gold") -> int:
        found = self.run(lambda c: wallets.wallets_of(c, [player_id]))[player_id]
        return next(money.amount for money in found.balances if money.currency == currency)

    def staked(self, player_id: str) -> int:
        found = self.run(lambda c: wallets.wallets_of(c, [player_id]))[player_id]
        return sum(money.amount for money in found.staked)

    def stakes(self, match: str) -> list[tuple[int, str, str, int, str]]:
        return self.run(lambda c: stakes.all_stakes(c, match))

    def state(self, round_id: str) -> tuple[str, list[int]]:
        state, coins, _ = self.run(lambda c: rounds.settlement_of(c, round_id))
        return state, list(coins)

    def prove(self) -> Proof:
        return self.run(lambda c: prove(c, self.now_ms))

    def events(self, name: str) -> list[bytes]:
        table = schema.outbox
        query = select(table.c.payload).where(table.c.type == f"paiju.economy.v1.{name}").order_by(table.c.id)
        return [bytes(row.payload) for row in self.run(lambda c: c.execute(query).all())]

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return everything in the book, for comparing before and after."""
        return self.run(
            lambda c: {
                name: sorted((tuple(row) for row in c.execute(select(table))), key=repr)
                for name, table in TABLES.items()
            }
        )


PLAYERS = ("p_a", "p_b", "bot:normal")


def audited(
    match: str = "0-m",
    number: int = 1,
    points: Sequence[int] = (6, -3, -3),
    players: Sequence[str] = PLAYERS,
    verdict: str = "AGREED",
    for_coins: bool = True,
    base_stake: int = 10,
    win_cap: bool = False,
    fee: int = 0,
    from_seat: int = -1,
    auditor: str = "paiju-scoring 1",
) -> scoring_events.RoundAudited:
    """Return what scoring says of a round."""
    return scoring_events.RoundAudited(
        round_id=f"{match}/{number}",
        match_id=match,
        round_no=number,
        table_id=match,
        game="paohuzi",
        preset="tongyi-qmt@1",
        verdict=scoring_events.Verdict.Value(f"VERDICT_{verdict}"),
        seats=[
            scoring_events.AuditedSeat(
                seat=seat, player_id=player, points=won, is_bot=player.startswith("bot:"), won=won > 0
            )
            for seat, (player, won) in enumerate(zip(players, points, strict=True))
        ],
        for_coins=for_coins,
        settlement_json=json.dumps({"base_stake": base_stake, "fee": fee, "win_cap_by_balance": win_cap}),
        huxi=18,
        fan=2,
        names_json='{"红胡":2}',
        end="hu",
        how="zimo",
        auditor=auditor,
        record_sha256=b"r" * 32,
        ended_at_ms=NOW_MS + number,
        from_seat=from_seat,
    )


def record_of(round_id: str = "0-m/1", points: Sequence[int] = (12, -6, -6)) -> bytes:
    """Return a record with an engine's result, as far as economy reads it."""
    result = {
        "end": "hu", "winners": [0], "how": "zimo", "from": 0, "points": list(points), "huxi": 21, "fan": 4,
        "names": {"红胡": 4},
    }  # fmt: skip
    head = {
        "Paiju-Record": "1",
        "Round": round_id,
        "Seats": " ".join(PLAYERS),
        "Commitment": "c" * 64,
        "Seed": "5" * 64,
        "Nonces": "-,-,-",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    return f"{lines}\n0 hu @1\n\nResult: {json.dumps(result, separators=(',', ':'))}\n".encode()


def agreed(match: str = "0-m", number: int = 1, **more: Any) -> RoundFact:
    """Return the fact of an audit (AGREED unless told otherwise)."""
    return facts.from_audited(audited(match, number, **more))


def voided(match: str = "0-m", number: int = 1) -> RoundFact:
    """Return the fact that a round was voided."""
    return facts.from_voided(
        table_events.RoundVoided(
            round_id=f"{match}/{number}",
            match_id=match,
            round_no=number,
            game="paohuzi",
            reason="SHUTTING_DOWN",
        )
    )


def seated(books: Books, match: str = "0-m", gold: int = 1_000, buy_in: int = 500) -> Books:
    """Give two players gold, and open three stakes."""
    for player in PLAYERS:
        if not player.startswith("bot:"):
            books.grant(player, gold)
    for seat, player in enumerate(PLAYERS):
        books.open(match, seat, player, buy_in)
    return books
