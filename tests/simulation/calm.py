"""What is done to a world that has healed: one thing at a time, each of which must be over soon.

In the storm anything may last; here a hand-over, a takeover and a second device have their time.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from services.chassis.members import rendezvous
from tests.simulation.client import Violation
from tests.simulation.members import drain
from tests.simulation.moments import LATE_S, Moments
from tests.simulation.person import Person
from tests.simulation.playing import Client

if TYPE_CHECKING:
    from tests.simulation.members import Member
    from tests.simulation.world import World

REST_S: Final = 20.0
"""After the storm: what was late, stopped or half-open is over by then, and noticed."""
BETWEEN_S: Final = 12.0
"""Between two things: a process that has died is there again, and has its shards."""
JUMP_MS: Final = 4_500
"""Less than the grace after a takeover: a new owner's clock may be so much ahead."""
STAND_S: Final = 6.0
SETTLED_S: Final = 15.0
"""A process that has started has its shards after so long."""
REPLACED_S: Final = 60.0
"""A person who has lost his seat to a second device of his comes back to it within so long."""
PRESENT_S: Final = 20.0
"""What a table says of who is there is true after so long."""


class Calm:
    """See the module.

    Args:
        world: Which.
        moments: Is told what is sound from when on.
        is_prompt: Nothing may be late.
    """

    def __init__(self, world: World, moments: Moments, *, is_prompt: bool) -> None:
        self._world = world
        self._moments = moments
        self._is_prompt = is_prompt
        self._rng = random.Random(f"{world.seed}/calm")
        self.rivals: list[Client] = []
        """Second devices: they listen, and say nothing."""
        self._wrong_since: dict[Client, float] = {}
        """Since when a seat has been said to be there, or away, and was not."""

    async def run(self) -> None:
        """Do it all, and watch, until cancelled."""
        clock = self._world.clock
        await clock.sleep(REST_S)
        self._moments.is_calm = self._is_prompt
        deeds = [self._drain, self._kill, self._second_device, self._jump, self._stand_still]
        self._rng.shuffle(deeds)
        for deed in deeds:
            if self._world.is_closing:
                return
            deed()
            for _ in range(int(BETWEEN_S)):
                await clock.sleep(1.0)
                self._look()
        while True:
            await clock.sleep(1.0)
            self._look()

    def judge_owners(self) -> None:
        """Each shard is served by the process that should have it.

        Raises:
            Violation: It is not.
        """
        world, now = self._world, self._world.clock.monotonic()
        tables = [member for member in world.members if member.name.startswith("table")]
        if not self._moments.is_calm or any(
            member.process is None or member.process.is_dead or now - member.process.born_s < SETTLED_S
            for member in tables
        ):
            return
        owners = {member.name: member.services["table"].owner for member in tables}
        leases = [member.services["table"]._ownership for member in tables]
        refused = {shard for lease in leases for shard in lease._refuses()}
        for shard in world.commons.registry.shards():
            heir = rendezvous(shard, list(owners))
            if shard not in refused and owners[heir].shard(shard) is None:
                raise Violation(f"nobody owns {shard} who should: {heir} does not")

    # Deeds

    def _tables(self) -> list[Member]:
        return [m for m in self._world.members if m.name.startswith("table") and m.is_up and m.services]

    def _drain(self) -> None:
        if len(found := self._tables()) > 1:
            member = self._rng.choice(found)
            self._world.note(f"CALM {member.name} is drained")
            self._world.run_errand(drain(self._world, member))

    def _kill(self) -> None:
        world = self._world
        if len(found := self._tables()) > 1:
            member = self._rng.choice(found)
            assert member.process is not None
            world.note(f"CALM {member.name} is killed")
            for shard in world.commons.registry.shards():
                if self._is_prompt and member.services["table"].owner.shard(shard) is not None:
                    self._moments.died(shard, world.clock.monotonic())
            world.storm.crash(member.process)

    def _jump(self) -> None:
        """Set the wall clocks of all that serve tables: nobody's time may be another for that."""
        for member in self._tables():
            assert member.process is not None
            jump_ms = self._rng.choice((-1, 1)) * JUMP_MS
            self._world.note(f"CALM the clock of {member.name} jumps by {jump_ms} ms")
            member.process.clock.skew_ms += jump_ms

    def _stand_still(self) -> None:
        """Stop all that serve tables at once, so that nobody takes anything over."""
        clock = self._world.clock
        for member in self._tables():
            assert member.process is not None
            self._world.note(f"CALM {member.name} stands still")
            member.process.clock.stop()
            clock.call_at(clock.monotonic() + STAND_S, member.process.clock.go_on)

    def _second_device(self) -> None:
        found = [
            (person, client)
            for person in self._world.persons
            for client in person.players.values()
            if person.pipe is not None and client.is_attached
        ]
        if found:
            self._world.run_errand(self._listen_beside(*self._rng.choice(found)))

    async def _listen_beside(self, person: Person, first: Client) -> None:
        """Take the seat of a client for a second one: each is told in turn that the other has it now."""
        world, clock = self._world, self._world.clock
        rival = Person(world, person.player_id, world.seed + 1)
        second = Client(rival, first.table_id, nags=0.0)
        rival.players[first.table_id] = second
        self.rivals.append(second)
        world.note(f"CALM {person.player_id} has a second device at {first.table_id}")
        told, pipe, until = first.replaced, person.pipe, clock.monotonic() + REPLACED_S
        answer = await second.attach()
        if answer.reason:
            raise Violation(f"{person.player_id} can't listen on a second device: {answer.reason}")
        while not second.replaced and rival.pipe is not None:
            if not person.players or world.is_closing:
                break
            if clock.monotonic() > until:
                raise Violation(f"two devices of {person.player_id} listen at {first.table_id} for ever")
            await clock.sleep(0.5)
        else:
            if second.replaced and first.replaced == told and person.pipe is pipe:
                raise Violation(f"{person.player_id} was not told that another device has his seat")
        rival.drop()

    # Looking

    def _look(self) -> None:
        self._moments.late(self._world.clock.monotonic())
        for person in self._world.persons:
            for client in person.players.values():
                self._look_at(client)

    def _look_at(self, client: Client) -> None:
        """Hold what everybody is told of a seat against whether its player is there."""
        now = self._world.clock.monotonic()
        is_attached = client.is_attached or any(
            rival.is_attached
            for rival in self.rivals
            if (rival.player, rival.table_id) == (client.player, client.table_id)
        )
        told = self._world.logs.tables.get(client.table_id)
        seat = told.table.seat_of(client.player) if told is not None else None
        if told is None or told.table.s.phase == "finished":
            self._wrong_since.pop(client, None)
            return
        assert seat is not None, "who plays has a seat"
        if told.table.s.seats[seat].online == is_attached:
            self._wrong_since.pop(client, None)
        elif now - self._wrong_since.setdefault(client, now) >= PRESENT_S + LATE_S:
            said = "away" if is_attached else "there"
            raise Violation(f"{client.player} is said to be {said} at {client.table_id}, and is not")
