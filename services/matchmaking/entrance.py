"""Who may come in where, and why not: coins, daily limits and protection, asked for all halls at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from paiju.economy.v1 import economy_service_pb2_grpc
from paiju.economy.v1.economy_service_pb2 import (
    GetDayRequest,
    GetDayResponse,
    GetWalletRequest,
    ListEntriesRequest,
)

from services.chassis import auth
from services.chassis.errors import Outage, Refusal
from services.chassis.run import Parts
from services.matchmaking.core.halls import CURRENCY, Hall, Stakes, fitting
from services.matchmaking.protection import Guard
from services.matchmaking.store import tickets

CARDS = "room_card"

WELCOME_WAIT_S = 3.0
"""A new player may ask for a match before his welcome grant has come by the bus: so long he waits."""
WELCOME_LOOK_S = 0.2

PLAYING_S = 2.0
"""How many play is counted again after so long."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A hall as one player sees it."""

    hall: Hall
    waiting: int
    playing: int
    refusal: Refusal | None
    """Why he may not come in now."""


class Entrance:
    """See the module."""

    def __init__(self, parts: Parts, halls: Mapping[str, Hall], guard: Guard | None) -> None:
        self._clock = parts.clock
        self._db = parts.db("matchmaking")
        self._economy = parts.rpc.client(economy_service_pb2_grpc.EconomyServiceStub, "economy")
        self._halls = halls
        self._guard = guard
        self._playing: dict[str, int] = {}
        self._counted_at = float("-inf")

    async def check(self, player_id: str, game: str) -> None:
        """Let a player through who may play this game now.

        Raises:
            Refusal: As `Guard.check`.
        """
        if self._guard is not None:
            await self._guard.check(player_id, game)

    async def admit(self, player_id: str, stakes: Stakes, hall: Hall | None = None) -> None:
        """Let a player in who has the coins, and may put them at stake today.

        Args:
            player_id: Who comes.
            stakes: What it costs.
            hall: Where he wants to go; another that fits is named if he may not. None: a room.

        Raises:
            Refusal: COINS_TOO_FEW, COINS_TOO_MANY, DAILY_WIN_CAP, DAILY_LOSS_CAP.
            Outage: Economy can't be asked.
        """
        coins = await self._coins(player_id, stakes.entry_min)
        stakes.admit(coins, fitting(self._halls, hall, coins) if hall is not None else None)
        refusal = _capped(await self._day(player_id))
        if refusal is not None:
            raise refusal

    async def check_cards(self, player_id: str, needed: int) -> None:
        """Let a player through who has so many room cards.

        Raises:
            Refusal: ROOM_CARDS_TOO_FEW.
            Outage: Economy can't be asked.
        """
        if needed:
            cards = await self._coins(player_id, needed, CARDS)
            if cards < needed:
                raise Refusal("ROOM_CARDS_TOO_FEW", needed=needed, cards=cards, player_id=player_id)

    async def look(self, player_id: str, halls: Sequence[Hall]) -> tuple[list[Seen], int]:
        """Return halls as a player sees them, and the coins he has; without a player nobody is refused.

        What can't be asked now refuses everywhere, and the list is there all the same. Who has no entry in
        the book yet, and so waits for his welcome, is refused nowhere for want of coins.
        """
        waiting = await self._db.read(tickets.count_waiting)
        playing = await self._count_playing()
        everywhere: Refusal | None = None
        coins, is_new = 0, not player_id
        if player_id:
            try:
                coins = await self._coins_now(player_id)
                is_new = not coins and await self._is_untouched(player_id)
                everywhere = _capped(await self._day(player_id))
            except Outage:
                everywhere = Refusal("SERVICE_UNAVAILABLE")
        # Whoever may play may play every game: one question for all halls.
        protected = await self._protected(player_id, halls[0].game) if halls else None
        seen = []
        for hall in halls:
            refusal = protected or everywhere
            if refusal is None and not is_new:
                try:
                    hall.stakes.admit(coins, fitting(self._halls, hall, coins))
                except Refusal as refused:
                    refusal = refused
            counts = waiting.get(hall.hall_id, 0), playing.get(hall.hall_id, 0)
            seen.append(Seen(hall, *counts, refusal))
        return seen, coins

    async def _protected(self, player_id: str, game: str) -> Refusal | None:
        try:
            if player_id:
                await self.check(player_id, game)
        except Refusal as refusal:
            return refusal
        return None

    async def _count_playing(self) -> dict[str, int]:
        now = self._clock.monotonic()
        if now - self._counted_at >= PLAYING_S:
            self._playing = await self._db.read(partial(tickets.count_playing))
            self._counted_at = now
        return self._playing

    async def _day(self, player_id: str) -> GetDayResponse:
        with auth.acting_for(player_id):
            return await self._economy.GetDay(GetDayRequest(player_id=player_id))

    async def _coins(self, player_id: str, needed: int, currency: str = CURRENCY) -> int:
        """Return what a player has; a book without an entry waits for the first one, the welcome grant."""
        clock = self._clock
        until = clock.monotonic() + WELCOME_WAIT_S
        while True:
            coins = await self._coins_now(player_id, currency)
            if coins >= needed or clock.monotonic() >= until:
                return coins
            if not await self._is_untouched(player_id):
                # The first entry may have come between the two looks.
                return await self._coins_now(player_id, currency)
            await clock.sleep(WELCOME_LOOK_S)

    async def _coins_now(self, player_id: str, currency: str = CURRENCY) -> int:
        with auth.acting_for(player_id):
            wallet = await self._economy.GetWallet(GetWalletRequest(player_id=player_id))
        return sum(money.amount for money in wallet.balances if money.currency == currency)

    async def _is_untouched(self, player_id: str) -> bool:
        """Return whether nothing ever came into, or went out of, a player's wallet."""
        with auth.acting_for(player_id):
            listed = await self._economy.ListEntries(ListEntriesRequest(player_id=player_id, page_size=1))
        return not listed.entries


def _capped(day: GetDayResponse) -> Refusal | None:
    """Return why a player may put nothing more at stake today."""
    if not day.refusal:
        return None
    return Refusal(day.refusal, cap=day.win_cap if day.refusal == "DAILY_WIN_CAP" else day.loss_cap)
