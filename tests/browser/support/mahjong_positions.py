"""Mahjong positions that a real match reaches rarely, from real rounds, as the page would be sent them."""

from __future__ import annotations

import functools
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paiju.table.v1 import play_pb2 as play

from engine import GAMES
from engine.arena import shuffled
from engine.kawuxing.fans import waits_of
from engine.mahjong.tiles import ONE, TILE_TEXTS, TILES, hand_tiles, tiles_of_mask

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


def hoarding(legal: tuple[str, ...], view: Any, rng: random.Random) -> str:
    """Keep what makes kongs and make none: for hands with several to choose from."""
    quiet = [action for action in legal if action.split(" ")[0] not in {"hu", "gang", "liang", "peng"}]
    singles = [action for action in quiet if action.startswith("discard")]
    if singles:
        held = [TILE_TEXTS[tile] for tile in hand_tiles(view.hand)]
        return min(singles, key=lambda action: (held.count(action.split(" ")[1]), action))
    return rng.choice(quiet or list(legal))


def sensible(name: str) -> Choose:
    """Play as the normal bot of a game does."""
    bot = GAMES[name].bots["normal"]

    def choose(legal: tuple[str, ...], view: Any, rng: random.Random) -> str:
        return bot(view, rng)

    return choose


def stubborn(name: str) -> Choose:
    """Play as the normal bot does, but never win: for draws with hands that are ready."""
    sensibly = sensible(name)

    def choose(legal: tuple[str, ...], view: Any, rng: random.Random) -> str:
        action = sensibly(legal, view, rng)
        others = [one for one in legal if one != "hu"]
        return action if action in others else others[0]

    return choose


def some_ready(view: Any) -> bool:
    """Return whether nobody won, and some hands were ready and some not."""
    ready = [bool(waits_of(hand, view.melds[at])) for at, hand in enumerate(view.hands)]
    return not view.wins and any(ready) and not all(ready)


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


def _verbs(view: Any) -> list[str]:
    return [action.split(" ")[0] for action in view.legal]


@functools.cache
def kawuxing_own_turn() -> Found:
    """Return the first own turn of a round with 漂."""
    return find("kawuxing", "xiangyang", lambda view: "discard" in _verbs(view))


@functools.cache
def kawuxing_crowded() -> Found:
    """Return an own turn with long rivers, many melds, and a revealed hand on the table."""
    return find(
        "kawuxing",
        "seed004",
        lambda view: (
            "discard" in _verbs(view)
            and sum(map(len, view.rivers)) > 33
            and any(view.revealed[1:])
            and sum(map(len, view.melds)) > 3
        ),
        choose=lively,
    )


@functools.cache
def kawuxing_claim() -> Found:
    """Return a discard that may be ponged and konged."""
    return find("kawuxing", "seed004", lambda view: {"peng", "gang"} <= set(_verbs(view)))


@functools.cache
def kawuxing_piao() -> Found:
    """Return the question of 漂."""
    return find("kawuxing", "xiangyang", lambda view: "piao" in _verbs(view))


@functools.cache
def kawuxing_reveal() -> Found:
    """Return an own turn with several ways to reveal, and a triplet that may stay hidden."""
    return find(
        "kawuxing",
        "seed004",
        lambda view: (
            len({action.split(" ")[1] for action in view.legal if action.startswith("liang")}) > 1
            and any(action.startswith("liang") and action.count(" ") > 1 for action in view.legal)
        ),
        choose=lively,
    )


@functools.cache
def kawuxing_fed() -> Found:
    """Return an own turn in which a tile may not go because a revealed seat waits for it."""
    return find(
        "kawuxing",
        "seed004",
        lambda view: (
            "discard" in _verbs(view)
            and view.revealed[0] is None
            and len({action.split(" ")[1] for action in view.legal if action.startswith("discard")})
            < len(set(hand_tiles(view.hand)))
        ),
        choose=lively,
        options={"ban_feeding": True},
    )


@functools.cache
def kawuxing_kongs() -> Found:
    """Return an own turn with two kongs to choose from."""
    return find("kawuxing", "seed004", lambda view: _verbs(view).count("gang") > 1, choose=hoarding)


@functools.cache
def kawuxing_watched() -> Found:
    """Return a moment as a spectator sees it, with a revealed hand."""
    return find(
        "kawuxing",
        "seed004",
        lambda view: any(view.revealed) and sum(map(len, view.rivers)) > 12,
        choose=lively,
        seat=None,
    )


@functools.cache
def kawuxing_two_winners() -> Found:
    """Return the end of a round in which one discard is won twice."""
    return find("kawuxing", "xiangyang", lambda view: len(view.wins) == 2, over=True)


@functools.cache
def kawuxing_drawn() -> Found:
    """Return a round that nobody won, with hands that were ready."""
    return find("kawuxing", "xiangyang", some_ready, over=True, choose=stubborn("kawuxing"))


@functools.cache
def kawuxing_drawn_unready() -> Found:
    """Return a round that nobody won, where no hand was ready."""
    return find(
        "kawuxing", "xiangyang", lambda view: not view.wins and any(view.points), over=True, choose=lively
    )


@functools.cache
def kawuxing_horses() -> Found:
    """Return a self-draw with turned tiles."""
    return find("kawuxing", "xiaogan", lambda view: len(view.ma) == 6, over=True)


@functools.cache
def qinghunpeng_own_turn() -> Found:
    """Return the first own turn of a round."""
    return find("qinghunpeng", "seed000", lambda view: "discard" in _verbs(view))


@functools.cache
def qinghunpeng_crowded() -> Found:
    """Return an own turn with four long rivers and many melds."""
    return find(
        "qinghunpeng",
        "seed000",
        lambda view: (
            "discard" in _verbs(view) and sum(map(len, view.rivers)) > 66 and sum(map(len, view.melds)) > 9
        ),
        choose=lively,
    )


@functools.cache
def qinghunpeng_claim() -> Found:
    """Return a discard that may be eaten in several ways, and ponged."""
    return find(
        "qinghunpeng",
        "seed000",
        lambda view: _verbs(view).count("chi") > 1 and "peng" in _verbs(view),
        choose=lively,
    )


@functools.cache
def qinghunpeng_won() -> Found:
    """Return a round won with more than one name."""
    return find("qinghunpeng", "seed000", lambda view: any("," in words[6] for words in view.wins), over=True)


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


def one(tile: str) -> int:
    """Return a hand of one tile."""
    return ONE[TILES[tile]]


def waits_after(hand: int, melds: Any) -> list[str]:
    """Return what a hand of 卡五星 waits for, as texts."""
    return [TILE_TEXTS[tile] for tile in tiles_of_mask(waits_of(hand, melds))]


def ends(game: str, preset: str, rounds: int) -> list[tuple[str, ...]]:
    """Return what a spectator was told of whole rounds, played by eager bots."""
    rules: Any = GAMES[game]
    told = []
    for seed in range(rounds):
        rng = random.Random(seed)
        position = rules.deal(
            rules.ruleset(preset), shuffled(rules.deck(), rng), rng.randrange(rules.seats), seed % 2
        )
        texts = [text for event in position.opening_events() if (text := event.text_for(None)) is not None]
        while position.outcome() is None:
            seat = position.to_act()[0]
            view = position.view(seat)
            liangs = [action for action in view.legal if action.startswith("liang")]
            action = rng.choice(liangs) if liangs else rules.bots["normal"](view, rng)
            events = position.apply(seat, action)
            texts += [text for event in events if (text := event.text_for(None)) is not None]
        told.append(tuple(texts))
    return told
