"""Splitting what the rules cause into beats, so that time tells nothing."""

from __future__ import annotations

from collections.abc import Sequence

from engine.face import Event

KEPT = frozenset({"wei", "chouwei", "ti"})
"""Events that keep a drawn card without showing it: their seat alone may then be asked whether it wins, so
the next public event must keep the same distance whether it was asked or not."""


HIDING = "?"
"""Stands in a public text for what not everybody may read; without it, the text reads alike for all
(docs/notation.md; `tests/unit/test_table_texts.py` holds every game to it)."""

ALL = -1
EACH = -2

Told = tuple[Event, str | None, bool, int]
"""An event, what everybody reads of it (None: nothing), whether the next public event keeps its distance, and
who reads something else than everybody: nobody (`ALL`), a seat, or perhaps each one (`EACH`)."""


def told(events: Sequence[Event]) -> list[Told]:
    """Return events with their public texts, each made once."""
    made: list[Told] = []
    for event in events:
        reader = event.reader
        public = event.text_for(None) if reader is None else None
        if reader is None:
            reader = ALL if public is not None and HIDING not in public else EACH
        paces = event.pause or (public is not None and public.partition(" ")[0] in KEPT)
        made.append((event, public, paces, reader))
    return made


def public_texts(group: Sequence[Told]) -> tuple[str, ...]:
    """Return what everybody reads of events."""
    return tuple([public for _, public, _, _ in group if public is not None])


def texts_for(group: Sequence[Told], listener: int) -> tuple[str, ...]:
    """Return what a listener reads of events."""
    texts: list[str] = []
    for event, public, _, reader in group:
        text = event.text_for(listener) if reader in (listener, EACH) else public
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
