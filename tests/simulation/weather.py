"""How bad a world is: for how long, and what it does to facts on their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, order=True)
class Weather:
    """The faults of a world, beyond those that every world has (`storm.Storm`)."""

    storm_s: float = 40.0
    """Virtual seconds of faults: what concerns the end of rounds needs more of them."""
    lose_fetch: float = 0.02
    """How often what was fetched never reaches its consumer: it comes again in a minute, overtaken."""
    lose_delivery_ack: float = 0.02
    """How often what was handled comes again all the same."""
    room_rounds: int = 1
    """Of a room of friends, at least: played for points, where no round waits for the money of the last."""
    is_prompt: bool = True
    """Once it has healed, nothing may be late; not so where a mutant itself waits for its moment."""


USUAL: Final = Weather()
LONG: Final = Weather(storm_s=90.0)
OVERTAKING: Final = Weather(storm_s=150.0, lose_fetch=0.8, room_rounds=4)
SLOW: Final = Weather(is_prompt=False)
LONG_AND_SLOW: Final = Weather(storm_s=90.0, is_prompt=False)
REPEATING: Final = Weather(storm_s=90.0, lose_delivery_ack=0.2)

_WORSE: Final = {5: LONG, 9: REPEATING, 13: OVERTAKING}


def weather_of(seed: int) -> Weather:
    """Return the weather that a seed picks: mostly the usual one."""
    return _WORSE.get(seed % 17, USUAL)
