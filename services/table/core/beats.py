"""Splitting what the rules cause into beats, so that time tells nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.face import Event
from services.table.core import frames as f


class Beat(msgspec.Struct, gc=False):
    """What is shown at one moment: one body for everyone, or a body per listener."""

    show_at: int
    common: f.Body | None = None
    bodies: tuple[f.Body | None, ...] = ()
    public: f.Body | None = None
    """What the public part of `bodies` means for the board."""


KEPT = frozenset({"wei", "chouwei", "ti"})
"""Events that keep a drawn card without showing it: their seat alone may then be asked whether it wins, so
the next public event must keep the same distance whether it was asked or not."""


HIDING = "?"
"""Stands in a public text for what not everybody may read; without it, the text reads alike for all
(docs/notation.md; `tests/unit/test_table_texts.py` holds every game to it)."""

Told = tuple[Event, str | None, bool]
"""An event, what everybody reads of it (None: nothing), whether the next public event keeps its distance."""


def told(events: Sequence[Event]) -> list[Told]:
    """Return events with their public texts, each made once."""
    made: list[Told] = []
    for event in events:
        public = event.text_for(None)
        paces = event.pause or (public is not None and public.partition(" ")[0] in KEPT)
        made.append((event, public, paces))
    return made


def texts_for(group: Sequence[Told], listener: int) -> tuple[str, ...]:
    """Return what a listener reads of events."""
    texts: list[str] = []
    for event, public, _ in group:
        text = public if public is not None and HIDING not in public else event.text_for(listener)
        if text is not None:
            texts.append(text)
    return tuple(texts)


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
        is_card_shown = is_card_shown or event[2]
    if group:
        groups.append(group)
    return groups
