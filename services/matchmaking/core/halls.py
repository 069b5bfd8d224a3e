"""The halls: which queues there are, and what a table of each is made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from paiju.matchmaking.v1.matchmaking_service_pb2 import Hall as HallMessage
from paiju.table.v1.table_service_pb2 import SeatSpec, StakeSpec, TableSpec

from services.chassis.errors import Refusal

CURRENCY: Final = "gold"
ROUNDS_MAX: Final = 64
FEE_MAX: Final = 1_000_000_000
WATCH_DELAY_MS: Final = 30_000
"""So long no viewer can be of use to a seat: about the time of two turns."""
"""As the rule option `fee` allows."""


class BadHalls(Exception):
    """The data of the halls is not usable; `problems` names everything that is wrong with it."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a table of a level plays for, and who may bring it."""

    level: str
    """`novice`."""
    base_stake: int
    """Coins per point."""
    buy_in: int
    minimum: int
    """A stake below `minimum` and `fee` must be added to, or the match ends."""
    fee: int
    """Each seat pays it for each round, whoever wins."""
    entry_min: int
    entry_max: int
    """0 = no limit."""

    def admits(self, coins: int) -> bool:
        """Whether somebody with so many coins may come in."""
        return self.entry_min <= coins and not (self.entry_max and coins > self.entry_max)

    def admit(self, coins: int, fitting: Hall | None = None) -> None:
        """Let a player with so many coins in.

        Args:
            coins: What he has.
            fitting: The hall to send him to otherwise, if any fits.

        Raises:
            Refusal: COINS_TOO_FEW, COINS_TOO_MANY.
        """
        advice: dict[str, str] = {
            "advice_zh": f"可以去「{fitting.title_zh}」。" if fitting else "",
            "advice_en": f" “{fitting.title_en}” fits." if fitting else "",
            "fitting_hall_id": fitting.hall_id if fitting else "",
        }
        if coins < self.entry_min:
            raise Refusal("COINS_TOO_FEW", entry_min=self.entry_min, coins=coins, **advice)
        if self.entry_max and coins > self.entry_max:
            raise Refusal("COINS_TOO_MANY", entry_max=self.entry_max, coins=coins, **advice)

    def spec(self) -> StakeSpec:
        """Return the stake of a table."""
        return StakeSpec(
            currency=CURRENCY,
            buy_in=self.buy_in,
            base_stake=self.base_stake,
            minimum=self.minimum,
            fee=self.fee,
        )

    def as_json(self) -> str:
        """Return it as text to be kept."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))


def stakes_of(text: str) -> Stakes | None:
    """Return what `as_json` wrote; empty = a room that plays for points."""
    return Stakes(**json.loads(text)) if text else None


@dataclass(frozen=True, slots=True)
class Hall:
    """One queue."""

    hall_id: str
    """`paohuzi/tongyi-qmt/novice`."""
    game: str
    preset: str
    title_zh: str
    title_en: str
    level_zh: str
    level_en: str
    bot: str
    """Who fills a seat that nobody takes, `bot:normal`."""
    stakes: Stakes
    rounds: int
    options: Mapping[str, Any]
    """Options that differ from the preset's."""
    coin_zh: str = "金币"
    coin_en: str = "gold"
    timing_json: str = ""
    """Waits that differ from the game's defaults, JSON; empty = none."""

    def spec(self, players: Sequence[str], watch_delay_ms: int = WATCH_DELAY_MS) -> TableSpec:
        """Return what a table of this hall is made from, with these players in seat order.

        Everybody may watch it, so much later.
        """
        return TableSpec(
            game=self.game,
            preset=self.preset,
            options_json=json.dumps(self.options, sort_keys=True) if self.options else "",
            rounds=self.rounds,
            timing_json=self.timing_json,
            seats=[SeatSpec(player_id=player_id) for player_id in players],
            stake=self.stakes.spec(),
            spectators=True,
            watch_delay_ms=watch_delay_ms,
            hall_id=self.hall_id,
        )

    def message(self, waiting: int, playing: int = 0) -> HallMessage:
        """Return the hall as people see it."""
        stakes = self.stakes
        return HallMessage(
            hall_id=self.hall_id,
            game=self.game,
            preset=self.preset,
            title_zh=self.title_zh,
            title_en=self.title_en,
            base_stake=stakes.base_stake,
            buy_in=stakes.buy_in,
            entry_min=stakes.entry_min,
            entry_max=stakes.entry_max,
            rounds=self.rounds,
            waiting=waiting,
            fee=stakes.fee,
            minimum=stakes.minimum,
            level=stakes.level,
            level_zh=self.level_zh,
            level_en=self.level_en,
            playing=playing,
            win_cap_by_balance=bool(self.options.get("win_cap_by_balance")),
            coin_zh=self.coin_zh,
            coin_en=self.coin_en,
        )


def fitting(halls: Mapping[str, Hall], wished: Hall, coins: int) -> Hall | None:
    """Return the hall of this game and preset that admits so many coins, the nearest to the wished one."""
    same = [hall for hall in halls.values() if (hall.game, hall.preset) == (wished.game, wished.preset)]
    at = same.index(wished)
    fit = [hall for hall in same if hall.stakes.admits(coins)]
    return min(fit, key=lambda hall: abs(same.index(hall) - at), default=None)


def parse_halls(text: str) -> Mapping[str, Hall]:
    """Return the halls by id, in order of the coins brought: every preset at every level.

    A preset whose points are larger or smaller than others' names its own coins per point for each level
    (`base_stakes`). A preset or a level may set options of the rules (`options`).

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
    timing = level.get("timing") or {**game.get("timing", {}), **preset.get("timing", {})}
    return Hall(
        hall_id=f"{game['game']}/{preset['preset']}/{level['level']}",
        game=game["game"],
        preset=preset["preset"],
        title_zh=f"{preset['title_zh']}·{level['title_zh']}",
        title_en=f"{preset['title_en']} · {level['title_en']}",
        level_zh=level["title_zh"],
        level_en=level["title_en"],
        bot=game["bot"],
        stakes=Stakes(
            level=level["level"],
            base_stake=_whole(preset.get("base_stakes", {}).get(level["level"], level["base_stake"])),
            buy_in=_whole(level["buy_in"]),
            minimum=_whole(level["minimum"]),
            fee=_whole(level.get("fee", 0)),
            entry_min=_whole(level["entry_min"]),
            entry_max=_whole(level["entry_max"]),
        ),
        rounds=_whole(level["rounds"]),
        options={**preset.get("options", {}), **level.get("options", {})},
        coin_zh=preset.get("coin_zh", "金币"),
        coin_en=preset.get("coin_en", "gold"),
        timing_json=json.dumps(timing, sort_keys=True) if timing else "",
    )


def _whole(value: object) -> int:
    """Return a whole number; a fraction, or a word, is none."""
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value


def _problems(hall: Hall) -> list[str]:
    stakes = hall.stakes
    checks = {
        "bot must be bot:<name>": hall.bot.startswith("bot:") and len(hall.bot) > len("bot:"),
        "base_stake must be at least 1": stakes.base_stake >= 1,
        "buy_in must be at least 1": stakes.buy_in >= 1,
        "entry_min must be at least buy_in": stakes.entry_min >= stakes.buy_in,
        "entry_max must be 0 or at least entry_min": not stakes.entry_max
        or stakes.entry_max >= stakes.entry_min,
        "minimum must be at least 0, fee 0 to a billion, both together at most buy_in": stakes.minimum >= 0
        and 0 <= stakes.fee <= FEE_MAX
        and stakes.minimum + stakes.fee <= stakes.buy_in,
        "rounds must be 1 to 64": 1 <= hall.rounds <= ROUNDS_MAX,
    }
    return [problem for problem, is_fine in checks.items() if not is_fine]
