"""A whole round as text: the deal, what each seat is told, may do and does, its views, the explained end."""

import json
import random
from typing import Any

from engine import GAMES
from engine.arena import shuffled
from engine.record import canonical_json, full_result

SEED = {
    "876cc": 27,
    "luzhou-10xi": 11,
    "bafang-yongzhou": 30,
    "tongyi-qmt": 35,
    "classic": 27,
    "qiang": 29,
    "contest": 56,
    "seed004": 17,
    "xiangyang": 25,
    "xiaogan": 4,
    "suizhou": 7,
    "shiyan": 9,
    "seed000": 35,
    "shanghai": 41,
}
"""Seeds whose rounds show much; other presets take 1."""


Script = list[tuple[int, str]]
"""Who did what, in order."""


def script_of(text: str) -> Script:
    """Return who did what in a golden round."""
    moves = [line[2:].split(" ", 1) for line in text.splitlines() if line.startswith("> ")]
    return [(int(seat), action) for seat, action in moves]


def playthrough(name: str, preset: str, script: Script | None = None) -> str:
    """Return every observable of a round, as lines.

    The moves are those of a script, so that bots may learn without changing it; without one, bots play.
    """
    game: Any = GAMES[name]
    rules = game.ruleset(preset)
    rng = random.Random(f"golden {name} {preset} {SEED.get(preset, 1)}")
    wall = shuffled(game.deck(), rng)
    dealer = rng.randrange(game.seats)
    position = game.deal(rules, wall, dealer)
    readers = (*range(game.seats), None)
    lines = [f"# {name}/{rules.title}", f"rules {rules.as_json()}"]
    lines += [f"wall {' '.join(wall)}", f"dealer {dealer}", ""]

    def tell(events: Any) -> None:
        for event in events:
            texts = [event.text_for(reader) for reader in readers]
            pause = " (pause)" if event.pause else ""
            if len(set(texts)) == 1:
                lines.append(f"  all: {texts[0]}{pause}")
                continue
            for reader, text in zip(readers, texts, strict=True):
                if text is not None:
                    lines.append(f"  {'spectator' if reader is None else f'seat {reader}'}: {text}{pause}")

    moves = 0
    tell(position.opening_events())
    while position.outcome() is None:
        lines.append("")
        asked = position.to_act()
        for seat in asked:
            lines.append(f"legal {seat}: {' | '.join(position.legal_actions(seat))}")
            lines.append(f"fallback {seat}: {game.fallback(position.view(seat))}")
        for reader in readers:
            view = position.view(reader).as_json()
            del view["rules"], view["preset"], view["legal"]
            label = "spectator" if reader is None else f"seat {reader}"
            lines.append(f"view {label}: {canonical_json(view)}")
        if script is not None:
            seat, action = script[moves]
            moves += 1
        else:
            seat = rng.choice(asked)
            bot = "normal" if rng.random() < 0.9 else "random"
            action = game.bots[bot](position.view(seat), rng)
        lines.append(f"> {seat} {action}")
        tell(position.apply(seat, action))
    outcome = position.outcome()
    lines += ["", f"result {canonical_json(full_result(name, rules, dealer, 0, outcome))}"]
    lines += [f"explain {line.text} = {line.value} ({line.rule})" for line in game.explain(rules, outcome)]
    for reader in readers:
        label = "spectator" if reader is None else f"seat {reader}"
        view = position.view(reader).as_json()
        del view["rules"]
        lines.append(
            f"view {label}: {json.dumps(view, ensure_ascii=False, sort_keys=True, separators=(',', ':'))}"
        )
    return "\n".join(lines) + "\n"
