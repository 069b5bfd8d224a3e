"""Somebody else sends the signals: whom they have ended is started again, however often and in any order."""

from __future__ import annotations

import asyncio
import time

from tests.chaos.cluster import Node
from tests.chaos.deployment import READY_S_MAX, Deployment, Member
from tests.chaos.faults import Faults

AGAIN_S = 5.0
"""Who has ended stays away for so long."""

LOOK_S = 0.5


async def by_hand(deployment: Deployment, faults: Faults, seconds: float) -> None:
    """Do nothing to anybody for so long; start again whom somebody else has ended, at last until all serve.

    Raises:
        AssertionError: At the end something does not serve.
    """
    members, nodes = list(deployment.members.values()), deployment.broker.nodes
    for name, pid in [(one.name, one.pid) for one in members] + [(one.name, one.pid) for one in nodes]:
        faults.say(f"{name:16} pid {pid}")
    faults.say(
        f"kill -9, -STOP, -CONT or -TERM whom you like; who has ended is started again after {AGAIN_S:g} s"
    )
    until = time.monotonic() + seconds
    async with asyncio.TaskGroup() as tasks:
        for member in members:
            tasks.create_task(_keep(member, faults, until))
        for node in nodes:
            tasks.create_task(_keep_server(node, deployment, faults, until))


async def _keep(member: Member, faults: Faults, until: float) -> None:
    while time.monotonic() < until or not await _serves(member):
        assert time.monotonic() < until + READY_S_MAX, f"{member.name} does not serve: {member.log}"
        await asyncio.sleep(LOOK_S)
        if member.is_running:
            continue
        with faults.noted(f"hand {member.service}", member.name):
            member.is_stopped = False
            await asyncio.sleep(AGAIN_S)
            member.start()
            faults.say(f"{member.name:16} pid {member.pid}")
            # It may be ended again before it serves, or end because a server is away.
            while member.is_running and not await _serves(member):
                await asyncio.sleep(LOOK_S)


async def _keep_server(node: Node, deployment: Deployment, faults: Faults, until: float) -> None:
    while time.monotonic() < until or not node.is_running:
        await asyncio.sleep(LOOK_S)
        if node.is_running:
            continue
        with faults.noted("hand broker", node.name):
            await asyncio.sleep(AGAIN_S)
            node.start()
            deployment.watch_servers()
            faults.say(f"{node.name:16} pid {node.pid}")


async def _serves(member: Member) -> bool:
    return member.is_running and await asyncio.to_thread(member.is_ready)
