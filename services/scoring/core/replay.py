"""A recorded round, played again from its seed with scoring's own bookkeeping."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from services.scoring.core import deal, payment, play, table
from services.scoring.core.doudizhu import course
from services.scoring.core.doudizhu.cards import DECK as DOUDIZHU_DECK
from services.scoring.core.doudizhu.result import Result as DoudizhuResult
from services.scoring.core.doudizhu.result import result_after
from services.scoring.core.doudizhu.rules import Options as DoudizhuOptions
from services.scoring.core.record import Action, Record, Result
from services.scoring.core.table import SEATS, Ending
from services.scoring.core.tiles import DECK, NAMES

EndT = TypeVar("EndT")

Asked = Sequence[str] | course.Question
"""What a seat may answer."""


class WrongAction(Exception):
    """The first thing in a record that the rules do not allow."""

    def __init__(self, action: Action | None, number: int, why: str) -> None:
        super().__init__(f"action {number}: {why}")
        self.action = action
        """None: the record ends too early."""
        self.number = number
        """From 1."""
        self.why = why


@dataclass(frozen=True, slots=True)
class Figures:
    """How scoring itself finds that a round ended; the melds besides the engine's fields."""

    result: Result | DoudizhuResult
    melds: tuple[tuple[str, ...], ...]
    """The winning reading: kind, then cards; empty in games without melds."""


def replayed(record: Record) -> Figures:
    """Deal a record's round from its seed and follow its actions to the end.

    Raises:
        WrongAction: An action is not among those its seat is asked for, or they end too early or too late.
    """
    options = record.options
    deck = DOUDIZHU_DECK if isinstance(options, DoudizhuOptions) else DECK
    places = deal.shuffled(record.seed, record.round_id, record.nonces, len(deck))
    if isinstance(options, DoudizhuOptions):
        dealt = course.dealt(options, record.dealer, record.draws_in_row, places)
        won = _followed(course.whole_round(dealt), record)
        return Figures(result_after(options, record.dealer, record.draws_in_row, won), ())
    at = table.dealt(options, record.dealer, [DECK[place] for place in places])
    return figures(record, _followed(play.whole_round(at), record))


def _followed(rounds: Generator[Mapping[int, Asked], tuple[int, str], EndT], record: Record) -> EndT:
    """Send a record's actions to a course of a round and return how it ends."""
    number = 0
    try:
        asked = next(rounds)
        for number, action in enumerate(record.actions, start=1):
            if action.seat not in asked:
                raise WrongAction(action, number, f"seat {action.seat} is not asked anything")
            if action.text not in asked[action.seat]:
                raise WrongAction(action, number, _refusal(action.text, asked[action.seat]))
            asked = rounds.send((action.seat, action.text))
    except StopIteration as done:
        if number < len(record.actions):
            late = record.actions[number]
            raise WrongAction(late, number + 1, "the round has ended") from None
        ending: EndT = done.value
        return ending
    seats = ", ".join(str(seat) for seat in sorted(asked))
    raise WrongAction(None, number + 1, f"the record ends while seat {seats} is asked")


def _refusal(text: str, question: Asked) -> str:
    if isinstance(question, course.Question):
        return question.refusal(text)
    return f"{text!r} is not legal; legal are {', '.join(question)}"


def figures(record: Record, ending: Ending) -> Figures:
    """Return the result of a round of 跑胡子 that ended so."""
    options = record.options
    assert not isinstance(options, DoudizhuOptions)
    dealer_next, draws = table.succession(options, record.dealer, record.draws_in_row, ending.winner)
    win = ending.win
    if win is None or ending.winner is None:
        nothing = Result("draw", (), "", -1, "", (0,) * SEATS, 0, 0, 0, {}, 0, dealer_next, draws)
        return Figures(nothing, ())
    return Figures(
        Result(
            end=ending.end,
            winners=(ending.winner,),
            how=ending.how,
            from_seat=ending.from_seat,
            card="" if ending.card is None else NAMES[ending.card],
            points=payment.points_by_seat(win.points, ending.winner, ending.how, ending.from_seat, options),
            huxi=win.xi,
            deng=win.deng,
            zimo_bonus=win.zimo_bonus,
            names=dict(win.names),
            fan=win.fan,
            dealer_next=dealer_next,
            draws_in_row_next=draws,
        ),
        tuple((meld.kind, *(NAMES[card] for card in meld.cards)) for meld in win.melds),
    )
