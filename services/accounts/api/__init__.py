"""RPCs of accounts."""

from __future__ import annotations

from services.accounts.api.data import DataRpcs
from services.accounts.api.desk import Desk
from services.accounts.api.oidc import OidcRpcs
from services.accounts.api.passwords import PasswordRpcs
from services.accounts.api.profiles import ProfileRpcs
from services.accounts.api.programs import ProgramRpcs
from services.accounts.api.sessions import SessionRpcs
from services.accounts.api.sign_in import SignInRpcs
from services.accounts.api.staff import StaffRpcs
from services.chassis.auth import AccessTable

ACCESS: AccessTable = {
    "CreateChallenge": "public",
    "SignInGuest": "public",
    "RefreshSession": "public",
    "RevokeSession": "player",
    "GetSigningKeys": "public",
    "GetProfile": "player",
    "UpdateProfile": "player",
    "BatchGetProfiles": "player",
    "ListProfileChoices": "public",
    "ListSessions": "player",
    "RevokeOtherSessions": "player",
    "ListWaysIn": "player",
    "RemoveWayIn": "player",
    "AddDeviceKey": "player",
    "SetPassword": "player",
    "SignInPassword": "public",
    "ListOidcProviders": "public",
    "BeginOidc": "public",
    "FinishOidc": "public",
    "ExportMyData": "player",
    "DeleteAccount": "player",
    "CreateApiKey": "player",
    "ListApiKeys": "player",
    "RotateApiKey": "player",
    "RevokeApiKey": "player",
    "ExchangeApiKey": "public",
    "GrantRole": "staff:admin",
    "RevokeRole": "staff:admin",
    "ListStaff": "staff:admin",
    "ListStaffLog": "staff:admin",
    "FindPeople": "staff:support",
    "GetPerson": "staff:support",
    "SuspendPlayer": "staff:admin",
    "LiftSuspension": "staff:admin",
}


class AccountsApi:
    """The servicer: its methods are those of one object for each subject."""

    def __init__(self, desk: Desk) -> None:
        passwords = PasswordRpcs(desk)
        parts = (
            SignInRpcs(desk),
            SessionRpcs(desk),
            passwords,
            OidcRpcs(desk),
            ProfileRpcs(desk),
            DataRpcs(desk, passwords),
            ProgramRpcs(desk),
            StaffRpcs(desk),
        )
        for name in ACCESS:
            (method,) = [found for part in parts if (found := getattr(part, name, None)) is not None]
            setattr(self, name, method)
