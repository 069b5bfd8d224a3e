"""What still has to go out to one client: bounded in items and bytes, frames of one table joined."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from paiju.gateway.v1.gateway_service_pb2 import PlayResponse, TableFrames


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may wait for one client."""

    items_max: int
    bytes_max: int


@dataclass(slots=True)
class _Frames:
    table_id: str
    epoch: int
    frames: list[bytes] = field(default_factory=list)
    size: int = 0

    def response(self) -> PlayResponse:
        return PlayResponse(
            table_frames=TableFrames(table_id=self.table_id, epoch=self.epoch, frames=self.frames)
        )


FRAMES_JOINED_MAX = 64
"""So many frames travel in one message at most."""


class Outgoing:
    """The queue of one client. A frame counts as one item; what the client may miss gets half of the room."""

    __slots__ = ("_items", "_limits", "bytes", "count", "dropped")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._items: deque[PlayResponse | _Frames] = deque()
        self.bytes = 0
        self.count = 0
        self.dropped = 0
        """Droppable messages that were dropped."""

    def __len__(self) -> int:
        return self.count

    def put(self, response: PlayResponse, size: int, *, is_droppable: bool = False) -> bool:
        """Add a message; False = there is no room for it, and it may not be dropped in silence."""
        if is_droppable:
            if self.count * 2 >= self._limits.items_max or (self.bytes + size) * 2 > self._limits.bytes_max:
                self.dropped += 1
                return True
        elif not self._has_room(size):
            return False
        self._items.append(response)
        self._add(size)
        return True

    def put_frame(self, table_id: str, epoch: int, frame: bytes) -> bool:
        """Add a frame, joined with those of its table that stand last; False = there is no room for it."""
        if not self._has_room(len(frame)):
            return False
        last = self._items[-1] if self._items else None
        if (
            not isinstance(last, _Frames)
            or last.table_id != table_id
            or last.epoch != epoch
            or len(last.frames) >= FRAMES_JOINED_MAX
        ):
            last = _Frames(table_id, epoch)
            self._items.append(last)
        last.frames.append(frame)
        self._add(len(frame))
        return True

    def clear(self) -> None:
        """Forget everything that waits."""
        self._items.clear()
        self.bytes = self.count = 0

    def take(self) -> list[PlayResponse]:
        """Return everything that waits, in order, and forget it."""
        taken = [item.response() if isinstance(item, _Frames) else item for item in self._items]
        self.clear()
        return taken

    def _has_room(self, size: int) -> bool:
        return self.count < self._limits.items_max and self.bytes + size <= self._limits.bytes_max

    def _add(self, size: int) -> None:
        self.count += 1
        self.bytes += size
