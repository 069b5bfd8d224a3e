"""RPCs of presence: which friends are here, and to which rooms they invite."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from paiju.accounts.v1 import presence_service_pb2 as pb
from paiju.accounts.v1 import presence_service_pb2_grpc

from services.accounts.core.friends import player_id_of
from services.accounts.invitations import Invitations
from services.accounts.presence import Presence
from services.accounts.store import presence as store
from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.run import Parts

ACCESS: Final[AccessTable] = {
    "ListFriendsPresence": "player",
    "SetPresenceShown": "player",
    "ListRoomInvitations": "player",
    "DismissRoomInvitation": "player",
}

Context = Any


class PresenceApi(presence_service_pb2_grpc.PresenceServiceServicer):
    """The servicer."""

    def __init__(self, parts: Parts, presence: Presence, invitations: Invitations) -> None:
        self._db = parts.db("accounts")
        self._clock = parts.clock
        self._presence = presence
        self._invitations = invitations

    async def ListFriendsPresence(  # noqa: N802 - the proto names it
        self, request: pb.ListFriendsPresenceRequest, context: Context
    ) -> pb.ListFriendsPresenceResponse:
        """Which friends are here."""
        own_id = auth.player()
        shown, is_shown = await self._db.read(
            lambda connection: (
                store.friends_shown(connection, own_id),
                store.is_shown(connection, own_id),
            )
        )
        return pb.ListFriendsPresenceResponse(here=self._presence.here(shown), is_shown=is_shown)

    async def SetPresenceShown(  # noqa: N802 - the proto names it
        self, request: pb.SetPresenceShownRequest, context: Context
    ) -> pb.SetPresenceShownResponse:
        """Let friends see the caller, or not."""
        own_id, now_ms = auth.player(), self._clock.now_ms()
        await self._db.run(partial(store.show, player_id=own_id, shown=request.is_shown, now_ms=now_ms))
        return pb.SetPresenceShownResponse(is_shown=request.is_shown)

    async def ListRoomInvitations(  # noqa: N802 - the proto names it
        self, request: pb.ListRoomInvitationsRequest, context: Context
    ) -> pb.ListRoomInvitationsResponse:
        """The caller's invitations to rooms that wait."""
        found = await self._invitations.list(auth.player())
        return pb.ListRoomInvitationsResponse(invitations=found)

    async def DismissRoomInvitation(  # noqa: N802 - the proto names it
        self, request: pb.DismissRoomInvitationRequest, context: Context
    ) -> pb.DismissRoomInvitationResponse:
        """Put an invitation away."""
        own_id, other_id = auth.player(), player_id_of(request.player_id)
        await self._db.run(partial(store.dismiss, player_id=own_id, inviter_id=other_id))
        return pb.DismissRoomInvitationResponse()
