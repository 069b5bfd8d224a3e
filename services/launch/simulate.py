"""`paiju simulate`: bots against each other, and scoring's verdict on the record of every round."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from engine import GAMES, Refusal
from engine.options import OptionInfo, infos
from services.chassis.clock import SystemClock
from services.launch.arena import Seating, play_match
from services.launch.exits import NO, USAGE, Stop
from services.launch.tally import Tally, rate
from services.scoring.core.record import GAMES as AUDITED

MATCH_ROUNDS = 10
"""Rounds of one seating: dealers follow each other, and the bots change seats with the next match."""


@dataclass(frozen=True)
class Order:
    """What is to be simulated."""

    game: str
    preset: str
    rounds: int
    bots: tuple[str, ...]
    """By name, one per seat; empty: the game's own choice."""
    jobs: int
    seed: str
    options: tuple[str, ...] = ()
    """Options that are to differ from the preset, as `name=value`."""


def run(order: Order, *, as_json: bool) -> None:
    """Play the rounds and print what came out.

    Raises:
        Stop: Unknown game, preset or bot (`USAGE`); a round was disputed, lost cards, did not end or did not
            sum to zero (`NO`).
    """
    seating = _seating(order)
    clock = SystemClock()
    started = clock.monotonic()
    tally = Tally()
    with _progress() as progress:
        bar = progress.add_task(f"{order.game} {order.preset}", total=order.rounds)
        for part in _played(order, seating):
            tally.add(part)
            progress.update(bar, completed=tally.rounds)
    seconds = clock.monotonic() - started
    if as_json:
        print(json.dumps(_as_json(order, seating, tally, seconds), ensure_ascii=False))
    else:
        _print(order, tally, seconds)
    for line in tally.disputed:
        print(f"disputed: {line}", file=sys.stderr)
    if not tally.is_clean:
        raise Stop(NO, "not every round ended, kept its cards, summed to zero and was agreed to")


def _seating(order: Order) -> Seating:
    try:
        game = GAMES[order.game]
        overrides = parse_options(order.options, known_options(order.game))
        game.ruleset(order.preset, overrides)
    except Refusal as refusal:
        raise Stop(USAGE, str(refusal)) from refusal
    if order.game not in AUDITED:
        raise Stop(USAGE, f"scoring cannot audit {order.game} yet; it knows {', '.join(AUDITED)}")
    bots = order.bots or _usual(tuple(game.bots), game.seats)
    for bot in bots:
        if bot not in game.bots:
            raise Stop(USAGE, f"no bot is called {bot!r}; {order.game} has {', '.join(sorted(game.bots))}")
    if len(bots) != game.seats:
        raise Stop(USAGE, f"{order.game} has {game.seats} seats, and {len(bots)} bots were named")
    return Seating(order.game, order.preset, bots, tuple(overrides.items()))


def known_options(game: str) -> dict[str, OptionInfo]:
    """Return what is known about each option of a game, by name.

    Raises:
        UnknownGame: There is no such game; the known ones are named.
    """
    return infos(type(next(iter(GAMES[game].presets.values()))))


def parse_options(words: tuple[str, ...], known: Mapping[str, OptionInfo]) -> dict[str, Any]:
    """Return options given as `name=value`, values in JSON or bare: `cap=none`, `double=on`, `bomb_mult=3`.

    A word that an option can be is that word: `hz=none` is no null, and `names=876` no number.

    Raises:
        Stop: A word has no `=`, or a name comes twice (`USAGE`).
    """
    options: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (name and equals):
            raise Stop(USAGE, f"{word!r} is no option; write name=value")
        if name in options:
            raise Stop(USAGE, f"the option {name} is given twice")
        if name in known and text in known[name].choices:
            options[name] = text
            continue
        try:
            options[name] = json.loads({"none": "null", "yes": "true", "no": "false"}.get(text, text))
        except (ValueError, RecursionError):
            # Bare words, and what is too long or too deep for any option: the game refuses it by its name.
            options[name] = text
    return options


def _usual(known: tuple[str, ...], seats: int) -> tuple[str, ...]:
    """Return one `normal` bot against random ones, or whatever bots there are."""
    best = "normal" if "normal" in known else known[0]
    other = "random" if "random" in known else known[-1]
    return (best, *([other] * (seats - 1)))


def _played(order: Order, seating: Seating) -> Iterator[Tally]:
    """Yield the tallies of the matches, in any order; their sum does not depend on `jobs`."""
    matches = [
        (seating, number, min(MATCH_ROUNDS, order.rounds - start), _secret(order.seed, number))
        for number, start in enumerate(range(0, order.rounds, MATCH_ROUNDS))
    ]
    if order.jobs == 1:
        yield from (play_match(*match) for match in matches)
        return
    # Never fork: threads of the parent would be half there.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(order.jobs, len(matches), os.cpu_count() or 1), mp_context=context) as pool:
        yield from pool.map(play_match, *zip(*matches, strict=True), chunksize=4)


def _secret(seed: str, match: int) -> bytes:
    return hashlib.sha256(f"paiju-simulate-1 {match} {seed}".encode(errors="surrogatepass")).digest()


def _progress() -> Progress:
    """Return a bar on standard error, where a person watches it; none where nobody does."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _as_json(order: Order, seating: Seating, tally: Tally, seconds: float) -> dict[str, Any]:
    return {
        "game": order.game,
        "preset": seating.preset,
        "options": dict(seating.overrides),
        "rounds": tally.rounds,
        "bots": list(seating.bots),
        "seed": order.seed,
        "ended": tally.ended,
        "disagreements": tally.disagreements,
        "conservation_errors": tally.conservation_errors,
        "zero_sum_errors": tally.zero_sum_errors,
        "draws": tally.draws,
        "self_draws": tally.self_draws,
        "actions": tally.actions,
        "rounds_per_s": round(tally.rounds / seconds, 1),
        "names": dict(sorted(tally.names.items(), key=lambda item: (-item[1], item[0]))),
        "wins": tally.wins_per_bot(),
        "desk": tally.desk(),
    }


def _print(order: Order, tally: Tally, seconds: float) -> None:
    print(
        f"{order.game} {order.preset}: {tally.rounds} rounds in {seconds:.1f} s "
        f"({tally.rounds / seconds:.0f}/s, each audited), {tally.actions} answers\n"
        f"ended {tally.ended}, 荒庄 {tally.draws}, self-drawn {tally.self_draws}; disagreements "
        f"{tally.disagreements}, cards lost {tally.conservation_errors}, not zero-sum {tally.zero_sum_errors}"
    )
    _print_desk(tally)
    table = Table(
        "bot", "won", "of decided seats", "share", "95 % interval", "points a round", "95 % interval"
    )
    for bot, row in tally.wins_per_bot().items():
        table.add_row(
            bot,
            str(row["wins"]),
            str(row["seats"]),
            *_shown(row),
            f"{row['points_a_round']:+.3f}",
            f"{row['points_low']:+.3f} to {row['points_high']:+.3f}",
        )
    Console().print(table)


def _print_desk(tally: Tally) -> None:
    """Print how often what happens under these rules."""
    desk = tally.desk()
    table = Table("what", "rounds", "share", "95 % interval", "points of the winner")
    table.add_row("荒庄", str(tally.draws), *_shown(desk["draw"]), "")
    table.add_row("self-drawn, of decided", str(tally.self_draws), *_shown(desk["self_draw"]), "")
    for how, count in desk["hows"].items():
        table.add_row(f"won by {how}", str(count), *_shown(rate(count, desk["decided"])), "")
    for name, row in desk["names"].items():
        table.add_row(name, str(row["count"]), *_shown(row), f"{row['points']:.2f}")
    for value, count in desk["multipliers"].items():
        table.add_row(f"× {value}", str(count), *_shown(rate(count, tally.won)), "")
    Console().print(table)
    if worth := desk["win_points"]:
        print(
            f"points of a win: mean {worth['mean']}, median {worth['median']}, 95 % up to {worth['p95']}, "
            f"most {worth['max']}; answers a round {desk['answers_a_round']}"
        )


def _shown(row: dict[str, Any]) -> tuple[str, str]:
    share = "" if row["share"] is None else f"{row['share']:.1%}"
    return share, f"{row['low']:.1%} to {row['high']:.1%}"
