"""Everything one listener is told of one table, checked as it comes: what must never be shown is found.

| kind | what is wrong |
|---|---|
| `gap` | a frame number was left out |
| `repeated` | a frame came twice, and we had not asked for it |
| `contradiction` | two different frames, or questions, with one number |
| `epoch` | a frame of an owner that another had followed |
| `view` | a view is not the fold of the frames up to its number |
| `question` | a question is not the one its event asked, or its number does not rise |
| `answered` | one question took two answers |
| `leak` | something that only another seat may know |
| `events` | the record of the round tells it otherwise |
| `lost` | an acknowledged answer is not in the record |
| `record`, `seed` | a record that can't be, or not of the seed that was promised |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from paiju.table.v1.play_pb2 import Frame, Question, TableView

from services.launch.load.audit import Auditor
from services.launch.load.fold import TableFold

Report = Callable[[str, str], None]
"""Takes kind and text of a mistake."""

_PRIVATE: Final = ("ask", "answer")
"""Events that only their seat may read, in every game."""


class Transcript:
    """One listener at one table.

    Args:
        table_id: Named in reports.
        report: Hears of every mistake.
        auditor: Replays the record of each round that was heard whole; None = don't.
    """

    def __init__(self, table_id: str, report: Report, auditor: Auditor | None) -> None:
        self.table_id = table_id
        self.fold: TableFold | None = None
        """None until the first view."""
        self.epoch = 0
        self.seat = -1
        self.checked_views = 0
        """Views that could be held against the fold, and were."""
        self.jumps = 0
        """Views that stood for frames which were not shown any more."""
        self._report = report
        self._auditor = auditor
        self._asked_from: int | None = None
        self._seen: dict[int, int] = {}
        """The hash of each frame, by number."""
        self._is_whole = False
        """Whether the round was heard from its beginning."""
        self._accepted: dict[str, dict[int, str]] = {}
        """Our acknowledged answers by round and question; of the last rounds only."""
        self._question = 0
        self._moot: set[tuple[str, int]] = set()
        """Our answers, by round and question, that came when others had decided the claim already."""
        self._blind = ""
        """A round of which we were not shown every frame: which of our answers were moot stood there."""

    @property
    def number(self) -> int:
        """The last frame, 0 = none."""
        return self.fold.number if self.fold is not None else 0

    def ask_from(self, number: int | None) -> None:
        """We ask for the frames after `number` now; None = that is answered.

        A frame that was under way when we asked comes twice then, by our own fault.
        """
        self._asked_from = number

    def view(self, epoch: int, data: bytes) -> TableView:
        """Take a view."""
        view = TableView.FromString(data)
        self._see_epoch(epoch, view.number)
        fold = self.fold
        if fold is None:
            self.fold = TableFold(view)
            self.seat = view.seat
            self._is_whole = True  # a view holds all events of its round
        elif view.number < fold.number:
            self._wrong("view", f"a view at {view.number} after frame {fold.number}")
        elif view.number > fold.number:
            self.jumps += 1
            self._is_whole = True
            self._blind = view.play.round_id
            fold.start(view)
        else:
            self.checked_views += 1
            told = fold.view()
            if told != view:
                self._wrong("view", f"at {view.number}, differs in {_difference(told, view)}")
                fold.start(view)
        self._hear(list(view.play.events))
        if view.play.HasField("question"):
            self._number(view.play.question)
        return view

    def frames(self, epoch: int, raw: Sequence[bytes]) -> list[tuple[Frame, str]]:
        """Take frames, and return those that were new, each with the name of its body."""
        taken = []
        for data in raw:
            frame = Frame.FromString(data)
            self._see_epoch(epoch, frame.number)
            if self.fold is None:
                self._wrong("gap", f"frame {frame.number} before any view")
            elif self._is_next(self.fold, frame, data):
                asked = self.fold.question
                taken.append((frame, self.fold.add(frame)))
                is_closed = taken[-1][1] == "play" and self.fold.question != asked
                if asked is not None and is_closed and not frame.play.events:
                    # The question is closed and nothing is said of the answer: it changed nothing.
                    self._moot.add((self.fold.round_id, asked.number))
                self._look_at(self.fold, *taken[-1])
        return taken

    def accepted(self, round_id: str, question: int, action: str) -> None:
        """An answer of ours was acknowledged."""
        before = self._accepted.setdefault(round_id, {}).setdefault(question, action)
        if before != action:
            self._wrong("answered", f"{round_id} question {question} took {before!r} and {action!r}")

    def _see_epoch(self, epoch: int, number: int) -> None:
        if epoch < self.epoch:
            self._wrong("epoch", f"frame {number} of epoch {epoch} after epoch {self.epoch}")
        self.epoch = max(epoch, self.epoch)

    def _is_next(self, fold: TableFold, frame: Frame, data: bytes) -> bool:
        number, mark = frame.number, hash(data)
        before = self._seen.setdefault(number, mark)
        if number <= fold.number:
            if before != mark:
                self._wrong("contradiction", f"frame {number} again, and another one")
            elif self._asked_from is None or number <= self._asked_from:
                self._wrong("repeated", f"frame {number} again")
            return False
        if number > fold.number + 1:
            self._wrong("gap", f"frame {number} after frame {fold.number}")
            self._is_whole = False
        return True

    def _look_at(self, fold: TableFold, frame: Frame, kind: str) -> None:
        if kind == "play":
            self._hear(frame.play.events)
            if fold.question is not None:
                self._number(fold.question)
                self._is_as_asked(fold, frame)
        elif kind == "round_opening":
            self._is_whole = True
            self._accepted = {name: self._accepted[name] for name in [*self._accepted][-1:]}
        elif kind == "round_end" and frame.round_end.record and self._is_whole and self._auditor:
            commitment = fold.opening.commitment if fold.opening is not None else b""
            # In the order of the questions: an acknowledgement may come late, after another one.
            mine = [
                action
                for question, action in sorted(self._accepted.get(fold.round_id, {}).items())
                if (fold.round_id, question) not in self._moot and fold.round_id != self._blind
            ]
            self._moot.clear()
            for wrong in self._auditor.problems(frame.round_end, commitment, self.seat, fold.texts, mine):
                self._wrong(*wrong)

    def _hear(self, texts: Sequence[str]) -> None:
        own = str(self.seat)
        for text in texts:
            word, _, rest = text.partition(" ")
            if word in _PRIVATE and rest.partition(" ")[0] != own:
                self._wrong("leak", f"seat {own} heard {text!r}")

    def _number(self, question: Question) -> None:
        if question.number < self._question:
            self._wrong("question", f"question {question.number} after question {self._question}")
        self._question = max(self._question, question.number)

    def _is_as_asked(self, fold: TableFold, frame: Frame) -> None:
        assert fold.question is not None
        mine = f"ask {self.seat} "
        asked = next((text for text in reversed(frame.play.events) if text.startswith(mine)), None)
        if asked is not None and asked != mine + " | ".join(fold.question.actions):
            self._wrong("question", f"{fold.round_id} question {fold.question.number}: {asked!r}")

    def _wrong(self, kind: str, text: str) -> None:
        self._report(kind, f"table {self.table_id}: {text}")


def _difference(told: TableView, shown: TableView) -> str:
    """Return the fields in which two views differ."""
    names = [field.name for field in TableView.DESCRIPTOR.fields]
    return ", ".join(name for name in names if getattr(told, name) != getattr(shown, name))
