"""Who may take a seat, and who may play on: accounts is asked, between rounds only, once for all of a table.

An answer counts at once and, while accounts can't be reached, as long as it is fresh: then a known yes lets a
player sit down until the end that it named, a known no still stands, of whom nothing is known nobody new sits
down, and a match that runs goes on. A round that runs is never cut.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from paiju.accounts.v1 import protection_service_pb2_grpc
from paiju.accounts.v1.protection_service_pb2 import (
    CheckPlayRequest,
    PlayedRound,
    PlayQuestion,
    PlayVerdict,
)

from services.chassis import log
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.metrics import Metrics
from services.chassis.rpc import Rpc
from services.table.core import events as e
from services.table.core.match import end_cause, is_gone
from services.table.core.table import Table

ASK_S: Final = 2.0
FRESH_S: Final = 15 * 60.0
"""So long an answer counts while accounts can't be reached."""
KNOWN_MAX: Final = 20_000
"""Players whose last answer is kept."""
AGAIN_S: Final = 30.0
"""After so long between two rounds (a stake is filled up, say) what was answered is asked again."""
UNAVAILABLE: Final = "PROTECTION_UNAVAILABLE"

_log = log.get(service="table")


class Tables(Protocol):
    """What is needed of the live tables of a shard."""

    is_closing: bool
    live: dict[str, Table]

    def now(self) -> int:
        """Return the shard's time, Unix milliseconds."""

    def do(self, table_id: str, events: Sequence[e.TableEvent], /) -> bool:
        """Apply events to a table, with what follows from them."""


class Guard:
    """Asks accounts, for all shards of a process.

    Args:
        rpc: The way to accounts.
        clock: Time.
        metrics: For counts.
        spawn: Keeps a task of the process.
    """

    def __init__(
        self,
        rpc: Rpc,
        clock: Clock,
        metrics: Metrics,
        spawn: Callable[[str, Coroutine[Any, Any, None]], object],
    ) -> None:
        stub = protection_service_pb2_grpc.ProtectionServiceStub
        self._accounts = rpc.client(stub, "accounts", timeout_s=ASK_S)
        self._clock = clock
        self._spawn = spawn
        self._known: OrderedDict[str, tuple[float, PlayVerdict]] = OrderedDict()
        self._sent_away = metrics.counter("table_sent_away", "Players who might not play on", ["reason"])
        self._unknown = metrics.counter("table_play_unknown", "Players of whom accounts could not be asked")

    # Sitting down

    def ask_to_sit(self, player: str, game: str, then: Callable[[Refusal | None], None]) -> None:
        """Find out whether a player may take a seat, and call `then` with why not, or None."""
        self._spawn(f"table-sit-{player}", self._sit(player, game, then))

    async def _sit(self, player: str, game: str, then: Callable[[Refusal | None], None]) -> None:
        (verdict,) = await self._ask([PlayQuestion(player_id=player)], game)
        then(_refusal(verdict) if verdict.reason else None)

    # Between rounds

    def between(self, tables: Tables, table_id: str, table: Table) -> None:
        """Ask, once a round, who of a table may play on; until it is known no other round is opened.

        Nothing is asked where no round follows, nor before the coins of the last one are settled.
        """
        state, round_ = table.s, table.s.round
        if state.phase != "between" or round_ is None or table.is_asking or end_cause(state):
            return
        if state.frozen or (state.spec.stake is not None and not round_.is_settled):
            return
        now = self._clock.monotonic()
        if (table.asked[0] == round_.no and now - table.asked[1] < AGAIN_S) or not _people(table):
            return
        table.asked = (round_.no, now)
        table.is_asking = True
        self._spawn(f"table-between-{table_id}", self._between(tables, table_id, table))

    async def _between(self, tables: Tables, table_id: str, table: Table) -> None:
        round_, numbers = table.round, _people(table)
        coins, fees = round_.coins, round_.fees
        nets = [(coins[at] if coins else 0) - (fees[at] if fees else 0) for at in numbers]
        questions = [
            PlayQuestion(player_id=table.s.seats[number].player, net=net)
            for number, net in zip(numbers, nets, strict=True)
        ]
        last = PlayedRound(
            round_id=f"{table_id}/{round_.no}", opened_at_ms=round_.opened_at, ended_at_ms=round_.ended_at
        )
        try:
            verdicts = await self._ask(questions, table.s.spec.game, last)
            # Nobody leaves before the end of the round is shown.
            await self._clock.sleep(max(0, round_.end_shown_at - tables.now()) / 1000)
        finally:
            table.is_asking, table.asked = False, (round_.no, self._clock.monotonic())
        if tables.is_closing or tables.live.get(table_id) is not table or table.s.phase != "between":
            return
        gone: list[e.TableEvent] = []
        for number, verdict in zip(numbers, verdicts, strict=True):
            if (
                verdict.reason
                and verdict.reason != UNAVAILABLE
                and not is_gone(table.s, table.s.seats[number])
            ):
                gone.append(
                    e.SentAway(tables.now(), number, verdict.reason, verdict.again_at_ms, verdict.again)
                )
                self._sent_away.labels(verdict.reason.lower()).inc()
        # Also with nothing to say: the table looks again at what is due.
        tables.do(table_id, gone)

    # Asking

    async def _ask(
        self, players: Sequence[PlayQuestion], game: str, last: PlayedRound | None = None
    ) -> list[PlayVerdict]:
        """Return what accounts says of players; if it can't be asked, what is known (or `UNAVAILABLE`)."""
        try:
            response = await self._accounts.CheckPlay(
                CheckPlayRequest(players=players, game=game, last_round=last)
            )
        except (Outage, Refusal, Defect) as problem:
            # Whatever is wrong over there, matches go on here.
            _log.warning("play_not_checked", players=len(players), why=str(problem)[:200])
            self._unknown.inc(len(players))
            return [self._known_of(one.player_id) for one in players]
        verdicts = list(response.verdicts)
        now = self._clock.monotonic()
        for one, verdict in zip(players, verdicts, strict=True):
            self._known[one.player_id] = (now, verdict)
            self._known.move_to_end(one.player_id)
        while len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)
        return verdicts

    def _known_of(self, player: str) -> PlayVerdict:
        at, verdict = self._known.get(player, (float("-inf"), None))
        if verdict is None or self._clock.monotonic() - at > FRESH_S:
            return PlayVerdict(reason=UNAVAILABLE)
        now_ms = self._clock.now_ms()
        if verdict.reason:
            is_over = 0 < verdict.again_at_ms <= now_ms
            return PlayVerdict(reason=UNAVAILABLE) if is_over else verdict
        if 0 < verdict.ends_at_ms <= now_ms:
            return PlayVerdict(
                reason=verdict.ends_reason,
                again_at_ms=verdict.ends_again_at_ms,
                again=verdict.ends_again,
            )
        return verdict


def _people(table: Table) -> list[int]:
    return [
        number for number, seat in enumerate(table.s.seats) if not seat.bot and not is_gone(table.s, seat)
    ]


def _refusal(verdict: PlayVerdict) -> Refusal:
    return Refusal(verdict.reason, again_at_ms=verdict.again_at_ms, again=verdict.again)
