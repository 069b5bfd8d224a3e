"""What the services would say to the pages of a stage: a full book, closed halls, devices and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from paiju.accounts.v1 import friend_service_pb2 as friends
from paiju.accounts.v1 import presence_service_pb2 as presence
from paiju.economy.v1 import dispute_service_pb2 as disputes
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.scoring.v1 import scoring_service_pb2 as scoring
from paiju.table.v1 import table_service_pb2 as tables
from paiju.table.v1 import watch_service_pb2 as watching

from services.economy.core.kinds import KINDS

DAY_MS: Final = 86_400_000
HOUR_MS: Final = 3_600_000
OF_PLAYERS: Final = tuple(
    kind
    for kind, spots in KINDS.items()
    if {"wallet", "stake"} & {spot.place for spot in spots.takes_from | spots.gives_to}
)
"""Kinds of entries that a player can have."""

REQUESTS: Final[Mapping[str, Any]] = {
    "ListEntries": economy.ListEntriesRequest,
    "GetDay": economy.GetDayRequest,
    "ListHeldStakes": disputes.ListHeldStakesRequest,
    "GetAudit": scoring.GetAuditRequest,
    "AuditRecord": scoring.AuditRecordRequest,
    "GetSettlement": economy.GetSettlementRequest,
    "ListSeats": tables.ListSeatsRequest,
    "ListWaysIn": accounts.ListWaysInRequest,
    "ListSessions": accounts.ListSessionsRequest,
    "ListApiKeys": accounts.ListApiKeysRequest,
    "ListOidcProviders": accounts.ListOidcProvidersRequest,
    "ListFriends": friends.ListFriendsRequest,
    "ListFriendRequests": friends.ListFriendRequestsRequest,
    "ListBlockedPlayers": friends.ListBlockedPlayersRequest,
    "ListFriendsPresence": presence.ListFriendsPresenceRequest,
    "ListRoomInvitations": presence.ListRoomInvitationsRequest,
    "DismissRoomInvitation": presence.DismissRoomInvitationRequest,
    "ListLiveTables": watching.ListLiveTablesRequest,
}
"""The requests of these methods, for whoever reads them from the wire."""

Handlers = Mapping[str, Callable[[Any], Message]]


def page_handlers(player_id: str, now_ms: int, entries: int = 120) -> Handlers:
    """Return what answers the pages of a player who has seen everything.

    Args:
        player_id: Whose pages.
        now_ms: Unix milliseconds.
        entries: How many entries his book has.
    """
    book = [_entry(player_id, at, now_ms - at * HOUR_MS) for at in range(entries)]

    def list_entries(request: economy.ListEntriesRequest) -> Message:
        wanted = [entry for entry in book if request.currency in ("", entry.currency)]
        begin = int(request.page_token or 0)
        size = request.page_size or 20
        rest = begin + size < len(wanted)
        return economy.ListEntriesResponse(
            entries=wanted[begin : begin + size], next_page_token=str(begin + size) if rest else ""
        )

    held = economy.Money(currency="gold", amount=2_640)
    return {
        "GetWallet": lambda _: economy.GetWalletResponse(
            balances=[
                economy.Money(currency=currency, amount=amount)
                for currency, amount in (("gold", 20_000), ("room_card", 6), ("activity", 180), ("gem", 60))
            ],
            staked=[held],
        ),
        "ListEntries": list_entries,
        "GetDay": lambda _: _day(now_ms),
        "ListHeldStakes": lambda _: disputes.ListHeldStakesResponse(
            held=[
                disputes.HeldStake(
                    match_id="m_held",
                    money=held,
                    round_id="m_held/3",
                    since_ms=now_ms - DAY_MS,
                    is_closing=True,
                )
            ]
        ),
        "ListSeats": lambda _: tables.ListSeatsResponse(),
        "ListWaysIn": lambda _: accounts.ListWaysInResponse(ways=_ways(now_ms)),
        "ListSessions": lambda _: accounts.ListSessionsResponse(sessions=_sessions(now_ms)),
        "ListApiKeys": lambda _: accounts.ListApiKeysResponse(keys=_keys(player_id, now_ms)),
        "ListOidcProviders": lambda _: accounts.ListOidcProvidersResponse(
            providers=[accounts.OidcProvider(provider_id="school", title="校园账号")]
        ),
    }


def _entry(player_id: str, at: int, at_ms: int) -> economy.Entry:
    kind = OF_PLAYERS[at % len(OF_PLAYERS)]
    spots = KINDS[kind].takes_from | KINDS[kind].gives_to
    of_player = sorted(spot for spot in spots if spot.place in ("wallet", "stake"))
    comes = kind == "stake_close" or not any(spot in of_player for spot in KINDS[kind].takes_from)
    is_at_table = kind == "settlement"
    if is_at_table:
        comes = at % 3 != 0
    return economy.Entry(
        transfer_id=f"t{at}",
        kind=kind,
        currency=of_player[0].currency,
        amount=(1 if comes else -1) * (at * 137 % 9_000 + 20),
        balance_after=20_000 + at * 31,
        account=f"stake/m_{at}/0" if is_at_table else f"wallet/{player_id}",
        reference=f"m_{at}/1",
        at_ms=at_ms,
        fee=20 if is_at_table else 0,
    )


def _day(now_ms: int) -> economy.GetDayResponse:
    relief = economy.Relief(gold=3_000, below=3_000, per_day=3, left=2)
    ends = now_ms + 6 * HOUR_MS
    return economy.GetDayResponse(
        day="2026-01-01", ends_at_ms=ends, net=-48_200, loss_cap=50_000, win_cap=200_000, relief=relief
    )


def _ways(now_ms: int) -> list[accounts.WayIn]:
    return [
        accounts.WayIn(kind="key", id="5f" * 32, created_at_ms=now_ms - 40 * DAY_MS),
        accounts.WayIn(kind="key", id="07" * 32, created_at_ms=now_ms - DAY_MS),
        accounts.WayIn(kind="password", id="shan.shui", created_at_ms=now_ms - 30 * DAY_MS),
        accounts.WayIn(
            kind="oidc", id="school", title="shan.shui@example.org", created_at_ms=now_ms - 9 * DAY_MS
        ),
    ]


def _sessions(now_ms: int) -> list[accounts.PlayerSession]:
    devices = [
        ("Paiju page (Android)", "203.0.113.7", "guest"),
        ("Paiju page (Windows)", "2001:db8:7::/64", "password"),
        ("Paiju page (iPad)", "198.51.100.20", "oidc:school"),
    ]
    return [
        accounts.PlayerSession(
            session_id=f"s{at}",
            device=device,
            network=network,
            way=way,
            created_at_ms=now_ms - (at + 1) * DAY_MS,
            used_at_ms=now_ms - at * DAY_MS,
            is_current=at == 0,
        )
        for at, (device, network, way) in enumerate(devices)
    ]


def _keys(player_id: str, now_ms: int) -> list[accounts.ApiKey]:
    old = accounts.ApiKeySecret(
        prefix="pk_3fa9", created_at_ms=now_ms - 9 * DAY_MS, expires_at_ms=now_ms + 5 * DAY_MS
    )
    return [
        accounts.ApiKey(
            key_id="k_1",
            player_id=player_id,
            name="联赛机器人",
            scopes=["play", "records.read"],
            per_minute=600,
            per_day=50_000,
            created_at_ms=now_ms - 9 * DAY_MS,
            used_at_ms=now_ms - HOUR_MS,
            secrets=[old],
        ),
        accounts.ApiKey(
            key_id="k_0",
            player_id=player_id,
            name="旧的",
            scopes=["wallet.read"],
            created_at_ms=now_ms - 90 * DAY_MS,
            revoked_at_ms=now_ms - 20 * DAY_MS,
        ),
    ]
