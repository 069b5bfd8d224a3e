"""Amounts that are no amounts, at the door and in what scoring says: refused, and nothing changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from paiju.economy.v1 import economy_service_pb2 as pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from sqlalchemy import select

from services.chassis.errors import Refusal
from services.economy.app import wire
from services.economy.core.money import COINS_MAX
from services.economy.settings import EconomySettings
from services.economy.store import facts, schema
from tests.support.book import Books, audited, seated
from tests.support.process import MemoryWorld, system_ids

BAD_AMOUNTS = [0, -1, -(2**63), COINS_MAX + 1, 2**63 - 1]
BAD_CURRENCIES = ["", "yen", "GOLD", "gold ", "金币", "gold\0"]


class Door:
    """Economy as it runs, and a look into its book."""

    def __init__(self, stub: Any, world: MemoryWorld) -> None:
        self.stub = stub
        self._db = world.database("economy")

    async def book(self) -> dict[str, list[Any]]:
        return await self._db.read(
            lambda c: {
                name: [tuple(row) for row in c.execute(select(table))]
                for name, table in schema.metadata.tables.items()
            }
        )

    async def refuses(self, method: str, request: Any) -> None:
        before = await self.book()
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await getattr(self.stub, method)(request)
        assert await self.book() == before


@pytest.fixture
async def door(world: MemoryWorld) -> AsyncIterator[Door]:
    process = world.process("economy", system_ids())
    service = await wire(EconomySettings(), process.parts)
    await process.rpc.start()
    await service.start()
    other = world.process("table", system_ids())
    await other.rpc.start()
    made = Door(other.rpc.client(EconomyServiceStub, "economy"), world)
    money = pb.Money(currency="gold", amount=500_000)
    await made.stub.GrantReward(
        pb.GrantRewardRequest(request_id="start", player_id="p_a", money=money, kind="task")
    )
    yield made
    await service.stop()


def stake(**more: Any) -> pb.OpenStakeRequest:
    values: dict[str, Any] = {
        "match_id": "m",
        "seat": 0,
        "player_id": "p_a",
        "currency": "gold",
        "buy_in": 100,
    }
    return pb.OpenStakeRequest(**(values | more))


def reward(currency: str = "gold", amount: int = 5) -> pb.GrantRewardRequest:
    money = pb.Money(currency=currency, amount=amount)
    return pb.GrantRewardRequest(request_id="r", player_id="p_a", money=money, kind="task")


async def test_amounts_below_one_and_above_the_largest_move_nothing(door: Door) -> None:
    for amount in BAD_AMOUNTS:
        await door.refuses("OpenStake", stake(buy_in=amount))
        await door.refuses("GrantReward", reward(amount=amount))


async def test_currencies_that_are_not_known_move_nothing(door: Door) -> None:
    for currency in BAD_CURRENCIES:
        await door.refuses("OpenStake", stake(currency=currency))
        await door.refuses("GrantReward", reward(currency=currency))


@pytest.mark.parametrize("amount", [0.5, 1.0000001, float("nan"), float("inf"), "5"])
def test_a_fraction_can_not_be_written_where_coins_are(amount: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        pb.Money(currency="gold", amount=amount)


@pytest.mark.parametrize(
    "options",
    [
        {"base_stake": 1.5}, {"base_stake": 0}, {"base_stake": -3}, {"base_stake": "10"},
        {"base_stake": True}, {"fee": 0.5}, {"fee": -1}, {"fee": 10**16}, {"fee": "1"},
        {"win_cap_by_balance": 1},
    ],
    ids=str,
)  # fmt: skip
def test_terms_that_are_no_numbers_wait_for_a_person_and_move_nothing(options: dict[str, Any]) -> None:
    books = seated(Books())
    held = books.stakes("0-m")
    word = audited()
    word.settlement_json = json.dumps({"base_stake": 10} | options)
    heard = books.hear(facts.from_audited(word))
    assert heard.disputed == [("0-m/1", "settlement_options_bad")]
    assert books.stakes("0-m") == held
    assert books.prove().findings == ()


@pytest.mark.parametrize("points", [2**31, 2**52, 2**62])
def test_points_beyond_all_measure_take_what_is_at_stake_and_no_more(points: int) -> None:
    books = seated(Books())
    books.hear(facts.from_audited(audited(points=(points, -points // 2, -points // 2), base_stake=10**6)))
    assert [one[3] for one in books.stakes("0-m")] == [1_500, 0, 0]
    assert books.prove().findings == ()


def test_a_balance_that_no_number_of_the_database_holds_is_never_written() -> None:
    books = Books()
    for number in range(3):
        books.grant("p_a", COINS_MAX, f"g{number}")
    before = books.dump()
    with pytest.raises(OverflowError):
        books.grant("p_a", 2**63 - 1, "too much")
    assert books.dump() == before
    assert books.prove().findings == ()
