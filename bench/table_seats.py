"""What a driver of tables knows of its players, and what it has heard."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256

LINKS = 64
"""Links of a nonce chain: rounds of a match."""


class Seat:
    """A player at his place, and what his frames have told him."""

    __slots__ = (
        "actions",
        "asked_at",
        "at",
        "chain",
        "epoch",
        "is_sitting",
        "number",
        "player",
        "question",
        "round_id",
        "session",
        "shard",
        "table",
        "table_id",
        "tag",
    )

    def __init__(self, table_id: str, seat: int) -> None:
        self.table_id = table_id
        self.shard = int(table_id.partition("-")[0], 16)
        self.table = int(table_id.partition("-t")[2])
        """Its number among all."""
        self.player = f"p_{table_id.replace('-', '_')}_{seat}"
        self.session = f"s{table_id}.{seat}"
        self.chain = nonce_chain(self.session.encode(), LINKS)
        self.number = 0
        self.epoch = 0
        self.question = 0
        self.actions: tuple[str, ...] = ()
        self.round_id = ""
        self.at = -1
        """Its place among the open questions; -1 = none is open."""
        self.tag = 0
        """Of the action under way; 0 = none."""
        self.asked_at = 0.0
        self.is_sitting = False


def nonce_chain(secret: bytes, links: int) -> list[bytes]:
    """Return the links of a nonce chain, the head first."""
    made = [sha256(secret).digest()]
    for _ in range(links):
        made.append(sha256(b"paiju-nonce-1" + made[-1]).digest())
    return made[::-1]


@dataclass
class Heard:
    """What the driver has seen since it was last cleared."""

    sent: int = 0
    accepted: int = 0
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    frames: int = 0
    views: int = 0
    beats: int = 0
    batches: int = 0
    bytes: int = 0
    gaps: int = 0
    rounds: int = 0
    """Begun."""
    starved: int = 0
    """Arrivals that found no open question."""
    answer_ms: list[float] = field(default_factory=list)
    frame_ms: list[float] = field(default_factory=list)
    """To the first frame of the acting seat in which its question is no longer open."""


@dataclass
class Move:
    """What becomes of tables while their shards change owners."""

    epochs: dict[int, int]
    """By shard, before."""
    left_at: dict[int, float] = field(default_factory=dict)
    """Shard → when its old owner was heard last."""
    first_frame: dict[str, float] = field(default_factory=dict)
    """Table → when the new owner was first heard of it, by a frame or a view."""
    first_accepted: dict[str, float] = field(default_factory=dict)
    """Table → when the new owner first accepted an answer."""
    asked: set[str] = field(default_factory=set)
    """Tables at which the driver has answered something under the new owner."""
