"""The course of a round, as rules §4–§9 tell it, asking seats what the rules leave open.

The round is a generator: it yields the open questions, is sent one answer, and returns how it ended.
Every step of rules §5 is a function that returns the next step.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from services.scoring.core import eating
from services.scoring.core.judge import Win, best_win, santi_win
from services.scoring.core.table import Ending, Seat, Table, discards_of
from services.scoring.core.tiles import KINDS, NAMES

Questions = Mapping[int, Sequence[str]]
"""For each seat that is asked, the actions it may answer with."""
Answer = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Draw:
    """A seat draws next."""

    seat: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """A seat has put a card down."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Completed:
    """A seat has taken a card (or it is the dealer's first turn): rules §5, AFTER."""

    seat: int
    card: int | None = None
    win: Win | None = None
    """Its own 偎 or 提 has just completed a hand that it may win with."""


Step = Draw | Discarded | Completed | Ending


@dataclass(frozen=True, slots=True)
class Offer:
    """One step of the resolution of a card: a seat's option, or a 跑 that happens by itself."""

    kind: str
    """`hu`, `pao`, `peng`, `chi`."""
    seat: int
    actions: tuple[str, ...] = ()
    win: Win | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a card."""

    taken: Offer | None
    action: str
    declined: tuple[Offer, ...]
    """Offers that were reached and not taken."""


def whole_round(table: Table) -> Generator[Questions, Answer, Ending]:
    """Play a dealt round to its end."""
    step: Step = yield from opening(table)
    while not isinstance(step, Ending):
        step = yield from follow(table, step)
    return step


def follow(table: Table, step: Step) -> Generator[Questions, Answer, Step]:
    """Play one step and return the next."""
    match step:
        case Draw(seat):
            return (yield from draw(table, seat))
        case Discarded(seat, card):
            return (yield from discarded(table, seat, card))
        case Completed():
            return (yield from completed(table, step))
        case Ending():
            return step


def opening(table: Table) -> Generator[Questions, Answer, Step]:
    """Rules §4: 三提五坎, the 亮张, opening 提; the dealer's first turn follows."""
    order = table.order_from(table.dealer)
    if table.options.santi_wukan == "auto":
        for seat in order:
            win = santi_win(table.seats[seat].hand, table.options)
            if win is not None:
                table.note("autowin", seat)
                return Ending("hu", seat, "santi", -1, None, win)
    if table.liang is not None and table.options.liangzhang_hu != "off":
        asked = order if table.options.liangzhang_hu == "all" else order[:1]
        offers = [
            offer
            for seat in asked
            for offer in _hu(
                table, seat, table.liang, "liang_dealer" if seat == table.dealer else "liang_other"
            )
        ]
        settled = yield from _settle(table, offers, _questions(offers), table.liang)
        if settled.taken is not None:
            table.note("win", settled.taken.seat)
            return Ending("hu", settled.taken.seat, "liang", table.dealer, table.liang, settled.taken.win)
    for seat in order:
        for card in range(KINDS):
            if table.seats[seat].hand[card] == 4:
                table.seats[seat].lay("ti", card, from_hand=4)
                table.trace.append(f"ti!@{seat}:{NAMES[card]}")
    return Completed(table.dealer)


def draw(table: Table, seat: int) -> Generator[Questions, Answer, Step]:
    """Rules §5, DRAW: the drawer's own 提 and 偎, or the card is shown and offered."""
    if not table.wall:
        return Ending("draw")
    card = table.wall.pop(0)
    table.last_drawn = not table.wall
    own = table.seats[seat]
    hidden = own.meld_of(card, "wei", "chouwei")
    if own.hand[card] == 3 or hidden is not None or own.hand[card] == 2:
        offers = _hu(table, seat, card, "self")
        if own.hand[card] == 3 or hidden is not None:
            kind, from_hand = "ti", 0 if hidden else 3
        else:
            kind, from_hand = "chouwei" if card in own.passed_peng else "wei", 2
        own.lay(kind, card, from_hand=from_hand, instead_of=hidden)
        table.note(f"{kind}!", seat)
        # Whether the win is still barred is asked of the table as it is now, with the new meld.
        return Completed(seat, card, next((o.win for o in offers if not _is_barred(table, o, card)), None))
    order = table.order_from(seat)
    offers = [
        offer
        for other in order
        for offer in _hu(table, other, card, "self" if other == seat else "other")
        if not _is_barred(table, offer, card)
    ]
    running = _runner(table, order, card, seat, from_wall=True)
    claims = _peng(table, order[1:], card) + _chi(table, order[:2], card)
    settled = yield from _claims(table, offers, running, claims, card, from_wall=True)
    if settled.taken is not None and settled.taken.kind == "hu":
        winner = settled.taken.seat
        table.note("win", winner)
        return Ending("hu", winner, "zimo" if winner == seat else "wall", seat, card, settled.taken.win)
    if settled.taken is not None:
        return _take(table, settled, card)
    table.note("river", seat)
    return Draw(order[1])


def discarded(table: Table, seat: int, card: int) -> Generator[Questions, Answer, Step]:
    """Rules §5, DISCARD: the card lies on the table and is offered."""
    table.seats[seat].own_discards.add(card)
    table.last_drawn = False
    others = table.order_from(seat)[1:]
    offers: list[Offer] = []
    if table.options.discard_hu:
        offers = [
            offer
            for other in others
            for offer in _hu(table, other, card, "discard")
            if not _is_barred(table, offer, card)
        ]
    running = _runner(table, others, card, seat, from_wall=False)
    claims = _peng(table, others, card) + _chi(table, others[:1], card)
    settled = yield from _claims(table, offers, running, claims, card, from_wall=False)
    if settled.taken is not None and settled.taken.kind == "hu":
        table.note("win", settled.taken.seat)
        return Ending("hu", settled.taken.seat, "discard", seat, card, settled.taken.win)
    if settled.taken is not None:
        return _take(table, settled, card)
    table.note("river", seat)
    return Draw(others[0])


def completed(table: Table, step: Completed) -> Generator[Questions, Answer, Step]:
    """Rules §5, AFTER: a due discard, or the next seat draws; rules §9: a dead hand."""
    seat = table.seats[step.seat]
    due = seat.owes()
    discards = discards_of(seat) if due else ()
    if step.win is not None:
        table.trace.append(f"hu?@{step.seat}:{step.win.xi}")
    if discards or step.win is not None:
        actions = discards or ("pass",)
        _, action = yield {step.seat: actions if step.win is None else ("hu", *actions)}
        if action == "hu":
            table.note("win", step.seat)
            return Ending("hu", step.seat, "zimo", step.seat, step.card, step.win)
        if step.win is not None and step.card is not None:
            seat.passed_hu[step.card] = _hu_key(table, seat, step.win)
        if discards:
            table.note("discard", step.seat)
            return _put_down(step.seat, seat, action)
    if due:
        seat.dead = True
        table.note("deadhand", step.seat)
    return Draw(table.order_from(step.seat)[1])


def _put_down(number: int, seat: Seat, action: str) -> Discarded:
    name = action.removeprefix("discard ")
    if name == "filler":
        seat.filler -= 1
        return Discarded(number, -1)
    card = NAMES.index(name)
    seat.hand[card] -= 1
    return Discarded(number, card)


def _hu(table: Table, number: int, card: int, source: str) -> list[Offer]:
    seat = table.seats[number]
    if seat.dead or seat.filler:
        return []
    win = best_win(seat.hand, seat.melds, card, source, table.options, last_card=table.last_drawn)
    return [Offer("hu", number, ("hu",), win)] if win is not None else []


def _hu_key(table: Table, seat: Seat, win: Win) -> int:
    return seat.laid_xi() if table.options.chou_hu == "table_xi" else win.xi


def _is_barred(table: Table, offer: Offer, card: int) -> bool:
    """Say whether 臭胡 bars this win (rules §8)."""
    seat = table.seats[offer.seat]
    if table.options.chou_hu == "off" or offer.win is None:
        return False
    return seat.passed_hu.get(card) == _hu_key(table, seat, offer.win)


def _runner(table: Table, seats: Sequence[int], card: int, drawer: int, *, from_wall: bool) -> int | None:
    """Return the seat that must 跑 the card (rules §5, D3 and E2)."""
    kinds = ("wei", "chouwei", "peng") if from_wall else ("wei", "chouwei")
    for number in seats:
        seat = table.seats[number]
        if seat.hand[card] == 3 and number != drawer:
            return number
        if seat.meld_of(card, *kinds) is not None:
            return number
    return None


def _peng(table: Table, seats: Sequence[int], card: int) -> list[Offer]:
    return [
        Offer("peng", number, ("peng",))
        for number in seats
        if (seat := table.seats[number]).hand[card] == 2
        and seat.may_claim(card, table.options, chi=False)
        and (seat.loose() > 2 or not _must_keep_loose(table, seat))
    ]


def _chi(table: Table, seats: Sequence[int], card: int) -> list[Offer]:
    offers = []
    for number in seats:
        seat = table.seats[number]
        if seat.may_claim(card, table.options, chi=True):
            keep = _must_keep_loose(table, seat)
            meals = eating.legal_meals(seat.hand, card, must_keep_loose=keep, filler=seat.filler)
            if meals:
                offers.append(Offer("chi", number, tuple(sorted(eating.chi_text(meal) for meal in meals))))
    return offers


def _must_keep_loose(table: Table, seat: Seat) -> bool:
    return table.options.forbid_claim_without_discard and seat.owes(more=1)


def _questions(offers: Sequence[Offer]) -> dict[int, tuple[str, ...]]:
    asked: dict[int, tuple[str, ...]] = {}
    for offer in offers:
        asked[offer.seat] = asked.get(offer.seat, ()) + offer.actions
    return {seat: (*actions, "pass") for seat, actions in asked.items()}


def _claims(
    table: Table, wins: list[Offer], runner: int | None, claims: list[Offer], card: int, *, from_wall: bool
) -> Generator[Questions, Answer, Settled]:
    """Ask about a shown card and resolve it; what a seat is asked depends only on what it can see."""
    public = any(
        seat.meld_of(card, "chouwei") or (from_wall and seat.meld_of(card, "peng")) for seat in table.seats
    )
    askable = [] if public else [claim for claim in claims if claim.seat != runner]
    steps = list(wins)
    if runner is not None:
        steps.append(Offer("pao", runner))
    return (yield from _settle(table, steps + askable, _questions(wins + askable), card))


def _settle(
    table: Table, steps: Sequence[Offer], asked: Questions, card: int
) -> Generator[Questions, Answer, Settled]:
    """Collect answers until the walk through the steps reaches an end, then write the marks it reached.

    The walk is run when the card is shown and after every answer. Beside an open 胡 a seat is asked whether
    or not another seat hides a 跑 that will go first: a question tells nothing about other hands.
    """
    answers: dict[int, str] = {}
    settled = _walk(steps, answers)
    while settled is None:
        seat, action = yield {seat: actions for seat, actions in asked.items() if seat not in answers}
        answers[seat] = action
        settled = _walk(steps, answers)
    for offer in settled.declined if settled.taken is None else (*settled.declined, settled.taken):
        if offer.kind == "hu" and offer.win is not None:
            table.trace.append(f"hu?@{offer.seat}:{offer.win.xi}")
        else:
            table.note("pao!" if offer.kind == "pao" else f"{offer.kind}?", offer.seat)
    for offer in settled.declined:
        seat_of = table.seats[offer.seat]
        if offer.kind == "hu" and offer.win is not None:
            seat_of.passed_hu[card] = _hu_key(table, seat_of, offer.win)
        elif settled.taken is None or settled.taken.seat != offer.seat:
            (seat_of.passed_peng if offer.kind == "peng" else seat_of.passed_chi).add(card)
    return settled


def _walk(steps: Sequence[Offer], answers: Mapping[int, str]) -> Settled | None:
    """Go through the steps in order; None while one that matters has not been answered."""
    declined: list[Offer] = []
    for offer in steps:
        if offer.kind == "pao":
            return Settled(offer, "", tuple(declined))
        answer = answers.get(offer.seat)
        if answer is None:
            return None
        if answer in offer.actions:
            return Settled(offer, answer, tuple(declined))
        declined.append(offer)
    return Settled(None, "", tuple(declined))


def _take(table: Table, settled: Settled, card: int) -> Completed:
    """Lay down what a 跑, 碰 or 吃 makes."""
    offer = settled.taken
    assert offer is not None
    seat = table.seats[offer.seat]
    if offer.kind == "pao":
        shown = seat.meld_of(card, "wei", "chouwei", "peng")
        seat.lay("pao", card, from_hand=0 if shown else 3, instead_of=shown)
    elif offer.kind == "peng":
        seat.lay("peng", card, from_hand=2)
    else:
        meal = next(
            meal
            for meal in eating.legal_meals(seat.hand, card, must_keep_loose=False, filler=seat.filler)
            if eating.chi_text(meal) == settled.action
        )
        seat.hand[card] += 1
        for meld in meal:
            seat.melds.append(meld)
            for used in meld.cards:
                seat.hand[used] -= 1
    return Completed(offer.seat)
