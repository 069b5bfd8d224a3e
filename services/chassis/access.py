"""Words of access: who may call what, staff's roles, integrators' scopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from services.chassis.errors import Refusal

Kind = Literal["player", "integrator", "service", "operator"]
Role = Literal["admin", "disputes", "money", "support"]
Access = Literal[
    "public", "player", "service", "operator", "staff:admin", "staff:disputes", "staff:money", "staff:support"
]
"""Who may call a method: `public` anyone, also without a token; `player` a player, an integrator with the
scope, or a service (for a player or not); `service` services and operators; `operator` operators only;
`staff:<role>` a player with that role or the role `admin` (also through a service that acts for him), and
operators."""

AccessTable = Mapping[str, Access]
"""Method name (`GetBalance`) → who may call it. A method that isn't in its table is a defect at start."""

ROLES: Final[tuple[Role, ...]] = ("admin", "disputes", "money", "support")
"""`support` reads people and money, `disputes` resolves rounds, `money` refunds and grants, `admin` gives
roles and keys, and may do what the others may."""
SCOPES: Final = ("friends", "play", "profile", "records.read", "records.share", "wallet.read")
"""What an API key may be good for."""
ACCESS_WORDS: Final = frozenset(get_args(Access))
REASON_CHARACTERS_MIN: Final = 3
REASON_CHARACTERS_MAX: Final = 500

ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "public": frozenset({"player", "integrator", "service", "operator"}),
    "player": frozenset({"player", "integrator", "service"}),
    "service": frozenset({"service", "operator"}),
    "operator": frozenset({"operator"}),
}
"""Access → kinds of principals, but for staff."""

_OPEN_FOR_PLAY: Final = frozenset(
    f"paiju.{name}.v1.{name.capitalize()}Service"
    for name in ("anticheat", "chat", "gateway", "matchmaking", "progress", "scoring", "table")
)
"""Services whose methods are part of playing."""
_BY_METHOD: Final[Mapping[str, str]] = {
    "/paiju.accounts.v1.AccountsService/BatchGetProfiles": "play",
    "/paiju.accounts.v1.AccountsService/GetProfile": "profile",
    "/paiju.accounts.v1.AccountsService/UpdateProfile": "profile",
    **{
        f"/paiju.accounts.v1.FriendService/{method}": "friends"
        for method in (
            "AcceptFriend",
            "AskFriend",
            "BlockPlayer",
            "DeclineFriend",
            "FindPlayers",
            "GetFriendship",
            "InviteFriend",
            "ListBlockedPlayers",
            "ListFriendRequests",
            "ListFriends",
            "RemoveFriend",
            "UnblockPlayer",
            "WithdrawFriendRequest",
        )
    },
    **{
        f"/paiju.accounts.v1.PresenceService/{method}": "friends"
        for method in ("DismissRoomInvitation", "ListFriendsPresence", "ListRoomInvitations")
    },
    "/paiju.accounts.v1.ProtectionService/GetProtection": "profile",
    "/paiju.economy.v1.EconomyService/AddStake": "play",
    "/paiju.economy.v1.EconomyService/ClaimRelief": "play",
    "/paiju.economy.v1.EconomyService/GetDay": "wallet.read",
    "/paiju.economy.v1.EconomyService/GetSettlement": "records.read",
    "/paiju.economy.v1.EconomyService/GetWallet": "wallet.read",
    "/paiju.economy.v1.EconomyService/ListEntries": "wallet.read",
    "/paiju.progress.v1.RatingService/GetRating": "play",
    "/paiju.progress.v1.RatingService/ListRatings": "play",
    "/paiju.table.v1.ReplayService/CheckRecord": "records.read",
    "/paiju.table.v1.ReplayService/ExplainDecision": "records.read",
    "/paiju.table.v1.ReplayService/GetReplay": "records.read",
    "/paiju.table.v1.ReplayService/ListHistory": "records.read",
    "/paiju.table.v1.ReplayService/ListShares": "records.share",
    "/paiju.table.v1.ReplayService/RemoveFavourite": "records.share",
    "/paiju.table.v1.ReplayService/RevokeShare": "records.share",
    "/paiju.table.v1.ReplayService/SetFavourite": "records.share",
    "/paiju.table.v1.ReplayService/ShareRound": "records.share",
    "/paiju.table.v1.TableService/GetRecord": "records.read",
    "/paiju.table.v1.TableService/ListRecords": "records.read",
    "/paiju.table.v1.WatchService/LikePlay": "play",
    "/paiju.table.v1.WatchService/ListLikedPlays": "play",
    "/paiju.table.v1.WatchService/ListLiveTables": "play",
    "/paiju.table.v1.WatchService/ListMyLikes": "records.read",
    "/paiju.scoring.v1.ScoringService/GetAudit": "records.read",
}


def scope_of(path: str) -> str:
    """Return the scope an integrator needs for a method that players may call; empty = none will do.

    A person's keys, password, limits and purchases are his alone: what is not listed here stays shut.

    >>> scope_of("/paiju.economy.v1.EconomyService/GetWallet")
    'wallet.read'
    >>> scope_of("/paiju.matchmaking.v1.MatchmakingService/CreateTicket")
    'play'
    >>> scope_of("/paiju.accounts.v1.AccountsService/SetPassword")
    ''
    """
    found = _BY_METHOD.get(path)
    if found is not None:
        return found
    return "play" if path.split("/")[1] in _OPEN_FOR_PLAY else ""


def reason_of(text: str) -> str:
    """Return why staff acts, outer spaces gone.

    Raises:
        Refusal: REASON_REQUIRED: not 3 to 500 characters.
    """
    reason = text.strip()
    if not REASON_CHARACTERS_MIN <= len(reason) <= REASON_CHARACTERS_MAX or "\x00" in reason:
        raise Refusal("REASON_REQUIRED", least=REASON_CHARACTERS_MIN, most=REASON_CHARACTERS_MAX)
    return reason
