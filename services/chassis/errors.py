"""What can go wrong, in three kinds; every other exception is a defect that nobody has named yet.

Exception
├── Refusal    the service said no: a reason of `reasons.REASONS`, shown to the caller, changes nothing
├── Outage     the world failed: try again later, nothing is known about the outcome unless said
└── Defect     we erred: logged once, the caller reads "internal error"
"""

from __future__ import annotations

from services.chassis.reasons import REASONS, Reason

DOMAIN = "paiju"
"""The `domain` of every `google.rpc.ErrorInfo` of ours."""

Detail = str | int


def _sayable(detail: Detail) -> Detail:
    """Return a detail that UTF-8 can carry: half a surrogate pair, which JSON may hold, is spelt out."""
    return detail.encode("utf-8", "backslashreplace").decode() if isinstance(detail, str) else detail


class Refusal(Exception):
    """The service said no, for a reason of the one table.

    Cores may raise it directly: it knows no wire. Details become the `metadata` of `ErrorInfo` and fill the
    placeholders of the reason's texts.

    Raises:
        Defect: The reason isn't in `REASONS`, or its text names a detail that wasn't given.
    """

    reason: str
    details: dict[str, Detail]

    def __init__(self, reason: str, /, **details: Detail) -> None:
        if reason not in REASONS:
            raise Defect(f"refusal for a reason that is not in the table: {reason!r}")
        super().__init__(reason)
        self.reason = reason
        self.details = {name: _sayable(detail) for name, detail in details.items()}

    @property
    def entry(self) -> Reason:
        """The row of the table: gRPC code name and both texts."""
        return REASONS[self.reason]

    def text(self, language: str = "zh-CN") -> str:
        """Return the sentence a person reads, in `zh-CN` or `en`."""
        template = self.entry.zh if language == "zh-CN" else self.entry.en
        try:
            return template.format_map(self.details)
        except (KeyError, IndexError, ValueError):
            return template

    def __str__(self) -> str:
        if not self.details:
            return self.reason
        # By name: details that came over the wire come in any order.
        return f"{self.reason} ({', '.join(f'{key}={value}' for key, value in sorted(self.details.items()))})"


class Outage(Exception):
    """The world failed: a broker, a database or another service can't be reached or doesn't answer in time.

    A handler on the bus that raises it gets the message again, later. An RPC that raises it answers
    `UNAVAILABLE`.
    """


class Defect(Exception):
    """We erred; a person has to look. Never caught but at the edges of the process."""
