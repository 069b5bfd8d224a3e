"""Who may play: accounts is asked before a player waits for a match, takes a place in a room, or says ready.

While accounts can't be reached its last answer counts as long as it is fresh; who is not known begins nothing
new.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from paiju.accounts.v1 import protection_service_pb2_grpc
from paiju.accounts.v1.protection_service_pb2 import CheckPlayRequest, PlayQuestion, PlayVerdict

from services.chassis import log
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.run import Parts

ASK_S: Final = 2.0
FRESH_S: Final = 15 * 60.0
"""So long an answer counts while accounts can't be reached."""
KNOWN_MAX: Final = 20_000
"""Players whose last answer is kept."""

_log = log.get(service="matchmaking")


class Guard:
    """See the module."""

    def __init__(self, parts: Parts) -> None:
        stub = protection_service_pb2_grpc.ProtectionServiceStub
        self._accounts = parts.rpc.client(stub, "accounts", timeout_s=ASK_S)
        self._clock = parts.clock
        self._known: OrderedDict[str, tuple[float, PlayVerdict]] = OrderedDict()

    async def check(self, player_id: str, game: str) -> None:
        """Let a player through who may play now.

        Raises:
            Refusal: SELF_EXCLUDED, OUTSIDE_PLAY_WINDOW, DAILY_TIME_REACHED, DAILY_LOSS_REACHED,
                AGE_NOT_DECLARED;
                PROTECTION_UNAVAILABLE: nobody knows now.
        """
        request = CheckPlayRequest(players=[PlayQuestion(player_id=player_id)], game=game)
        try:
            response = await self._accounts.CheckPlay(request)
        except (Outage, Refusal, Defect) as problem:
            _log.warning("play_not_checked", player_id=player_id, why=str(problem)[:200])
            verdict = self._known_of(player_id)
        else:
            (verdict,) = response.verdicts
            self._known[player_id] = (self._clock.monotonic(), verdict)
            self._known.move_to_end(player_id)
            if len(self._known) > KNOWN_MAX:
                self._known.popitem(last=False)
        if verdict.reason:
            raise Refusal(verdict.reason, again_at_ms=verdict.again_at_ms, again=verdict.again)

    def _known_of(self, player_id: str) -> PlayVerdict:
        """Return the last answer, if it still says something of now."""
        at, verdict = self._known.get(player_id, (float("-inf"), None))
        if verdict is None or self._clock.monotonic() - at > FRESH_S:
            return PlayVerdict(reason="PROTECTION_UNAVAILABLE")
        now_ms = self._clock.now_ms()
        if 0 < verdict.again_at_ms <= now_ms:
            return PlayVerdict(reason="PROTECTION_UNAVAILABLE")
        if 0 < verdict.ends_at_ms <= now_ms:
            return PlayVerdict(
                reason=verdict.ends_reason, again_at_ms=verdict.ends_again_at_ms, again=verdict.ends_again
            )
        return verdict
