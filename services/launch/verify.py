"""`paiju verify`: one recorded round, checked by scoring's code alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from services.launch.exits import NO, USAGE, Stop
from services.launch.records import read
from services.scoring.core.audit import Heard, Verdict, audit, audit_alone
from services.scoring.core.games import GAMES


def run(record: Path, commitment: str, *, as_json: bool) -> None:
    """Print the verdict on a record.

    Raises:
        Stop: The file or the commitment cannot be read (`USAGE`); the record does not hold (`NO`).
    """
    data = read(record)
    if commitment and not re.fullmatch("[0-9a-f]{64}", commitment):
        raise Stop(USAGE, "a commitment is 64 lower-case hex digits")
    verdict = audit(data, bytes.fromhex(commitment), Heard()) if commitment else audit_alone(data)
    if as_json:
        print(json.dumps(_as_json(verdict), ensure_ascii=False))
    else:
        print("\n".join(_as_text(verdict, is_heard=bool(commitment))))
    if not verdict.agreed:
        raise Stop(NO, f"the record does not hold: {_first_wrong(verdict)}")


def _first_wrong(verdict: Verdict) -> str:
    if verdict.wrong_action is not None:
        wrong = verdict.wrong_action
        if wrong.action is None:
            return f"after its last action: {wrong.why}"
        line, said = wrong.action.line, f"seat {wrong.action.seat} {wrong.action.text}"
        return f"action {wrong.number} (line {line}, {said}): {wrong.why}"
    first = verdict.differences[0]
    return f"{first.field}: it says {first.engine}; {first.ours}"


def _as_json(verdict: Verdict) -> dict[str, Any]:
    record, wrong = verdict.record, verdict.wrong_action
    return {
        "verdict": verdict.status,
        "round": record.round_id if record else None,
        "game": record.game if record else None,
        "preset": record.preset if record else None,
        "seats": len(record.seats) if record else None,
        "nonces_given": verdict.nonces_given,
        "actions": len(record.actions) if record else None,
        "first_wrong": None if verdict.agreed else _first_wrong(verdict),
        "wrong_action": wrong.number if wrong else None,
        "differences": [
            {"field": one.field, "record": one.engine, "scoring": one.ours} for one in verdict.differences
        ],
        "points": list(verdict.figures.result.points) if verdict.figures else None,
        "sha256": verdict.record_sha256.hex(),
        "version": verdict.version,
    }


def _as_text(verdict: Verdict, *, is_heard: bool) -> list[str]:
    record = verdict.record
    if record is None:
        return [f"DISPUTED  {_first_wrong(verdict)}"]
    lines = [f"round {record.round_id}, {record.game} {record.preset}, {len(record.actions)} actions"]
    lines.append(f"sha-256: {verdict.record_sha256.hex()}")
    given, seats = verdict.nonces_given, len(record.seats)
    if given:
        who = ", ".join(str(seat) for seat, nonce in enumerate(record.nonces) if nonce is not None)
        lines.append(f"deal: {given} of {seats} seats contributed a nonce (seat {who})")
    else:
        lines.append(f"deal: 0 of {seats} seats contributed a nonce: the house alone chose the cards")
    lines.append(
        "commitment: compared with the one you heard"
        if is_heard
        else "commitment: the record's own; when it was made, no file shows (compare yours: --commitment)"
    )
    if verdict.figures is not None:
        result = verdict.figures.result
        points = ", ".join(f"{points:+d}" for points in result.points)
        lines.append(f"scoring finds: {GAMES[record.game].summary(result)}; points {points}")
    lines += [f"differs: {one.field}: it says {one.engine}; {one.ours}" for one in verdict.differences]
    lines.append(verdict.status)
    return lines
