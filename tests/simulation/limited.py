"""Protection in a world: the part of accounts that says who may play, and somebody who excludes himself."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from paiju.accounts.v1 import protection_service_pb2 as pb
from paiju.gateway.v1.gateway_service_pb2 import Notice
from paiju.matchmaking.v1 import matchmaking_service_pb2 as m

from services.accounts.core.limits import UNLIMITED
from services.accounts.protection import Protection
from services.accounts.protection_bus import ROUNDS
from services.accounts.protection_settings import ProtectionSettings
from services.accounts.store import people
from services.chassis.bus import subject_of
from services.chassis.outbox import Outbox
from services.chassis.run import Parts, Service, Wiring
from tests.simulation.client import Violation
from tests.simulation.person import Person, Refused

if TYPE_CHECKING:
    from tests.simulation.world import World

SERVICE: Final = "paiju.accounts.v1.ProtectionService"
DAYS_MS: Final = 30 * 86_400_000
NOT_NOW: Final = frozenset(
    {"ALREADY_PLAYING", "ALREADY_WAITING", "ALREADY_IN_ROOM", "PROTECTION_UNAVAILABLE"}
)


class _Accounts:
    """Accounts, of which only protection is here: nobody signs in."""

    name = "accounts"

    def __init__(self, settings: ProtectionSettings, parts: Parts) -> None:
        outbox = Outbox(parts.db(self.name), parts.bus, parts.clock, parts.metrics, self.name)
        self._protection = Protection(settings, parts, outbox)

    async def start(self) -> None:
        """See `Service.start`."""
        await self._protection.start()

    async def stop(self) -> None:
        """See `Service.stop`."""
        await self._protection.stop()


async def _wire(settings: ProtectionSettings, parts: Parts) -> Service:
    return _Accounts(settings, parts)


ACCOUNTS: Final = Wiring(
    "accounts", _wire, ProtectionSettings, hears=(ROUNDS,), tells=(subject_of(Notice, key="*"),)
)


async def make_known(world: World, person: Person) -> None:
    """Let accounts know a person: it is a row that his first sign-in would have made."""
    write = partial(
        people.sign_in,
        public_key=person.player_id.encode().ljust(32, b".")[:32],
        network="unknown",
        new_player_id=person.player_id,
        limits=UNLIMITED,
        now_ms=world.clock.now_ms(),
    )
    await world.commons.database("accounts").run(write)


def excludes_himself(world: World, person: Person, hall_id: str) -> Callable[[], Coroutine[Any, Any, str]]:
    """Return the last errand of somebody who excludes himself: from then on he gets no match.

    The world has healed by then: while accounts can't be reached, what was known of him may still count.
    """

    async def errand() -> str:
        while world.clock.monotonic() < world.faulty_s + 30:
            await world.clock.sleep(1.0)
        await make_known(world, person)
        request = pb.ExcludeSelfRequest(until_ms=world.clock.now_ms() + DAYS_MS)
        done = await person.call(f"{SERVICE}/ExcludeSelf", request, pb.ExcludeSelfResponse)
        if isinstance(done, Refused):
            raise Violation(f"{person.player_id} can't exclude himself: {done.reason} {done.details}")
        for number in range(100):
            ticket = m.CreateTicketRequest(
                request_id=f"{person.player_id}-excluded-{number}", hall_id=hall_id, bots_now=True
            )
            made = await person.call(
                "paiju.matchmaking.v1.MatchmakingService/CreateTicket", ticket, m.CreateTicketResponse
            )
            if not isinstance(made, Refused):
                raise Violation(f"{person.player_id} has excluded himself, and gets a ticket")
            if made.reason == "SELF_EXCLUDED":
                world.note(f"{person.player_id} is kept away")
                return ""
            if made.reason not in NOT_NOW:
                raise Violation(f"{person.player_id} is refused for {made.reason}, not for his exclusion")
            await world.clock.sleep(1.0)
        raise Violation(f"{person.player_id} never hears that he has excluded himself")

    return errand
