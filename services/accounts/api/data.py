"""A person's data: taken along, and deleted."""

from __future__ import annotations

from functools import partial

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk
from services.accounts.api.passwords import PasswordRpcs
from services.accounts.export import Export
from services.accounts.store import deletion
from services.chassis import auth
from services.chassis.limits import Rate, RateLimits

OF_EXPORTS = Rate(per_s=1.0, burst=60)


class DataRpcs:
    """Export and deletion."""

    def __init__(self, desk: Desk, passwords: PasswordRpcs) -> None:
        self._desk = desk
        self._passwords = passwords
        self._export = Export(desk.db, desk.parts.rpc)
        self._of_exports = RateLimits(OF_EXPORTS, desk.clock)

    async def ExportMyData(  # noqa: N802 - the proto names it
        self, request: pb.ExportMyDataRequest, context: Context
    ) -> pb.ExportMyDataResponse:
        """Everything held about the caller, a page of it."""
        player_id = auth.player()
        self._of_exports.take(player_id)
        parts, following = await self._export.page(player_id, request.page_token)
        return pb.ExportMyDataResponse(
            parts=[pb.ExportPart(service=part.service, name=part.name, json=part.json) for part in parts],
            next_page_token=following,
        )

    async def DeleteAccount(  # noqa: N802 - the proto names it
        self, request: pb.DeleteAccountRequest, context: Context
    ) -> pb.DeleteAccountResponse:
        """Begin the grace after which the caller is forgotten."""
        desk, player_id = self._desk, auth.player()
        await self._passwords.check_current(player_id, request.current_password)
        now_ms = desk.clock.now_ms()
        ask = partial(
            deletion.ask,
            player_id=player_id,
            nickname=request.nickname,
            deletes_at_ms=now_ms + desk.settings.deletion_grace_s * 1000,
            now_ms=now_ms,
        )
        deletes_at_ms = await desk.db.run(ask)
        desk.outbox.poke()
        return pb.DeleteAccountResponse(deletes_at_ms=deletes_at_ms)
