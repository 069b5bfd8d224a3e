"""The combinations of 斗地主 read plainly, card by card: slow, short, and written apart from the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

ORDER = "3456789TJQKA2BR"
RUN = ORDER[:12]
DEFAULTS: Mapping[str, bool] = {
    "pair_as_two_solos": True,
    "rocket_as_kickers": False,
    "bomb_in_kickers": False,
    "trio_in_wings": True,
    "adjacent_trio_wing": True,
    "four_two": True,
}
PREFERENCE = (
    "trio_chain",
    "trio_solo",
    "trio_pair",
    "four_two_solo",
    "four_two_pair",
    "plane_solo",
    "plane_pair",
)

Reading = tuple[str, int, str]


def single_kickers(rest: Counter[str], beside: str, options: Mapping[str, bool]) -> bool:
    """Return whether cards may be single kickers."""
    if rest["B"] and rest["R"] and not options["rocket_as_kickers"]:
        return False
    for rank, count in rest.items():
        if count > 1 and not options["pair_as_two_solos"]:
            return False
        if count == 3 and not options["trio_in_wings"]:
            return False
        if count == 3 and rank in beside and not options["adjacent_trio_wing"]:
            return False
        if count == 4 and not options["bomb_in_kickers"]:
            return False
    return True


def pair_kickers(rest: Counter[str], options: Mapping[str, bool]) -> bool:
    """Return whether cards may be pairs as kickers."""
    return all(count == 2 or (count == 4 and options["bomb_in_kickers"]) for count in rest.values())


def runs(least: int) -> Iterator[str]:
    """Yield every row of consecutive ranks that is long enough."""
    for start in range(len(RUN)):
        for end in range(start + least, len(RUN) + 1):
            yield RUN[start:end]


def readings(cards: str, options: Mapping[str, bool] = DEFAULTS) -> list[Reading]:
    """Return every reading of cards, the one that is meant by default first."""
    have = Counter(cards)
    size = len(cards)
    found: list[Reading] = []
    if sorted(cards) == ["B", "R"]:
        found.append(("rocket", 1, "R"))
    for rank in ORDER:
        rest = Counter(cards)
        del rest[rank]
        others = sum(rest.values())
        if have[rank] and not others:
            found.append((["solo", "pair", "trio", "bomb"][size - 1], 1, rank))
        if have[rank] == 3 and others == 1:
            found.append(("trio_solo", 1, rank))
        if have[rank] == 3 and others == 2 and len(rest) == 1:
            found.append(("trio_pair", 1, rank))
        if have[rank] == 4 and options["four_two"]:
            if others == 2 and single_kickers(rest, "", options):
                found.append(("four_two_solo", 1, rank))
            if others == 4 and pair_kickers(rest, options):
                found.append(("four_two_pair", 1, rank))
    for copies, least, kind in ((1, 5, "solo_chain"), (2, 3, "pair_chain"), (3, 2, "trio_chain")):
        found += [(kind, len(run), run[0]) for run in runs(least) if have == Counter(run * copies)]
    for run in runs(2):
        if any(have[rank] != 3 for rank in run):
            continue
        rest = Counter({rank: count for rank, count in have.items() if rank not in run})
        at = RUN.index(run[0])
        beside = RUN[at - 1 : at] if at else ""
        beside += RUN[at + len(run) : at + len(run) + 1]
        others = sum(rest.values())
        if others == len(run) and single_kickers(rest, beside, options):
            found.append(("plane_solo", len(run), run[0]))
        if others == 2 * len(run) and others and pair_kickers(rest, options):
            found.append(("plane_pair", len(run), run[0]))
    preferred = {kind: at for at, kind in enumerate(PREFERENCE)}
    found.sort(key=lambda one: (preferred.get(one[0], 0), -one[1], -ORDER.index(one[2])))
    return found


def beats(new: Reading, old: Reading) -> bool:
    """Return whether a reading beats another."""
    if "rocket" in (new[0], old[0]):
        return old[0] != "rocket"
    if new[0] == "bomb" != old[0]:
        return True
    return new[:2] == old[:2] and ORDER.index(new[2]) > ORDER.index(old[2])


def parts(hand: str) -> Iterator[str]:
    """Yield every choice of cards of a hand but none at all."""
    have = Counter(hand)
    ranks = [rank for rank in ORDER if have[rank]]
    for counts in product(*[range(have[rank] + 1) for rank in ranks]):
        if any(counts):
            yield "".join(rank * count for rank, count in zip(ranks, counts, strict=True))


def actions(hand: str, over: Reading | None, options: Mapping[str, bool] = DEFAULTS) -> list[str]:
    """Return every legal action of a hand in the play, as texts, sorted."""
    found = [] if over is None else ["pass"]
    for cards in parts(hand):
        ways = readings(cards, options)
        if over is not None:
            found += [f"play {cards}"] if any(beats(way, over) for way in ways) else []
        elif ways:
            kinds = sorted({kind for kind, _, _ in ways} - {ways[0][0]})
            found += [f"play {cards}", *[f"play {cards} as {kind}" for kind in kinds]]
    return sorted(found)


def options_of(rules: Any) -> dict[str, bool]:
    """Return the options about kickers of a rule set."""
    return {name: getattr(rules, name) for name in DEFAULTS}
