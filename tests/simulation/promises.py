"""What people were answered, held against the log as it is in the moment when they hear it."""

from __future__ import annotations

from typing import Final

from paiju.table.v1 import play_pb2 as p

from services.table.core import events as e
from tests.simulation.client import Violation
from tests.simulation.logs import Logs, Told
from tests.simulation.playing import Client

SAYS: Final = (
    e.SitAsked,
    e.NonceGiven,
    e.ReadySaid,
    e.Left,
    e.Voted,
    e.AutoPlaySet,
    e.Extended,
)
"""Events that a command with an id becomes."""


class Promises:
    """See the module; a contradiction is a `Violation`."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._said: set[tuple[str, int, str]] = set()
        """Table, seat and command id of what is in the log."""
        self._ready: dict[tuple[str, int], int] = {}
        """Table and seat → the round after which it was ready last."""

    def take(self, table_id: str, event: e.AnyEvent) -> None:
        """Take the next event of a log."""
        if isinstance(event, SAYS):
            self._said.add((table_id, event.seat, event.command_id))
            if isinstance(event, e.ReadySaid):
                self._ready[table_id, event.seat] = self._logs.tables[table_id].table.round.no

    def answered(self, client: Client, command: p.TableCommand, reason: str) -> None:
        """Judge an answer (empty = accepted)."""
        kind = command.WhichOneof("body")
        if kind in ("attach", "detach"):
            return
        told = self._logs.tables[client.table_id]
        seat = told.table.seat_of(client.player)
        assert seat is not None, "who plays has a seat"
        if kind == "act":
            self._acted(client, told, seat, command.act, reason)
        elif command.command_id:
            is_said = (client.table_id, seat, command.command_id) in self._said
            # Sitting may be refused by the bank, later; under a known id another thing is refused.
            if reason not in ("", "COMMAND_ID_REUSED") and is_said and kind != "sit":
                raise Violation(
                    f"{command.command_id} was refused to {client.player} as {reason}, and was played"
                )
            if not reason and not is_said and not self._is_so(client, told, seat, command):
                raise Violation(
                    f"{command.command_id} was acknowledged to {client.player}, and the log has nothing of it"
                )

    def _is_so(self, client: Client, told: Told, seat: int, command: p.TableCommand) -> bool:
        """Say whether what is asked for was so already, in the log: then it need not be done."""
        state = told.table.s
        match command.WhichOneof("body"):
            case "ready":
                return self._ready.get((client.table_id, seat), 0) >= client.view.round_no
            case "leave":
                return state.seats[seat].left
            case "reveal_nonce":
                return state.round is not None and command.reveal_nonce.nonce in state.round.nonces
            case "set_auto_play":
                # An answer of the seat may have switched it since.
                return True
            case "dissolve_vote":
                return seat in state.votes or not state.vote_until
            case _:
                return False

    def _acted(self, client: Client, told: Told, seat: int, act: p.Act, reason: str) -> None:
        found = self._logs.answers.get((client.table_id, seat, act.question))
        if not reason and (found is None or found.action != act.action):
            raise Violation(f"{act} was acknowledged to {client.player}, and the log has {found}")
        question = told.table.questions[seat]
        is_open = question is not None and question.number == act.question
        if is_open and reason in ("ALREADY_ANSWERED", "QUESTION_CLOSED"):
            raise Violation(f"{act} was refused to {client.player} as {reason}, and the log has it open")
