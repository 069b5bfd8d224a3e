"""Everything the engine refuses, as one tree of exceptions.

::

    Refusal                     the caller asked for something the rules do not allow; nothing changed
    ├── UnknownName             a name that is not in a list; carries the list
    │   ├── UnknownGame
    │   ├── UnknownPreset
    │   └── UnknownOption
    ├── BadOption               a known option with a value it cannot have
    ├── BadNotation             a text that is no card, action, event or meld
    ├── BadDeal                 a wall, dealer or seat that cannot be dealt
    ├── ActionRefused           apply() said no
    │   ├── RoundOver
    │   ├── NotAsked
    │   └── IllegalAction
    └── RecordError             a record that cannot be read or played again
        ├── BadRecordLine       names the first line that is wrong
        └── BadRecordAction     names the first action the rules refuse

A refusal depends only on what the refused seat may know: two positions a seat cannot tell apart refuse it
with the same ``reason`` and the same message.
"""

from __future__ import annotations

from collections.abc import Iterable


class Refusal(Exception):
    """The engine says no. ``reason`` is stable and may be shown to programs; the text is for people."""

    reason = "REFUSED"


class UnknownName(Refusal):
    """A name that is not in a closed list."""

    reason = "UNKNOWN_NAME"
    what = "name"

    def __init__(self, name: object, known: Iterable[str]) -> None:
        self.name = str(name)
        self.known = tuple(known)
        super().__init__(f"unknown {self.what} {self.name!r}; known: {', '.join(self.known)}")


class UnknownGame(UnknownName, KeyError):
    """No game of that name is registered."""

    __str__ = Exception.__str__

    reason = "UNKNOWN_GAME"
    what = "game"


class UnknownPreset(UnknownName):
    """The game has no such preset."""

    reason = "UNKNOWN_PRESET"
    what = "preset"


class UnknownOption(UnknownName):
    """The rule set has no such option."""

    reason = "UNKNOWN_OPTION"
    what = "option"


class BadOption(Refusal):
    """An option has a value it cannot have."""

    reason = "BAD_OPTION"

    def __init__(self, option: str, value: object, allowed: str) -> None:
        self.option = option
        self.value = value
        self.allowed = allowed
        super().__init__(f"option {option} cannot be {value!r}; allowed: {allowed}")


class BadNotation(Refusal):
    """A text is not in the notation of the game (docs/notation.md)."""

    reason = "BAD_NOTATION"

    def __init__(self, what: str, text: object) -> None:
        self.what = what
        self.text = text
        super().__init__(f"not {what}: {text!r:.80}")


class BadDeal(Refusal):
    """The wall, the dealer or a seat cannot be used."""

    reason = "BAD_DEAL"


class ActionRefused(Refusal):
    """``apply`` refused an action; the position is unchanged."""

    reason = "ACTION_REFUSED"


class RoundOver(ActionRefused):
    """The round has ended."""

    reason = "ROUND_OVER"

    def __init__(self) -> None:
        super().__init__("the round is over")


class NotAsked(ActionRefused):
    """The seat has no open question."""

    reason = "NOT_ASKED"

    def __init__(self, seat: object) -> None:
        self.seat = seat
        super().__init__(f"seat {seat!r} is not asked anything now")


class IllegalAction(ActionRefused):
    """The seat is asked, but this is none of its legal actions."""

    reason = "ILLEGAL_ACTION"

    def __init__(self, seat: int, action: object) -> None:
        self.seat = seat
        self.action = action
        super().__init__(f"seat {seat} may not {action!r:.80} now")


class RecordError(Refusal):
    """A record cannot be read, or does not follow from its deal."""

    reason = "BAD_RECORD"


class BadRecordLine(RecordError):
    """The first line of a record that is wrong; ``line`` counts from 1."""

    reason = "BAD_RECORD_LINE"

    def __init__(self, line: int, why: str) -> None:
        self.line = line
        self.why = why
        super().__init__(f"line {line}: {why}")


class BadRecordAction(RecordError):
    """The first action of a record that the rules refuse; ``index`` counts from 0."""

    reason = "BAD_RECORD_ACTION"

    def __init__(self, index: int, seat: int, action: str, why: str) -> None:
        self.index = index
        self.seat = seat
        self.action = action
        self.why = why
        super().__init__(f"action {index + 1} (seat {seat} {action}): {why}")
