"""Write what the page must know of the protos as JSON, or check that what is there is fresh.

Usage: ``python -m services.gateway.web.tools.page_protos [--check]``. The page has a small codec of its own
(``js/net/codec.mjs``) that reads this table; generated JavaScript would need ``eval``, which its
Content-Security-Policy forbids, or half a megabyte of code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from paiju.accounts.v1 import (
    accounts_service_pb2,
    friend_service_pb2,
    presence_service_pb2,
    protection_service_pb2,
)
from paiju.chat.v1 import chat_service_pb2
from paiju.economy.v1 import dispute_service_pb2, economy_service_pb2, topup_service_pb2
from paiju.gateway.v1 import gateway_service_pb2
from paiju.matchmaking.v1 import matchmaking_service_pb2
from paiju.progress.v1 import progress_service_pb2, rating_service_pb2
from paiju.scoring.v1 import scoring_service_pb2
from paiju.table.v1 import play_pb2, replay_service_pb2, table_service_pb2, watch_service_pb2

TARGET: Final = Path(__file__).parents[1] / "js" / "net" / "protos.json"
"""Where the table lies."""

ROOTS: Final[tuple[Descriptor, ...]] = (
    gateway_service_pb2.PlayRequest.DESCRIPTOR,
    gateway_service_pb2.PlayResponse.DESCRIPTOR,
    play_pb2.Frame.DESCRIPTOR,
    play_pb2.TableView.DESCRIPTOR,
)
"""Messages that travel by themselves; what they hold follows."""

METHODS: Final[dict[Any, tuple[str, ...]]] = {
    accounts_service_pb2.DESCRIPTOR.services_by_name["AccountsService"]: (
        "CreateChallenge",
        "SignInGuest",
        "RefreshSession",
        "GetProfile",
        "UpdateProfile",
        "BatchGetProfiles",
        "ListProfileChoices",
        "ListSessions",
        "RevokeSession",
        "RevokeOtherSessions",
        "ListWaysIn",
        "RemoveWayIn",
        "AddDeviceKey",
        "SetPassword",
        "SignInPassword",
        "ListOidcProviders",
        "BeginOidc",
        "FinishOidc",
        "ExportMyData",
        "DeleteAccount",
        "CreateApiKey",
        "ListApiKeys",
        "RotateApiKey",
        "RevokeApiKey",
        "ListStaffLog",
        "FindPeople",
        "GetPerson",
        "SuspendPlayer",
        "LiftSuspension",
        "GrantRole",
        "RevokeRole",
        "ListStaff",
    ),
    protection_service_pb2.DESCRIPTOR.services_by_name["ProtectionService"]: (
        "GetProtection",
        "SetLimits",
        "ExcludeSelf",
        "DeclareAge",
        "SetAgeBand",
    ),
    friend_service_pb2.DESCRIPTOR.services_by_name["FriendService"]: (
        "FindPlayers",
        "AskFriend",
        "WithdrawFriendRequest",
        "AcceptFriend",
        "DeclineFriend",
        "RemoveFriend",
        "BlockPlayer",
        "UnblockPlayer",
        "GetFriendship",
        "ListFriends",
        "ListFriendRequests",
        "ListBlockedPlayers",
        "InviteFriend",
    ),
    presence_service_pb2.DESCRIPTOR.services_by_name["PresenceService"]: (
        "ListFriendsPresence",
        "SetPresenceShown",
        "ListRoomInvitations",
        "DismissRoomInvitation",
    ),
    chat_service_pb2.DESCRIPTOR.services_by_name["ChatService"]: ("PostMessage", "ListMessages"),
    economy_service_pb2.DESCRIPTOR.services_by_name["EconomyService"]: (
        "GetWallet",
        "ListEntries",
        "GetSettlement",
        "GetDay",
        "ClaimRelief",
    ),
    topup_service_pb2.DESCRIPTOR.services_by_name["TopUpService"]: (
        "ListProducts",
        "CreateOrder",
        "GetOrder",
        "ListOrders",
        "ExchangeGems",
        "InspectOrder",
        "RefundOrder",
        "ListPaymentProblems",
        "ResolvePaymentProblem",
        "ListDebts",
        "FindOrders",
        "WaiveDebt",
    ),
    dispute_service_pb2.DESCRIPTOR.services_by_name["DisputeService"]: (
        "ListDisputes",
        "GetDispute",
        "ResolveDispute",
        "ListAlerts",
        "AcknowledgeAlert",
        "ListHeldStakes",
    ),
    matchmaking_service_pb2.DESCRIPTOR.services_by_name["MatchmakingService"]: (
        "ListHalls",
        "CreateTicket",
        "GetTicket",
        "CancelTicket",
        "CreateRoom",
        "GetRoom",
        "JoinRoom",
        "LeaveRoom",
        "SetRoomReady",
        "FillRoomWithBots",
        "KickFromRoom",
        "MoveSeat",
        "SwapSeats",
        "HandOverRoom",
        "SetRoomRules",
        "CloseRoom",
        "Rematch",
        "GetRoomSheet",
        "ListRooms",
        "ListRoomPrices",
        "GetWhereabouts",
    ),
    progress_service_pb2.DESCRIPTOR.services_by_name["ProgressService"]: (
        "GetSignIn",
        "SignIn",
        "GetStatistics",
        "ListStatisticsDays",
        "SetStatisticsVisibility",
    ),
    rating_service_pb2.DESCRIPTOR.services_by_name["RatingService"]: ("ListRatings",),
    scoring_service_pb2.DESCRIPTOR.services_by_name["ScoringService"]: ("GetAudit", "AuditRecord"),
    watch_service_pb2.DESCRIPTOR.services_by_name["WatchService"]: ("ListLiveTables", "LikePlay"),
    replay_service_pb2.DESCRIPTOR.services_by_name["ReplayService"]: (
        "GetReplay",
        "CheckRecord",
        "ExplainDecision",
        "ShareRound",
        "RevokeShare",
        "ListShares",
        "ListHistory",
        "SetFavourite",
        "RemoveFavourite",
    ),
    table_service_pb2.DESCRIPTOR.services_by_name["TableService"]: (
        "GetRecord",
        "ListRecords",
        "ListGames",
        "ListSeats",
    ),
}
"""The methods that the page calls."""

_KINDS: Final = {
    FieldDescriptor.TYPE_INT32: "int",
    FieldDescriptor.TYPE_INT64: "int",
    FieldDescriptor.TYPE_UINT32: "uint",
    FieldDescriptor.TYPE_UINT64: "uint",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_ENUM: "enum",
}


def field_row(field: FieldDescriptor, messages: dict[str, Any], enums: dict[str, Any]) -> list[Any]:
    """Return ``[number, name, kind, shape, type]``; shape: ``one``, ``many``, ``map``, ``oneof:<name>``."""
    shape = "many" if field.is_repeated else "one"
    if field.containing_oneof is not None:
        shape = f"oneof:{field.containing_oneof.name}"
    if field.message_type is not None:
        if field.message_type.GetOptions().map_entry:
            shape = "map"
        add(field.message_type, messages, enums)
        return [field.number, field.name, "message", shape, field.message_type.full_name]
    if field.enum_type is not None:
        enums[field.enum_type.full_name] = {str(v.number): v.name for v in field.enum_type.values}
        return [field.number, field.name, "enum", shape, field.enum_type.full_name]
    return [field.number, field.name, _KINDS[field.type], shape, ""]


def add(message: Descriptor, messages: dict[str, Any], enums: dict[str, Any]) -> None:
    """Put a message and all that it holds into ``messages``."""
    if message.full_name in messages:
        return
    messages[message.full_name] = rows = []
    for field in message.fields:
        rows.append(field_row(field, messages, enums))  # noqa: PERF401 - the list stands in `messages` already


def table() -> dict[str, Any]:
    """Return the whole table."""
    messages: dict[str, Any] = {}
    enums: dict[str, Any] = {}
    methods: dict[str, list[str]] = {}
    for root in ROOTS:
        add(root, messages, enums)
    for service, names in METHODS.items():
        for name in names:
            method: MethodDescriptor = service.methods_by_name[name]
            add(method.input_type, messages, enums)
            add(method.output_type, messages, enums)
            methods[f"{service.full_name}/{name}"] = [
                method.input_type.full_name,
                method.output_type.full_name,
            ]
    return {"enums": enums, "messages": messages, "methods": methods}


def text() -> str:
    """Return the file's text: one message a line, sorted."""
    parts = table()
    blocks = []
    for part in ("enums", "messages", "methods"):
        rows = [
            f"{json.dumps(name)}: {json.dumps(parts[part][name], separators=(',', ':'))}"
            for name in sorted(parts[part])
        ]
        blocks.append(f'"{part}": {{\n' + ",\n".join(rows) + "\n}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main(arguments: list[str]) -> int:
    """Write the table, or with ``--check`` return 1 when the committed one is stale."""
    if "--check" in arguments:
        return 0 if TARGET.exists() and TARGET.read_text("utf-8") == text() else 1
    TARGET.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
