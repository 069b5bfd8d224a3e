"""Everything the platform holds about a person, gathered from the services that hold it.

A service that begins to hold something about people adds a section here: a name, and a call that pages
through it. What is gathered is asked for in the name of the player, through the same RPCs as the page's.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from paiju.accounts.v1 import protection_service_pb2 as protection_pb
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from paiju.anticheat.v1 import anticheat_service_pb2 as anticheat_pb
from paiju.anticheat.v1.anticheat_service_pb2_grpc import AnticheatServiceStub
from paiju.chat.v1 import chat_service_pb2 as chat_pb
from paiju.chat.v1.chat_service_pb2_grpc import ChatServiceStub
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1 import topup_service_pb2 as topup_pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.topup_service_pb2_grpc import TopUpServiceStub
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking_pb
from paiju.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from paiju.progress.v1 import progress_service_pb2 as progress_pb
from paiju.progress.v1 import rating_service_pb2 as rating_pb
from paiju.progress.v1.progress_service_pb2_grpc import ProgressServiceStub
from paiju.progress.v1.rating_service_pb2_grpc import RatingServiceStub
from paiju.table.v1 import replay_service_pb2 as replay_pb
from paiju.table.v1 import table_service_pb2 as table_pb
from paiju.table.v1 import watch_service_pb2 as watch_pb
from paiju.table.v1.replay_service_pb2_grpc import ReplayServiceStub
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub
from paiju.table.v1.watch_service_pb2_grpc import WatchServiceStub

from services.accounts.store import about, friend_lists, presence
from services.chassis import auth
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.chassis.rpc import Rpc

PAGE: Final = 100
PART_CHARACTERS_MAX: Final = 48_000
"""An answer takes in further sections until it is about so long."""

Fetch = Callable[[str, str], Awaitable[tuple[Any, str]]]
"""`(player_id, cursor)` → what is held (an object or a list), and the next cursor; empty = no more."""


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of data."""

    service: str
    name: str
    fetch: Fetch


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a section, as JSON."""

    service: str
    name: str
    json: str


class Export:
    """The sections, in order."""

    def __init__(self, db: Database, rpc: Rpc) -> None:
        self._db = db
        economy, topup = rpc.client(EconomyServiceStub, "economy"), rpc.client(TopUpServiceStub, "economy")
        protection = rpc.client(ProtectionServiceStub, "accounts")
        table, progress = rpc.client(TableServiceStub, "table"), rpc.client(ProgressServiceStub, "progress")
        rating = rpc.client(RatingServiceStub, "progress")
        matchmaking = rpc.client(MatchmakingServiceStub, "matchmaking")
        replay, watch = rpc.client(ReplayServiceStub, "table"), rpc.client(WatchServiceStub, "table")
        anticheat, chat = rpc.client(AnticheatServiceStub, "anticheat"), rpc.client(ChatServiceStub, "chat")
        self.sections: tuple[Section, ...] = (
            Section("accounts", "person", self._person),
            Section("accounts", "friends", self._friends),
            Section("accounts", "staff_log", self._staff_log),
            _one("accounts", "protection", protection.GetProtection, protection_pb.GetProtectionRequest),
            _one("economy", "wallet", economy.GetWallet, economy_pb.GetWalletRequest),
            _one("economy", "day", economy.GetDay, economy_pb.GetDayRequest),
            _paged("economy", "entries", economy.ListEntries, economy_pb.ListEntriesRequest),
            _paged("economy", "orders", topup.ListOrders, topup_pb.ListOrdersRequest),
            _paged("table", "records", table.ListRecords, table_pb.ListRecordsRequest),
            _paged("table", "favourites", replay.ListHistory, replay_pb.ListHistoryRequest, favourites=True),
            _paged("table", "shares", replay.ListShares, replay_pb.ListSharesRequest),
            _paged("table", "likes", watch.ListMyLikes, watch_pb.ListMyLikesRequest),
            _one("table", "seats", table.ListSeats, table_pb.ListSeatsRequest),
            _one(
                "matchmaking", "whereabouts", matchmaking.GetWhereabouts, matchmaking_pb.GetWhereaboutsRequest
            ),
            _paged("matchmaking", "rooms", matchmaking.ListRooms, matchmaking_pb.ListRoomsRequest),
            _one("progress", "sign_in", progress.GetSignIn, progress_pb.GetSignInRequest),
            _one("progress", "statistics", progress.GetStatistics, progress_pb.GetStatisticsRequest),
            Section("progress", "statistics_days", _statistics_days(progress)),
            _paged("progress", "ratings", rating.ListRatings, rating_pb.ListRatingsRequest),
            _one(
                "anticheat",
                "statistics",
                anticheat.GetPlayerStatistics,
                anticheat_pb.GetPlayerStatisticsRequest,
            ),
            _paged("chat", "messages", chat.ListPlayerMessages, chat_pb.ListPlayerMessagesRequest),
        )

    async def page(self, player_id: str, token: str) -> tuple[list[Part], str]:
        """Return the parts from a token on, and the token of the next; empty = that was all.

        Raises:
            Refusal: INVALID_ARGUMENT: no such token.
            Outage: A service can't be reached: what it holds is not left out in silence.
        """
        index, cursor = self._place(token)
        parts: list[Part] = []
        size = 0
        while index < len(self.sections) and size < PART_CHARACTERS_MAX:
            section = self.sections[index]
            with auth.acting_for(player_id):
                held, cursor = await section.fetch(player_id, cursor)
            text = json.dumps(held, ensure_ascii=False)
            parts.append(Part(section.service, section.name, text))
            size += len(text)
            if not cursor:
                index += 1
        if index == len(self.sections):
            return parts, ""
        following = self.sections[index]
        return parts, f"{following.service}.{following.name}:{cursor}"

    def _place(self, token: str) -> tuple[int, str]:
        if not token:
            return 0, ""
        name, _, cursor = token.partition(":")
        for index, section in enumerate(self.sections):
            if f"{section.service}.{section.name}" == name:
                return index, cursor
        raise Refusal("INVALID_ARGUMENT", field="page_token")

    async def _person(self, player_id: str, cursor: str) -> tuple[Any, str]:
        return await self._db.read(lambda connection: about.person(connection, player_id)), ""

    async def _friends(self, player_id: str, cursor: str) -> tuple[Any, str]:
        return await self._db.read(
            lambda connection: (
                friend_lists.everything(connection, player_id) | presence.everything(connection, player_id)
            )
        ), ""

    async def _staff_log(self, player_id: str, cursor: str) -> tuple[Any, str]:
        if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        below = int(cursor) if cursor else None
        return await self._db.read(lambda connection: about.deeds(connection, player_id, below, PAGE))


def _one(service: str, name: str, call: Callable[[Any], Awaitable[Any]], request: type[Message]) -> Section:
    async def fetch(player_id: str, cursor: str) -> tuple[Any, str]:
        return MessageToDict(await call(_asked(request, player_id))), ""

    return Section(service, name, fetch)


def _paged(
    service: str, name: str, call: Callable[[Any], Awaitable[Any]], request: type[Message], **wanted: Any
) -> Section:
    async def fetch(player_id: str, cursor: str) -> tuple[Any, str]:
        answer = await call(_asked(request, player_id, page_size=PAGE, page_token=cursor, **wanted))
        held = MessageToDict(answer)
        following = str(held.pop("nextPageToken", ""))
        # What is left is the one list of the answer, or nothing.
        return next(iter(held.values()), []), following

    return Section(service, name, fetch)


def _statistics_days(progress: ProgressServiceStub) -> Fetch:
    """Return what was played day by day, one game and preset after the other: the cursor counts them."""

    async def fetch(player_id: str, cursor: str) -> tuple[Any, str]:
        number, _, token = (cursor or "0 ").partition(" ")
        if not (number.isascii() and number.isdigit() and len(number) <= 3):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        known = await progress.GetStatistics(progress_pb.GetStatisticsRequest(player_id=player_id))
        played, at = [(one.game, one.preset) for one in known.statistics], int(number)
        if at >= len(played):
            return [], ""
        game, preset = played[at]
        answer = await progress.ListStatisticsDays(
            progress_pb.ListStatisticsDaysRequest(
                player_id=player_id, game=game, preset=preset, page_size=PAGE, page_token=token
            )
        )
        days = [{"game": game, "preset": preset, **MessageToDict(one)} for one in answer.days]
        if answer.next_page_token:
            return days, f"{at} {answer.next_page_token}"
        return days, f"{at + 1} " if at + 1 < len(played) else ""

    return fetch


def _asked(request: type[Message], player_id: str, **more: Any) -> Message:
    if "player_id" in request.DESCRIPTOR.fields_by_name:
        more["player_id"] = player_id
    return request(**more)
