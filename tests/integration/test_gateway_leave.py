"""Watching by leave through a real gateway: each person by himself, and nobody else's frames."""

from __future__ import annotations

from paiju.table.v1 import play_pb2 as p

from tests.integration.test_gateway_watch import TABLE, Connect, Viewer, connect, create, world
from tests.support.real_process import World
from tests.support.table_owner import until

__all__ = ["connect", "world"]


async def let(seat: Viewer, player: str, command_id: str, *, allow: bool) -> str:
    body = p.LetWatch(player_id=player, allow=allow)
    return (await seat.client.command(TABLE, command_id=command_id, let_watch=body)).reason


def asked(seat: Viewer) -> list[str]:
    """Return who asks a seat, as it was told last."""
    told = [response.table_watching for response in seat.client.heard if response.HasField("table_watching")]
    return [ask.player_id for ask in told[-1].asks] if told else []


async def test_by_leave_each_is_let_in_and_sent_away_by_himself(world: World, connect: Connect) -> None:
    await create(world, TABLE, "p_ann", "bot:random", "bot:random", spectators=False, watch_leave=True)
    owner = world.services["table"].owner.shard("0")  # type: ignore[attr-defined]
    ann, eve, mal, twin = [await connect(name) for name in ("p_ann", "p_eve", "p_mal", "p_ann")]
    assert not (await ann.client.command(TABLE, attach=p.Attach())).reason
    assert not (await ann.client.command(TABLE, command_id="sit", sit=p.Sit())).reason
    for viewer in (eve, mal):
        assert await viewer.watch(TABLE) == "WATCH_LEAVE_PENDING"
    await until(lambda: asked(ann) == ["p_eve", "p_mal"], 10)
    for session in (ann, twin):
        assert await session.watch(TABLE) == "SEATED_HERE"
    assert await let(eve, "p_eve", "mine", allow=True) == "NOT_SEATED"
    assert await let(ann, "p_eve", "yes", allow=True) == ""
    assert await eve.watch(TABLE) == ""
    assert await mal.watch(TABLE) == "WATCH_LEAVE_PENDING"
    assert not (
        await ann.client.command(TABLE, command_id="auto", set_auto_play=p.SetAutoPlay(on=True))
    ).reason
    await until(lambda: len(eve.read().view.play.events) > 5, 30)
    await until(lambda: eve.read().viewers == 1, 10)
    watching = [(one.player, one.seat) for one in owner.sessions if one.seat < 0]
    assert watching == [("p_eve", -1)], "who watches has a session of his own"
    assert not any(" ask " in event for event in eve.view.play.events)
    assert await let(ann, "p_eve", "away", allow=False) == ""
    await until(lambda: eve.read().detached == "WATCH_SENT_AWAY", 10)
    assert await eve.watch(TABLE) == "WATCH_LEAVE_REFUSED"
    await mal.client.ping()
    assert mal.read().views == 0
    assert not mal.frames
    assert not ann.read().detached, "to ask for one's own table unseats nobody"
    assert ann.read().view.number > 5
