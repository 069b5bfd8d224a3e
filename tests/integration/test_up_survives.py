"""A person plays on the whole platform; it is killed in the middle of a round, and the round goes on."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine import GAMES
from services.launch.exits import OK
from services.matchmaking.settings import HALLS
from services.scoring.core.audit import audit_alone
from tests.support.person import Person
from tests.support.up import Up, servers_on, spawn

PLAYED = ["paohuzi/tongyi-qmt/novice", "doudizhu/qiang/novice", "qinghunpeng/seed000/novice"]
ROUND_S_MAX = 240.0
PAUSE_MS = 60
"""Between a card and what follows it, so that a round of four seats is over soon."""


@pytest.fixture
async def up(tmp_path: Path) -> AsyncIterator[Up]:
    halls = json.loads(HALLS.read_text(encoding="utf-8"))
    for level in halls["levels"]:
        level["timing"] = {"claim_pause_ms": PAUSE_MS}
    file = tmp_path / "halls.json"
    file.write_text(json.dumps(halls), encoding="utf-8")
    with Up(tmp_path / "data", env={"PAIJU_MATCHMAKING_HALLS_FILE": str(file)}) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("hall", PLAYED)
async def test_a_round_goes_on_after_the_platform_was_killed_and_is_settled(
    up: Up, tmp_path: Path, hall: str
) -> None:
    person = Person(up.said.url, bot="normal")
    await person.sign_in()
    await person.connect()
    await person.wait_for_the_welcome()
    welcome, _ = await person.gold()
    await person.find_a_match(hall)
    await person.attach()
    await person.sit()
    await person.play(lambda frame: person.answered >= 3, ROUND_S_MAX)
    opening = next(
        frame.round_opening for frame in reversed(person.frames) if frame.HasField("round_opening")
    )
    shown = list(person.frames)

    up.kill()
    await person.close()
    up.start()

    person.url = up.said.url
    await person.connect()
    await person.attach()
    end = (await person.play(lambda frame: frame.HasField("round_end"), ROUND_S_MAX)).round_end
    assert end.round_id == opening.round_id, "the same round goes on"
    assert person.frames[: len(shown)] == shown
    numbers = [frame.number for frame in person.frames]
    assert numbers == sorted(set(numbers)), "no frame is shown twice under one number"
    assert len(servers_on(up.data)) == 1

    settled = await person.play(
        lambda frame: frame.round_settlement.settled and frame.round_settlement.round_id == end.round_id, 60
    )
    settlement = settled.round_settlement
    assert settlement.round_id == end.round_id
    assert settlement.verdict == "AGREED"
    assert sum(settlement.coins) == 0
    points = json.loads(end.result_json)["points"]
    assert [coins > 0 for coins in settlement.coins] == [gained > 0 for gained in points]
    assert len(points) == len(person.view.seats) == GAMES[hall.partition("/")[0]].seats

    verdict = audit_alone(end.record)
    assert verdict.agreed, verdict.reason
    assert verdict.record is not None
    assert verdict.record.commitment == opening.commitment, "it was promised before the nonces"
    assert verdict.nonces_given == 1
    me = next(seat.seat for seat in person.seats if seat.player_id == person.player_id)
    settlements = {
        frame.round_settlement.round_id: frame.round_settlement
        for frame in person.frames
        if frame.round_settlement.settled
    }
    assert all(one.fees[me] > 0 for one in settlements.values()), "a hall takes its fee"
    gained = sum(one.coins[me] - one.fees[me] for one in settlements.values())
    assert sum(await person.gold()) == welcome + gained, "what was won is there, once"
    await person.close()

    book = spawn("reconcile", "--data", str(up.data), "--json", env={}, log=tmp_path / "reconcile.log")
    answer, _ = book.communicate(timeout=60)
    assert book.returncode == OK, answer
    assert json.loads(answer)["ok"] is True
