"""Commands of one shard that wait to be sent or to be answered.

A command is kept until it is answered or `COMMAND_AGE_S_MAX` old. It is due again after `SILENCE_S` without
an answer, after a failed request, and under a new owner of the shard. Times are seconds of a clock that never
goes back.
"""

from __future__ import annotations

from dataclasses import dataclass

COMMAND_AGE_S_MAX = 10.0
SILENCE_S = 1.0
BATCH_COMMANDS_MAX = 256
BATCH_BYTES_MAX = 256 * 1024


@dataclass(slots=True)
class Waiting:
    """A command and when it was taken and last sent."""

    tag: int
    payload: bytes
    """A serialised `paiju.table.v1.Command`."""
    added_at: float
    sent_at: float = 0.0


class WaitingCommands:
    """See the module. Tags must rise: their order is the order of sending, also of what is sent again."""

    def __init__(self, commands_max: int) -> None:
        self._max = commands_max
        self._all: dict[int, Waiting] = {}
        self._unsent: dict[int, Waiting] = {}
        self._sent: dict[int, Waiting] = {}
        self._is_ordered = True

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, tag: int) -> bool:
        return tag in self._all

    def add(self, tag: int, payload: bytes, now: float) -> bool:
        """Take a command; False = too many wait already."""
        if len(self._all) >= self._max:
            return False
        self._all[tag] = self._unsent[tag] = Waiting(tag, payload, now)
        return True

    def forget(self, tag: int) -> bool:
        """Say that a command is answered (or no longer wanted); False = it did not wait."""
        if self._all.pop(tag, None) is None:
            return False
        self._unsent.pop(tag, None)
        self._sent.pop(tag, None)
        return True

    def take(self, now: float) -> list[Waiting]:
        """Return the commands due now, oldest first, as many as one batch holds; they count as sent."""
        for tag in self._silent(now):
            self._unsent[tag] = self._sent.pop(tag)
            self._is_ordered = False
        batch: list[Waiting] = []
        size = 0
        self._put_in_order()
        for waiting in self._unsent.values():
            size += len(waiting.payload)
            if batch and (len(batch) >= BATCH_COMMANDS_MAX or size > BATCH_BYTES_MAX):
                break
            batch.append(waiting)
        for waiting in batch:
            del self._unsent[waiting.tag]
            waiting.sent_at = now
            self._sent[waiting.tag] = waiting
        return batch

    def not_sent(self, batch: list[Waiting]) -> None:
        """Say that nobody (or perhaps nobody) got these: they are due again."""
        for waiting in batch:
            if self._sent.pop(waiting.tag, None) is not None:
                self._unsent[waiting.tag] = waiting
                self._is_ordered = False

    def resend_all(self) -> None:
        """Make everything due: another owner serves the shard."""
        self._unsent = dict(self._all)
        self._is_ordered = True
        self._sent.clear()

    def expired(self, now: float) -> list[Waiting]:
        """Return, and forget, the commands that are too old."""
        old: list[Waiting] = []
        for waiting in self._all.values():
            if now < waiting.added_at + COMMAND_AGE_S_MAX:
                break
            old.append(waiting)
        for waiting in old:
            self.forget(waiting.tag)
        return old

    def next_at(self) -> float | None:
        """Return when something is due or too old (it may be past); None = never."""
        if not self._all:
            return None
        moments = [next(iter(self._all.values())).added_at + COMMAND_AGE_S_MAX]
        if self._unsent:
            moments.append(0.0)
        if self._sent:
            moments.append(next(iter(self._sent.values())).sent_at + SILENCE_S)
        return min(moments)

    def _silent(self, now: float) -> list[int]:
        tags: list[int] = []
        for waiting in self._sent.values():
            if now < waiting.sent_at + SILENCE_S:
                break
            tags.append(waiting.tag)
        return tags

    def _put_in_order(self) -> None:
        if not self._is_ordered:
            self._unsent = {tag: self._unsent[tag] for tag in sorted(self._unsent)}
            self._is_ordered = True
