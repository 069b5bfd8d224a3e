"""Tickets: waiting in a hall for a match."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from services.chassis.errors import Refusal
from services.chassis.run import Parts
from services.matchmaking.core.halls import Hall
from services.matchmaking.entrance import Entrance, Seen
from services.matchmaking.games import Catalogue
from services.matchmaking.matcher import Matcher
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import tickets
from services.matchmaking.store.engagements import Engaged
from services.matchmaking.store.tickets import Ticket
from services.matchmaking.tellers import Tellers
from services.matchmaking.whereabouts import People

TRIES = 4
"""A player whose engagement ended between two looks is looked at again so often."""


class HallsDesk:
    """Takes and cancels tickets."""

    def __init__(
        self,
        parts: Parts,
        settings: MatchmakingSettings,
        halls: Mapping[str, Hall],
        games: Catalogue,
        people: People,
        matcher: Matcher,
        tellers: Tellers,
        entrance: Entrance,
    ) -> None:
        self._clock = parts.clock
        self._ids = parts.ids
        self._db = parts.db("matchmaking")
        self._settings = settings
        self._halls = halls
        self._games = games
        self._people = people
        self._matcher = matcher
        self._tellers = tellers
        self._entrance = entrance

    async def list_halls(self, player_id: str, game: str) -> tuple[list[Seen], int]:
        """Return the open halls of a game (empty = all), in order of stake, as a player (empty = nobody) sees
        them, and the coins he has.

        Raises:
            Outage: Which games are open can't be asked.
        """
        games = await self._games.games()
        halls = [hall for hall in self._halls.values() if game in ("", hall.game) and hall.game in games]
        return await self._entrance.look(player_id, halls)

    async def create(self, player_id: str, request_id: str, hall_id: str, bots_now: bool) -> Ticket:
        """Let a player wait; a repeat of the request returns the ticket as it is now.

        Raises:
            Refusal: HALL_UNKNOWN, REQUEST_ID_REUSED, ALREADY_WAITING, ALREADY_IN_ROOM, ALREADY_PLAYING,
            COINS_TOO_FEW,
                COINS_TOO_MANY (with the hall that fits), DAILY_WIN_CAP, DAILY_LOSS_CAP, and why he may not
                play (`Guard.check`).
            Outage: Wallet or tables can't be asked.
        """
        hall = self._halls.get(hall_id)
        if hall is None or hall.game not in await self._games.games():
            raise Refusal("HALL_UNKNOWN", hall_id=hall_id)
        for _ in range(TRIES):
            there = await self._db.read(lambda c: tickets.find_request(c, player_id, request_id))
            if there is not None:
                return _same(there, hall_id, bots_now)
            try:
                await self._entrance.check(player_id, hall.game)
                await self._people.check_free(player_id)
                await self._entrance.admit(player_id, hall.stakes, hall)
            except Refusal:
                # The first try of a repeated request may have gone through since the look above.
                there = await self._db.read(lambda c: tickets.find_request(c, player_id, request_id))
                if there is None:
                    raise
                return _same(there, hall_id, bots_now)
            now = self._clock.now_ms()
            ticket = Ticket(
                ticket_id=self._ids.new("t"),
                player_id=player_id,
                request_id=request_id,
                hall_id=hall_id,
                bots_now=bots_now,
                state="waiting",
                created_at_ms=now,
                bots_at_ms=now if bots_now else now + max(1, self._settings.bots_after_ms),
            )
            try:
                made = await self._db.run(partial(tickets.create, ticket=ticket))
            except Engaged:
                continue
            self._matcher.poke()
            return _same(made, hall_id, bots_now)
        raise Refusal("ALREADY_WAITING")

    async def get(self, player_id: str, ticket_id: str) -> Ticket:
        """Return a player's own ticket.

        Raises:
            Refusal: TICKET_UNKNOWN.
        """
        ticket = await self._db.read(lambda connection: tickets.find(connection, ticket_id))
        if ticket is None or ticket.player_id != player_id:
            raise Refusal("TICKET_UNKNOWN")
        return ticket

    async def cancel(self, player_id: str, ticket_id: str) -> Ticket:
        """Stop waiting; a ticket that is matched already stays so. Returns it as it is now.

        Raises:
            Refusal: TICKET_UNKNOWN.
        """
        before = await self.get(player_id, ticket_id)
        after = await self._db.run(lambda connection: tickets.cancel(connection, ticket_id))
        assert after is not None
        if after.state != before.state:
            await self._tellers.tickets([after])
        return after


def _same(ticket: Ticket, hall_id: str, bots_now: bool) -> Ticket:
    if (ticket.hall_id, ticket.bots_now) != (hall_id, bots_now):
        raise Refusal("REQUEST_ID_REUSED")
    return ticket
