"""Fees, coins added to a stake, relief, and caps of a day: on SQLite and on PostgreSQL, also many at once."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import select

from services.chassis.days import DAY_MS, begin_of
from services.chassis.db import Database, migrate
from services.chassis.errors import Refusal
from services.economy.core.caps import CapInputs, fees, settle, terms_of
from services.economy.core.relief import DayCaps, ReliefTerms
from services.economy.store import days, rounds, schema, stakes, wallets
from services.economy.store.proof import prove
from services.economy.store.stakes import TopUp
from tests.support.book import HOUSE_FLOAT, NOW_MS, PLAYERS, agreed, voided

RELIEF = ReliefTerms(gold=300, below=300, per_day=2)
MIDNIGHT = begin_of(20_800)
"""In Shanghai: 2026-12-13 begins."""


class Bank:
    """Economy's operations on one database, each in a transaction of its own."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.now_ms = NOW_MS

    async def grant(self, player: str, amount: int, key: str = "") -> None:
        key = key or f"k/{player}"
        await self.db.run(lambda c: wallets.grant(c, key, "task", player, "gold", amount, "", self.now_ms))

    async def seat(self, match: str = "0-m", buy_in: int = 500, caps: DayCaps | None = None) -> None:
        for seat, player in enumerate(PLAYERS):
            await self.open(match, seat, player, buy_in, caps)

    async def open(
        self, match: str, seat: int, player: str, buy_in: int = 500, caps: DayCaps | None = None
    ) -> int:
        limits, now_ms = caps or DayCaps(), self.now_ms
        return await self.db.run(
            lambda c: stakes.open_stake(c, match, seat, player, "gold", buy_in, HOUSE_FLOAT, now_ms, limits)
        )

    async def hear(self, *batch: Any) -> rounds.Heard:
        now_ms = self.now_ms
        return await self.db.run(lambda c: rounds.hear(c, batch, now_ms))

    async def add(self, caps: DayCaps | None = None, **changes: Any) -> int:
        asked = {
            "match_id": "0-m",
            "seat": 0,
            "player_id": "p_a",
            "amount": 100,
            "request_id": "r",
            "stake_max": 500,
            "last_round_no": 1,
        }
        top_up, limits, now_ms = TopUp(**{**asked, **changes}), caps or DayCaps(), self.now_ms
        posted = await self.db.run(lambda c: stakes.add_stake(c, top_up, HOUSE_FLOAT, now_ms, limits))
        return posted.balance_after

    async def close(self, match: str, seat: int, last: int) -> bool:
        now_ms = self.now_ms
        return (await self.db.run(lambda c: stakes.close_stake(c, match, seat, last, now_ms)))[0]

    async def claim(self, player: str, request_id: str, terms: ReliefTerms = RELIEF) -> tuple[str, int]:
        now_ms = self.now_ms
        posted, gold = await self.db.run(lambda c: days.claim_relief(c, player, request_id, terms, now_ms))
        return posted.transfer_id, gold

    async def day(self, player: str, caps: DayCaps | None = None) -> Any:
        limits, now_ms = caps or DayCaps(), self.now_ms
        return await self.db.read(lambda c: days.day_for(c, player, limits, RELIEF, now_ms))

    async def gold(self, player: str) -> int:
        found = await self.db.read(lambda c: wallets.wallets_of(c, [player]))
        return int(found[player].balances[0].amount)

    async def held(self, match: str = "0-m") -> list[int]:
        return [row[3] for row in await self.db.read(lambda c: stakes.all_stakes(c, match))]

    async def house_fees(self) -> int:
        table = schema.accounts
        query = select(table.c.balance).where(table.c.id.like("house/fees/%"))
        return sum(row.balance for row in await self.db.read(lambda c: c.execute(query).all()))

    async def settled(self) -> list[RoundSettled]:
        table = schema.outbox
        query = select(table.c.payload).where(table.c.type.like("%RoundSettled")).order_by(table.c.id)
        rows = await self.db.read(lambda c: c.execute(query).all())
        return [RoundSettled.FromString(row.payload) for row in rows]

    async def is_clean(self) -> bool:
        proof = await self.db.read(partial(prove, now_ms=self.now_ms))
        assert proof.findings == ()
        return True


@pytest.fixture
async def bank(database_url: str, db: Database) -> Bank:
    migrate(database_url, "economy")
    made = Bank(db)
    for player in ("p_a", "p_b"):
        await made.grant(player, 2_000)
    return made


async def refused(reason: str, call: Any) -> Refusal:
    with pytest.raises(Refusal) as found:
        await call
    assert found.value.reason == reason
    return found.value


# Fees


async def test_everybody_pays_the_fee_to_the_house_whoever_wins_and_the_event_says_all_of_it(
    bank: Bank,
) -> None:
    await bank.seat()
    await bank.hear(agreed(fee=20), agreed(number=2, points=(0, 0, 0), fee=20))
    assert await bank.held() == [500 - 40 + 60, 500 - 40 - 30, 500 - 40 - 30]
    assert await bank.house_fees() == 120
    first, draw = await bank.settled()
    assert [seat.fee for seat in first.seats] == [20, 20, 20]
    assert [seat.coins for seat in first.seats] == [60, -30, -30]
    assert [seat.stake_after for seat in first.seats] == [540, 450, 450]
    assert draw.transfer_id, "a draw pays the fee too"
    inputs = CapInputs.under(
        terms_of(first.cap_inputs_json),
        tuple(seat.points for seat in first.seats),
        tuple(seat.stake_before for seat in first.seats),
        first.from_seat,
    )
    assert list(settle(inputs)) == [seat.coins for seat in first.seats], "anyone can compute it again"
    assert list(fees(inputs)) == [seat.fee for seat in first.seats]
    rows = await bank.db.read(lambda c: wallets.entries_of(c, "p_a", "gold", 2, None))
    assert [row.amount for row in rows] == [-20, 40], "one line a round: what was won, less the fee"
    state, coins, paid = await bank.db.read(lambda c: rounds.settlement_of(c, "0-m/1"))
    assert (state, list(coins), list(paid)) == ("settled", [60, -30, -30], [20, 20, 20])
    assert await bank.is_clean()


async def test_a_voided_round_a_disputed_one_and_one_for_points_take_no_fee(bank: Bank) -> None:
    await bank.seat()
    await bank.hear(agreed(match="0-points", fee=20, for_coins=False))
    await bank.hear(voided(number=1))
    await bank.hear(agreed(number=2, fee=20, verdict="DISPUTED"))
    assert (await bank.held(), await bank.house_fees()) == ([500, 500, 500], 0)
    assert [seat.fee for event in await bank.settled() for seat in event.seats] == [0, 0, 0]
    assert await bank.is_clean()


async def test_a_stake_that_cannot_pay_pays_what_it_has_and_nobody_wins_what_is_not_there(
    bank: Bank,
) -> None:
    for number, fee in enumerate((500, 501, 10**15), 1):
        match = f"0-m{number}"
        await bank.seat(match)
        await bank.hear(agreed(match=match, fee=fee))
        assert (await bank.held(match), await bank.house_fees()) == ([0, 0, 0], 1_500 * number)
    assert await bank.is_clean()


async def test_a_fee_that_cannot_be_waits_for_a_person(bank: Bank) -> None:
    for match, fee in (("0-m", -1), ("0-n", 10**15 + 1)):
        await bank.seat(match)
        heard = await bank.hear(agreed(match=match, fee=fee))
        assert heard.disputed == [(f"{match}/1", "settlement_options_bad")]
        assert await bank.held(match) == [500, 500, 500]


async def test_the_reconciler_finds_a_fee_that_went_elsewhere(bank: Bank) -> None:
    await bank.seat()
    await bank.hear(agreed(fee=20))
    table = schema.rounds
    wrong = agreed(fee=21).payload
    await bank.db.run(
        lambda c: c.execute(table.update().where(table.c.round_id == "0-m/1").values(payload=wrong))
    )
    proof = await bank.db.read(partial(prove, now_ms=NOW_MS))
    assert any("0-m/1" in finding for finding in proof.findings)


async def test_matches_settled_at_once_do_not_wait_for_one_account_of_fees(bank: Bank) -> None:
    await bank.grant("p_a", 100_000, "more")
    await bank.grant("p_b", 100_000, "more too")
    matches = [f"0-m{number}" for number in range(12)]
    for match in matches:
        await bank.seat(match)
    batches = [
        [agreed(match=match, number=n, fee=5) for match in matches[at::4]] for at in range(4) for n in (1, 2)
    ]
    await asyncio.gather(*(bank.hear(*batch) for batch in batches))
    assert await bank.house_fees() == 12 * 2 * 3 * 5
    assert await bank.is_clean()


# Coins added to a stake


async def test_coins_are_added_once_per_request_up_to_the_limit(bank: Bank) -> None:
    await bank.seat()
    await bank.hear(agreed(points=(-30, 15, 15), fee=20))
    assert await bank.held() == [180, 630, 630]
    await refused("STAKE_TOO_LARGE", bank.add(amount=321))
    assert await bank.add(amount=320) == 500
    assert await bank.add(amount=320) == 500
    await refused("REQUEST_ID_REUSED", bank.add(amount=319))
    assert await bank.gold("p_a") == 2_000 - 500 - 320
    await refused("STAKE_TOO_LARGE", bank.add(amount=1, request_id="other"))
    assert await bank.add(seat=2, player_id="bot:normal", amount=10, stake_max=640) == 640
    for seat in range(3):
        assert await bank.close("0-m", seat, 1)
    assert await bank.add(amount=320) == 500, "a repeat is answered for ever"
    assert await bank.gold("p_a") == 2_000 - 320
    assert await bank.is_clean()


async def test_two_requests_at_once_for_the_last_coins_move_them_once(bank: Bank) -> None:
    await bank.seat()
    await bank.hear(agreed(points=(-30, 15, 15)))
    answers = await asyncio.gather(
        *(bank.add(amount=200, request_id=f"r{number}") for number in range(4)),
        *(bank.add(amount=200, request_id="r0") for _ in range(3)),
        return_exceptions=True,
    )
    done = [answer for answer in answers if answer == 400]
    reasons = {answer.reason for answer in answers if isinstance(answer, Refusal)}
    assert done
    assert reasons == {"STAKE_TOO_LARGE"}
    assert await bank.held() == [400, 650, 650]
    assert await bank.is_clean()


async def test_what_may_not_be_added_moves_nothing(bank: Bank) -> None:
    await bank.seat()
    await bank.hear(agreed(points=(-30, 15, 15)))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"player_id": "p_b"}, "NOT_SEATED"),
        ({"match_id": "0-none"}, "STAKE_UNKNOWN"),
        ({"last_round_no": 2}, "SETTLEMENT_PENDING"),
        ({"last_round_no": 0}, "WRONG_PHASE"),
        ({"amount": 10**15, "stake_max": 10**15}, "STAKE_TOO_LARGE"),
        ({"amount": 1_501, "stake_max": 10**15}, "INSUFFICIENT_FUNDS"),
    ]
    for changes, reason in wrong:
        await refused(reason, bank.add(**changes))
    assert (await bank.held(), await bank.gold("p_a")) == ([200, 650, 650], 1_500)


async def test_nothing_is_added_while_a_round_waits_or_after_the_stake_is_asked_to_close(bank: Bank) -> None:
    await bank.seat()
    await bank.hear(agreed(number=2, points=(-30, 15, 15)))
    await refused("SETTLEMENT_PENDING", bank.add(last_round_no=2, stake_max=900))
    assert not await bank.close("0-m", 0, 2)
    await refused("STAKE_CLOSED", bank.add(last_round_no=0, stake_max=900))
    await bank.hear(agreed(points=(-20, 10, 10)))
    await refused("STAKE_CLOSED", bank.add(last_round_no=2, stake_max=900))
    assert await bank.gold("p_a") == 2_000 - 500, "the first rounds took everything; nothing was added to it"
    await bank.close("0-late", 0, 0)
    await refused("STAKE_CLOSED", bank.add(match_id="0-late", last_round_no=0))


# Days


async def test_a_day_begins_at_midnight_in_shanghai(bank: Bank) -> None:
    bank.now_ms = MIDNIGHT - 1
    before = await bank.day("p_a")
    bank.now_ms = MIDNIGHT
    after = await bank.day("p_a")
    assert (before.day, after.day) == ("2026-12-12", "2026-12-13")
    assert before.ends_at_ms == MIDNIGHT
    assert after.ends_at_ms == MIDNIGHT + DAY_MS


async def test_who_reached_a_cap_takes_no_new_seat_until_the_day_ends(bank: Bank) -> None:
    caps = DayCaps(win=40, loss=50)
    bank.now_ms = MIDNIGHT - 1_000
    await bank.seat(caps=caps)
    await bank.hear(agreed(fee=20))
    assert ((await bank.day("p_a", caps)).net, (await bank.day("p_a", caps)).refusal) == (40, "DAILY_WIN_CAP")
    assert ((await bank.day("p_b", caps)).net, (await bank.day("p_b", caps)).refusal) == (
        -50,
        "DAILY_LOSS_CAP",
    )
    assert (await refused("DAILY_WIN_CAP", bank.open("0-n", 0, "p_a", caps=caps))).details["cap"] == 40
    await refused("DAILY_LOSS_CAP", bank.open("0-n", 1, "p_b", caps=caps))
    await refused("DAILY_LOSS_CAP", bank.add(caps, seat=1, player_id="p_b", amount=1))
    assert await bank.open("0-m", 0, "p_a", caps=caps) == 500, "a repeat gets its first answer"
    assert await bank.open("0-n", 2, "bot:normal", caps=caps) == 500, "the house has no caps"
    await bank.hear(agreed(number=2))
    bank.now_ms = MIDNIGHT
    assert await bank.open("0-n", 0, "p_a", caps=caps) == 500
    bank.now_ms = MIDNIGHT - 1
    await refused("DAILY_LOSS_CAP", bank.open("0-n", 1, "p_b", caps=caps))


async def test_a_day_counts_what_tables_brought_and_took_and_nothing_else(bank: Bank) -> None:
    bank.now_ms = MIDNIGHT
    await bank.seat(buy_in=1_500)
    many = days.LOOK_BACK + 5
    played = [agreed(number=n + 1, points=(2, -1, -1), base_stake=1, fee=1) for n in range(many)]
    await bank.hear(*played)
    assert (await bank.day("p_a")).net == many
    assert (await bank.day("p_b")).net == -2 * many
    assert (await bank.day("p_c")).net == 0
    bank.now_ms = MIDNIGHT + DAY_MS
    assert (await bank.day("p_a")).net == 0


# Relief


async def test_relief_is_for_who_has_too_little_and_so_often_a_day(bank: Bank) -> None:
    bank.now_ms = MIDNIGHT
    await refused("RELIEF_NOT_NEEDED", bank.claim("p_a", "r1"))
    for number in (1, 2):
        await bank.open(f"0-m{number}", 0, "p_a", 1_000)
        await bank.hear(agreed(match=f"0-m{number}", number=9))
    await refused("RELIEF_NOT_NEEDED", bank.claim("p_a", "r1"))
    assert (await bank.day("p_a")).relief.refusal == "RELIEF_NOT_NEEDED", "what is at stake counts"
    first = await bank.claim("p_c", "r1")
    assert first[1] == 300
    assert await bank.claim("p_c", "r1") == first
    await refused("RELIEF_NOT_NEEDED", bank.claim("p_c", "r2"))
    await bank.open("0-n", 0, "p_c", 300)
    await bank.open("0-n", 1, "p_b", 500)
    await bank.open("0-n", 2, "bot:normal", 500)
    await bank.hear(agreed(match="0-n", points=(-60, 30, 30), players=("p_c", "p_b", "bot:normal")))
    await bank.close("0-n", 0, 1)
    assert await bank.gold("p_c") == 0
    assert (await bank.day("p_c")).relief.left == 1
    await bank.claim("p_c", "r2")
    await bank.open("0-o", 0, "p_c", 300)
    assert (await bank.day("p_c")).relief.refusal == "RELIEF_NOT_NEEDED"
    assert await bank.is_clean()


async def test_relief_is_used_up_after_so_many_and_there_again_the_next_day(bank: Bank) -> None:
    bank.now_ms = MIDNIGHT - 5
    small = ReliefTerms(gold=1, below=100, per_day=2)
    assert {(await bank.claim("p_c", f"r{number}", small))[1] for number in (1, 2)} == {1}
    assert (await refused("RELIEF_USED_UP", bank.claim("p_c", "r3", small))).details["per_day"] == 2
    bank.now_ms = MIDNIGHT
    again = await bank.claim("p_c", "r2", small)
    assert await bank.gold("p_c") == 2, "a repeat over the end of the day is the same claim"
    await bank.claim("p_c", "r3", small)
    assert await bank.gold("p_c") == 3
    bank.now_ms = MIDNIGHT - 5
    await refused("RELIEF_USED_UP", bank.claim("p_c", "r9", small))
    assert await bank.claim("p_c", "r2", small) == again


async def test_a_claim_repeated_by_a_clock_that_went_back_over_midnight_is_the_same_claim(bank: Bank) -> None:
    bank.now_ms = MIDNIGHT
    small = ReliefTerms(gold=1, below=100, per_day=2)
    first = await bank.claim("p_c", "r1", small)
    bank.now_ms = MIDNIGHT - 5
    assert await bank.claim("p_c", "r1", small) == first
    assert await bank.gold("p_c") == 1
    assert (await bank.claim("p_c", "r2", small))[0] != first[0]


async def test_many_claims_at_once_are_paid_as_often_as_a_day_allows(bank: Bank) -> None:
    small = ReliefTerms(gold=1, below=1_000, per_day=3)
    answers = await asyncio.gather(
        *(bank.claim("p_c", f"r{number % 5}", small) for number in range(15)), return_exceptions=True
    )
    assert await bank.gold("p_c") == 3
    assert len({answer[0] for answer in answers if isinstance(answer, tuple)}) == 3
    assert {answer.reason for answer in answers if isinstance(answer, Refusal)} == {"RELIEF_USED_UP"}
    assert await bank.is_clean()


async def test_a_house_may_give_no_relief(bank: Bank) -> None:
    for terms in (ReliefTerms(0, 300, 2), ReliefTerms(300, 0, 2), ReliefTerms(300, 300, 0)):
        await refused("RELIEF_NOT_NEEDED", bank.claim("p_c", "r1", terms))
