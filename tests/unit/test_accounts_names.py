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


HIDDEN = [
    "\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180e", "\u200b",
    "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202d", "\u202e", "\u2060",
    "\u2061", "\u2064", "\u2066", "\u2067", "\u2069", "\u206a", "\u206f", "\u2800", "\u3164", "\ufe00",
    "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\U0001d173", "\U000e0001", "\U000e0041", "\U000e0100", "\u2ff0",
]  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN, ids=lambda one: f"U+{ord(one):04X}")
@pytest.mark.parametrize("written", ["{}官方", "官{}方", "官方{}", "小{}明"])
def test_what_shows_nothing_or_turns_a_text_around_is_in_no_name(hidden: str, written: str) -> None:
    with pytest.raises(Refusal, match="NICKNAME_CHARACTERS"):
        nickname_of(written.format(hidden))


@pytest.mark.parametrize(
    "text",
    [
        "管理貟", "菅理员", "管埋员", "管王里员", "官力", "官万", "宫方", "宦方", "糸统", "係统",
        "系統", "客月艮", "机噐人", "機器人", "栽判", "叛裁判员", "工作人員", "客戶服務", "客户服务1",
        "⼯作⼈员", "官⽅", "🅐🅓🅜🅘🅝", "🇦🇩🇲🇮🇳", "🅰dmin", "ⓐⓓⓜⓘⓝ", "🄰dmin", "𝐚𝐝𝐦𝐢𝐧", "ᴀᴅᴍɪɴ", "aḍmin",
        "a̲dmin", "ɑdmin", "adm1n", "a.d.m.i.n", "ʂtaff", "ȿtaff", "ꜱtaff", "ѕtaff", "5taff",
        "ŝ.t.a.f.f", "ƨystem5ystem", "suppørt", "supp0rt", "0fficia1", "ỌFFICIAL", "m0derator",
        "pɐiju paiju", "paıju", "ｐａｉ ｊｕ", "牌.局", "牌 局", "GM", "G.M.", "ＧＭ", "🅶🅼", "Mod",
        "m.0.d", "Judge", "ĴUDGE", "GM001", "gm-7", "Root", "kefu", "K3FU01", "GuanFang", "xitong_1",
        "guanliyuan", "客1服", "客丨服", "官a方", "系纟充", "adm!n", "⍺dmin", "ᗩdmin", "己注销", "巳註銷",
        "站長", "運營01", "平台", "平台 1", "网管小李", "客服小美", "在线客服",
    ],
)  # fmt: skip
def test_nobody_is_called_what_passes_for_the_house(text: str) -> None:
    with pytest.raises(Refusal, match="NICKNAME_RESERVED"):
        nickname_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "大力王", "万事如意", "王理", "员外", "宫本", "系鞋带", "万能管家", "机智的人", "José",
        "Łukasz", "Ødegård", "bigman", "modern", "Judgement", "🇨🇳小王", "ⓐ", "GMT", "理发师",
        "数学老师", "平台山", "地主一", "消息灵通", "keefu", "Hi!", "Rooty", "客家人",
    ],
)  # fmt: skip
def test_who_only_shares_letters_with_the_house_is_called_so(text: str) -> None:
    assert nickname_of(text)
