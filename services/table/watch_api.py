"""RPCs for people who look on: live tables, and likes. Watching itself goes through the gateways."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from paiju.table.v1 import watch_service_pb2 as w
from paiju.table.v1 import watch_service_pb2_grpc

from services.chassis import auth, log
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.errors import Outage, Refusal
from services.table.calls import Calls
from services.table.core.spec import COINS_MAX, HALL_ID_CHARS_MAX, ROUNDS_MAX, TABLE_ID, shard_of
from services.table.friends import Friends
from services.table.watch_calls import Liked, Live, LiveAmong, MayLike
from services.table.watch_index import Among, Key, Wanted, key_of
from services.table.watch_store import PLAYS_MAX, Like, LikeStore

ACCESS: AccessTable = {
    "ListLiveTables": "player",
    "LikePlay": "player",
    "ListLikedPlays": "player",
    "ListMyLikes": "player",
}

PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
PLAYERS_MAX = 100
NAME_CHARS_MAX = 64
ROUND_ID_CHARS_MAX = 80
EVENTS_MAX = 10_000
RATING_MAX = 9_999

_TOKEN = re.compile(r"([0-9]{1,9})\.([0-9]{1,15})\.([0-9a-z-]{1,60})")

_EVENT_NO = re.compile(r"[0-9]{1,9}")

_LIKE = re.compile(r"([0-9]{1,15})\.([0-9]{1,9})\.([0-9A-Za-z_/-]{1,80})")

_log = log.get(service="table")


class WatchApi(watch_service_pb2_grpc.WatchServiceServicer):
    """See protos/paiju/table/v1/watch_service.proto."""

    def __init__(
        self, shards: Sequence[str], calls: Calls, likes: LikeStore, clock: Clock, friends: Friends
    ) -> None:
        self._shards = shards
        self._calls = calls
        self._likes = likes
        self._clock = clock
        self._friends = friends

    async def ListLiveTables(  # noqa: N802 - gRPC
        self, request: w.ListLiveTablesRequest, context: Any
    ) -> w.ListLiveTablesResponse:
        """List live tables; those of a shard that nobody serves just now are left out."""
        size = request.page_size or PAGE_SIZE
        if not 1 <= size <= PAGE_SIZE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size")
        wanted = _wanted(request)
        order = request.order or w.LIVE_ORDER_VIEWERS
        if order not in (w.LIVE_ORDER_VIEWERS, w.LIVE_ORDER_NEWEST):
            raise Refusal("INVALID_ARGUMENT", field="order")
        among = await self._among(request)
        answers = await asyncio.gather(
            *(
                self._live(shard, wanted, among, order, _after(request.page_token), size + 1)
                for shard in self._shards
            ),
            return_exceptions=True,
        )
        found: list[w.LiveTable] = []
        total = unrated = 0
        for shard, answer in zip(self._shards, answers, strict=True):
            if isinstance(answer, Outage):
                _log.warning("live_tables_left_out", shard=shard, why=str(answer))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found += answer[0]
                total += answer[1]
                unrated += answer[2]
        found.sort(key=lambda table: key_of(table, order))
        token = ""
        if len(found) > size:
            last = key_of(found[size - 1], order)
            token = f"{-last[0]}.{-last[1]}.{last[2]}"
        return w.ListLiveTablesResponse(
            tables=found[:size], next_page_token=token, total=total, unrated=unrated
        )

    async def _live(
        self, shard: str, wanted: Wanted, among: Among | None, order: int, after: Key | None, most: int
    ) -> tuple[list[w.LiveTable], int, int]:
        if among is not None:
            return await self._calls.live_among(shard, LiveAmong(wanted, among, order, after, most))
        tables, total = await self._calls.live(shard, Live(wanted, order, after, most))
        return tables, total, 0

    async def _among(self, request: w.ListLiveTablesRequest) -> Among | None:
        """Return the filters that rest on what other services know; None = there are none.

        Raises:
            Refusal: INVALID_ARGUMENT. UNAUTHENTICATED: nobody's friends. FRIENDS_UNKNOWN: they can't be
                found out now, and without them the list would be another.
        """
        low, high = request.rating_min, request.rating_max
        if not (0 <= low <= RATING_MAX and 0 <= high <= RATING_MAX) or (high and low > high):
            raise Refusal("INVALID_ARGUMENT", field="rating_min, rating_max")
        if not (request.friends or request.player_ids):
            return Among(rating_min=low, rating_max=high) if low or high else None
        player = auth.player() if request.friends else auth.current().player_id
        friends: frozenset[str] = frozenset()
        try:
            if player:
                friends = await self._friends.of(player)
        except Outage as outage:
            _log.warning("friends_not_known", why=str(outage)[:200])
            if request.friends:
                raise Refusal("FRIENDS_UNKNOWN") from outage
        return Among(
            friends=tuple(sorted(friends)) if request.friends else None,
            rooms_of=tuple(sorted({player, *friends} - {""})),
            rating_min=low,
            rating_max=high,
        )

    async def LikePlay(self, request: w.LikePlayRequest, context: Any) -> w.LikePlayResponse:  # noqa: N802 - gRPC
        """Like a play that watchers are shown."""
        if shard_of(request.table_id) not in self._shards:
            raise Refusal("INVALID_ARGUMENT", field="table_id")
        if not 1 <= request.round_no <= ROUNDS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="round_no")
        if not 1 <= request.event_no <= EVENTS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="event_no")
        player = auth.current().player_id
        play = request.table_id, request.round_no, request.event_no
        await self._calls.watch(MayLike(play[0], player, play[1], play[2]))
        likes = await self._likes.add(f"{play[0]}/{play[1]}", play[2], player, self._clock.now_ms())
        try:
            await self._calls.watch(Liked(*play, likes))
        except Outage as outage:
            # It is kept; those who watch are told with the next one.
            _log.warning("like_not_told", table_id=play[0], why=str(outage))
        return w.LikePlayResponse(likes=likes)

    async def ListLikedPlays(  # noqa: N802 - gRPC
        self, request: w.ListLikedPlaysRequest, context: Any
    ) -> w.ListLikedPlaysResponse:
        """List the plays of a round that were liked."""
        table_id, _, number = request.round_id.rpartition("/")
        if (
            len(request.round_id) > ROUND_ID_CHARS_MAX
            or not TABLE_ID.fullmatch(table_id)
            or not (number.isascii() and number.isdigit())
        ):
            raise Refusal("INVALID_ARGUMENT", field="round_id")
        if not 0 <= request.page_size <= PLAYS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size")
        if request.page_token and not _EVENT_NO.fullmatch(request.page_token):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        size, after = request.page_size or PLAYS_MAX, int(request.page_token or 0)
        found = await self._likes.of_round(request.round_id, auth.current().player_id, size + 1, after)
        plays = [w.LikedPlay(event_no=play.event_no, likes=play.likes, mine=play.mine) for play in found]
        token = str(plays[size - 1].event_no) if len(plays) > size else ""
        return w.ListLikedPlaysResponse(plays=plays[:size], next_page_token=token)

    async def ListMyLikes(  # noqa: N802 - gRPC
        self, request: w.ListMyLikesRequest, context: Any
    ) -> w.ListMyLikesResponse:
        """List what the caller liked."""
        size = request.page_size or PAGE_SIZE
        if not 1 <= size <= PAGE_SIZE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size")
        before = _like(request.page_token)
        found = await self._likes.of_player(auth.player(), size + 1, before)
        likes = [
            w.MyLike(round_id=one.round_id, event_no=one.event_no, at_ms=one.at_ms) for one in found[:size]
        ]
        last = found[size - 1] if len(found) > size else None
        token = f"{last.at_ms}.{last.event_no}.{last.round_id}" if last is not None else ""
        return w.ListMyLikesResponse(likes=likes, next_page_token=token)


def _wanted(request: w.ListLiveTablesRequest) -> Wanted:
    for field, most in (("game", NAME_CHARS_MAX), ("preset", NAME_CHARS_MAX), ("hall_id", HALL_ID_CHARS_MAX)):
        if len(getattr(request, field)) > most:
            raise Refusal("INVALID_ARGUMENT", field=field)
    if not 0 <= request.base_stake_min <= COINS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="base_stake_min")
    players = tuple(dict.fromkeys(request.player_ids))
    if len(players) > PLAYERS_MAX or any(not 0 < len(player) <= NAME_CHARS_MAX for player in players):
        raise Refusal("INVALID_ARGUMENT", field="player_ids")
    return Wanted(request.game, request.preset, request.hall_id, request.base_stake_min, players)


def _like(token: str) -> Like | None:
    if not token:
        return None
    read = _LIKE.fullmatch(token)
    if read is None:
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return Like(int(read[1]), read[3], int(read[2]))


def _after(token: str) -> Key | None:
    if not token:
        return None
    read = _TOKEN.fullmatch(token)
    if read is None:
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return -int(read[1]), -int(read[2]), read[3]
