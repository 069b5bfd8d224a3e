"""Economy as it runs: facts in from the bus, RPCs, facts and notices out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import pytest
from google.protobuf.message import Message
from paiju.accounts.v1.events_pb2 import PlayerCreated
from paiju.economy.v1 import economy_service_pb2 as pb
from paiju.economy.v1.dispute_events_pb2 import DisputeResolved, RoundDisputed
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled, StakeClosed
from paiju.economy.v1.staff_events_pb2 import StaffActed
from paiju.economy.v1.topup_events_pb2 import TopUpPaid, TopUpReturned
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.table.v1.events_pb2 import MatchFinished, RoundVoided

from services.chassis import auth
from services.chassis.bus import subject_of
from services.chassis.bus.port import Delivery
from services.chassis.errors import Refusal
from services.economy.app import WIRING, wire
from services.economy.settings import EconomySettings
from tests.support.book import PLAYERS, audited
from tests.support.process import MemoryProcess, MemoryWorld, system_ids

M = TypeVar("M", bound=Message)


class Running:
    """A process with economy in it, and one that talks to it."""

    def __init__(self, process: MemoryProcess, other: MemoryProcess) -> None:
        self.bus = other.bus
        self.metrics = process.parts.metrics
        self.stub = other.rpc.client(EconomyServiceStub, "economy")

    async def until(self, holds: Callable[[], Any], what: str) -> None:
        async with asyncio.timeout(30):
            while True:
                found = holds()
                if asyncio.iscoroutine(found):
                    found = await found
                if found:
                    return
                await asyncio.sleep(0.01)
        raise AssertionError(what)

    async def hear(self, *types: type[Message]) -> list[Any]:
        heard: list[Any] = []

        async def handler(deliveries: Sequence[Delivery[Message]]) -> None:
            heard.extend(one.message for one in deliveries)

        await self.bus.consume("test-" + "-".join(kind.__name__ for kind in types), types, handler)
        return heard

    async def welcome(self, *players: str) -> None:
        for player in players:
            event = PlayerCreated(player_id=player, created_at_ms=1, welcome=True)
            await self.bus.publish(event, f"player_created:{player}")
            await self.until(partial(self.gold, player), "the welcome grant")

    async def gold(self, player: str) -> int:
        wallet = await self.stub.GetWallet(pb.GetWalletRequest(player_id=player))
        return wallet.balances[0].amount

    async def seat(self, match: str = "0-m", buy_in: int = 500, players: Sequence[str] = PLAYERS) -> None:
        for seat, player in enumerate(players):
            await self.stub.OpenStake(
                pb.OpenStakeRequest(
                    match_id=match, seat=seat, player_id=player, currency="gold", buy_in=buy_in
                )
            )


@pytest.fixture
async def economy(world: MemoryWorld) -> AsyncIterator[Running]:
    process = world.process("economy", system_ids())
    service = await wire(EconomySettings(), process.parts)
    await process.rpc.start()
    await service.start()
    other = world.process("table", system_ids())
    await other.rpc.start()
    yield Running(process, other)
    await service.stop()


def test_the_wiring_names_every_consumer_and_fact() -> None:
    assert set(WIRING.says) == {
        DisputeResolved,
        RoundDisputed,
        RoundSettled,
        StaffActed,
        StakeClosed,
        TopUpPaid,
        TopUpReturned,
    }
    assert {consumes.durable for consumes in WIRING.hears} == {
        "economy-matches",
        "economy-players",
        "economy-proof",
        "economy-room-cards",
        "economy-settlement",
        "economy-voids",
    }


async def test_a_new_player_is_welcomed_once(economy: Running) -> None:
    await economy.welcome("p_a")
    again = PlayerCreated(player_id="p_a", created_at_ms=1, welcome=True)
    await economy.bus.publish(again, "another event id")
    await economy.bus.publish(PlayerCreated(player_id="p_b", welcome=False), "player_created:p_b")
    await economy.welcome("p_c")
    assert await economy.gold("p_a") == 20_000
    assert await economy.gold("p_b") == 0


async def test_an_agreed_round_is_settled_published_and_told(economy: Running) -> None:
    await economy.welcome("p_a", "p_b")
    await economy.seat()
    told: list[Notice] = []

    async def on_notice(payload: bytes, subject: str) -> None:
        told.append(Notice.FromString(payload))

    await economy.bus.listen(subject_of(Notice, key="p_a"), on_notice)
    settled = await economy.hear(RoundSettled)
    await economy.bus.publish(audited(), "audit:0-m/1")
    await economy.bus.publish(audited(), "the same under another id")
    await economy.until(lambda: settled and told, "the settlement")
    assert [seat.coins for seat in settled[0].seats] == [60, -30, -30]
    assert told[-1].wallet.balances[0].amount == 19_500
    assert told[-1].wallet.staked[0].amount == 560
    answer = await economy.stub.GetSettlement(pb.GetSettlementRequest(round_id="0-m/1"))
    assert (answer.state, list(answer.coins)) == ("settled", [60, -30, -30])
    assert len(settled) == 1


async def test_four_seats_with_two_winners_of_one_short_giver_are_settled_the_nearest_first(
    economy: Running,
) -> None:
    players = ("p_a", "p_b", "p_c", "bot:normal")
    await economy.welcome("p_a", "p_b", "p_c")
    await economy.seat(players=players)
    settled = await economy.hear(RoundSettled)
    both = audited(points=(40, -60, 0, 20), players=players, from_seat=1)
    await economy.bus.publish(both, "audit:0-m/1")
    await economy.until(lambda: settled, "the settlement")
    # Seat 1 owes 600 of its 500: seat 3 is nearer to it than seat 0, and is served first.
    assert [seat.coins for seat in settled[0].seats] == [300, -500, 0, 200]
    for seat in range(4):
        request = pb.CloseStakeRequest(match_id="0-m", seat=seat, last_round_no=1)
        assert (await economy.stub.CloseStake(request)).closed
    assert [await economy.gold(player) for player in players[:3]] == [20_300, 19_500, 20_000]
    proof = await economy.stub.Reconcile(pb.ReconcileRequest())
    assert list(proof.findings) == []


async def test_a_match_from_first_to_last_round(economy: Running) -> None:
    await economy.welcome("p_a", "p_b")
    await economy.seat()
    closed = await economy.hear(StakeClosed)
    await economy.bus.publish(audited(number=2, points=(-3, 6, -3)), "audit:0-m/2")
    for seat in range(3):
        answer = await economy.stub.CloseStake(
            pb.CloseStakeRequest(match_id="0-m", seat=seat, last_round_no=3)
        )
        assert not answer.closed
    voided = RoundVoided(round_id="0-m/3", match_id="0-m", round_no=3, game="paohuzi", reason="SHUTTING_DOWN")
    await economy.bus.publish(voided, "voided:0-m/3")
    await economy.bus.publish(audited(number=1), "audit:0-m/1")
    await economy.until(lambda: len(closed) == 3, "all stakes closed")
    assert {(one.seat, one.amount) for one in closed} == {(0, 530), (1, 530), (2, 440)}
    assert await economy.gold("p_a") == 20_030
    stakes = (await economy.stub.GetStakes(pb.GetStakesRequest(match_id="0-m"))).stakes
    assert [(stake.amount, stake.state) for stake in stakes] == [(0, "closed")] * 3
    proof = await economy.stub.Reconcile(pb.ReconcileRequest())
    assert list(proof.findings) == []
    assert proof.transfers > 0


async def test_a_stake_that_nobody_closes_after_its_match_is_found(economy: Running) -> None:
    await economy.welcome("p_a", "p_b")
    await economy.seat()
    await economy.bus.publish(audited(), "audit:0-m/1")
    over = MatchFinished(match_id="0-m", table_id="0-m", game="paohuzi", last_round_no=1, finished_at_ms=5)

    async def findings() -> list[str]:
        return list((await economy.stub.Reconcile(pb.ReconcileRequest())).findings)

    assert await findings() == []
    await economy.bus.publish(over, "match_finished:0-m")
    await economy.until(findings, "the stakes that were forgotten")
    assert await findings() == [
        "stake/0-m/0: its match ended after round 1, it still holds 560",
        "stake/0-m/1: its match ended after round 1, it still holds 470",
        "stake/0-m/2: its match ended after round 1, it still holds 470",
    ]
    for seat in range(3):
        closing = pb.CloseStakeRequest(match_id="0-m", seat=seat, last_round_no=1)
        assert (await economy.stub.CloseStake(closing)).closed
    assert await findings() == []


async def test_a_dispute_is_counted_and_keeps_the_stakes(economy: Running) -> None:
    await economy.welcome("p_a", "p_b")
    await economy.seat()
    await economy.bus.publish(audited(verdict="DISPUTED"), "audit:0-m/1")

    async def state() -> str:
        answer = await economy.stub.GetSettlement(pb.GetSettlementRequest(round_id="0-m/1"))
        return str(answer.state)

    async def is_disputed() -> bool:
        return await state() == "disputed"

    await economy.until(is_disputed, "the dispute")
    # What is stored can be read before it is counted.
    await economy.until(
        lambda: b'paiju_economy_rounds_total{result="disputed"} 1.0' in economy.metrics.text(), "the count"
    )
    await economy.bus.publish(audited(), "audit again")
    await economy.until(
        lambda: b'paiju_economy_alerts_total{kind="audit_contradicts"} 1.0' in economy.metrics.text(),
        "the alert",
    )
    assert await state() == "disputed"
    assert await economy.gold("p_a") == 19_500


async def test_a_fact_that_makes_no_sense_is_put_aside_and_holds_nobody_up(
    economy: Running, world: MemoryWorld, quiet: None
) -> None:
    await economy.welcome("p_a", "p_b")
    await economy.seat()
    settled = await economy.hear(RoundSettled)
    nonsense = audited(number=9)
    nonsense.match_id = "another"
    await economy.bus.publish(nonsense, "audit:nonsense")
    await economy.bus.publish(audited(), "audit:0-m/1")
    await economy.until(lambda: settled, "the settlement beside it")
    await economy.until(lambda: world.broker.streams["DLQ"].messages, "the entry for a person")


async def test_rewards_are_paid_once_per_request(economy: Running) -> None:
    request = pb.GrantRewardRequest(
        request_id="day-1", player_id="p_a", money=pb.Money(currency="gold", amount=500), kind="sign_in"
    )
    first = await economy.stub.GrantReward(request)
    assert first.balance_after == 500
    assert await economy.stub.GrantReward(request) == first
    request.money.amount = 600
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await economy.stub.GrantReward(request)
    assert await economy.gold("p_a") == 500


async def test_a_player_sees_his_own_money_only(economy: Running) -> None:
    await economy.welcome("p_a", "p_b")
    with auth.acting_for("p_a"):
        own = await economy.stub.GetWallet(pb.GetWalletRequest())
        assert [(money.currency, money.amount) for money in own.balances] == [
            ("gold", 20_000),
            ("room_card", 20),
            ("activity", 0),
            ("gem", 0),
        ]
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await economy.stub.GetWallet(pb.GetWalletRequest(player_id="p_b"))
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await economy.stub.ListEntries(pb.ListEntriesRequest(player_id="p_b"))
        entries = await economy.stub.ListEntries(pb.ListEntriesRequest(player_id="p_a"))
        assert [(entry.kind, entry.currency, entry.amount) for entry in entries.entries] == [
            ("welcome", "room_card", 20),
            ("welcome", "gold", 20_000),
        ]


async def test_entries_come_in_pages(economy: Running) -> None:
    for number in range(5):
        await economy.stub.GrantReward(
            pb.GrantRewardRequest(
                request_id=str(number),
                player_id="p_a",
                money=pb.Money(currency="gold", amount=number + 1),
                kind="task",
            )
        )
    seen: list[int] = []
    token = ""
    while True:
        page = await economy.stub.ListEntries(
            pb.ListEntriesRequest(player_id="p_a", page_size=2, page_token=token)
        )
        seen += [entry.amount for entry in page.entries]
        token = page.next_page_token
        if not token:
            break
    assert seen == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("method", "request_"),
    [
        (
            "OpenStake",
            pb.OpenStakeRequest(match_id="a/b", seat=0, player_id="p_a", currency="gold", buy_in=1),
        ),
        ("OpenStake", pb.OpenStakeRequest(match_id="m", seat=99, player_id="p_a", currency="gold", buy_in=1)),
        ("OpenStake", pb.OpenStakeRequest(match_id="m", seat=0, player_id="x", currency="gold", buy_in=1)),
        ("OpenStake", pb.OpenStakeRequest(match_id="m", seat=0, player_id="p_a", currency="yen", buy_in=1)),
        ("OpenStake", pb.OpenStakeRequest(match_id="m", seat=0, player_id="p_a", currency="gold", buy_in=0)),
        ("CloseStake", pb.CloseStakeRequest(match_id="m", seat=0, last_round_no=-1)),
        ("GetStakes", pb.GetStakesRequest()),
        ("GetSettlement", pb.GetSettlementRequest(round_id="m")),
        ("GetSettlement", pb.GetSettlementRequest(round_id="m/0x")),
        ("GrantReward", pb.GrantRewardRequest(request_id="r", player_id="p_a", kind="task")),
        (
            "GrantReward",
            pb.GrantRewardRequest(player_id="p_a", kind="t", money=pb.Money(currency="gem", amount=1)),
        ),
        ("ListEntries", pb.ListEntriesRequest(player_id="p_a", page_size=101)),
        ("ListEntries", pb.ListEntriesRequest(player_id="p_a", page_token="-1")),
        ("ListEntries", pb.ListEntriesRequest(player_id="p_a", currency="yen")),
        ("GetWallet", pb.GetWalletRequest(player_id="")),
    ],
)
async def test_arguments_out_of_range_are_refused(economy: Running, method: str, request_: Message) -> None:
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await getattr(economy.stub, method)(request_)
