"""Login names and passwords: what is taken, and how much is enough."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from zxcvbn import zxcvbn

from services.chassis.errors import Refusal

PASSWORD_CHARACTERS_MIN: Final = 10
PASSWORD_CHARACTERS_MAX: Final = 128
SCORE_MIN: Final = 2
"""Of 0 to 4: a million guesses do not find it (zxcvbn's estimate, which knows common passwords, dates, and
rows of keys)."""
JUDGED_CHARACTERS_MAX: Final = 64
"""Longer ones are judged by their beginning: the estimate takes quadratic time."""
_LOGIN_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{2,31}")


def login_name_of(text: str) -> str:
    """Return a login name as it is kept.

    Raises:
        Refusal: LOGIN_NAME_INVALID.
    """
    name = text.strip().lower() if len(text) <= 64 and text.isascii() else ""
    if not _LOGIN_NAME.fullmatch(name):
        raise Refusal("LOGIN_NAME_INVALID")
    return name


def check_password(password: str, login_name: str, known: Sequence[str] = ()) -> None:
    """Let a password through that is hard to guess. Slow (milliseconds): call it in a thread.

    Args:
        password: As the person wrote it; no character is refused, and none is changed.
        login_name: It must not hold this.
        known: What else may be guessed of the person, such as the nickname.

    Raises:
        Refusal: PASSWORD_WEAK.
    """
    length = len(password)
    if not PASSWORD_CHARACTERS_MIN <= length <= PASSWORD_CHARACTERS_MAX or login_name in password.lower():
        raise weak()
    judged = zxcvbn(password[:JUDGED_CHARACTERS_MAX], [login_name, *known], max_length=JUDGED_CHARACTERS_MAX)
    if judged["score"] < SCORE_MIN:
        raise weak()


def weak() -> Refusal:
    """Return the refusal of a password."""
    return Refusal("PASSWORD_WEAK", least=PASSWORD_CHARACTERS_MIN, most=PASSWORD_CHARACTERS_MAX)
