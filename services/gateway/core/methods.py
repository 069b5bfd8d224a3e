"""The methods of other services that players may call, and within which bounds; no others can be called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from services.chassis.access import Access
from services.chassis.limits import Rate

MESSAGE_BYTES_MAX: Final = 16 * 1024
"""What a client may send at once, through any door."""
READ_BYTES_MAX: Final = 4 * MESSAGE_BYTES_MAX
"""What is larger on a connection is not read, or ends it; up to here a call is refused by itself."""
RECORD_MESSAGE_BYTES_MAX: Final = 260 * 1024
"""A record (docs/record-format.md) and what names its field; only over HTTP, where nothing waits for it."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method."""

    path: str
    """`paiju.matchmaking.v1.MatchmakingService/CreateTicket`."""
    access: Access
    """`public`, `player` or `staff:<role>`; the service looks again."""
    deadline_s: float
    rate: Rate
    """Per player, or per address for one who is not signed in."""
    bytes_max: int = MESSAGE_BYTES_MAX
    """A longer request is refused before it is read."""
    login_field: str = ""
    """A field of the request that, left empty, means the session the caller is signed in with."""
    has_code: bool = False
    """Whether the request names a room by its code, and the answer tells a stranger if there is one."""

    @property
    def service(self) -> str:
        """The folder's name of the service."""
        return self.path.split(".", 2)[1]


READ: Final = Rate(per_s=5, burst=20)
WRITE: Final = Rate(per_s=2, burst=10)
RARE: Final = Rate(per_s=0.5, burst=10)
SIGN_IN: Final = Rate(per_s=2, burst=30)
"""Per address; a school or a café is one address. The service itself limits more finely, by device."""


BYTES_MAX: Final = {
    f"paiju.{name}": RECORD_MESSAGE_BYTES_MAX
    for name in (
        "scoring.v1.ScoringService/AuditRecord",
        "table.v1.ReplayService/CheckRecord",
        "table.v1.ReplayService/ExplainDecision",
    )
}
"""`Method.bytes_max`, by path, where it is more than `MESSAGE_BYTES_MAX`."""

LOGIN_FIELDS: Final = {
    f"paiju.accounts.v1.AccountsService/{name}": "session_id"
    for name in ("ListSessions", "RevokeOtherSessions", "RevokeSession", "SetPassword")
}
"""`Method.login_field`, by path."""

CODED: Final = frozenset(
    f"paiju.matchmaking.v1.MatchmakingService/{name}"
    for name in (
        "CloseRoom",
        "FillRoomWithBots",
        "GetRoom",
        "HandOverRoom",
        "JoinRoom",
        "KickFromRoom",
        "MoveSeat",
        "SetRoomReady",
        "SetRoomRules",
        "SwapSeats",
    )
)
"""`Method.has_code`: whose request has a `room_code`, but for `LeaveRoom`: its answer says nothing of it."""


def _service(name: str, *methods: tuple[str, Access, float, Rate], of: str = "") -> list[Method]:
    """Return methods of one proto service, `<of>Service`; without `of` the one called like the folder.

    It stands in `<of>_service.proto`, in small letters.
    """
    full = f"paiju.{name}.v1.{of or name.capitalize()}Service"
    return [
        Method(
            f"{full}/{method}",
            access,
            deadline_s,
            rate,
            BYTES_MAX.get(f"{full}/{method}", MESSAGE_BYTES_MAX),
            LOGIN_FIELDS.get(f"{full}/{method}", ""),
            f"{full}/{method}" in CODED,
        )
        for method, access, deadline_s, rate in methods
    ]


METHODS: Final[Mapping[str, Method]] = {
    method.path: method
    for method in (
        *_service(
            "accounts",
            ("CreateChallenge", "public", 5.0, SIGN_IN),
            ("SignInGuest", "public", 5.0, SIGN_IN),
            ("RefreshSession", "public", 5.0, SIGN_IN),
            ("GetSigningKeys", "public", 2.0, READ),
            ("RevokeSession", "player", 5.0, WRITE),
            ("GetProfile", "player", 2.0, READ),
            ("UpdateProfile", "player", 5.0, RARE),
            ("BatchGetProfiles", "player", 2.0, READ),
            ("ListProfileChoices", "public", 2.0, READ),
            ("ListSessions", "player", 2.0, READ),
            ("RevokeOtherSessions", "player", 5.0, WRITE),
            ("ListWaysIn", "player", 2.0, READ),
            ("RemoveWayIn", "player", 5.0, RARE),
            ("AddDeviceKey", "player", 5.0, RARE),
            ("SetPassword", "player", 10.0, RARE),
            ("SignInPassword", "public", 10.0, SIGN_IN),
            ("ListOidcProviders", "public", 2.0, READ),
            ("BeginOidc", "public", 10.0, SIGN_IN),
            ("FinishOidc", "public", 15.0, SIGN_IN),
            ("ExportMyData", "player", 10.0, READ),
            ("DeleteAccount", "player", 10.0, RARE),
            ("CreateApiKey", "player", 5.0, RARE),
            ("ListApiKeys", "player", 2.0, READ),
            ("RotateApiKey", "player", 5.0, RARE),
            ("RevokeApiKey", "player", 5.0, RARE),
            ("ExchangeApiKey", "public", 5.0, SIGN_IN),
            ("GrantRole", "staff:admin", 5.0, WRITE),
            ("RevokeRole", "staff:admin", 5.0, WRITE),
            ("ListStaff", "staff:admin", 2.0, READ),
            ("ListStaffLog", "staff:admin", 3.0, READ),
            ("FindPeople", "staff:support", 3.0, READ),
            ("GetPerson", "staff:support", 3.0, READ),
            ("SuspendPlayer", "staff:admin", 5.0, WRITE),
            ("LiftSuspension", "staff:admin", 5.0, WRITE),
        ),
        *_service(
            "accounts",
            ("GetProtection", "player", 2.0, READ),
            ("SetLimits", "player", 5.0, RARE),
            ("ExcludeSelf", "player", 5.0, RARE),
            ("DeclareAge", "player", 5.0, RARE),
            ("SetAgeBand", "staff:admin", 5.0, WRITE),
            of="Protection",
        ),
        *_service(
            "accounts",
            ("FindPlayers", "player", 3.0, WRITE),
            ("AskFriend", "player", 5.0, WRITE),
            ("WithdrawFriendRequest", "player", 5.0, WRITE),
            ("AcceptFriend", "player", 5.0, WRITE),
            ("DeclineFriend", "player", 5.0, WRITE),
            ("RemoveFriend", "player", 5.0, WRITE),
            ("BlockPlayer", "player", 5.0, WRITE),
            ("UnblockPlayer", "player", 5.0, WRITE),
            ("GetFriendship", "player", 2.0, READ),
            ("ListFriends", "player", 2.0, READ),
            ("ListFriendRequests", "player", 2.0, READ),
            ("ListBlockedPlayers", "player", 2.0, READ),
            ("InviteFriend", "player", 5.0, WRITE),
            of="Friend",
        ),
        *_service(
            "accounts",
            ("ListFriendsPresence", "player", 2.0, READ),
            ("SetPresenceShown", "player", 5.0, WRITE),
            ("ListRoomInvitations", "player", 5.0, READ),
            ("DismissRoomInvitation", "player", 5.0, WRITE),
            of="Presence",
        ),
        *_service(
            "matchmaking",
            ("ListHalls", "player", 2.0, READ),
            ("CreateTicket", "player", 5.0, WRITE),
            ("GetTicket", "player", 2.0, READ),
            ("CancelTicket", "player", 5.0, WRITE),
            ("CreateRoom", "player", 5.0, RARE),
            ("GetRoom", "player", 2.0, READ),
            ("JoinRoom", "player", 5.0, WRITE),
            ("LeaveRoom", "player", 5.0, WRITE),
            ("SetRoomReady", "player", 5.0, WRITE),
            ("FillRoomWithBots", "player", 5.0, WRITE),
            ("KickFromRoom", "player", 5.0, WRITE),
            ("MoveSeat", "player", 5.0, WRITE),
            ("SwapSeats", "player", 5.0, WRITE),
            ("HandOverRoom", "player", 5.0, WRITE),
            ("SetRoomRules", "player", 5.0, WRITE),
            ("CloseRoom", "player", 5.0, WRITE),
            ("Rematch", "player", 5.0, RARE),
            ("GetRoomSheet", "player", 5.0, READ),
            ("ListRooms", "player", 3.0, READ),
            ("ListRoomPrices", "player", 2.0, READ),
            ("GetWhereabouts", "player", 3.0, READ),
        ),
        *_service(
            "table",
            ("ListGames", "public", 2.0, READ),
            ("GetTable", "player", 3.0, READ),
            ("GetRecord", "player", 5.0, READ),
            ("ListRecords", "player", 5.0, READ),
            ("ListSeats", "player", 3.0, READ),
            ("CheckTableSpec", "player", 3.0, READ),
        ),
        *_service(
            "table",
            ("ListLiveTables", "player", 5.0, READ),
            ("LikePlay", "player", 3.0, WRITE),
            ("ListLikedPlays", "player", 3.0, READ),
            ("ListMyLikes", "player", 3.0, READ),
            of="Watch",
        ),
        *_service(
            "table",
            ("GetReplay", "player", 5.0, READ),
            ("CheckRecord", "player", 5.0, RARE),
            ("ExplainDecision", "player", 5.0, READ),
            ("ShareRound", "player", 5.0, WRITE),
            ("RevokeShare", "player", 5.0, WRITE),
            ("ListShares", "player", 3.0, READ),
            ("ListHistory", "player", 5.0, READ),
            ("SetFavourite", "player", 5.0, WRITE),
            ("RemoveFavourite", "player", 5.0, WRITE),
            of="Replay",
        ),
        *_service(
            "economy",
            ("GetWallet", "player", 2.0, READ),
            ("ListEntries", "player", 3.0, READ),
            ("GetSettlement", "player", 2.0, READ),
            ("GetDay", "player", 3.0, READ),
            ("ClaimRelief", "player", 5.0, RARE),
        ),
        *_service(
            "economy",
            ("ListDisputes", "staff:disputes", 3.0, READ),
            ("GetDispute", "staff:disputes", 10.0, READ),
            ("ResolveDispute", "staff:disputes", 10.0, WRITE),
            ("ListAlerts", "staff:disputes", 3.0, READ),
            ("AcknowledgeAlert", "staff:disputes", 5.0, WRITE),
            ("ListHeldStakes", "player", 3.0, READ),
            of="Dispute",
        ),
        *_service(
            "economy",
            ("ListProducts", "player", 2.0, READ),
            ("CreateOrder", "player", 10.0, RARE),
            ("GetOrder", "player", 2.0, READ),
            ("ListOrders", "player", 3.0, READ),
            ("ExchangeGems", "player", 5.0, WRITE),
            ("InspectOrder", "staff:money", 3.0, READ),
            ("RefundOrder", "staff:money", 15.0, RARE),
            ("ListPaymentProblems", "staff:money", 3.0, READ),
            ("ResolvePaymentProblem", "staff:money", 5.0, WRITE),
            ("ListDebts", "staff:money", 3.0, READ),
            ("FindOrders", "staff:money", 3.0, READ),
            ("WaiveDebt", "staff:money", 5.0, WRITE),
            of="TopUp",
        ),
        *_service("chat", ("PostMessage", "player", 3.0, WRITE), ("ListMessages", "player", 2.0, READ)),
        *_service(
            "progress",
            ("GetSignIn", "player", 2.0, READ),
            ("SignIn", "player", 5.0, RARE),
            ("GetStatistics", "player", 2.0, READ),
            ("ListStatisticsDays", "player", 2.0, READ),
            ("SetStatisticsVisibility", "player", 5.0, WRITE),
        ),
        *_service(
            "progress",
            ("GetRating", "player", 2.0, READ),
            ("ListRatings", "player", 2.0, READ),
            of="Rating",
        ),
        *_service(
            "scoring",
            ("ScoreHand", "public", 5.0, RARE),
            ("AuditRecord", "player", 10.0, RARE),
            ("GetAudit", "player", 2.0, READ),
        ),
    )
}
"""By path."""
