"""What staff may do with people, and the log of all that staff did."""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import Any

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk, profile
from services.accounts.core.logins import login_name_of
from services.accounts.store import finding, people, staff, ways
from services.chassis.access import ROLES
from services.chassis.errors import Refusal

PAGE = 50
PAGE_MAX = 200
PEOPLE = 20
PEOPLE_MAX = 50
QUERY_CHARACTERS_MAX = 64
YEARS_100_MS = 100 * 366 * 86_400_000


class StaffRpcs:
    """Roles, suspensions, people, the log."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def GrantRole(  # noqa: N802 - the proto names it
        self, request: pb.GrantRoleRequest, context: Context
    ) -> pb.GrantRoleResponse:
        """Give a player a role."""
        grant = partial(
            staff.grant,
            player_id=request.player_id,
            role=_role(request.role),
            deed=self._desk.deed("admin", request.reason),
        )
        roles = await self._desk.db.run(grant)
        self._desk.outbox.poke()
        return pb.GrantRoleResponse(roles=roles)

    async def RevokeRole(  # noqa: N802 - the proto names it
        self, request: pb.RevokeRoleRequest, context: Context
    ) -> pb.RevokeRoleResponse:
        """Take a role away, and end his sessions."""
        revoke = partial(
            staff.revoke,
            player_id=request.player_id,
            role=_role(request.role),
            deed=self._desk.deed("admin", request.reason),
        )
        roles = await self._desk.db.run(revoke)
        self._desk.outbox.poke()
        return pb.RevokeRoleResponse(roles=roles)

    async def ListStaff(  # noqa: N802 - the proto names it
        self, request: pb.ListStaffRequest, context: Context
    ) -> pb.ListStaffResponse:
        """Who has which role."""
        found = await self._desk.db.read(staff.members)
        return pb.ListStaffResponse(
            members=[
                pb.StaffMember(player_id=player_id, nickname=nickname, roles=roles)
                for player_id, nickname, roles in found
            ]
        )

    async def ListStaffLog(  # noqa: N802 - the proto names it
        self, request: pb.ListStaffLogRequest, context: Context
    ) -> pb.ListStaffLogResponse:
        """What staff did, the newest first."""
        if not 0 <= request.page_size <= PAGE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size")
        most = request.page_size or PAGE
        below = _below(request.page_token)
        read = partial(
            staff.log, below=below, most=most + 1, staff_id=request.staff_id, subject=request.subject
        )
        rows = await self._desk.db.read(read)
        entries = [
            pb.StaffLogEntry(
                entry_id=row.entry_id,
                service=row.service,
                staff_id=row.staff_id,
                role=row.role,
                action=row.action,
                subject=row.subject,
                reason=row.reason,
                detail_json=row.detail_json,
                at_ms=row.at_ms,
            )
            for row in rows[:most]
        ]
        more = str(entries[-1].entry_id) if len(rows) > most else ""
        return pb.ListStaffLogResponse(entries=entries, next_page_token=more)

    async def FindPeople(  # noqa: N802 - the proto names it
        self, request: pb.FindPeopleRequest, context: Context
    ) -> pb.FindPeopleResponse:
        """People by id, login name, or how their nickname begins."""
        query, size = request.query.strip(), request.page_size or PEOPLE
        if not 1 <= len(query) <= QUERY_CHARACTERS_MAX or "\x00" in query:
            raise Refusal("INVALID_ARGUMENT", field="query")
        if not 1 <= size <= PEOPLE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=PEOPLE_MAX)
        find = partial(
            finding.find,
            query=query,
            login_name=_login_name(query),
            nickname=unicodedata.normalize("NFKC", query),
            most=size + 1,
        )
        rows = await self._desk.db.read(find)
        return pb.FindPeopleResponse(profiles=map(profile, rows[:size]), has_more=len(rows) > size)

    async def GetPerson(  # noqa: N802 - the proto names it
        self, request: pb.GetPersonRequest, context: Context
    ) -> pb.GetPersonResponse:
        """A person as staff sees him."""
        player_id, now_ms = request.player_id, self._desk.clock.now_ms()

        def read(connection: Any) -> pb.GetPersonResponse:
            found = people.profiles(connection, [player_id])
            if not found:
                raise Refusal("NOT_FOUND", what=player_id)
            person = found[0]
            suspended = person.suspended_until_ms if people.is_suspended(person, now_ms) else 0
            return pb.GetPersonResponse(
                profile=profile(person),
                roles=staff.roles_of(connection, player_id),
                sessions=staff.count_living(connection, player_id, now_ms),
                ways=[
                    f"oidc:{way.id}" if way.kind == "oidc" else way.kind
                    for way in ways.of(connection, player_id)
                ],
                suspended_until_ms=suspended,
                suspended_because=person.suspended_because if suspended else "",
                deletes_at_ms=0 if person.deleted_at_ms is not None else person.deletes_at_ms or 0,
            )

        return await self._desk.db.read(read)

    async def SuspendPlayer(  # noqa: N802 - the proto names it
        self, request: pb.SuspendPlayerRequest, context: Context
    ) -> pb.SuspendPlayerResponse:
        """Keep a player out, and end his sessions."""
        now_ms = self._desk.clock.now_ms()
        if request.until_ms != people.FOR_EVER and not now_ms < request.until_ms <= now_ms + YEARS_100_MS:
            raise Refusal("UNTIL_PAST")
        suspend = partial(
            staff.suspend,
            player_id=request.player_id,
            until_ms=request.until_ms,
            deed=self._desk.deed("admin", request.reason),
        )
        ended = await self._desk.db.run(suspend)
        self._desk.outbox.poke()
        return pb.SuspendPlayerResponse(revoked=ended)

    async def LiftSuspension(  # noqa: N802 - the proto names it
        self, request: pb.LiftSuspensionRequest, context: Context
    ) -> pb.LiftSuspensionResponse:
        """Let a suspended player in again."""
        lift = partial(staff.lift, player_id=request.player_id, deed=self._desk.deed("admin", request.reason))
        await self._desk.db.run(lift)
        self._desk.outbox.poke()
        return pb.LiftSuspensionResponse()


def _login_name(text: str) -> str:
    try:
        return login_name_of(text)
    except Refusal:
        return ""


def _role(text: str) -> str:
    if text not in ROLES:
        raise Refusal("ROLE_UNKNOWN", known=", ".join(ROLES))
    return text


def _below(token: str) -> int | None:
    if not token:
        return None
    if not (token.isascii() and token.isdigit() and len(token) <= 18):
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return int(token)
