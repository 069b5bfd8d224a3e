"""What people decide about disputed rounds, on both databases: coins move once, in order, as entries."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from paiju.economy.v1.dispute_events_pb2 import DisputeResolved, RoundDisputed
from paiju.economy.v1.events_pb2 import RoundSettled, StakeClosed
from paiju.economy.v1.staff_events_pb2 import StaffActed
from paiju.scoring.v1.events_pb2 import Difference, RoundAudited
from sqlalchemy import Connection, delete, select, text, update
from sqlalchemy.exc import DatabaseError

from services.chassis.auth import Staff
from services.chassis.clock import SystemClock
from services.chassis.db import Database, PostgresDatabase, migrate
from services.chassis.errors import Refusal
from services.chassis.ids import SystemIds
from services.economy.core.disputes import Outcome, Word, engine_word
from services.economy.core.rounds import RoundFact
from services.economy.store import decisions, disputes, facts, rounds, schema, stakes, wallets
from services.economy.store.proof import prove
from tests.support.book import HOUSE_FLOAT, NOW_MS, PLAYERS, agreed, audited, record_of, voided

ANNA, BEN = Staff("p_anna", "disputes"), Staff("operator:ben", "operator")


def audit_of(number: int = 1, *, follows: bool = True, **more: Any) -> RoundAudited:
    """Return scoring's word that a round is disputed, with the hash of `record_of`."""
    audit = audited(number=number, verdict="DISPUTED", **more)
    audit.record_sha256 = hashlib.sha256(record_of(audit.round_id)).digest()
    audit.differences.append(Difference(field="points", engine="[12,-6,-6]", scoring="[6,-3,-3]"))
    if not follows:
        audit.ClearField("seats")
    return audit


def disputed(number: int = 1, **more: Any) -> RoundFact:
    """Return the fact of `audit_of`."""
    return facts.from_audited(audit_of(number, **more))


def word_of(round_id: str = "0-m/1") -> Word | str:
    """Return the engine's word in `record_of`."""
    record = record_of(round_id)
    return engine_word(record, round_id, hashlib.sha256(record).digest())


class Book:
    """Economy's store on a real database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def run(self, fn: Any, *arguments: Any) -> Any:
        return await self.db.run(lambda connection: fn(connection, *arguments))

    async def seat(self, match: str = "0-m", buy_in: int = 500) -> None:
        for player in PLAYERS[:2]:
            await self.run(wallets.grant, f"w/{match}/{player}", "task", player, "gold", 1_000, "", NOW_MS)
        for seat, player in enumerate(PLAYERS):
            await self.run(stakes.open_stake, match, seat, player, "gold", buy_in, HOUSE_FLOAT, NOW_MS)

    async def hear(self, *batch: RoundFact) -> rounds.Heard:
        heard: rounds.Heard = await self.run(rounds.hear, batch, NOW_MS)
        return heard

    async def resolve(
        self,
        outcome: Outcome,
        number: int = 1,
        staff: Staff = ANNA,
        request_id: str = "r",
        reason: str = "looked at it",
        **more: Any,
    ) -> tuple[Any, rounds.Heard | None]:
        round_id = f"0-m/{number}"
        decision = decisions.Decision(
            round_id, outcome, reason, staff, request_id,
            **({"engine": word_of(round_id), "record": record_of(round_id)} | more),
        )  # fmt: skip
        found: tuple[Any, rounds.Heard | None] = await self.run(decisions.resolve, decision, NOW_MS + 1)
        return found

    async def held(self) -> list[int]:
        return [amount for *_, amount, _ in await self.run(stakes.all_stakes, "0-m")]

    async def states(self) -> list[str]:
        return [row.state for row in await self.run(disputes.rounds_of, ["0-m"])]

    async def is_suspended(self) -> bool:
        query = select(schema.matches.c.suspended).where(schema.matches.c.match_id == "0-m")
        return bool(await self.db.run(lambda c: c.execute(query).scalar_one()))

    async def said(self, kind: type[Any]) -> list[Any]:
        table = schema.outbox
        query = select(table.c.payload).where(table.c.type == kind.DESCRIPTOR.full_name).order_by(table.c.id)
        rows = await self.db.run(lambda c: c.execute(query).scalars().all())
        return [kind.FromString(bytes(row)) for row in rows]

    async def is_clean(self) -> bool:
        proof = await self.db.read(partial(prove, now_ms=NOW_MS + 2))
        assert proof.findings == ()
        return True


@pytest.fixture
async def book(database_url: str, db: Database) -> Book:
    migrate(database_url, "economy")
    made = Book(db)
    await made.seat()
    return made


async def test_a_disputed_round_keeps_all_stakes_and_is_told(book: Book) -> None:
    heard = await book.hear(disputed())
    assert heard.disputed == [("0-m/1", "disputed")]
    assert await book.held() == [500, 500, 500]
    assert await book.is_suspended()
    [told] = await book.said(RoundDisputed)
    assert (told.round_id, told.round_no, told.table_id, told.game, told.cause) == (
        "0-m/1", 1, "0-m", "paohuzi", "disputed",
    )  # fmt: skip
    assert not await book.said(RoundSettled)
    assert await book.is_clean(), "an open dispute is lawful"


@pytest.mark.parametrize(
    ("outcome", "after", "coins"),
    [
        ("ENGINE", [620, 440, 440], [120, -60, -60]),
        ("SCORING", [560, 470, 470], [60, -30, -30]),
        ("VOID", [500, 500, 500], []),
    ],
)
async def test_a_decision_moves_the_coins_of_that_side_once(
    book: Book, outcome: Outcome, after: list[int], coins: list[int]
) -> None:
    await book.hear(disputed())
    row, heard = await book.resolve(outcome)
    assert heard is not None
    assert await book.held() == after
    assert (row.outcome, row.staff_id, row.reason) == (outcome, "p_anna", "looked at it")
    assert not await book.is_suspended()
    again, repeated = await book.resolve(outcome)
    assert repeated is None, "a repeat moves nothing"
    assert tuple(again) == tuple(row)
    assert await book.held() == after
    settled = await book.said(RoundSettled)
    assert [[seat.coins for seat in one.seats] for one in settled] == ([coins] if coins else [])
    [resolved] = await book.said(DisputeResolved)
    assert resolved.round_no == 1
    assert not resolved.still_suspended
    [acted] = await book.said(StaffActed)
    assert (acted.staff_id, acted.role, acted.action, acted.subject, acted.reason) == (
        "p_anna", "disputes", "resolve_dispute", "0-m/1", "looked at it",
    )  # fmt: skip
    assert json.loads(acted.detail_json)["outcome"] == outcome
    assert await book.is_clean()


async def test_the_settlement_of_the_engines_word_tells_the_engines_figures(book: Book) -> None:
    await book.hear(disputed())
    await book.resolve("ENGINE")
    [settled] = await book.said(RoundSettled)
    assert [seat.points for seat in settled.seats] == [12, -6, -6]
    assert (settled.huxi, settled.fan, settled.names_json) == (21, 4, '{"红胡":4}')


async def test_rounds_that_waited_behind_it_are_settled_after_it_and_waiting_stakes_close(book: Book) -> None:
    await book.hear(disputed(1))
    await book.hear(agreed(number=2), voided(number=3))
    for seat in range(3):
        assert not (await book.run(stakes.close_stake, "0-m", seat, 3, NOW_MS))[0]
    assert await book.states() == ["disputed", "waiting", "waiting_void"]
    assert await book.is_clean()
    await book.resolve("SCORING")
    assert await book.states() == ["settled", "settled", "voided"]
    assert [one.round_no for one in await book.said(RoundSettled)] == [1, 2]
    assert [one.amount for one in await book.said(StakeClosed)] == [620, 440, 440]
    assert await book.is_clean()


async def test_disputes_of_one_match_are_decided_in_order_and_it_stays_suspended_meanwhile(
    book: Book,
) -> None:
    await book.hear(disputed(1), disputed(2), agreed(number=3))
    with pytest.raises(Refusal, match="DISPUTE_OUT_OF_TURN") as refused:
        await book.resolve("VOID", 2)
    assert refused.value.details == {"first": "0-m/1"}
    await book.resolve("VOID", 1)
    assert await book.is_suspended()
    assert (await book.said(DisputeResolved))[0].still_suspended
    await book.resolve("SCORING", 2, request_id="r2")
    assert not await book.is_suspended()
    assert await book.states() == ["voided", "settled", "settled"]
    assert await book.is_clean()


async def test_who_comes_second_is_told_who_was_first(book: Book) -> None:
    await book.hear(disputed())
    await book.resolve("ENGINE", staff=BEN)
    with pytest.raises(Refusal, match="DISPUTE_RESOLVED") as refused:
        await book.resolve("SCORING")
    assert refused.value.details == {"by": "operator:ben", "outcome": "ENGINE"}
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await book.resolve("SCORING", staff=BEN)
    assert await book.held() == [620, 440, 440]


async def test_a_request_id_that_decided_another_round_is_refused(book: Book) -> None:
    await book.hear(disputed(1), disputed(2))
    await book.resolve("VOID", 1)
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await book.resolve("VOID", 2)


async def test_a_round_that_is_not_disputed_cannot_be_decided(book: Book) -> None:
    await book.hear(agreed())
    with pytest.raises(Refusal, match="DISPUTE_UNKNOWN"):
        await book.resolve("VOID")


@pytest.mark.parametrize(
    ("outcome", "audit", "more", "why"),
    [
        ("SCORING", audit_of(follows=False), {}, "no_figures"),
        ("ENGINE", audit_of(), {"engine": "record_changed"}, "record_changed"),
        ("ENGINE", audit_of(), {"engine": "no_record"}, "no_record"),
        ("SCORING", audit_of(points=(6, -3, -2)), {}, "points_not_zero_sum"),
        ("SCORING", audit_of(players=("p_a", "p_c", "bot:normal")), {}, "stakes_of_others"),
    ],
)
async def test_a_side_whose_word_cannot_be_settled_is_refused_and_nothing_moves(
    book: Book, outcome: Outcome, audit: RoundAudited, more: dict[str, Any], why: str
) -> None:
    await book.hear(facts.from_audited(audit))
    before = await book.run(dump)
    with pytest.raises(Refusal, match="DISPUTE_SIDE_UNUSABLE") as refused:
        await book.resolve(outcome, **more)
    assert refused.value.details == {"why": why}
    assert await book.run(dump) == before
    await book.resolve("VOID")
    assert await book.held() == [500, 500, 500]
    assert await book.is_clean()


async def test_a_round_that_did_not_fit_its_stakes_can_be_voided(book: Book) -> None:
    await book.hear(agreed(players=("p_a", "p_c", "bot:normal")))
    [told] = await book.said(RoundDisputed)
    assert told.cause == "stakes_of_others"
    assert await book.is_clean()
    await book.resolve("VOID")
    assert await book.states() == ["voided"]
    assert await book.is_clean()


async def test_a_decision_is_never_changed(book: Book) -> None:
    await book.hear(disputed())
    await book.resolve("VOID")
    with pytest.raises(DatabaseError, match="immutable"):
        await book.db.run(lambda c: c.execute(delete(schema.decisions)))
    with pytest.raises(DatabaseError, match="immutable"):
        await book.db.run(lambda c: c.execute(update(schema.decisions).values(outcome="ENGINE")))


async def test_a_later_word_about_a_decided_round_is_an_alert_that_can_be_acknowledged_once(
    book: Book,
) -> None:
    await book.hear(disputed())
    await book.resolve("SCORING")
    heard = await book.hear(agreed(points=(9, -9, 0)))
    assert heard.alerts == [("0-m/1", "audit_contradicts")]
    assert await book.held() == [560, 470, 470]
    [alert] = await book.run(disputes.list_alerts, True, 10, None)
    look = partial(decisions.Look, alert.round_id, alert.kind, bytes(alert.digest))
    row, is_new = await book.run(decisions.acknowledge, look("scoring was mended", ANNA, "a"), NOW_MS + 2)
    assert is_new
    assert row.staff_id == "p_anna"
    assert not (await book.run(decisions.acknowledge, look("scoring was mended", ANNA, "a"), NOW_MS + 3))[1]
    with pytest.raises(Refusal, match="ALERT_ACKNOWLEDGED"):
        await book.run(decisions.acknowledge, look("me too", BEN, "b"), NOW_MS + 3)
    assert await book.run(disputes.list_alerts, True, 10, None) == []
    assert [one.action for one in await book.said(StaffActed)] == ["resolve_dispute", "acknowledge_alert"]


async def test_disputes_are_listed_in_pages_newest_first(book: Book) -> None:
    for number in range(1, 6):
        await book.run(rounds.hear, [disputed(number)], NOW_MS + number)
    await book.resolve("VOID")
    first = await book.run(disputes.list_disputes, True, 3, None)
    assert [row.round_no for row in first] == [5, 4, 3]
    rest = await book.run(
        disputes.list_disputes, True, 3, disputes.Position(first[-1].at_ms, first[-1].round_id)
    )
    assert [row.round_no for row in rest] == [2]
    assert [row.round_no for row in await book.run(disputes.list_disputes, False, 3, None)] == [1]
    assert await book.run(disputes.count_open) == (4, 0)


async def test_a_player_sees_which_of_his_stakes_wait_and_what_was_decided(book: Book) -> None:
    await book.hear(disputed(1), disputed(2))
    [held] = await book.run(disputes.held_of, "p_a")
    assert (held.match_id, held.seat, held.balance, held.no, held.state) == ("0-m", 0, 500, 1, "open")
    assert await book.run(disputes.held_of, "p_stranger") == []
    await book.resolve("ENGINE", 1)
    [held] = await book.run(disputes.held_of, "p_a")
    assert (held.no, held.balance) == (2, 620)
    await book.resolve("VOID", 2, request_id="r2")
    assert await book.run(disputes.held_of, "p_a") == []
    decided = await book.run(disputes.decided_of, "p_b", 5)
    assert {row.round_id: row.outcome for row in decided} == {"0-m/1": "ENGINE", "0-m/2": "VOID"}


@pytest.mark.parametrize(
    ("doctored", "said"),
    [
        (
            "UPDATE rounds SET state = 'disputed' WHERE round_no = 1",
            "round 0-m/1: disputed, though it was decided",
        ),
        ("UPDATE matches SET suspended = TRUE", "match 0-m: suspended without an open dispute"),
        ("DELETE FROM disputes", "round 0-m/1: disputed or decided, but not among the disputes"),
        (
            "UPDATE rounds SET payload = X'' WHERE round_no = 1",
            "round 0-m/1: decided ENGINE, which can't be followed",
        ),
    ],
)
async def test_a_doctored_dispute_is_found(database_url: str, db: Database, doctored: str, said: str) -> None:
    if db.dialect == "postgresql":
        doctored = doctored.replace("X''", "''::bytea")
    migrate(database_url, "economy")
    book = Book(db)
    await book.seat()
    await book.hear(disputed())
    await book.resolve("ENGINE")
    await db.run(lambda c: c.execute(text(doctored)))
    findings = (await db.read(partial(prove, now_ms=NOW_MS + 2))).findings
    assert any(finding.startswith(said) for finding in findings), findings


def dump(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return everything in the book."""
    return {
        name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
        for name, table in schema.metadata.tables.items()
    }


@pytest.fixture
async def shared(postgres_url: str) -> AsyncIterator[Book]:
    """A book on PostgreSQL that eight connections write at once."""
    migrate(postgres_url, "economy")
    database = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=8)
    yield Book(database)
    await database.close()


@pytest.mark.postgres
async def test_of_eight_people_at_once_one_decides_and_the_others_are_told(shared: Book) -> None:
    await shared.seat()
    await shared.hear(disputed(1), agreed(number=2))
    outcomes: list[Outcome] = ["ENGINE", "SCORING", "VOID", "ENGINE", "SCORING", "VOID", "ENGINE", "SCORING"]
    answers = await asyncio.gather(
        *(
            shared.resolve(outcome, staff=Staff(f"p_{number}", "disputes"), request_id=str(number))
            for number, outcome in enumerate(outcomes)
        ),
        shared.hear(agreed(number=3)),
        return_exceptions=True,
    )
    decided: list[Any] = [one for one in answers[:8] if not isinstance(one, BaseException)]
    refused = [one for one in answers[:8] if isinstance(one, Refusal)]
    assert len(decided) == 1
    assert [one.reason for one in refused] == ["DISPUTE_RESOLVED"] * 7
    assert isinstance(answers[8], rounds.Heard)
    assert await shared.states() == [decided[0][0].state, "settled", "settled"]
    assert len(await shared.said(StaffActed)) == 1
    assert await shared.is_clean()
