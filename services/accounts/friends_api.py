"""RPCs of friends: who asks whom, who accepts, who is blocked, who is invited."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from paiju.accounts.v1 import friend_service_pb2 as pb
from paiju.accounts.v1 import friend_service_pb2_grpc
from paiju.gateway.v1.gateway_service_pb2 import Notice
from sqlalchemy import Connection

from services.accounts.api.desk import profile
from services.accounts.core.friends import FriendLimits, Friendship, Step, player_id_of, sought_nickname
from services.accounts.invitations import Invitations
from services.accounts.settings import AccountsSettings
from services.accounts.store import friend_lists as lists
from services.accounts.store import friends as store
from services.accounts.store import presence
from services.chassis import auth, log
from services.chassis.auth import AccessTable
from services.chassis.bus import subject_of
from services.chassis.errors import Outage, Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.run import Parts

ACCESS: Final[AccessTable] = {
    "FindPlayers": "player",
    "AskFriend": "player",
    "WithdrawFriendRequest": "player",
    "AcceptFriend": "player",
    "DeclineFriend": "player",
    "RemoveFriend": "player",
    "BlockPlayer": "player",
    "UnblockPlayer": "player",
    "GetFriendship": "player",
    "ListFriends": "player",
    "ListFriendRequests": "player",
    "ListBlockedPlayers": "player",
    "InviteFriend": "player",
    "ListFriendIds": "service",
}

PAGE: Final = 50
PAGE_MAX: Final = 100
OF_SEARCHES: Final = Rate(per_s=0.5, burst=20)
"""Nicknames that a player looks up: enough for people, too few to list who is here."""

_TOLD: Final[dict[Friendship, pb.Friendship.ValueType]] = {
    Friendship.NOTHING: pb.FRIENDSHIP_UNSPECIFIED,
    Friendship.FRIENDS: pb.FRIENDSHIP_FRIENDS,
    Friendship.ASKED: pb.FRIENDSHIP_ASKED,
    Friendship.ASKS: pb.FRIENDSHIP_ASKS,
    Friendship.BLOCKED: pb.FRIENDSHIP_BLOCKED,
}
_TOKEN: Final = re.compile(r"([0-9]{1,15})\.(p_[A-Za-z0-9_-]{1,64})")
_log = log.get(service="accounts")

Context = Any
Read = Callable[[Connection, int, lists.After | None], lists.Page]


class FriendApi(friend_service_pb2_grpc.FriendServiceServicer):
    """The servicer."""

    def __init__(self, settings: AccountsSettings, parts: Parts, invitations: Invitations) -> None:
        self._db = parts.db("accounts")
        self._bus = parts.bus
        self._clock = parts.clock
        self._invitations = invitations
        self._limits: FriendLimits = settings.friend_limits
        self._request_ms = settings.friend_request_days * 86_400_000
        self._of_searches = RateLimits(OF_SEARCHES, parts.clock)
        steps = parts.metrics.counter("accounts_friend_steps", "Changes between people", ["step"])
        self._steps = {step: steps.labels(step.name.lower()) for step in (Step.ASK, Step.BEFRIEND)}

    async def FindPlayers(  # noqa: N802 - the proto names it
        self, request: pb.FindPlayersRequest, context: Context
    ) -> pb.FindPlayersResponse:
        """People of exactly this nickname."""
        player_id, nickname = auth.player(), sought_nickname(request.nickname)
        self._of_searches.take(player_id)
        found = await self._db.read(lambda connection: lists.called(connection, nickname, player_id))
        return pb.FindPlayersResponse(profiles=map(profile, found))

    async def AskFriend(  # noqa: N802 - the proto names it
        self, request: pb.AskFriendRequest, context: Context
    ) -> pb.AskFriendResponse:
        """Ask somebody to be friends."""
        own_id = auth.player()
        if bool(request.player_id) == bool(request.nickname):
            raise Refusal("INVALID_ARGUMENT", field="player_id, nickname")
        other_id = await self._whom(own_id, request)
        now_ms = self._clock.now_ms()
        ask = partial(
            store.ask,
            own_id=own_id,
            other_id=other_id,
            limits=self._limits,
            now_ms=now_ms,
            expires_at_ms=now_ms + self._request_ms,
        )
        done = await self._db.run(ask)
        await self._tell(done)
        return pb.AskFriendResponse(friendship=_TOLD[done.friendship], player_id=other_id)

    async def AcceptFriend(  # noqa: N802 - the proto names it
        self, request: pb.AcceptFriendRequest, context: Context
    ) -> pb.AcceptFriendResponse:
        """Accept a request."""
        own_id, other_id = auth.player(), player_id_of(request.player_id)
        accept = partial(
            store.accept,
            own_id=own_id,
            other_id=other_id,
            limits=self._limits,
            now_ms=self._clock.now_ms(),
        )
        done = await self._db.run(accept)
        await self._tell(done)
        return pb.AcceptFriendResponse(friend=pb.Friend(profile=profile(done.other), since_ms=done.at_ms))

    async def WithdrawFriendRequest(  # noqa: N802 - the proto names it
        self, request: pb.WithdrawFriendRequestRequest, context: Context
    ) -> pb.WithdrawFriendRequestResponse:
        """Take a request back."""
        return pb.WithdrawFriendRequestResponse(
            friendship=await self._change(request.player_id, store.withdraw)
        )

    async def DeclineFriend(  # noqa: N802 - the proto names it
        self, request: pb.DeclineFriendRequest, context: Context
    ) -> pb.DeclineFriendResponse:
        """Decline a request."""
        return pb.DeclineFriendResponse(friendship=await self._change(request.player_id, store.decline))

    async def RemoveFriend(  # noqa: N802 - the proto names it
        self, request: pb.RemoveFriendRequest, context: Context
    ) -> pb.RemoveFriendResponse:
        """Be friends no more."""
        return pb.RemoveFriendResponse(friendship=await self._change(request.player_id, store.remove))

    async def BlockPlayer(  # noqa: N802 - the proto names it
        self, request: pb.BlockPlayerRequest, context: Context
    ) -> pb.BlockPlayerResponse:
        """Hear nothing of somebody any more."""
        change = partial(store.block, blocked_max=self._limits.blocked)
        return pb.BlockPlayerResponse(friendship=await self._change(request.player_id, change))

    async def UnblockPlayer(  # noqa: N802 - the proto names it
        self, request: pb.UnblockPlayerRequest, context: Context
    ) -> pb.UnblockPlayerResponse:
        """Let somebody ask again."""
        return pb.UnblockPlayerResponse(friendship=await self._change(request.player_id, store.unblock))

    async def GetFriendship(  # noqa: N802 - the proto names it
        self, request: pb.GetFriendshipRequest, context: Context
    ) -> pb.GetFriendshipResponse:
        """What somebody is to the caller."""
        own_id, other_id, now_ms = auth.player(), player_id_of(request.player_id), self._clock.now_ms()
        found = await self._db.read(lambda connection: store.what_is(connection, own_id, other_id, now_ms))
        return pb.GetFriendshipResponse(friendship=_TOLD[found])

    async def ListFriends(  # noqa: N802 - the proto names it
        self, request: pb.ListFriendsRequest, context: Context
    ) -> pb.ListFriendsResponse:
        """The caller's friends."""
        own_id = auth.player()
        page = await self._list(
            request, lambda connection, size, after: lists.list_friends(connection, own_id, size, after)
        )
        return pb.ListFriendsResponse(
            friends=map(_friend, page.entries),
            next_page_token=_token(page),
            total=page.total,
            most=self._limits.friends,
        )

    async def ListFriendRequests(  # noqa: N802 - the proto names it
        self, request: pb.ListFriendRequestsRequest, context: Context
    ) -> pb.ListFriendRequestsResponse:
        """Requests to the caller, or by him."""
        own_id, now_ms = auth.player(), self._clock.now_ms()
        direction = request.direction or pb.REQUEST_DIRECTION_IN
        if direction not in (pb.REQUEST_DIRECTION_IN, pb.REQUEST_DIRECTION_OUT):
            raise Refusal("INVALID_ARGUMENT", field="direction")
        listed = lists.list_received if direction == pb.REQUEST_DIRECTION_IN else lists.list_sent
        page = await self._list(
            request, lambda connection, size, after: listed(connection, own_id, now_ms, size, after)
        )
        return pb.ListFriendRequestsResponse(
            requests=map(_friend, page.entries), next_page_token=_token(page), total=page.total
        )

    async def ListBlockedPlayers(  # noqa: N802 - the proto names it
        self, request: pb.ListBlockedPlayersRequest, context: Context
    ) -> pb.ListBlockedPlayersResponse:
        """Whom the caller has blocked."""
        own_id = auth.player()
        page = await self._list(
            request, lambda connection, size, after: lists.list_blocked(connection, own_id, size, after)
        )
        return pb.ListBlockedPlayersResponse(
            blocked=map(_friend, page.entries), next_page_token=_token(page), total=page.total
        )

    async def InviteFriend(  # noqa: N802 - the proto names it
        self, request: pb.InviteFriendRequest, context: Context
    ) -> pb.InviteFriendResponse:
        """Invite a friend to the caller's room."""
        room_code = await self._invitations.invite(auth.player(), player_id_of(request.player_id))
        return pb.InviteFriendResponse(room_code=room_code)

    async def ListFriendIds(  # noqa: N802 - the proto names it
        self, request: pb.ListFriendIdsRequest, context: Context
    ) -> pb.ListFriendIdsResponse:
        """The friends of a player whom he may see."""
        player_id = player_id_of(request.player_id)
        found = await self._db.read(lambda connection: presence.friends_shown(connection, player_id))
        return pb.ListFriendIdsResponse(player_ids=found)

    async def _whom(self, own_id: str, request: pb.AskFriendRequest) -> str:
        if request.player_id:
            return player_id_of(request.player_id)
        nickname = sought_nickname(request.nickname)
        self._of_searches.take(own_id)
        found = await self._db.read(lambda connection: lists.called(connection, nickname, own_id, most=2))
        if not found:
            raise Refusal("NOT_FOUND", what=nickname)
        if len(found) > 1:
            raise Refusal("NICKNAME_NOT_UNIQUE")
        return str(found[0].player_id)

    async def _change(self, player_id: str, change: Callable[..., Friendship]) -> pb.Friendship.ValueType:
        own_id, other_id = auth.player(), player_id_of(player_id)
        bound = partial(change, own_id=own_id, other_id=other_id, now_ms=self._clock.now_ms())
        return _TOLD[await self._db.run(bound)]

    async def _list(self, request: Any, read: Read) -> lists.Page:
        if not 0 <= request.page_size <= PAGE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=PAGE_MAX)
        after: lists.After | None = None
        if request.page_token:
            token = _TOKEN.fullmatch(request.page_token)
            if token is None:
                raise Refusal("INVALID_ARGUMENT", field="page_token")
            after = int(token[1]), token[2]
        size = request.page_size or PAGE
        return await self._db.read(lambda connection: read(connection, size, after))

    async def _tell(self, done: store.Done) -> None:
        """Tell the other of a change, if it is one that he may hear of."""
        if done.step in self._steps:
            self._steps[done.step].inc()
        if not done.is_told:
            return
        friend = pb.Friend(profile=profile(done.own), since_ms=done.at_ms, expires_at_ms=done.expires_at_ms)
        is_asked = done.step is Step.ASK
        told = pb.FriendNotice(asked=friend) if is_asked else pb.FriendNotice(accepted=friend)
        try:
            await self._bus.tell(
                subject_of(Notice, key=done.other.player_id), Notice(friend=told).SerializeToString()
            )
        except Outage as outage:
            # It is in his lists all the same.
            _log.warning("friend_not_told", why=str(outage)[:200])


def _friend(entry: lists.Listed) -> pb.Friend:
    return pb.Friend(
        profile=profile(entry.player), since_ms=entry.since_ms, expires_at_ms=entry.expires_at_ms
    )


def _token(page: lists.Page) -> str:
    return "" if page.after is None else f"{page.after[0]}.{page.after[1]}"
