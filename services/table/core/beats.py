"""Splitting what the rules cause into beats, so that time tells nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.face import Event
from services.table.core import frames as f


class Beat(msgspec.Struct):
    """What is shown at one moment: one body for everyone, or a body per listener."""

    show_at: int
    common: f.Body | None = None
    bodies: tuple[f.Body | None, ...] = ()
    public: f.Body | None = None
    """What the public part of `bodies` means for the board."""


KEPT = frozenset({"wei", "chouwei", "ti"})
"""Events that keep a drawn card without showing it: their seat alone may then be asked whether it wins, so
the next public event must keep the same distance whether it was asked or not."""


Told = tuple[Event, str | None]
"""An event, and what everybody reads of it (None: nothing)."""


def told(events: Sequence[Event]) -> list[Told]:
    """Return events with their public texts, each made once."""
    return [(event, event.text_for(None)) for event in events]


def paces(event: Told) -> bool:
    """Say whether the next public event keeps its distance from this one."""
    public = event[1]
    return event[0].pause or (public is not None and public.partition(" ")[0] in KEPT)


def split(events: Sequence[Told]) -> list[list[Told]]:
    """Return the events in groups: after a card shown to all, the next public event begins another.

    Private events after the card (questions about it) belong to its own group.
    """
    groups: list[list[Told]] = []
    group: list[Told] = []
    is_card_shown = False
    for event in events:
        if is_card_shown and event[1] is not None:
            groups.append(group)
            group = []
            is_card_shown = False
        group.append(event)
        is_card_shown = is_card_shown or paces(event)
    if group:
        groups.append(group)
    return groups
