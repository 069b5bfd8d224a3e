"""A friends' room as a value: what it is made of, what its table is made from, and how people see it."""

from __future__ import annotations

from dataclasses import dataclass, field

from paiju.matchmaking.v1.matchmaking_service_pb2 import Room as RoomMessage
from paiju.matchmaking.v1.matchmaking_service_pb2 import RoomPlace, RoomSwap
from paiju.table.v1.table_service_pb2 import SeatSpec, TableSpec

from services.chassis.errors import Refusal
from services.matchmaking.core.halls import Stakes
from services.matchmaking.core.room_rules import PEOPLE_MIN, Rules

BOT = "bot:"


@dataclass(frozen=True, slots=True)
class Place:
    """A taken place."""

    seat: int
    player_id: str
    ready: bool

    @property
    def is_bot(self) -> bool:
        """Whether the house plays here."""
        return self.player_id.startswith(BOT)


@dataclass(frozen=True, slots=True)
class Room:
    """One row, with its places in seat order."""

    room_id: str
    room_code: str
    owner_id: str
    """Who owns it now."""
    request_id: str
    game: str
    preset: str
    options_json: str
    rounds: int
    seats: int
    state: str
    created_at_ms: int
    expires_at_ms: int
    stakes: Stakes | None = None
    """None: plays for points."""
    table_id: str | None = None
    places: tuple[Place, ...] = ()
    rules: Rules = field(default_factory=Rules)
    rules_no: int = 1
    cards: int = 0
    """Its price in room cards."""
    wish: str = ""
    """A hash of what was asked for; empty: not known."""
    reason: str = ""
    """Why its last start failed."""
    next_id: str = ""
    next_code: str = ""
    """Of the room that its people have opened after it."""
    swaps: tuple[tuple[str, str], ...] = ()
    """Who asks whom to change places."""
    scores: tuple[int, ...] = ()

    @property
    def humans(self) -> list[str]:
        """The people in it."""
        return [place.player_id for place in self.places if not place.is_bot]

    @property
    def can_start(self) -> bool:
        """Whether all places are taken and ready."""
        return (
            self.state == "open"
            and len(self.places) == self.seats
            and all(place.ready for place in self.places)
        )

    @property
    def price(self) -> int:
        """The room cards it costs with the people who are in it now: nothing for one who plays with bots."""
        return self.cards if len(self.humans) >= PEOPLE_MIN else 0

    def place_of(self, player_id: str) -> Place | None:
        """Return the place of a player."""
        return next((place for place in self.places if place.player_id == player_id), None)

    def at(self, seat: int) -> Place | None:
        """Return the place with this number if it is taken."""
        return next((place for place in self.places if place.seat == seat), None)

    def heir(self, player_id: str) -> str:
        """Return the next person after one of them, in the order of play; empty = there is no other."""
        mine = self.place_of(player_id)
        others = [place for place in self.places if not place.is_bot and place != mine]
        first = mine.seat if mine else 0
        return min(others, key=lambda place: (place.seat - first) % self.seats).player_id if others else ""

    def spec(self, fill: str = "", timing: str = "", watch_delay_ms: int = 0) -> TableSpec:
        """Return what its table is made from; empty places are taken by `fill` (to check the options).

        Args:
            fill: A bot.
            timing: Waits that differ from the game's, JSON.
            watch_delay_ms: Who watches is shown everything so much later: a friend of one seat, too.
        """
        by_seat = {place.seat: place.player_id for place in self.places}
        rules = self.rules
        return TableSpec(
            game=self.game,
            preset=self.preset,
            options_json=self.options_json,
            rounds=self.rounds,
            seats=[SeatSpec(player_id=by_seat.get(seat, fill)) for seat in range(self.seats)],
            room_code=self.room_code,
            stake=self.stakes.spec() if self.stakes else None,
            spectators=rules.watching == "yes",
            watch_leave=rules.watching == "ask",
            to_score=rules.to_score,
            chat="" if rules.chat == "all" else rules.chat,
            voice=rules.voice,
            timing_json=timing,
            watch_delay_ms=0 if rules.watching == "no" else watch_delay_ms,
        )

    def message(self) -> RoomMessage:
        """Return it as its people see it: while its table is being made it is still open."""
        by_seat = {place.seat: place for place in self.places}
        stakes = self.stakes
        is_placing = self.state == "placing"
        return RoomMessage(
            room_code=self.room_code,
            owner_id=self.owner_id,
            game=self.game,
            preset=self.preset,
            options_json=self.options_json,
            rounds=self.rounds,
            places=[
                RoomPlace(seat=seat, player_id=place.player_id, ready=place.ready)
                if (place := by_seat.get(seat))
                else RoomPlace(seat=seat)
                for seat in range(self.seats)
            ],
            state="open" if is_placing else self.state,
            table_id="" if is_placing else self.table_id or "",
            expires_at_ms=self.expires_at_ms,
            level=stakes.level if stakes else "",
            base_stake=stakes.base_stake if stakes else 0,
            buy_in=stakes.buy_in if stakes else 0,
            fee=stakes.fee if stakes else 0,
            entry_min=stakes.entry_min if stakes else 0,
            entry_max=stakes.entry_max if stakes else 0,
            rules=self.rules.message(),
            rules_no=self.rules_no,
            swaps=[RoomSwap(from_player_id=asks, to_player_id=asked) for asks, asked in self.swaps],
            cards=self.cards,
            refusal=self.reason,
            next_room_code=self.next_code,
            scores=self.scores,
            created_at_ms=self.created_at_ms,
        )


def shown_to(room: Room, player_id: str) -> RoomMessage:
    """Return a room as somebody sees it who names its code.

    Of a room that is over, who had no place in it learns what it was to play and that it is closed; who
    played, how it ended and where they went on is theirs.
    """
    message = room.message()
    if room.state == "closed" and room.place_of(player_id) is None:
        for private in ("owner_id", "table_id", "next_room_code", "scores", "swaps"):
            message.ClearField(private)
        for place in message.places:
            place.ClearField("player_id")
    return message


def check_open(room: Room, now_ms: int) -> None:
    """Let through what only an open room allows.

    Raises:
        Refusal: ROOM_CLOSED, ROOM_PLAYING.
    """
    if room.state == "closed" or (room.state == "open" and room.expires_at_ms <= now_ms):
        raise Refusal("ROOM_CLOSED")
    if room.state != "open":
        raise Refusal("ROOM_PLAYING")
