"""A whole `paiju up` whose engine is wrong by one planted line; scoring, which shares no code, is not."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import grpc.aio
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from paiju.accounts.v1.accounts_service_pb2_grpc import AccountsServiceStub
from paiju.economy.v1 import dispute_service_pb2 as disputes
from paiju.scoring.v1.scoring_service_pb2 import GetAuditRequest
from paiju.scoring.v1.scoring_service_pb2_grpc import ScoringServiceStub
from paiju.table.v1.play_pb2 import Frame, Leave

from services.chassis.auth import service_token
from services.chassis.clock import SystemClock
from services.launch.operator import operator_bus
from services.matchmaking.settings import HALLS
from tests.differential.mutants.planting import ROOT, Mutant
from tests.support.person import Person
from tests.support.up import Up

M = TypeVar("M", bound=Message)
T = TypeVar("T")

BID_COUNTS_TWICE = Mutant(
    "the bid counts twice", "§4", "doudizhu/scoring.py", "pay = bid * fan *", "pay = 2 * bid * fan *"
)
"""Every round of 斗地主 that somebody wins is worth twice too much to the engine."""

HALL = "doudizhu/classic/novice"
DISPUTES = "paiju.economy.v1.DisputeService"
ROUND_S_MAX = 120.0


def wrong_platform(
    folder: Path, timing: Mapping[str, int] | None = None, mutant: Mutant = BID_COUNTS_TWICE
) -> Up:
    """Return an `up` (not started) whose engine has the mutant in it, and whose halls play without pauses."""
    code = folder / "wrong"
    shutil.copytree(ROOT / "engine", code / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    file = code / "engine" / mutant.file
    file.write_text(mutant.planted_in(file.read_text("utf-8")), "utf-8")
    halls = json.loads(HALLS.read_text("utf-8"))
    for level in halls["levels"]:
        level["timing"] = {"claim_pause_ms": 0, "between_ms": 2_000, **(timing or {})}
        # A fee is taken with the settlement; what is looked at here is the rest of it.
        level["fee"] = 0
    halls_file = folder / "halls.json"
    halls_file.write_text(json.dumps(halls), "utf-8")
    env = {
        # Without SAFEPATH the working directory, with the right engine, would come first.
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": os.pathsep.join([str(code), str(ROOT), str(ROOT / "protos")]),
        "PAIJU_MATCHMAKING_HALLS_FILE": str(halls_file),
    }
    return Up(folder / "data", env=env)


async def make_staff(up: Up, player_id: str, role: str = "disputes") -> None:
    """Give a player a staff role, as an operator does."""
    async with grpc.aio.insecure_channel(up.said.grpc) as channel:
        await AccountsServiceStub(channel).GrantRole(
            accounts.GrantRoleRequest(player_id=player_id, role=role, reason="works on disputes"),
            metadata=_token(up, "operator"),
        )


async def contradict(up: Up, round_id: str) -> None:
    """Say of an audited round what it was not audited to: a second word, which moves nothing."""
    async with grpc.aio.insecure_channel(up.said.grpc) as channel:
        heard = await ScoringServiceStub(channel).GetAudit(
            GetAuditRequest(round_id=round_id), metadata=_token(up, "service")
        )
    second = heard.audit
    second.huxi += 1
    async with operator_bus(up.data) as bus:
        assert bus is not None, "the platform runs"
        await bus.publish(second, f"contradicts:{round_id}")


def _token(up: Up, kind: Literal["service", "operator"]) -> tuple[tuple[str, str], ...]:
    key = (up.data / "keys" / "service").read_text("utf-8").strip()
    token = service_token(key, "tests", SystemClock().now_ms() // 1000, kind)
    return (("authorization", f"Bearer {token}"),)


async def until_disputed(person: Person) -> str:
    """Play until a round of the person's match is disputed and the match waits; return the round's id."""
    disputed = await person.play(lambda frame: frame.round_settlement.verdict == "DISPUTED", ROUND_S_MAX)
    await person.play(lambda frame: frame.paused.reason == "ROUND_DISPUTED", 20)
    return disputed.round_settlement.round_id


async def leave(person: Person) -> Frame:
    """Leave the match; return how it ended."""
    answer = await person.door.command(person.table_id, "bye", leave=Leave())
    assert not answer.reason, answer
    return await person.play(lambda frame: frame.HasField("match_end"), 20)


async def dispute(staff: Person, method: str, request: Message, response: type[M]) -> M:
    """Call the service of disputes through the gateway."""
    return await staff.call(f"{DISPUTES}/{method}", request, response)


async def held_by(person: Person) -> Any:
    """Return which stakes of a person wait, and what was decided about his rounds."""
    return await dispute(
        person, "ListHeldStakes", disputes.ListHeldStakesRequest(), disputes.ListHeldStakesResponse
    )


async def until(holds: Callable[[], Awaitable[T | None]], seconds: float = 60.0) -> T:
    """Return what `holds` gives once that is something."""
    async with asyncio.timeout(seconds):
        while not (found := await holds()):
            await asyncio.sleep(0.05)
    return found
