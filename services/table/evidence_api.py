"""RPCs that look at a finished round again, with the engine of this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paiju.table.v1 import evidence_service_pb2 as s
from paiju.table.v1 import evidence_service_pb2_grpc

from engine.errors import Refusal as RuleRefusal
from engine.face import Game
from engine.fair_deal import wall_order
from engine.record import canonical_json, full_result, parse_record, replay
from services.chassis import log
from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.table.core.fold import explained
from services.table.store import RecordStore

ACCESS: AccessTable = {"ExplainRecord": "service"}

ROUND_ID_CHARS_MAX = 128
REFUSAL_CHARS_MAX = 300

_log = log.get(service="table")


class EvidenceApi(evidence_service_pb2_grpc.EvidenceServiceServicer):
    """See protos/paiju/table/v1/evidence_service.proto."""

    def __init__(self, games: Mapping[str, Game], records: RecordStore) -> None:
        self._games = games
        self._records = records

    async def ExplainRecord(self, request: s.ExplainRecordRequest, context: Any) -> s.ExplainRecordResponse:  # noqa: N802 - gRPC
        """Play a kept record again, and explain its score."""
        if not 0 < len(request.round_id) <= ROUND_ID_CHARS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="round_id")
        _, record = await self._records.get(request.round_id)
        try:
            return explain(self._games, record)
        except RuleRefusal as refusal:
            why = str(refusal)
        except Exception as error:  # noqa: BLE001 - an engine that breaks on it is what has to be told
            _log.error("record_not_explained", round_id=request.round_id, exc_info=error)
            why = f"{type(error).__name__}: {error}"
        return s.ExplainRecordResponse(record=record, refusal=why[:REFUSAL_CHARS_MAX])


def explain(games: Mapping[str, Game], data: bytes) -> s.ExplainRecordResponse:
    """Return what the engine makes of a record.

    Raises:
        engine.errors.Refusal: The record can't be read, or an action is refused.
    """
    record = parse_record(data.decode("utf-8"))
    game = games[record.game]
    nonces = [b"" if nonce == "-" else bytes.fromhex(nonce) for nonce in record.nonces]
    deck = game.deck()
    order = wall_order(bytes.fromhex(record.seed), record.round_id, nonces, len(deck))
    position, rules = replay(record, [deck[place] for place in order]), record.rules()
    outcome = position.outcome()
    if outcome is None:
        return s.ExplainRecordResponse(record=data, refusal="the round does not end with its last action")
    result = full_result(record.game, rules, record.dealer, record.draws_in_row, outcome)
    zh, en = explained(game.explain(rules, outcome))
    written = canonical_json(result)
    return s.ExplainRecordResponse(
        record=data,
        result_json=written,
        is_same=written == canonical_json(record.result),
        explanation_zh=zh,
        explanation_en=en,
    )
