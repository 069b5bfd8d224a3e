"""Who may play, and how long: age bands as data, limits, self-exclusion. Pure; times are arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from services.accounts.core.protection_calendar import BadCalendar, Holidays, Windows, parse_windows
from services.chassis.days import HOUR_MS, MINUTE_MS, begin_of, day_of
from services.chassis.errors import Refusal

UNDECLARED: Final = 0
ADULT: Final = 4
BANDS: Final = {"under_8": 1, "8_15": 2, "16_17": 3, "adult": ADULT}
"""As `AgeBand` of the proto numbers them, from young to old."""

DAY_MINUTES_MIN: Final = 15
DAY_MINUTES_MAX: Final = 1_440
DAY_LOSS_MAX: Final = 1_000_000_000_000
EXCLUSION_HOURS_MIN: Final = 24
EXCLUSION_DAYS_MAX: Final = 1_827
"""Five years."""

NO_LIMIT: Final = -1
STEPS_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class Band:
    """What counts for an age band; a limit of 0 is none, of `NO_LIMIT` fen too."""

    windows: Windows | None
    day_minutes: int
    day_loss: int
    at_once_fen: int
    month_fen: int


@dataclass(frozen=True, slots=True)
class Own:
    """What a player has set for himself: limits (0 = none), looser ones to come, an exclusion."""

    band: int = UNDECLARED
    day_minutes: int = 0
    day_loss: int = 0
    next_minutes: int = 0
    next_minutes_at_ms: int = 0
    """0 = none is to come."""
    next_loss: int = 0
    next_loss_at_ms: int = 0
    excluded_until_ms: int = 0
    touched_ms: int = 0
    """The latest clock at which something was set: a clock that goes back shortens no wait."""

    def at(self, now_ms: int) -> Own:
        """Return it as it counts at a moment: what was to come by then has come."""
        now = self
        if 0 < self.next_minutes_at_ms <= now_ms:
            now = replace(now, day_minutes=self.next_minutes, next_minutes=0, next_minutes_at_ms=0)
        if 0 < self.next_loss_at_ms <= now_ms:
            now = replace(now, day_loss=self.next_loss, next_loss=0, next_loss_at_ms=0)
        return now


NOBODY: Final = Own()
"""Somebody who has set nothing."""


@dataclass(frozen=True, slots=True)
class Today:
    """What was played on the day of the question."""

    played_ms: int = 0
    net: int = 0
    """Gold won; lost: negative."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether somebody may play now; fields as in `PlayVerdict`."""

    reason: str = ""
    again_at_ms: int = 0
    ends_at_ms: int = 0
    ends_reason: str = ""
    ends_again_at_ms: int = 0
    left_ms: int = NO_LIMIT
    left_loss: int = NO_LIMIT


@dataclass(frozen=True, slots=True)
class SpendVerdict:
    """Whether somebody may pay; fields as in `CheckSpendResponse`."""

    reason: str
    at_once_fen: int
    left_month_fen: int
    until_ms: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator has decided."""

    bands: Mapping[int, Band]
    holidays: Holidays
    undeclared: int = ADULT
    """As which band those are treated who have not said how old they are; `UNDECLARED`: they say so first."""
    loosen_after_ms: int = 24 * HOUR_MS

    @property
    def is_free_by_default(self) -> bool:
        """Whether nothing limits who has said and set nothing."""
        band = self.bands.get(self.undeclared)
        return band is not None and band.windows is None and not band.day_minutes and not band.day_loss

    def treated_as(self, own: Own) -> int:
        """Return the band whose rules count for a player."""
        return own.band or self.undeclared

    def band_of(self, own: Own) -> Band | None:
        """Return the rules of a player's band; None = he must declare his age first."""
        return self.bands.get(self.treated_as(own))

    def play(self, own: Own, today: Today, now_ms: int) -> Verdict:
        """Return whether a player may begin a round now, and until when he may go on."""
        own, band = own.at(now_ms), self.band_of(own)
        is_excluded = now_ms < own.excluded_until_ms
        if band is None:
            # Who has excluded himself hears that first, whatever else is known of him.
            return (
                Verdict("SELF_EXCLUDED", own.excluded_until_ms)
                if is_excluded
                else Verdict("AGE_NOT_DECLARED")
            )
        minutes, loss = _tighter(own.day_minutes, band.day_minutes), _tighter(own.day_loss, band.day_loss)
        left_ms = max(0, minutes * MINUTE_MS - today.played_ms) if minutes else NO_LIMIT
        left_loss = max(0, loss + today.net) if loss else NO_LIMIT
        end = _window_end(band, now_ms, self.holidays)
        reason = ""
        if is_excluded:
            reason = "SELF_EXCLUDED"
        elif end is None:
            reason = "OUTSIDE_PLAY_WINDOW"
        elif left_ms == 0:
            reason = "DAILY_TIME_REACHED"
        elif left_loss == 0:
            reason = "DAILY_LOSS_REACHED"
        if reason:
            again = self._again(own, band, now_ms, spent=0 in (left_ms, left_loss))
            return Verdict(reason, again, left_ms=left_ms, left_loss=left_loss)
        ends = [(end, "OUTSIDE_PLAY_WINDOW")] if end else []
        if minutes and (at := _time_runs_out(minutes, left_ms, now_ms)):
            ends.append((at, "DAILY_TIME_REACHED"))
        ends_at, ends_reason = min(ends, default=(0, ""))
        after = 0
        if ends_at:
            after = self._again(own, band, ends_at, spent=ends_reason == "DAILY_TIME_REACHED")
        return Verdict("", 0, ends_at, ends_reason, after, left_ms, left_loss)

    def spend(self, own: Own, amount_fen: int, spent_month_fen: int, now_ms: int) -> SpendVerdict:
        """Return whether a player may pay an amount, with what he has paid this month."""
        band = self.band_of(own)
        if band is None:
            return SpendVerdict("AGE_NOT_DECLARED", 0, 0)
        left = band.month_fen if band.month_fen < 0 else max(0, band.month_fen - spent_month_fen)
        reason = ""
        if now_ms < own.excluded_until_ms:
            return SpendVerdict("SELF_EXCLUDED", band.at_once_fen, left, own.excluded_until_ms)
        if 0 in (band.at_once_fen, band.month_fen):
            reason = "SPENDING_NOT_ALLOWED"
        elif 0 <= band.at_once_fen < amount_fen:
            reason = "SPENDING_TOO_MUCH_AT_ONCE"
        elif 0 <= left < amount_fen:
            reason = "SPENDING_MONTH_REACHED"
        return SpendVerdict(reason, band.at_once_fen, left)

    def _again(self, own: Own, band: Band | None, now_ms: int, *, spent: bool) -> int:
        """Return the first moment at which nothing stands in the way any more; `spent`: today is used up."""
        at = max(now_ms, own.excluded_until_ms)
        if spent and day_of(at) == day_of(now_ms):
            at = begin_of(day_of(now_ms) + 1)
        if band is None or band.windows is None:
            return at
        begin, _ = next(band.windows.after(at, self.holidays), (0, 0))
        return max(begin, at) if begin else 0


def set_limits(own: Own, minutes: int, loss: int, now_ms: int, wait_ms: int) -> Own:
    """Return a player's limits after he has set both: the tighter one counts at once, a looser one later.

    Setting the same again changes nothing. Setting what counts now takes back what was to come.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    if minutes and not DAY_MINUTES_MIN <= minutes <= DAY_MINUTES_MAX:
        raise Refusal("INVALID_ARGUMENT", field="limits.day_minutes")
    if not 0 <= loss <= DAY_LOSS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="limits.day_loss")
    own = _touched(own, now_ms)
    at_ms = own.touched_ms + wait_ms
    one = _changed(own.day_minutes, own.next_minutes, own.next_minutes_at_ms, minutes, at_ms)
    other = _changed(own.day_loss, own.next_loss, own.next_loss_at_ms, loss, at_ms)
    return replace(
        own,
        day_minutes=one[0],
        next_minutes=one[1],
        next_minutes_at_ms=one[2],
        day_loss=other[0],
        next_loss=other[1],
        next_loss_at_ms=other[2],
    )


def exclude(own: Own, until_ms: int, now_ms: int) -> Own:
    """Return a player who has excluded himself; the same again changes nothing.

    Raises:
        Refusal: EXCLUSION_STANDS: an earlier one lasts longer. EXCLUSION_TOO_SHORT, EXCLUSION_TOO_LONG.
    """
    own = _touched(own, now_ms)
    if until_ms == own.excluded_until_ms:
        return own
    if until_ms < own.excluded_until_ms:
        raise Refusal("EXCLUSION_STANDS", until_ms=own.excluded_until_ms)
    if until_ms < own.touched_ms + EXCLUSION_HOURS_MIN * HOUR_MS:
        raise Refusal("EXCLUSION_TOO_SHORT", hours=EXCLUSION_HOURS_MIN)
    if until_ms > now_ms + EXCLUSION_DAYS_MAX * 24 * HOUR_MS:
        raise Refusal("EXCLUSION_TOO_LONG", days=EXCLUSION_DAYS_MAX)
    return replace(own, excluded_until_ms=until_ms)


def declare(own: Own, band: int, now_ms: int) -> Own:
    """Return a player who has said how old he is: his first word counts, later only a minor's younger band.

    Raises:
        Refusal: AGE_DECLARED: only staff may change it. INVALID_ARGUMENT.
    """
    if band not in BANDS.values():
        raise Refusal("INVALID_ARGUMENT", field="band")
    if own.band and band != own.band and (own.band == ADULT or band > own.band):
        raise Refusal("AGE_DECLARED")
    return replace(_touched(own, now_ms), band=band)


def corrected(own: Own, band: int, now_ms: int) -> Own:
    """Return a player whose age band staff has corrected; nothing else of it is staff's to change."""
    return replace(_touched(own, now_ms), band=band)


def joined(one: Own, other: Own, now_ms: int) -> Own:
    """Return what counts for somebody who goes on as another player under the same key: the stricter."""
    one, other = one.at(now_ms), other.at(now_ms)
    minutes, loss = _tighter(one.day_minutes, other.day_minutes), _tighter(one.day_loss, other.day_loss)
    next_minutes = _tighter(
        one.next_minutes if one.next_minutes_at_ms else one.day_minutes,
        other.next_minutes if other.next_minutes_at_ms else other.day_minutes,
    )
    next_loss = _tighter(
        one.next_loss if one.next_loss_at_ms else one.day_loss,
        other.next_loss if other.next_loss_at_ms else other.day_loss,
    )
    minutes_at_ms = max(one.next_minutes_at_ms, other.next_minutes_at_ms) if next_minutes != minutes else 0
    loss_at_ms = max(one.next_loss_at_ms, other.next_loss_at_ms) if next_loss != loss else 0
    return Own(
        band=min(one.band or ADULT, other.band or ADULT) if one.band or other.band else UNDECLARED,
        day_minutes=minutes,
        day_loss=loss,
        next_minutes=next_minutes if minutes_at_ms else 0,
        next_minutes_at_ms=minutes_at_ms,
        next_loss=next_loss if loss_at_ms else 0,
        next_loss_at_ms=loss_at_ms,
        excluded_until_ms=max(one.excluded_until_ms, other.excluded_until_ms),
        touched_ms=max(one.touched_ms, other.touched_ms),
    )


def parse_bands(data: Mapping[str, Any]) -> dict[int, Band]:
    """Return the bands of a file: for each its windows, limits a day and limits on spending.

    Raises:
        BadCalendar: A band or a field is missing, unknown, or out of range.
    """
    named = {name: parse_windows(found) for name, found in data.get("windows", {}).items()}
    found = data.get("bands")
    if set(data) != {"windows", "bands"} or not isinstance(found, dict) or set(found) != set(BANDS):
        raise BadCalendar(f"bands: wants windows, and bands {', '.join(BANDS)}")
    return {BANDS[name]: _band(name, of_band, named) for name, of_band in found.items()}


def _band(name: str, data: Mapping[str, Any], windows: Mapping[str, Windows]) -> Band:
    numbers = {"day_minutes": 0, "day_loss": 0, "at_once_fen": NO_LIMIT, "month_fen": NO_LIMIT}
    if set(data) != {"windows", *numbers}:
        raise BadCalendar(f"bands: {name} wants windows, {', '.join(numbers)}")
    if data["windows"] is not None and data["windows"] not in windows:
        raise BadCalendar(f"bands: {name}: there are no windows {data['windows']!r}")
    for field, least in numbers.items():
        value = data[field]
        if type(value) is not int or not least <= value <= DAY_LOSS_MAX:
            raise BadCalendar(f"bands: {name}: {field} is no number from {least} on")
    if data["day_minutes"] > DAY_MINUTES_MAX:
        raise BadCalendar(f"bands: {name}: a day has {DAY_MINUTES_MAX} minutes")
    return Band(windows.get(data["windows"]), *(data[field] for field in numbers))


def _tighter(one: int, other: int) -> int:
    return min(one or other, other or one)


def _changed(now: int, next_: int, next_at_ms: int, wanted: int, at_ms: int) -> tuple[int, int, int]:
    """Return a limit after a wish: what counts, what is to come, and when."""
    if wanted == now or _tighter(wanted, now) == wanted != 0:
        return wanted, 0, 0
    if next_at_ms and (wanted == next_ or _tighter(wanted, next_) == wanted != 0):
        # Waits already, for the same or for something looser.
        return now, wanted, next_at_ms
    return now, wanted, at_ms


def _touched(own: Own, now_ms: int) -> Own:
    return replace(own.at(now_ms), touched_ms=max(own.touched_ms, now_ms))


def _window_end(band: Band, now_ms: int, holidays: Holidays) -> int | None:
    """Return when the open window ends: 0 = it never does, None = none is open."""
    if band.windows is None:
        return 0
    begin, end = next(band.windows.after(now_ms, holidays), (0, 0))
    return end if begin and begin <= now_ms else None


def _time_runs_out(minutes: int, left_ms: int, now_ms: int) -> int:
    """Return when a day's time is used up if he plays on and on; 0 = never, for it is a whole day's."""
    midnight = begin_of(day_of(now_ms) + 1)
    if now_ms + left_ms < midnight:
        return now_ms + left_ms
    return midnight + minutes * MINUTE_MS if minutes < DAY_MINUTES_MAX else 0
