"""Profiles: read, changed, and what may stand in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk, profile
from services.accounts.core import choices, names
from services.accounts.core.cities import cities
from services.accounts.core.regions import REGIONS
from services.accounts.store import people
from services.chassis import auth
from services.chassis.errors import Refusal

PROFILES_MAX: Final = 100
FIELDS: Final[dict[str, Callable[[str], str]]] = {
    "nickname": names.nickname_of,
    "avatar": names.avatar_of,
    "homepage": choices.homepage_of,
    "region": choices.region_of,
    "city": choices.city_of,
    "dialect": choices.dialect_of,
    "theme": choices.theme_of,
}
"""What may be changed, and what makes it fit to be kept."""


class ProfileRpcs:
    """Who people say they are."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def GetProfile(  # noqa: N802 - the proto names it
        self, request: pb.GetProfileRequest, context: Context
    ) -> pb.GetProfileResponse:
        """A profile; one's own without an id."""
        player_id = request.player_id or auth.player()
        if auth.current().player_id not in ("", player_id):
            raise Refusal("PERMISSION_DENIED")
        found = await self._desk.db.read(lambda connection: people.profiles(connection, [player_id]))
        if not found:
            raise Refusal("NOT_FOUND", what=player_id)
        return pb.GetProfileResponse(profile=profile(found[0], is_own=True))

    async def UpdateProfile(  # noqa: N802 - the proto names it
        self, request: pb.UpdateProfileRequest, context: Context
    ) -> pb.UpdateProfileResponse:
        """Change the fields of the mask; with a version, only if nobody was faster."""
        player_id = auth.player()
        if request.profile.player_id not in ("", player_id):
            raise Refusal("PERMISSION_DENIED")
        paths = list(request.update_mask.paths)
        if not paths or any(path not in FIELDS for path in paths):
            raise Refusal("INVALID_ARGUMENT", field="update_mask", known=", ".join(FIELDS))
        if request.profile.version < 0:
            raise Refusal("INVALID_ARGUMENT", field="profile.version")
        changes = {path: FIELDS[path](getattr(request.profile, path)) for path in paths}
        changed = await self._desk.db.run(
            lambda connection: people.update_profile(connection, player_id, changes, request.profile.version)
        )
        self._desk.outbox.poke()
        return pb.UpdateProfileResponse(profile=profile(changed, is_own=True))

    async def BatchGetProfiles(  # noqa: N802 - the proto names it
        self, request: pb.BatchGetProfilesRequest, context: Context
    ) -> pb.BatchGetProfilesResponse:
        """Profiles of several players, unknown ones left out."""
        wanted = list(request.player_ids)
        if len(wanted) > PROFILES_MAX:
            raise Refusal("INVALID_ARGUMENT", field="player_ids", maximum=PROFILES_MAX)
        found = await self._desk.db.read(lambda connection: people.profiles(connection, wanted))
        own = auth.current().player_id
        return pb.BatchGetProfilesResponse(
            profiles=[profile(player, is_own=player.player_id == own) for player in found]
        )

    async def ListProfileChoices(  # noqa: N802 - the proto names it
        self, request: pb.ListProfileChoicesRequest, context: Context
    ) -> pb.ListProfileChoicesResponse:
        """What may stand in a profile, with words in Chinese and English."""
        return pb.ListProfileChoicesResponse(
            avatars=names.AVATARS,
            regions=[pb.ProfileChoice(code=code, zh=zh, en=en) for code, (zh, en) in REGIONS.items()],
            dialects=[
                pb.ProfileChoice(code=code, zh=zh, en=en) for code, (zh, en) in choices.DIALECTS.items()
            ],
            themes=choices.THEMES,
            cities=[
                pb.ProfileChoice(code=city.code, zh=city.zh, en=city.en, region=city.region)
                for city in cities().values()
            ],
        )
