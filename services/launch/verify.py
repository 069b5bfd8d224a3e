"""`paiju verify`: one recorded round, checked by scoring's code alone; its coins follow from the stakes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from services.chassis.errors import Defect
from services.economy.core.caps import CapInputs, Terms, fees, settle
from services.launch.exits import NO, USAGE, Stop
from services.launch.records import read
from services.scoring.core.audit import Heard, Verdict, audit, audit_alone
from services.scoring.core.games import GAMES

STAKES_BYTES_MAX = 400


def run(record: Path, commitment: str, stakes: str = "", *, as_json: bool) -> None:
    """Print the verdict on a record.

    Raises:
        Stop: The file, the commitment or the stakes cannot be read (`USAGE`); the record does not hold
            (`NO`).
    """
    data = read(record)
    if commitment and not re.fullmatch("[0-9a-f]{64}", commitment):
        raise Stop(USAGE, "a commitment is 64 lower-case hex digits")
    verdict = audit(data, bytes.fromhex(commitment), Heard()) if commitment else audit_alone(data)
    money = _money(verdict, stakes)
    if as_json:
        print(json.dumps({**_as_json(verdict), **money}, ensure_ascii=False))
    else:
        lines = _as_text(verdict, is_heard=bool(commitment))
        print("\n".join([*lines[:-1], *_money_as_text(money), lines[-1]]))
    if not verdict.agreed:
        raise Stop(NO, f"the record does not hold: {_first_wrong(verdict)}")


def _terms(verdict: Verdict) -> Terms | None:
    if verdict.record is None:
        return None
    options = verdict.record.options
    return Terms(options.base_stake, options.win_cap_by_balance, options.fee)


def _money(verdict: Verdict, stakes: str) -> dict[str, Any]:
    """Return what a table agreed to pay, and with the stakes before the round what each seat paid and won.

    Raises:
        Stop: The stakes are not one whole number of coins for each seat (`USAGE`).
    """
    terms = _terms(verdict)
    said = (
        {
            "base_stake": terms.base_stake,
            "fee": terms.fee,
            "win_cap_by_balance": terms.win_cap_by_balance,
        }
        if terms
        else None
    )
    if not stakes:
        return {"terms": said}
    if len(stakes) > STAKES_BYTES_MAX or not re.fullmatch(r"[0-9]{1,16}(,[0-9]{1,16})*", stakes):
        raise Stop(USAGE, "stakes are whole numbers of coins by seat, separated by commas: 3000,3000,3000")
    if terms is None or verdict.figures is None:
        return {"terms": said, "coins": None, "fees": None}
    result = verdict.figures.result
    held = tuple(map(int, stakes.split(",")))
    try:
        inputs = CapInputs.under(terms, result.points, held, result.from_seat)
        return {"terms": said, "coins": list(settle(inputs)), "fees": list(fees(inputs))}
    except Defect as defect:
        raise Stop(USAGE, f"these are not the stakes of {len(result.points)} seats: {stakes}") from defect


def _money_as_text(money: dict[str, Any]) -> list[str]:
    terms = money["terms"]
    if terms is None:
        return []
    cap = ", nobody wins more than he has at stake" if terms["win_cap_by_balance"] else ""
    fee = f", a fee of {terms['fee']} from each seat" if terms["fee"] else ""
    lines = [f"terms at a table for coins: {terms['base_stake']} a point{fee}{cap}"]
    if money.get("coins") is not None:
        coins = ", ".join(f"{won:+d}" for won in money["coins"])
        lines.append(f"with these stakes: coins {coins}; fees {', '.join(map(str, money['fees']))}")
    return lines


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
