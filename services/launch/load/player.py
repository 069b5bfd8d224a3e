"""A player's visit: he comes, plays some matches, and goes."""

from __future__ import annotations

import asyncio
from typing import Final

from services.launch.load.chance import Stream
from services.launch.load.client import Client, GaveUp
from services.launch.load.order import SEATS_MAX
from services.launch.load.plan import Arrival, source_of
from services.launch.load.seating import Party, find_table
from services.launch.load.sitting import Sitting
from services.launch.load.wires import Lost, Refused
from services.launch.load.world import World

POOR: Final = ("COINS_TOO_FEW", "INSUFFICIENT_FUNDS")
"""What a hall tells those who have lost their coins."""


class Player(Client):
    """See the module.

    Args:
        world: What all share.
        arrival: Who it is.
        party: Whom he plays with.
        watchers: Told of each table that this player leads a party to.
    """

    def __init__(self, world: World, arrival: Arrival, party: Party, watchers: Watchers) -> None:
        network = world.order.network
        source = source_of(arrival.index, network) if network else ""
        super().__init__(world, str(arrival.index), source, arrival.door, is_slow=arrival.is_slow)
        self.arrival = arrival
        self.party = party
        self._watchers = watchers
        self._has_played = False
        seed = world.order.seed
        self._think = Stream(seed, "think", arrival.index)
        self._choices = Stream(seed, "choices", arrival.index)
        self._rests = Stream(seed, "rests", arrival.index)
        self._secrets = Stream(seed, "nonces", arrival.index)

    @property
    def is_leader(self) -> bool:
        """Whether he finds the table for his party."""
        return self.arrival.place == 0

    async def visit(self) -> None:
        """Live through all of it; what does not work is counted."""
        due = self.world.started + self.arrival.at_s
        try:
            await self.come()
            self.time("sign_in", self.clock.monotonic() - due)
            due = self.clock.monotonic()
            for match in range(self.arrival.matches):
                if self.world.is_closing:
                    break
                if not await self._play(match, due):
                    break
                due = self.clock.monotonic() + self._rests.exponential(self.world.order.rest_ms / 1000)
                await self.clock.sleep(due - self.clock.monotonic())
        except (GaveUp, Refused, Lost) as problem:
            if self._has_played and any(word in str(problem) for word in POOR):
                self.figures.count("went_broke")
            else:
                self.figures.errors[str(problem)] += 1
        except asyncio.CancelledError:
            self.figures.count("cut_short")
            raise
        finally:
            self.party.leave(is_leader=self.is_leader)
            await self.go()

    async def _play(self, match: int, due: float) -> bool:
        """Play one match; return whether there was one."""
        table_id = await find_table(self, match)
        if not table_id:
            return False
        secret = self._secrets.bytes32() if self.world.order.nonces else b""
        sitting = Sitting(self, table_id, self._think, self._choices, secret)
        try:
            await sitting.begin()
            self.time("seat", self.clock.monotonic() - due)
            self.figures.count("seats_taken")
            if self.is_leader:
                self._watchers.watch(table_id)
            await sitting.play()
            self.figures.count("seats_played_out")
            self._has_played = True
            return True
        finally:
            await sitting.end()


class Watchers:
    """Spectators, who go from table to table.

    Args:
        world: What all share.
        per_table: How many a table gets.
    """

    def __init__(self, world: World, per_table: int) -> None:
        self._world = world
        self._per_table = per_table
        self._idle: list[Client] = []
        self.all: list[Client] = []

    def watch(self, table_id: str) -> None:
        """Send spectators to a table."""
        for _ in range(self._per_table):
            self._world.spawn(self._watch(table_id))

    async def _watch(self, table_id: str) -> None:
        watcher = self._idle.pop() if self._idle else self._new()
        seed = self._world.order.seed
        try:
            if not watcher.account.player_id:
                await watcher.come()
            sitting = Sitting(watcher, table_id, None, Stream(seed, "nothing"), b"")
            try:
                await sitting.begin()
                self._world.figures.count("tables_watched")
                await sitting.play()
            finally:
                await sitting.end()
        except (GaveUp, Refused, Lost) as problem:
            self._world.figures.refusals[f"watch:{problem}"] += 1
        self._idle.append(watcher)

    def _new(self) -> Client:
        number = len(self.all)
        network = self._world.order.network
        source = source_of(SEATS_MAX + number, network) if network else ""
        door = "grpc" if self._world.order.door == "grpc" else "websocket"
        watcher = Client(self._world, f"watcher {number}", source, door)
        self.all.append(watcher)
        return watcher

    async def go(self) -> None:
        """Send all of them home."""
        for watcher in self.all:
            await watcher.go()
