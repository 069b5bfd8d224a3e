"""How often the broker in memory fails, and in which ways; every draw comes from one seed and is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from services.chassis.ids import SeededIds


@dataclass
class Faults:
    """How often the world fails, as probabilities of one event; all draws come from one seed."""

    seed: int
    lose_store: float = 0.0
    """A store request never arrives."""
    late_store: float = 0.0
    """One replica: it arrives, but seconds after the sender has lost patience (and maybe sent again, or
    died). Three: the leader has it, and the others take seconds to agree."""
    slow_store: float = 0.0
    """Three replicas: the others take a moment to agree; a leader that changes meanwhile decides it by
    chance."""
    lose_ack: float = 0.0
    """It is done, and the answer is lost."""
    lose_told: float = 0.0
    """A core message (also a request or its answer) is lost."""
    repeat_told: float = 0.0
    """A core message arrives twice."""
    late_told: float = 0.0
    """A core message arrives seconds late, behind many that were sent after it."""
    delay_s: float = 0.0
    """Core messages, requests and answers take from 0 to so long; later ones may overtake."""
    lose_delivery_ack: float = 0.0
    """A consumer's acknowledgement is lost: the delivery comes again."""
    lose_write: float = 0.0
    """A write to a bucket fails, and nothing is written."""
    stale_read: float = 0.0
    """Three replicas: a reader is served by one that is behind; what it lacks comes a moment later."""
    stale_last: float = 0.0
    """Three replicas: a leader that was deposed, and does not know it yet, answers for the newest message."""
    active: bool = True
    """Set it to False to let the world heal."""
    counts: Counter[str] = field(default_factory=Counter)
    """What has happened, by kind."""

    def __post_init__(self) -> None:
        self._ids = SeededIds(self.seed)

    def happens(self, probability: float, kind: str = "request lost") -> bool:
        """Draw once, and count it if it happens."""
        if not (self.active and probability > 0 and self._ids.jitter() < probability):
            return False
        self.counts[kind] += 1
        return True

    def delay(self) -> float:
        """Draw how long a message takes."""
        return self._ids.jitter() * self.delay_s if self.active and self.delay_s else 0.0

    def up_to(self, seconds: float) -> float:
        """Draw a time."""
        return self._ids.jitter() * seconds

    def below(self, n: int) -> int:
        """Draw a whole number from 0 to `n - 1`."""
        return self._ids.below(n)
