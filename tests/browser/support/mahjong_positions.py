"""Mahjong positions that a real match reaches rarely, from real rounds by seed, as the page would be sent them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paiju.table.v1 import play_pb2 as play

from engine import GAMES
from engine.arena import shuffled

SEEDS_MAX = 400
"""Rounds to look through before giving up."""


@dataclass(frozen=True, slots=True)
class Found:
    """A moment of a round, as the listener was told of it."""

    game: str
    preset: str
    seat: int | None
    texts: tuple[str, ...]
    view: Any
    result: dict[str, Any] | None = None
    lines: tuple[Any, ...] = ()


Choose = Callable[[tuple[str, ...], Any, random.Random], str]
"""How the seats play: of the legal answers of a view, one."""


def lively(legal: tuple[str, ...], view: Any, rng: random.Random) -> str:
    """Claim and reveal a lot, win never: rounds with much on the table."""
    others = [action for action in legal if action != "hu"]
    loud = [action for action in others if action.split(" ")[0] in {"peng", "gang", "liang", "chi"}]
    if loud and rng.random() < 0.7:
        return rng.choice(loud)
    return rng.choice(others)


def sensible(name: str) -> Choose:
    """Play as the normal bot of a game does."""
    bot = GAMES[name].bots["normal"]

    def choose(legal: tuple[str, ...], view: Any, rng: random.Random) -> str:
        return bot(view, rng)

    return choose


def find(
    game: str,
    preset: str,
    wanted: Callable[[Any], bool],
    *,
    choose: Choose | None = None,
    options: dict[str, Any] | None = None,
    seat: int | None = 0,
    over: bool = False,
) -> Found:
    """Return the first moment whose view is wanted: at a question of the seat, or at the end of a round.

    Args:
        game: The game's name.
        preset: Its rule set.
        wanted: Says whether the view of `seat` will do.
        choose: How everybody plays; the normal bot if left out.
        options: Options that differ from the preset.
        seat: Whose view; `None` for a spectator.
        over: Look at the ends of rounds instead of at questions.

    Raises:
        AssertionError: No round of `SEEDS_MAX` has such a moment.
    """
    rules: Any = GAMES[game]
    play_on = choose or sensible(game)
    for seed in range(SEEDS_MAX):
        rng = random.Random(seed)
        position = rules.deal(
            rules.ruleset(preset, options or {}), shuffled(rules.deck(), rng), rng.randrange(rules.seats)
        )
        texts = [text for event in position.opening_events() if (text := event.text_for(seat)) is not None]
        while position.outcome() is None:
            asked = position.to_act()
            if not over and (seat in asked or seat is None) and wanted(position.view(seat)):
                return Found(game, preset, seat, tuple(texts), position.view(seat))
            actor = asked[0]
            view = position.view(actor)
            events = position.apply(actor, play_on(view.legal, view, rng))
            texts += [text for event in events if (text := event.text_for(seat)) is not None]
        if over and wanted(position.view(seat)):
            return Found(
                game,
                preset,
                seat,
                tuple(texts),
                position.view(seat),
                position.outcome().result(),
                tuple(rules.explain(position.view(seat).rules, position.outcome())),
            )
    raise AssertionError(f"no such moment in {SEEDS_MAX} rounds of {game}/{preset}")


def table_view(found: Found, player_id: str, *, table_id: str = "0-mahjong") -> play.TableView:
    """Return a moment as a view of a table, with long names and large numbers."""
    seats = len(found.view.counts)
    message = play.TableView(
        number=1,
        table_id=table_id,
        match_id=table_id,
        game=found.game,
        preset=f"{found.preset}@1",
        rounds=64,
        round_no=58,
        phase="playing",
        seat=-1 if found.seat is None else found.seat,
        timing_json='{"turn_ms":15000,"claim_ms":10000}',
        base_stake=200,
        room_code="482913",
    )
    for at in range(seats):
        message.seats.add(
            seat=at,
            player_id=player_id if at == found.seat else ("bot:normal" if at % 2 else "p_friend"),
            taken=True,
            online=at != 1,
            left=at == 1,
            score=(-1288, 2576, -644, -644)[at],
            stake=(1_284_000, 86_000, 12_345_678, 40_960)[at],
        )
    message.opening.round_id = f"{table_id}/58"
    message.opening.dealer = found.view.dealer
    message.play.events.extend(found.texts)
    message.play.round_id = f"{table_id}/58"
    message.play.turn_seat = -1
    if found.result is not None:
        _ended(message, found)
        return message
    legal = found.view.legal
    if legal:
        message.play.question.number = 9
        message.play.question.actions.extend(legal)
        message.play.question.deadline_at_ms = int(time.time() * 1000) + 15_000
    else:
        message.play.turn_seat = 1
        message.play.turn_deadline_at_ms = int(time.time() * 1000) + 15_000
    return message


def _ended(message: play.TableView, found: Found) -> None:
    """Put the end of the round into the view, audited and settled."""
    assert found.result is not None
    points = found.result["points"]
    message.phase = "between"
    message.round_end.round_id = message.play.round_id
    message.round_end.result_json = json.dumps(found.result, ensure_ascii=False)
    message.round_end.scores.extend(points)
    message.round_end.explanation_zh.extend(line.zh for line in found.lines)
    message.round_end.explanation_en.extend(line.en for line in found.lines)
    message.settlement.round_id = message.play.round_id
    message.settlement.verdict = "AGREED"
    message.settlement.auditor = "paiju-scoring 1"
    message.settlement.coins.extend(200 * one for one in points)
    message.settlement.settled = True
