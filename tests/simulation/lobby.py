"""How people of the world find a table: quick matches in a hall, and rooms of friends."""

from __future__ import annotations

import asyncio
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from paiju.matchmaking.v1 import matchmaking_service_pb2 as m

from engine import GAMES
from tests.simulation.client import Violation
from tests.simulation.person import Person, Refused

SERVICE: Final = "paiju.matchmaking.v1.MatchmakingService"
LEVEL: Final = "sim"
BUSY: Final = frozenset(
    {
        "ALREADY_PLAYING",
        "ALREADY_WAITING",
        "ALREADY_IN_ROOM",
        "COINS_TOO_FEW",
        "ROOM_CARDS_TOO_FEW",
        "PROTECTION_UNAVAILABLE",
    }
)
"""Refusals that pass: the last match is not known to be over yet, the welcome grant is on its way, or nobody
knows at the moment who may play."""

TIMING: Final = {
    "claim_pause_ms": 200,
    "turn_ms": 4_000,
    "claim_ms": 3_000,
    "between_ms": 2_000,
    "seat_ms": 90_000,
    "linger_ms": 86_000_000,
}


LEVEL_DATA: Final = {
    "level": LEVEL,
    "title_zh": "试",
    "title_en": "Sim",
    "base_stake": 10,
    "buy_in": 3_000,
    "entry_min": 3_000,
    "entry_max": 0,
    "minimum": 100,
    "fee": 7,
    "rounds": 2,
}


@cache
def halls_file() -> Path:
    """Return every preset's hall, with short matches and short waits, as a file."""
    data = {
        "games": [{"game": game.name, "bot": "bot:random"} for game in GAMES.values()],
        "presets": [
            {"game": game.name, "preset": preset, "title_zh": preset, "title_en": preset}
            for game in GAMES.values()
            for preset in game.presets
        ],
        "levels": [LEVEL_DATA | {"timing": TIMING}],
    }
    folder = tempfile.mkdtemp(prefix="paiju-sim-")
    path = Path(folder) / "halls.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


CARDS: Final = 2
CARDS_EACH: Final = 1
"""What every room of the world costs."""
PAYERS: Final = ("owner", "each", "winner")


@cache
def prices_file() -> Path:
    """Return prices as a file: also the shortest match of friends costs room cards."""
    price = {"cards": CARDS, "cards_each": CARDS_EACH}
    path = halls_file().with_name("room_cards.json")
    data = {"steps": [{"rounds_max": 64, **price}], "to_score": price}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def hall_of(game: str, preset: str) -> str:
    """Return the hall of a preset."""
    return f"{game}/{preset}/{LEVEL}"


async def find_match(person: Person, hall_id: str, bots_now: bool, cancels: float) -> str:
    """Ask for a match until there is a table; perhaps change one's mind on the way, and ask again."""
    number = 0
    while True:
        number += 1
        request_id = f"{person.player_id}-{person.rng.getrandbits(32):08x}-{number}"
        request = m.CreateTicketRequest(request_id=request_id, hall_id=hall_id, bots_now=bots_now)
        made = await person.call(f"{SERVICE}/CreateTicket", request, m.CreateTicketResponse)
        if isinstance(made, Refused):
            if made.reason not in BUSY:
                raise Violation(f"{person.player_id} gets no ticket: {made.reason} {made.details}")
            await person.clock.sleep(1.0)
            continue
        table_id = await _wait(person, made.ticket, cancels)
        if table_id:
            return table_id


async def _wait(person: Person, ticket: m.Ticket, cancels: float) -> str:
    """Wait for the table of a ticket; empty = it is cancelled."""
    ticket_id = ticket.ticket_id
    if person.rng.random() < cancels:
        await person.clock.sleep(person.rng.random() * 3)
        cancelled = await person.call(
            f"{SERVICE}/CancelTicket", m.CancelTicketRequest(ticket_id=ticket_id), m.CancelTicketResponse
        )
        if isinstance(cancelled, Refused):
            raise Violation(f"ticket {ticket_id} can't be cancelled: {cancelled.reason}")
        ticket = cancelled.ticket
        if ticket.state == "cancelled" and ticket.table_id:
            raise Violation(f"ticket {ticket_id} is cancelled, and has a seat at {ticket.table_id}")
    while not ticket.table_id:
        if ticket.state == "cancelled":
            return ""
        if ticket.state != "waiting":
            raise Violation(f"ticket {ticket_id} is {ticket.state}: {ticket.reason}")
        await person.clock.sleep(0.5 + person.rng.random())
        got = await person.call(
            f"{SERVICE}/GetTicket", m.GetTicketRequest(ticket_id=ticket_id), m.GetTicketResponse
        )
        if isinstance(got, Refused):
            raise Violation(f"ticket {ticket_id} is lost: {got.reason}")
        ticket = got.ticket
    return ticket.table_id


class Room:
    """A room of friends: the owner opens it, tells the code, and fills it once all have come."""

    def __init__(self, game: str, preset: str, rounds: int, guests: int, bot: str) -> None:
        rules = m.RoomRules(payer=PAYERS[(guests + len(preset)) % len(PAYERS)])
        self._wish = m.CreateRoomRequest(game=game, preset=preset, rounds=rounds, rules=rules)
        self._guests = guests
        self._bot = bot
        self.code = ""
        self._told = asyncio.Event()

    async def open(self, owner: Person) -> str:
        """Open it, wait for the friends, fill it with bots, and start; return the table."""
        wish = self._wish
        wish.request_id = f"{owner.player_id}-{owner.rng.getrandbits(32):08x}"
        while not self.code:
            made = await owner.call(f"{SERVICE}/CreateRoom", wish, m.CreateRoomResponse)
            if not isinstance(made, Refused):
                self.code = made.room.room_code
            elif made.reason in BUSY:
                await owner.clock.sleep(1.0)
            else:
                raise Violation(f"{owner.player_id} gets no room: {made.reason} {made.details}")
        self._told.set()
        while (room := await self._get(owner)) is not None and _humans(room) <= self._guests:
            await owner.clock.sleep(1.0)
        fill = m.FillRoomWithBotsRequest(room_code=self.code, bot=self._bot)
        await owner.call(f"{SERVICE}/FillRoomWithBots", fill, m.FillRoomWithBotsResponse)
        return await self._start(owner)

    async def join(self, guest: Person) -> str:
        """Join as soon as the code is known; return the table."""
        await self._told.wait()
        while True:
            request = m.JoinRoomRequest(room_code=self.code)
            joined = await guest.call(f"{SERVICE}/JoinRoom", request, m.JoinRoomResponse)
            if not isinstance(joined, Refused) or joined.reason == "ROOM_PLAYING":
                return await self._start(guest)
            if joined.reason == "ROOM_UNKNOWN":
                return ""
            if joined.reason not in BUSY:
                raise Violation(f"{guest.player_id} can't join room {self.code}: {joined.reason}")
            await guest.clock.sleep(1.0)

    async def _start(self, person: Person) -> str:
        """Say ready until it begins; empty = it began, and ended, without this person."""
        while (room := await self._get(person)) is not None and not room.table_id:
            ready = m.SetRoomReadyRequest(room_code=self.code, ready=True)
            await person.call(f"{SERVICE}/SetRoomReady", ready, m.SetRoomReadyResponse)
            await person.clock.sleep(0.5 + person.rng.random())
        return room.table_id if room is not None else ""

    async def _get(self, person: Person) -> m.Room | None:
        """Return the room; None once its match is over, when its code is free for others."""
        request = m.GetRoomRequest(room_code=self.code)
        got = await person.call(f"{SERVICE}/GetRoom", request, m.GetRoomResponse)
        if isinstance(got, Refused):
            if got.reason != "ROOM_UNKNOWN":
                raise Violation(f"room {self.code}: {got.reason}")
            return None
        return got.room


def _humans(room: m.Room) -> int:
    return sum(bool(place.player_id) for place in room.places)
