"""The people of a world: who they are, and what they do one after another."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from paiju.accounts.v1.events_pb2 import PlayerCreated

from engine import GAMES
from engine.face import Game
from services.table.settings import TableSettings
from tests.simulation.limited import excludes_himself
from tests.simulation.lobby import Room, find_match, hall_of
from tests.simulation.person import Person
from tests.simulation.playing import Client

if TYPE_CHECKING:
    from tests.simulation.world import World

OPEN = TableSettings().games
"""The games of the world: each seed has tables of several."""


def played_at(seed: int, number: int) -> tuple[Game, str]:
    """Return the game and the preset of a table of a world: one after another, seed by seed."""
    game = GAMES[OPEN[(seed + number) % len(OPEN)]]
    presets = list(game.presets)
    return game, presets[(seed // len(OPEN) + number) % len(presets)]


def lives_of(world: World) -> list[Coroutine[Any, Any, None]]:
    """Return what people do: quick matches, a room of friends, bots at once, and perhaps once more."""
    rng = world.rng
    hall, room, bots = (played_at(world.seed, number) for number in range(3))
    lives: list[Coroutine[Any, Any, None]] = []
    for _ in range(1 + rng.randrange(min(2, hall[0].seats))):
        person = _person(world)
        lives.append(_live(world, person, [_hall(world, person, *hall, bots_now=False)]))
    guests = min(rng.randrange(3), room[0].seats - 1)
    bot = ("random", "normal")[world.seed % 2]
    friends = Room(room[0].name, room[1], 1, guests, bot)
    world.rooms.append(friends)
    owner = _person(world)
    lives.append(_live(world, owner, [partial(friends.open, owner)]))
    for _ in range(guests):
        guest = _person(world)
        lives.append(_live(world, guest, [partial(friends.join, guest)]))
    person = _person(world)
    finds = [_hall(world, person, *bots, bots_now=True)]
    if rng.random() < 0.3:
        finds.append(_hall(world, person, *bots, bots_now=True))
    if rng.random() < 0.5:
        finds.append(excludes_himself(world, person, hall_of(bots[0].name, bots[1])))
    lives.append(_live(world, person, finds))
    return lives


def _person(world: World) -> Person:
    person = Person(world, f"p_{world.seed}_{len(world.persons)}", world.seed)
    world.persons.append(person)
    return person


def _hall(
    world: World, person: Person, game: Game, preset: str, *, bots_now: bool
) -> Callable[[], Coroutine[Any, Any, str]]:
    cancels = 0.3 * world.rng.random()
    return partial(find_match, person, hall_of(game.name, preset), bots_now, cancels)


async def _live(world: World, person: Person, finds: list[Callable[[], Coroutine[Any, Any, str]]]) -> None:
    await world.people.bus.publish(
        PlayerCreated(player_id=person.player_id, welcome=True, created_at_ms=world.clock.now_ms()),
        f"created:{person.player_id}",
    )
    await world.clock.sleep(world.rng.random() * 3)
    for find in finds:
        table_id = await find()
        if table_id:
            world.note(f"{person.player_id} plays at {table_id}")
            client = Client(person, table_id, nags=0.3)
            person.players[table_id] = client
            await client.play()
            if find is finds[-1]:
                # Stay and see what else comes: settlements, and who leaves.
                world.playing -= 1
                person.staying = client
                await client.play(until=lambda _: world.is_closing)
            del person.players[table_id]
        elif find is finds[-1]:
            world.playing -= 1
    person.drop()
