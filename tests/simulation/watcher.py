"""Somebody who only watches: he is shown what is public, some time late, and in the log by then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paiju.table.v1 import play_pb2 as p

from services.table.core.state import SPECTATORS
from tests.simulation.client import Violation
from tests.simulation.person import Person
from tests.simulation.playing import Client

if TYPE_CHECKING:
    from tests.simulation.world import World

LOOK_S: Final = 1.0
EARLY_S: Final = 2.5
"""So inexact is what the world knows of an owner's clock."""


def watch_delay_ms(seed: int) -> int:
    """Return how late those who watch are shown the tables of a world."""
    return (0, 4_000)[seed // 2 % 2]


class Watcher(Client):
    """A client without a seat."""

    def __init__(self, person: Person, table_id: str) -> None:
        super().__init__(person, table_id, nags=0.0)
        self.spectate = True

    def listens_to(self, seat: int | None) -> int:
        """See `Client.listens_to`."""
        return SPECTATORS

    def take_view(self, epoch: int, data: bytes) -> None:
        """Take a view. Another gateway may have heard less, so it may be older than what was seen before."""
        view = p.TableView.FromString(data)
        if view.seat != SPECTATORS or view.play.HasField("question"):
            raise Violation(f"{self.player} is shown the view of seat {view.seat} of {self.table_id}")
        if view.number:
            self.views.append(view)
        elif view.play.events:
            raise Violation(f"{self.player} is shown a table that is in no log, before it has begun for him")
        self.person.around.saw_view(self, view)
        self.last, self.epoch = view.number, epoch
        self.fold.start(view)
        self.changed.set()


class Watch:
    """What one person of a world watches: table after table, to the end of each."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._person = Person(world, f"p_{world.seed}_w", world.seed)
        self.seen: list[Watcher] = []

    async def run(self) -> None:
        """Watch until cancelled."""
        world, person = self._world, self._person
        while True:
            await world.clock.sleep(LOOK_S)
            known = {watcher.table_id for watcher in self.seen}
            table_id = next(
                (
                    table_id
                    for table_id, told in world.logs.tables.items()
                    if table_id not in known
                    and told.table.s.spec.spectators
                    and told.table.s.phase != "finished"
                ),
                "",
            )
            if not table_id:
                continue
            world.note(f"{person.player_id} watches {table_id}")
            watcher = Watcher(person, table_id)
            self.seen.append(watcher)
            person.players[table_id] = watcher
            await watcher.play()
            del person.players[table_id]
