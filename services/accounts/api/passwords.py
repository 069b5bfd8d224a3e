"""Login names and passwords; the list of ways in."""

from __future__ import annotations

from functools import partial
from typing import Any

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk, NewSession, profile
from services.accounts.api.wire import ways_pb
from services.accounts.core import logins
from services.accounts.store import people, sessions, ways
from services.chassis import auth
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits

OF_NAME = Rate(per_s=1 / 30, burst=20)
"""Tries at one login name, from anywhere. Its owner elsewhere is rarely locked out by them."""
OF_NAME_AND_NETWORK = Rate(per_s=1 / 60, burst=6)
OF_PLAYER = Rate(per_s=1 / 60, burst=6)
"""Tries at one's own current password."""


class PasswordRpcs:
    """Sign in with a password; set it; see and remove ways in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._of_names = RateLimits(OF_NAME, desk.clock)
        self._of_names_here = RateLimits(OF_NAME_AND_NETWORK, desk.clock)
        self._of_players = RateLimits(OF_PLAYER, desk.clock)

    async def SetPassword(  # noqa: N802 - the proto names it
        self, request: pb.SetPasswordRequest, context: Context
    ) -> pb.SetPasswordResponse:
        """Set or change login name and password, and end the other sessions."""
        desk, player_id = self._desk, auth.player()
        login_name = logins.login_name_of(request.login_name)
        here = auth.current().session_id or request.session_id
        if not here:
            raise Refusal("INVALID_ARGUMENT", field="session_id")
        replaced = await self.check_current(player_id, request.current_password)
        found = await desk.db.read(lambda connection: people.profiles(connection, [player_id]))
        known = [found[0].nickname] if found else []
        await desk.hasher.check(lambda: logins.check_password(request.password, login_name, known))
        hashed, now_ms = await desk.hasher.hash(request.password), desk.clock.now_ms()

        def write(connection: Any) -> None:
            ways.set_password(connection, player_id, login_name, hashed, replaced, now_ms)
            sessions.revoke_all(connection, player_id, now_ms, here, programs=False)

        await desk.db.run(write)
        desk.outbox.poke()
        return pb.SetPasswordResponse(login_name=login_name)

    async def SignInPassword(  # noqa: N802 - the proto names it
        self, request: pb.SignInPasswordRequest, context: Context
    ) -> pb.SignInPasswordResponse:
        """Sign in; who knows no password learns nothing, not even by time."""
        desk, network = self._desk, self._desk.network(context)
        desk.limit_network(network)
        session = NewSession(desk, request.device, network, "password")
        try:
            signed_in = await self._enter(request, network, session)
        except Refusal:
            desk.refused.inc()
            raise
        desk.signed_in.inc()
        return pb.SignInPasswordResponse(
            tokens=desk.tokens(session, signed_in.player.player_id, signed_in.roles),
            profile=profile(signed_in.player, is_own=True),
            deletion_cancelled=signed_in.deletion_cancelled,
        )

    async def ListWaysIn(  # noqa: N802 - the proto names it
        self, request: pb.ListWaysInRequest, context: Context
    ) -> pb.ListWaysInResponse:
        """The ways into one's own account."""
        player_id = auth.player()
        found = await self._desk.db.read(lambda connection: ways.of(connection, player_id))
        return pb.ListWaysInResponse(ways=ways_pb(found))

    async def RemoveWayIn(  # noqa: N802 - the proto names it
        self, request: pb.RemoveWayInRequest, context: Context
    ) -> pb.RemoveWayInResponse:
        """Take a way in away; never the last one."""
        remove = partial(ways.remove, player_id=auth.player(), kind=request.kind, way_id=request.id)
        return pb.RemoveWayInResponse(ways=ways_pb(await self._desk.db.run(remove)))

    async def check_current(self, player_id: str, password: str) -> str | None:
        """Check the password that stands, and return its hash; None = there is none.

        Raises:
            Refusal: PASSWORD_WRONG. RATE_LIMITED.
        """
        found = await self._desk.db.read(lambda connection: ways.password_of(connection, player_id))
        if found is None:
            return None
        self._of_players.take(player_id)
        if not await self._desk.hasher.verify(found.hash, password[: logins.PASSWORD_CHARACTERS_MAX + 1]):
            raise Refusal("PASSWORD_WRONG")
        kept: str = found.hash
        return kept

    async def _enter(
        self, request: pb.SignInPasswordRequest, network: str, session: NewSession
    ) -> people.SignedIn:
        desk = self._desk
        try:
            login_name = logins.login_name_of(request.login_name)
        except Refusal:
            raise Refusal("SIGN_IN_WRONG") from None
        self._of_names_here.take((login_name, network))
        self._of_names.take(login_name)
        found = await desk.db.read(lambda connection: ways.password_by_name(connection, login_name))
        # Unknown name, wrong password: the same work, the same answer.
        password = request.password[: logins.PASSWORD_CHARACTERS_MAX + 1]
        if not await desk.hasher.verify(found.hash if found else None, password) or found is None:
            raise Refusal("SIGN_IN_WRONG")
        fresh = await desk.hasher.hash(password) if desk.hasher.is_outdated(found.hash) else ""

        def write(connection: Any) -> people.SignedIn:
            signed_in = people.enter(connection, found.player_id, session.now_ms)
            still = ways.password_of(connection, found.player_id)
            if still is None or still.hash != found.hash:
                raise Refusal("SIGN_IN_WRONG")
            if fresh:
                ways.rehash(connection, found.player_id, found.hash, fresh)
            sessions.open_session(connection, **session.row(found.player_id))
            return signed_in

        return await desk.db.run(write)
