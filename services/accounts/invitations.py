"""Invitations to friends' rooms: told at once to who is here, kept for who comes while the room waits."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from paiju.accounts.v1 import friend_service_pb2 as pb
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.matchmaking.v1.matchmaking_service_pb2 import GetWhereaboutsRequest, Room
from paiju.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub

from services.accounts.api.desk import profile
from services.accounts.core.friends import Friendship
from services.accounts.store import friends, people
from services.accounts.store import presence as store
from services.accounts.store.presence import Invitation
from services.chassis import auth, log
from services.chassis.bus import subject_of
from services.chassis.errors import Outage, Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.run import Parts

OF_INVITATIONS: Final = Rate(per_s=1 / 15, burst=2)
"""Invitations of a player to one friend."""

_log = log.get(service="accounts")


class Invitations:
    """See the module."""

    def __init__(self, parts: Parts) -> None:
        self._db = parts.db("accounts")
        self._bus = parts.bus
        self._clock = parts.clock
        self._matchmaking = parts.rpc.client(MatchmakingServiceStub, "matchmaking")
        self._limits = RateLimits(OF_INVITATIONS, parts.clock)

    async def invite(self, own_id: str, other_id: str) -> str:
        """Invite a friend to the room a player sits in; return its code.

        Raises:
            Refusal: RATE_LIMITED, FRIEND_ONLY, NOT_IN_ROOM, ROOM_PLAYING, ROOM_CLOSED, ROOM_FULL.
            Outage: Matchmaking can't be asked.
        """
        now_ms = self._clock.now_ms()
        self._limits.take((own_id, other_id))
        is_to_him, own = await self._db.read(
            lambda connection: (
                friends.what_is(connection, own_id, other_id, now_ms),
                people.profiles(connection, [own_id]),
            )
        )
        if is_to_him is not Friendship.FRIENDS or not own:
            raise Refusal("FRIEND_ONLY")
        room = await self._room_of(own_id)
        if room is None:
            raise Refusal("NOT_IN_ROOM")
        if room.state != "open":
            raise Refusal("ROOM_PLAYING" if room.state == "playing" else "ROOM_CLOSED")
        if _is_full(room):
            raise Refusal("ROOM_FULL")
        kept = Invitation(own_id, room.room_code, room.game, room.preset, now_ms, room.expires_at_ms)
        await self._db.run(partial(store.invite, player_id=other_id, invitation=kept, now_ms=now_ms))
        invited = pb.RoomInvitation(
            profile=profile(own[0]), room_code=room.room_code, game=room.game, preset=room.preset
        )
        notice = Notice(friend=pb.FriendNotice(invited=invited))
        try:
            await self._bus.tell(subject_of(Notice, key=other_id), notice.SerializeToString())
        except Outage as outage:
            # It is in his list all the same.
            _log.warning("friend_not_told", why=str(outage)[:200])
        return room.room_code

    async def list(self, player_id: str) -> list[pb.RoomInvitation]:
        """Return a player's invitations to rooms that wait for somebody, the newest first.

        Raises:
            Outage: Matchmaking can't be asked.
        """
        now_ms = self._clock.now_ms()
        found = await self._db.read(lambda connection: store.invited(connection, player_id, now_ms))
        waits = await asyncio.gather(*(self._waits(one, player_id) for one, _ in found))
        return [
            pb.RoomInvitation(
                profile=profile(inviter), room_code=one.room_code, game=one.game, preset=one.preset
            )
            for (one, inviter), is_waiting in zip(found, waits, strict=True)
            if is_waiting
        ]

    async def _waits(self, invitation: Invitation, player_id: str) -> bool:
        """Return whether who invites sits in that room still, and it waits for somebody else."""
        room = await self._room_of(invitation.inviter_id)
        return (
            room is not None
            and room.room_code == invitation.room_code
            and room.state == "open"
            and not _is_full(room)
            and all(place.player_id != player_id for place in room.places)
        )

    async def _room_of(self, player_id: str) -> Room | None:
        with auth.acting_for(player_id):
            there = await self._matchmaking.GetWhereabouts(GetWhereaboutsRequest())
        return there.room if there.HasField("room") else None


def _is_full(room: Room) -> bool:
    return all(place.player_id for place in room.places)
