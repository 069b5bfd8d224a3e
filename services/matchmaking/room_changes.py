"""What is changed in an open room: what it plays, who owns it, who sits where."""

from __future__ import annotations

from dataclasses import replace

from services.chassis.errors import Refusal
from services.chassis.run import Parts
from services.matchmaking.core.room import Place, Room, check_open
from services.matchmaking.core.room_rules import Prices
from services.matchmaking.entrance import Entrance
from services.matchmaking.rooms import RoomsDesk, Wish
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import places, rooms
from services.matchmaking.store.rooms import PlaceTaken


class RoomChanges:
    """See the module."""

    def __init__(
        self, parts: Parts, settings: MatchmakingSettings, desk: RoomsDesk, prices: Prices, entrance: Entrance
    ) -> None:
        self._clock = parts.clock
        self._settings = settings
        self._rooms = desk
        self._prices = prices
        self._entrance = entrance

    async def set_rules(self, player_id: str, room_code: str, wish: Wish) -> Room:
        """Let an open room of one's own play something else of the same game; nobody is ready any more.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED, HALL_UNKNOWN,
                BOTS_NOT_FOR_COINS, ROOM_CARDS_TOO_FEW, and as `CheckTableSpec`.
            Outage: The tables can't be asked.
        """
        room = await self._owned(player_id, room_code)
        changed = replace(
            room,
            preset=wish.preset,
            options_json=wish.options_json,
            rounds=wish.rounds,
            stakes=self._rooms.stakes_of(replace(wish, game=room.game)),
            rules=wish.rules,
            cards=self._prices.cards(wish.rounds, wish.rules),
        )
        if changed.stakes is not None and len(room.humans) < len(room.places):
            raise Refusal("BOTS_NOT_FOR_COINS")
        await self._rooms.check_playable(changed)
        if wish.rules.payer == "owner":
            await self._entrance.check_cards(player_id, changed.cards)
        return await self._rooms.change(
            lambda c: rooms.change_rules(c, changed, player_id, self._clock.now_ms())
        )

    async def close(self, player_id: str, room_code: str) -> None:
        """Close an open room of one's own.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_ROOM_OWNER, ROOM_PLAYING.
        """
        room = await self._rooms.get(player_id, room_code)
        await self._rooms.change(lambda c: places.close_owned(c, room, player_id, self._clock.now_ms()))

    async def kick(self, player_id: str, room_code: str, target: Place) -> Room:
        """Send somebody, or a bot in this place, away.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED, NOT_IN_ROOM,
                INVALID_ARGUMENT.
        """
        room = await self._rooms.get(player_id, room_code)
        now = self._clock.now_ms()
        until = now + self._settings.kick_minutes * 60_000
        also = "" if target.is_bot else target.player_id
        return await self._rooms.change(
            lambda c: places.kick(c, room, player_id, target, now, until), also=also
        )

    async def move(self, player_id: str, room_code: str, seat: int) -> Room:
        """Take another place, or ask who sits there.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, PLACE_TAKEN,
                INVALID_ARGUMENT.
        """
        room = await self._rooms.get(player_id, room_code)
        try:
            return await self._rooms.change(
                lambda c: places.move(c, room, player_id, seat, self._clock.now_ms())
            )
        except PlaceTaken:
            raise Refusal("PLACE_TAKEN") from None

    async def swap(self, player_id: str, room_code: str, asks: str, accept: bool) -> Room:
        """Answer somebody who asks to change places.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, SWAP_UNKNOWN.
        """
        room = await self._rooms.get(player_id, room_code)
        return await self._rooms.change(
            lambda c: places.swap(c, room, player_id, asks, accept, self._clock.now_ms())
        )

    async def hand_over(self, player_id: str, room_code: str, to_id: str) -> Room:
        """Make another person the owner.

        Raises:
            Refusal: ROOM_UNKNOWN, RATE_LIMITED, NOT_ROOM_OWNER, ROOM_PLAYING, ROOM_CLOSED, NOT_IN_ROOM.
        """
        room = await self._rooms.get(player_id, room_code)
        return await self._rooms.change(
            lambda c: places.hand_over(c, room, player_id, to_id, self._clock.now_ms())
        )

    async def _owned(self, player_id: str, room_code: str) -> Room:
        room = await self._rooms.get(player_id, room_code)
        if room.owner_id != player_id:
            raise Refusal("NOT_ROOM_OWNER")
        check_open(room, self._clock.now_ms())
        return room
