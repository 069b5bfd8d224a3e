"""What the bus side of the gateway knows of a session."""

from __future__ import annotations

from typing import Protocol

from paiju.gateway.v1.gateway_service_pb2 import PlayResponse


class Listener(Protocol):
    """A connected, signed-in session. None of these waits."""

    @property
    def session_id(self) -> str:
        """Another for each connection."""

    @property
    def player_id(self) -> str:
        """Who it is."""

    def send(self, response: PlayResponse, *, is_droppable: bool = False) -> None:
        """Queue a message; a client that reads too slowly is closed, or misses what is droppable."""

    def send_frame(self, table_id: str, epoch: int, frame: bytes) -> None:
        """Queue a frame, unread."""
