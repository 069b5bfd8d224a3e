"""What one may be called."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.accounts.core.names import (
    AVATARS,
    NICKNAME_CHARACTERS_MAX,
    avatar_of,
    default_avatar,
    default_nickname,
    nickname_of,
)
from services.chassis.errors import Refusal


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("牌友8271", "牌友8271"),
        ("  老 王  ", "老 王"),
        ("Ａｎｎａ", "Anna"),
        ("José", "José"),
        ("jose\u0301", "josé"),
        ("小明🙂", "小明🙂"),
        ("a·b", "a·b"),
        ("阿三！", "阿三!"),
        ("x" * 12, "x" * 12),
        ("李官方言"[:2], "李官"),
    ],
)
def test_a_name_is_kept_normalised(given_: str, kept: str) -> None:
    assert nickname_of(given_) == kept


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "NICKNAME_LENGTH"),
        ("   ", "NICKNAME_LENGTH"),
        ("x" * 13, "NICKNAME_LENGTH"),
        ("x" * 100_000, "NICKNAME_LENGTH"),
        ("ﷺ", "NICKNAME_LENGTH"),  # one character that NFKC makes eighteen of
        ("a\u202eb", "NICKNAME_CHARACTERS"),  # right-to-left override
        ("a\u2066b", "NICKNAME_CHARACTERS"),  # isolate
        ("a\u200bb", "NICKNAME_CHARACTERS"),  # zero width space
        ("a\u200db", "NICKNAME_CHARACTERS"),  # zero width joiner
        ("\ufeffab", "NICKNAME_CHARACTERS"),
        ("a\nb", "NICKNAME_CHARACTERS"),
        ("a\u2028b", "NICKNAME_CHARACTERS"),
        ("a\x00b", "NICKNAME_CHARACTERS"),
        ("\u3164", "NICKNAME_CHARACTERS"),  # Hangul filler
        ("a\u2800", "NICKNAME_CHARACTERS"),  # empty braille cell
        ("a\ufe0f", "NICKNAME_CHARACTERS"),  # variation selector
        ("a\ue000", "NICKNAME_CHARACTERS"),  # private use
        ("a\u0301\u0302\u0303\u0304", "NICKNAME_CHARACTERS"),  # piled-up marks
        ("\u0301", "NICKNAME_CHARACTERS"),  # a mark on nothing
        ("<b>", "NICKNAME_CHARACTERS"),
        ("官方客服", "NICKNAME_RESERVED"),
        ("官 方", "NICKNAME_RESERVED"),
        ("官·方", "NICKNAME_RESERVED"),
        ("系统消息", "NICKNAME_RESERVED"),
        ("Admin", "NICKNAME_RESERVED"),
        ("ａｄｍｉｎ", "NICKNAME_RESERVED"),
        ("аdmin", "NICKNAME_RESERVED"),  # Cyrillic а
        ("4dm1n", "NICKNAME_RESERVED"),
        ("ádmîn", "NICKNAME_RESERVED"),
        ("a_d_m_i_n", "NICKNAME_RESERVED"),
        ("system", "NICKNAME_RESERVED"),
        ("5y5tem", "NICKNAME_RESERVED"),
        ("PAIJU", "NICKNAME_RESERVED"),
        ("offlcial", "NICKNAME_RESERVED"),
    ],
)
def test_a_name_that_deceives_or_does_not_show_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Refusal) as caught:
        nickname_of(text)
    assert caught.value.reason == reason


@settings(deadline=None)
@given(st.text(max_size=20))
def test_what_is_accepted_is_short_visible_and_stays_as_it_is(text: str) -> None:
    try:
        name = nickname_of(text)
    except Refusal:
        return
    assert 1 <= len(name) <= NICKNAME_CHARACTERS_MAX
    assert name == unicodedata.normalize("NFKC", name)
    assert all(unicodedata.category(character)[0] != "C" for character in name)
    assert name.strip() == name
    assert nickname_of(name) == name


def test_every_player_has_a_lawful_name_and_picture_from_the_start() -> None:
    names = {default_nickname(f"p_{number}") for number in range(500)}
    assert len(names) > 400
    assert all(nickname_of(name) == name for name in names)
    assert {default_avatar(f"p_{number}") for number in range(500)} == set(AVATARS)


def test_only_built_in_pictures_are_taken() -> None:
    assert avatar_of("a24") == "a24"
    for text in ("a25", "a00", "", "A01", "../a01"):
        with pytest.raises(Refusal, match="AVATAR_UNKNOWN"):
            avatar_of(text)
