"""RPCs of scoring: hands and records of anyone, scored by the auditor's own code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from paiju.scoring.v1 import scoring_service_pb2 as pb
from paiju.scoring.v1.events_pb2 import RoundAudited

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.scoring import store
from services.scoring.core import audit as core
from services.scoring.core.account import account_of
from services.scoring.core.games import GAMES as AUDITED
from services.scoring.core.hand import CARDS_MAX, BadHand, HandToScore, ScoredHand
from services.scoring.core.record import RECORD_BYTES_MAX
from services.scoring.core.rules import BadOptions
from services.scoring.verdicts import as_message
from services.scoring.workers import Workers

ACCESS: AccessTable = {"ScoreHand": "public", "AuditRecord": "player", "GetAudit": "player"}

SCORERS = {name: game.hands for name, game in AUDITED.items() if game.hands}
"""Of which games single hands are scored, and how."""
OPTIONS_BYTES_MAX = 4_096
EXPOSED_MAX = 7
WORD_CHARACTERS_MAX = 16
COMMITMENT_BYTES = 32
BUSY_RETRY_MS = 500
OUTSIDERS_MS = 600_000
"""Who did not play a round hears of its audit so long after its end: nobody who watches is shown it later."""

T = TypeVar("T")
Context = Any


class ScoringApi:
    """The servicer."""

    def __init__(self, db: Database, workers: Workers, calls_at_once: int, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._workers = workers
        self._calls_at_once = calls_at_once
        self._calls = 0

    async def ScoreHand(  # noqa: N802 - the proto names it
        self, request: pb.ScoreHandRequest, context: Context
    ) -> pb.ScoreHandResponse:
        """Score one hand, explained."""
        asked = _hand(request)
        scored, refusal = await self._bounded(_scored, request.game, asked)
        if scored is None:
            raise Refusal("HAND_INVALID", why=refusal)
        return pb.ScoreHandResponse(
            can_hu=scored.can_hu,
            huxi=scored.xi,
            deng=scored.deng,
            zimo_bonus=scored.zimo_bonus,
            fan=scored.fan,
            per_loser=scored.per_loser,
            winner_gain=scored.winner_gain,
            melds=[
                pb.ScoredMeld(kind=meld.kind, cards=meld.cards, huxi=meld.xi, rule=meld.rule)
                for meld in scored.melds
            ],
            names=[pb.ScoredName(name=name.name, fan=name.fan, rule=name.rule) for name in scored.names],
            explanation_zh=scored.text_zh,
            explanation_en=scored.text_en,
        )

    async def AuditRecord(  # noqa: N802 - the proto names it
        self, request: pb.AuditRecordRequest, context: Context
    ) -> pb.AuditRecordResponse:
        """Recompute a round from its record."""
        if len(request.record) > RECORD_BYTES_MAX:
            raise Refusal("RECORD_TOO_LARGE", maximum=RECORD_BYTES_MAX)
        if len(request.commitment) not in (0, COMMITMENT_BYTES):
            raise Refusal("INVALID_ARGUMENT", field="commitment")
        verdict = await self._bounded(_audited, request.record, request.commitment)
        zh, en = account_of(verdict)
        return pb.AuditRecordResponse(audit=as_message(verdict), explanation_zh=zh, explanation_en=en)

    async def GetAudit(  # noqa: N802 - the proto names it
        self, request: pb.GetAuditRequest, context: Context
    ) -> pb.GetAuditResponse:
        """The first audit of a round that was played here."""
        known = await self._db.read(lambda connection: store.load(connection, [request.round_id]))
        found = known.audits.get(request.round_id)
        if found is None or self._is_too_soon(found.message):
            raise Refusal("NOT_FOUND", what=request.round_id[:200])
        opening = known.openings.get(request.round_id)
        heard = opening.commitment if opening is not None else b""
        return pb.GetAuditResponse(audit=found.message, commitment=heard)

    def _is_too_soon(self, audit: RoundAudited) -> bool:
        """Say whether the caller may not know of an audit yet: a player who did not play that round."""
        player_id = auth.current().player_id
        if not player_id or not audit.seats or any(seat.player_id == player_id for seat in audit.seats):
            return False
        return self._clock.now_ms() < audit.ended_at_ms + OUTSIDERS_MS

    async def _bounded(self, fn: Callable[..., T], *args: object) -> T:
        """Compute for a caller, unless too many wait already."""
        if self._calls >= self._calls_at_once:
            raise Refusal("RATE_LIMITED", retry_ms=BUSY_RETRY_MS)
        self._calls += 1
        try:
            return await self._workers.run(fn, *args)
        finally:
            self._calls -= 1


def _hand(request: pb.ScoreHandRequest) -> HandToScore:
    """Return what is asked, within its limits."""
    scorer = SCORERS.get(request.game)
    if scorer is None:
        raise Refusal("GAME_UNKNOWN", game=request.game[:WORD_CHARACTERS_MAX], known=", ".join(SCORERS))
    try:
        scorer.preset_named(request.preset)
    except BadOptions:
        known = ", ".join(title.partition("@")[0] for title in scorer.presets)
        raise Refusal("PRESET_UNKNOWN", preset=request.preset[:64], known=known) from None
    if len(request.concealed) > CARDS_MAX or len(request.exposed) > EXPOSED_MAX:
        raise Refusal("HAND_INVALID", why="too many cards")
    words = [*request.concealed, request.card, request.source]
    for meld in request.exposed:
        words += [meld.kind, *meld.cards]
    if any(len(word) > WORD_CHARACTERS_MAX for word in words) or len(words) > 2 * CARDS_MAX:
        raise Refusal("HAND_INVALID", why="too long")
    return HandToScore(
        preset=request.preset,
        overrides=_options(request.options_json),
        concealed=tuple(request.concealed),
        exposed=tuple((meld.kind, tuple(meld.cards)) for meld in request.exposed),
        card=request.card or None,
        source=request.source,
        last_card=request.last_card,
    )


def _options(text: str) -> dict[str, object]:
    if not text:
        return {}
    if len(text.encode()) > OPTIONS_BYTES_MAX:
        raise Refusal("OPTIONS_INVALID", why="too long")
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal("OPTIONS_INVALID", why="not JSON") from None
    if not isinstance(read, dict):
        raise Refusal("OPTIONS_INVALID", why="not a JSON object")
    return read


def _scored(game: str, asked: HandToScore) -> tuple[ScoredHand | None, str]:
    """Return the score, or why the hand is none (as a value: it may come from another process)."""
    try:
        return SCORERS[game].score(asked), ""
    except (BadHand, BadOptions) as bad:
        return None, str(bad)


def _audited(record: bytes, commitment: bytes) -> core.Verdict:
    return core.audit(record, commitment) if commitment else core.audit_alone(record)
