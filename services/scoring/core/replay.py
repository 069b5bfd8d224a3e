"""A recorded round, played again from its seed with scoring's own bookkeeping."""

from services.scoring.core import deal
from services.scoring.core.game import Asked, Course, Figures, Question
from services.scoring.core.games import GAMES
from services.scoring.core.record import Action, Record


class WrongAction(Exception):
    """The first thing in a record that the rules do not allow."""

    def __init__(self, action: Action | None, number: int, why: str) -> None:
        super().__init__(f"action {number}: {why}")
        self.action = action
        """None: the record ends too early."""
        self.number = number
        """From 1."""
        self.why = why


def replayed(record: Record) -> Figures:
    """Deal a record's round from its seed and follow its actions to the end.

    Raises:
        WrongAction: An action is not among those its seat is asked for, or they end too early or too late.
    """
    game = GAMES[record.game]
    places = deal.shuffled(record.seed, record.round_id, record.nonces, game.cards)
    return _followed(game.course(record.options, record.dealer, record.draws_in_row, places), record)


def _followed(rounds: Course, record: Record) -> Figures:
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
        figures: Figures = done.value
        return figures
    seats = ", ".join(str(seat) for seat in sorted(asked))
    raise WrongAction(None, number + 1, f"the record ends while seat {seats} is asked")


def _refusal(text: str, question: Asked) -> str:
    if isinstance(question, Question):
        return question.refusal(text)
    return f"{text!r} is not legal; legal are {', '.join(question)}"
