"""What may stand in a profile besides the name, and what a name may look like."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.accounts.core.choices import (
    DIALECTS,
    HOMEPAGE_CHARACTERS_MAX,
    THEMES,
    city_of,
    dialect_of,
    homepage_of,
    region_of,
    theme_of,
)
from services.accounts.core.cities import cities
from services.accounts.core.confusables import skeleton
from services.accounts.core.names import check_unlike, looks_of, nickname_of
from services.accounts.core.regions import REGIONS
from services.chassis.errors import Refusal


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("  ", ""),
        ("https://example.org", "https://example.org"),
        (" HTTPS://Example.ORG/Me?x=1#y ", "https://example.org/Me?x=1#y"),
        ("https://xn--fiq228c.xn--fiqs8s/", "https://xn--fiq228c.xn--fiqs8s/"),
    ],
)
def test_a_homepage_is_kept_as_a_link_others_may_follow(text: str, kept: str) -> None:
    assert homepage_of(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org/",
        "example.org",
        "https://",
        "https:///x",
        "https://user@example.org/",
        "https://paiju.example.org:pw@evil.org/",
        "https://example.org:8443/",
        "https://example.org:/",
        "https://localhost/",
        "https://printer.local/",
        "https://db.internal/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://intranet/",
        "https://-a.org/",
        "https://a..org/",
        "https://еxample.org/",  # Cyrillic
        "https://example.org/\u202egpj.exe",
        "https://example.org/\u200b",
        "https://example.org/ x",
        "https://example.org/\nx",
        "https://example.org\\@evil.org/",
        'https://example.org/"onmouseover=x',
        "https://example.org/<script>",
        "https://example.org/" + "x" * HOMEPAGE_CHARACTERS_MAX,
        "https://" + "a" * 64 + ".org/",
    ],
)
def test_a_homepage_that_is_no_such_link_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="HOMEPAGE_INVALID"):
        homepage_of(text)


@settings(deadline=None)
@given(st.text(max_size=60).map(lambda text: f"https://{text}"))
def test_whatever_is_kept_is_https_and_stays_as_it_is(text: str) -> None:
    try:
        kept = homepage_of(text)
    except Refusal:
        return
    assert kept.isascii()
    assert kept.startswith("https://")
    assert "@" not in kept.split("/")[2]
    assert homepage_of(kept) == kept


def test_regions_dialects_and_themes_are_those_of_the_lists() -> None:
    assert len(REGIONS) == 34
    assert all(region_of(code) == code for code in ("", *REGIONS))
    assert all(dialect_of(code) == code for code in ("", *DIALECTS))
    assert all(theme_of(name) == name for name in ("", *THEMES))
    for check, wrong, reason in (
        (region_of, "CN-XX", "REGION_UNKNOWN"),
        (region_of, "湖南", "REGION_UNKNOWN"),
        (dialect_of, "klingon", "DIALECT_UNKNOWN"),
        (theme_of, "pink", "THEME_UNKNOWN"),
    ):
        with pytest.raises(Refusal, match=reason):
            check(wrong)


def test_cities_are_of_a_region_that_is_their_codes_and_each_has_two_names() -> None:
    known = cities()
    assert len(known) > 360
    assert {city.region for city in known.values()} == set(REGIONS) - {
        "CN-BJ", "CN-TJ", "CN-SH", "CN-CQ", "CN-TW", "CN-HK", "CN-MO",
    }  # fmt: skip
    # GB/T 2260: the first two figures are the province's, in the order of its list.
    provinces = {
        region: {city.code[:2] for city in known.values() if city.region == region} for region in REGIONS
    }
    ranks = [figures for region in REGIONS for figures in sorted(provinces[region])]
    assert ranks == sorted(set(ranks))
    assert all(len(figures) <= 1 for figures in provinces.values())
    for code, city in known.items():
        assert code == city.code == city_of(code)
        assert len(code) == 6
        assert code.isascii()
        assert code.isdigit()
        assert city.zh
        assert city.en[0].isupper()
    assert {known[code].zh for code in ("430700", "431300", "430500", "420900", "429006")} == {
        "常德", "娄底", "邵阳", "孝感", "天门",
    }  # fmt: skip
    names = [(city.region, city.zh) for city in known.values()]
    assert len(set(names)) == len(names)


def test_what_a_name_looks_like_is_kept_so_a_change_of_it_needs_a_migration() -> None:
    """Whoever changes these figures adds a migration that makes `players.looks` anew."""
    said = "".join(
        looks_of(name) for name in ("Wang Er", "аdmіn", "客服1", "🙂", "ⓐ运營", "Ødegård", "rnｖv")
    )
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == "f41ae2565b1e47cb"


@pytest.mark.parametrize(
    "text",
    [
        "аdmіn", "ＡＤＭＩＮ", "𝐚𝐝𝐦𝐢𝐧", "ᴀᴅᴍɪɴ", "αdmιn", "adrnin", "раіju", "PΑIJU", "ꓑAIJU",
        "paıju", "5upp0rt", "ѕuрроrt", "mоdеrаtоr", "rnoderator", "ꜱᴛᴀꜰꜰ",
        "系統消息", "管理員", "机 器 人", "已注销", "客 服 1",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_the_houses_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="NICKNAME_RESERVED"):
        nickname_of(text)


@pytest.mark.parametrize(
    "text", ["Wang Er", "wаng_er", "WΑNG-ER", "vvang er", "ｗａｎｇ ｅｒ", "wáng ěr", "W4NG 3R"]
)
def test_a_name_that_looks_like_a_member_of_staffs_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="NICKNAME_STAFF"):
        check_unlike(nickname_of(text), ["客厅", "Wang.Er"])


@pytest.mark.parametrize("text", ["Wang San", "王二", "wanger2", "🙂"])
def test_another_name_is_not(text: str) -> None:
    check_unlike(nickname_of(text), ["客厅", "Wang.Er", "🙃"])


@settings(deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_case_width_and_marks_do_not_change_what_a_name_looks_like(text: str) -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in text)
    marked = "\u0301".join(text)
    assert skeleton(text) == skeleton(text.upper()) == skeleton(wide) == skeleton(marked)
