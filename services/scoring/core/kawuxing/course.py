"""The course of a round of 卡五星: who is asked what, in which order (rules §2, §3, §7).

A round is a generator: it yields the open questions, is sent one answer, and returns the table at its end.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import combinations

from services.scoring.core.kawuxing.melds import PENG, Meld
from services.scoring.core.kawuxing.names import Win
from services.scoring.core.kawuxing.payment import others
from services.scoring.core.kawuxing.table import Reveal, Table, Turn
from services.scoring.core.kawuxing.tiles import COPIES, KIND, NAMES, SEATS, Counts, held

HU, PASS = "hu", "pass"


class OwnTurn:
    """What the seat in turn is asked; 亮倒 is worked out only when it is looked at."""

    def __init__(self, table: Table, turn: Turn, win: Win | None) -> None:
        self._table, self._turn, self.win = table, turn, win
        self._own = table.seats[turn.seat]

    def __contains__(self, answer: object) -> bool:
        words = answer.split(" ") if isinstance(answer, str) else []
        if words[:1] == ["liang"] and len(words) > 1:
            kind = KIND.get(words[1])
            return kind in self._free() and answer in self._liangs(kind)
        return answer in self.plain()

    def refusal(self, answer: str) -> str:
        """Return why an answer is illegal, or empty."""
        return "" if answer in self else f"{answer!r} is not legal; legal are {', '.join(self.answers())}"

    def plain(self) -> list[str]:
        """Return every answer but 亮倒."""
        found = [HU] if self.win else []
        found += [f"gang {how} {NAMES[kind]}" for how, kind in kongs_of(self._table, self._turn)]
        if self._own.reveal is not None and self._turn.drawn is not None:
            return [*found, f"discard {NAMES[self._turn.drawn]}"]
        return found + [f"discard {NAMES[kind]}" for kind in self._free()]

    def answers(self) -> tuple[str, ...]:
        """Return every legal answer, sorted."""
        return tuple(sorted([*self.plain(), *(text for kind in self._free() for text in self._liangs(kind))]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers())

    def _free(self) -> list[int]:
        """Return what may be discarded by a seat that is not revealed."""
        kinds = held(self._own.hand)
        fed = self._table.feeds(self._turn.seat)
        return [kind for kind in kinds if kind not in fed] or kinds

    def _liangs(self, kind: int) -> list[str]:
        """Return the ways to reveal with a discard."""
        table, own = self._table, self._own
        if own.reveal is not None or len(table.wall) < table.options.reveal_min_wall:
            return []
        own.hand[kind] -= 1
        sets = hidden_sets(table, self._turn.seat)
        own.hand[kind] += 1
        return [" ".join(["liang", *(NAMES[each] for each in (kind, *kou))]) for kou in sets]


Questions = Mapping[int, Sequence[str] | OwnTurn]
Answer = tuple[int, str]
Steps = Generator[Questions, Answer, Turn | None]
"""A part of a round; returns who acts next, or None if the round has ended."""


def hidden_sets(table: Table, seat: int) -> list[tuple[int, ...]]:
    """Return the sets of triplets that a hand of 13 may hide in 亮倒; none if it waits for nothing."""
    waits = table.waits(seat)
    if not waits:
        return []
    triplets = [kind for kind in held(table.seats[seat].hand) if table.seats[seat].hand[kind] >= 3]
    found: list[tuple[int, ...]] = [()]
    for size in range(1, len(triplets) + 1):
        found += [kou for kou in combinations(triplets, size) if table.waits(seat, fixed=kou) == waits]
    return found


def kongs_of(table: Table, turn: Turn) -> list[tuple[str, int]]:
    """Return the kongs that the seat in turn may make (rules §3)."""
    options, own = table.options, table.seats[turn.seat]
    if not table.wall or (turn.drawn is None and not options.kong_after_pong):
        return []
    found = [("an", kind) for kind in held(own.hand) if own.hand[kind] == COPIES]
    for meld in own.melds:
        late = options.bugang_only_drawn and meld.kind != turn.drawn
        left = meld.held_three and options.abandoned_kong == "forbid"
        if meld.how == PENG and own.hand[meld.kind] and not late and not left:
            found.append(("bu", meld.kind))
    if own.reveal is None:
        return found
    return [
        (how, kind) for how, kind in found if kind == turn.drawn and keeps_waits(table, turn.seat, how, kind)
    ]


def keeps_waits(table: Table, seat: int, how: str, kind: int) -> bool:
    """Say whether a kong of a revealed seat leaves its waits as they must be (rules §7)."""
    own = table.seats[seat]
    assert own.reveal is not None, "only a revealed seat is asked"
    hand, melds = list(own.hand), list(own.melds)
    own.hand[kind] = 0
    own.melds = [meld for meld in melds if meld.kind != kind] + [Meld(how, kind)]
    after = table.waits(seat)
    own.hand, own.melds = hand, melds
    return after == own.reveal.waits if table.options.reveal_kong_check == "same_waits" else bool(after)


def whole_round(table: Table) -> Generator[Questions, Answer, Table]:
    """Play a dealt round to its end."""
    if table.options.piao_max:
        yield from _piao(table)
    return (yield from from_turn(table, table.take(table.dealer, table.fourteenth)))


def from_turn(table: Table, turn: Turn | None) -> Generator[Questions, Answer, Table]:
    """Play a round on from a seat's turn."""
    while turn is not None:
        turn = yield from _turn(table, turn)
    return table


def _piao(table: Table) -> Generator[Questions, Answer, None]:
    """漂: all three say at once how much they add (rules §9)."""
    answers = tuple(sorted(f"piao {number}" for number in range(table.options.piao_max + 1)))
    open_seats = set(range(SEATS))
    while open_seats:
        seat, answer = yield dict.fromkeys(sorted(open_seats), answers)
        open_seats.remove(seat)
        table.purse.piao[seat] = int(answer.removeprefix("piao "))


def _turn(table: Table, turn: Turn) -> Steps:
    """Let a seat act: win, kong, reveal, discard."""
    seat, own, options = turn.seat, table.seats[turn.seat], table.options
    how = "gangkai" if turn.replaces else "zimo"
    win = None
    if turn.drawn is not None:
        own.hand[turn.drawn] -= 1
        win = table.win_of(seat, turn.drawn, how, None)
        own.hand[turn.drawn] += 1
    answer = ""
    if own.reveal is not None:
        answer = _unasked(table, turn, win)
    if not answer:
        _, answer = yield {seat: OwnTurn(table, turn, win)}
    words = answer.split(" ")
    if win is not None:
        if answer == HU:
            table.won_self(seat, win, how)
            return None
        table.pass_by(seat, win)
    if words[0] == "gang":
        kind = KIND[words[2]]
        loose = options.chain_requires_drawn and words[1] == "an" and kind != turn.drawn
        if not turn.replaces or loose:
            table.purse.chain = 0
        if words[1] == "bu":
            return (yield from _added_kong(table, seat, kind))
        own.hand[kind] -= COPIES
        table.laid_kong(seat, "an", kind, seat)
        return table.draw(seat, replaces=True)
    kind = KIND[words[1]]
    forced = set(held(own.hand)) <= table.awaited(seat)
    own.hand[kind] -= 1
    if words[0] == "liang":
        own.reveal = Reveal(tuple(KIND[name] for name in words[2:]), table.waits(seat))
        table.purse.revealed.append(seat)
    if not turn.replaces:
        table.purse.chain = 0
    table.discards += 1
    return (yield from _discard(table, turn, kind, forced=forced))


def _unasked(table: Table, turn: Turn, win: Win | None) -> str:
    """Return what a revealed seat does of itself in its own turn, or empty (rules §7, §9)."""
    reveal = table.seats[turn.seat].reveal
    assert reveal is not None, "only a revealed seat acts of itself"
    if win is not None:
        return HU if table.options.reveal_auto_hu else ""
    if table.options.sha_ma:
        for how, kind in kongs_of(table, turn):
            if how == "an" and kind not in reveal.kou:
                return f"gang an {NAMES[kind]}"
    return ""


def _added_kong(table: Table, seat: int, kind: int) -> Steps:
    """Declare a 补杠: it can be won; else it stands."""
    own = table.seats[seat]
    own.hand[kind] -= 1
    wins: dict[int, Win] = {}
    offered: dict[int, Win] = {}
    for other in others(seat):
        win = table.win_of(other, kind, "qianggang", seat)
        if win is not None:
            taken = table.is_revealed(other) and table.options.reveal_auto_hu
            (wins if taken else offered)[other] = win
    while offered:
        other, answer = yield dict.fromkeys(sorted(offered), (HU, PASS))
        win = offered.pop(other)
        if answer == HU:
            wins[other] = win
        else:
            table.pass_by(other, win)
    if wins:
        table.won_from(seat, "qianggang", wins, forced=False)
        return None
    table.laid_kong(seat, "bu", kind, seat)
    return table.draw(seat, replaces=True)


def _discard(table: Table, turn: Turn, kind: int, *, forced: bool) -> Steps:
    """Offer a discard to the two others, and let the best claim have it."""
    giver = turn.seat
    how = "gangpao" if turn.replaces else "discard"
    wins: dict[int, Win] = {}
    hopes: dict[int, Win] = {}
    asked: dict[int, tuple[str, ...]] = {}
    claim: tuple[int, str] | None = None
    for seat in others(giver):
        win = table.win_of(seat, kind, how, giver)
        if win is not None and table.is_revealed(seat) and table.options.reveal_auto_hu:
            wins[seat] = win
            continue
        claims = _claims(table, seat, kind)
        reveal = table.seats[seat].reveal
        kongs_itself = table.options.sha_ma and reveal is not None and kind not in reveal.kou
        if kongs_itself and win is None and claims:
            claim = (seat, claims[0])
            continue
        if win is not None:
            hopes[seat] = win
        if win is not None or claims:
            asked[seat] = tuple(sorted([*claims, PASS, *([HU] if win else [])]))
    while hopes or (asked and not wins):
        seat, answer = yield {each: asked[each] for each in sorted(asked)}
        del asked[seat]
        hope = hopes.pop(seat, None)
        if hope is not None and answer == HU:
            wins[seat] = hope
            continue
        if hope is not None:
            table.pass_by(seat, hope)
        if answer != PASS:
            claim = (seat, answer)
    if wins:
        table.won_from(giver, how, wins, forced=forced)
        return None
    if claim is None:
        table.seats[giver].river.append(kind)
        return table.draw((giver + 1) % SEATS)
    return _claimed(table, giver, kind, *claim)


def _claims(table: Table, seat: int, kind: int) -> list[str]:
    """Return how a seat may take a discard without winning: the kong first."""
    own, options = table.seats[seat], table.options
    found = []
    if own.hand[kind] == 3 and table.wall:
        may_kong = own.reveal is None
        if own.reveal is not None:
            is_open_to_it = not options.reveal_no_claim or kind in own.reveal.kou
            may_kong = is_open_to_it and keeps_waits(table, seat, "ming", kind)
        found += [f"gang ming {NAMES[kind]}"] if may_kong else []
    if own.hand[kind] >= 2 and own.reveal is None and (table.wall or options.claim_last == "hu_pong"):
        found.append("peng")
    return found


def _claimed(table: Table, giver: int, kind: int, seat: int, answer: str) -> Turn | None:
    """Let a seat have a discard for a kong or a 碰."""
    own: Counts = table.seats[seat].hand
    table.is_disturbed = True
    if answer == PENG:
        table.seats[seat].melds.append(Meld(PENG, kind, held_three=own[kind] == 3))
        own[kind] -= 2
        return Turn(seat, None)
    own[kind] = 0
    table.laid_kong(seat, "ming", kind, giver)
    return table.draw(seat, replaces=True)
