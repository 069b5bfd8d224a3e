"""The halls: which queues there are, and what a table of each is made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from paiju.matchmaking.v1.matchmaking_service_pb2 import Hall as HallMessage
from paiju.table.v1.table_service_pb2 import SeatSpec, StakeSpec, TableSpec

from services.chassis.errors import Refusal

CURRENCY: Final = "gold"
ROUNDS_MAX: Final = 64


class BadHalls(Exception):
    """The data of the halls is not usable; `problems` names everything that is wrong with it."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Hall:
    """One queue."""

    hall_id: str
    """`paohuzi/tongyi-qmt/novice`."""
    game: str
    preset: str
    title_zh: str
    title_en: str
    bot: str
    """Who fills a seat that nobody takes, `bot:normal`."""
    base_stake: int
    buy_in: int
    entry_min: int
    entry_max: int
    """0 = no limit."""
    minimum: int
    """A stake below this ends the match."""
    rounds: int
    timing_json: str = ""
    """Waits that differ from the game's defaults, JSON; empty = none."""

    def admit(self, coins: int) -> None:
        """Let a player with so many coins in.

        Raises:
            Refusal: COINS_TOO_FEW, COINS_TOO_MANY.
        """
        if coins < self.entry_min:
            raise Refusal("COINS_TOO_FEW", entry_min=self.entry_min, coins=coins)
        if self.entry_max and coins > self.entry_max:
            raise Refusal("COINS_TOO_MANY", entry_max=self.entry_max, coins=coins)

    def spec(self, players: Sequence[str]) -> TableSpec:
        """Return what a table of this hall is made from, with these players in seat order."""
        return TableSpec(
            game=self.game,
            preset=self.preset,
            rounds=self.rounds,
            timing_json=self.timing_json,
            seats=[SeatSpec(player_id=player_id) for player_id in players],
            stake=StakeSpec(
                currency=CURRENCY, buy_in=self.buy_in, base_stake=self.base_stake, minimum=self.minimum
            ),
        )

    def message(self, waiting: int) -> HallMessage:
        """Return the hall as people see it."""
        return HallMessage(
            hall_id=self.hall_id,
            game=self.game,
            preset=self.preset,
            title_zh=self.title_zh,
            title_en=self.title_en,
            base_stake=self.base_stake,
            buy_in=self.buy_in,
            entry_min=self.entry_min,
            entry_max=self.entry_max,
            rounds=self.rounds,
            waiting=waiting,
        )


def parse_halls(text: str) -> Mapping[str, Hall]:
    """Return the halls by id, in order of the coins brought: every preset at every level.

    A preset whose points are larger or smaller than others' names its own coins per point for each level
    (`base_stakes`).

    Raises:
        BadHalls: With all problems at once.
    """
    try:
        data = json.loads(text)
        games = {game["game"]: game for game in data["games"]}
        halls = [
            _hall(games[preset["game"]], preset, level)
            for level in sorted(data["levels"], key=lambda level: int(level["buy_in"]))
            for preset in data["presets"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise BadHalls([f"not the data of halls: {error!r}"]) from error
    problems = [f"{hall.hall_id}: {problem}" for hall in halls for problem in _problems(hall)]
    ids = [hall.hall_id for hall in halls]
    problems += [f"{hall_id}: twice" for hall_id in sorted({i for i in ids if ids.count(i) > 1})]
    if problems or not halls:
        raise BadHalls(problems or ["there is no hall"])
    return {hall.hall_id: hall for hall in halls}


def _hall(game: Mapping[str, Any], preset: Mapping[str, Any], level: Mapping[str, Any]) -> Hall:
    return Hall(
        hall_id=f"{game['game']}/{preset['preset']}/{level['level']}",
        game=game["game"],
        preset=preset["preset"],
        title_zh=f"{preset['title_zh']}·{level['title_zh']}",
        title_en=f"{preset['title_en']} · {level['title_en']}",
        bot=game["bot"],
        base_stake=int(preset.get("base_stakes", {}).get(level["level"], level["base_stake"])),
        buy_in=int(level["buy_in"]),
        entry_min=int(level["entry_min"]),
        entry_max=int(level["entry_max"]),
        minimum=int(level["minimum"]),
        rounds=int(level["rounds"]),
        timing_json=json.dumps(timing, sort_keys=True) if (timing := level.get("timing")) else "",
    )


def _problems(hall: Hall) -> list[str]:
    checks = {
        "bot must be bot:<name>": hall.bot.startswith("bot:") and len(hall.bot) > len("bot:"),
        "base_stake must be at least 1": hall.base_stake >= 1,
        "buy_in must be at least 1": hall.buy_in >= 1,
        "entry_min must be at least buy_in": hall.entry_min >= hall.buy_in,
        "entry_max must be 0 or at least entry_min": not hall.entry_max or hall.entry_max >= hall.entry_min,
        "minimum must be 0 to buy_in": 0 <= hall.minimum <= hall.buy_in,
        "rounds must be 1 to 64": 1 <= hall.rounds <= ROUNDS_MAX,
    }
    return [problem for problem, is_fine in checks.items() if not is_fine]
