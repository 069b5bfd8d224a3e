"""Login names and passwords."""

from __future__ import annotations

import pytest

from services.accounts.core.logins import check_password, login_name_of
from services.chassis.errors import Refusal


@pytest.mark.parametrize(
    "text",
    ["", "ab", "x" * 33, "老王老王", "lаowang", ".wang", "-wang", "lao wang", "lao\x00wang", "ﬁsh", "a" * 99],
)
def test_a_login_name_is_plain(text: str) -> None:
    with pytest.raises(Refusal, match="LOGIN_NAME_INVALID"):
        login_name_of(text)


def test_case_and_outer_spaces_of_a_login_name_do_not_count() -> None:
    assert login_name_of(" Lao.Wang-8_ ") == "lao.wang-8_"


@pytest.mark.parametrize(
    "password",
    [
        "",
        "short",
        "1234567890",
        "qwertyuiop",
        "password123",
        "aaaaaaaaaaaa",
        "x-LaoWang-2-y-%",
        "x7#" * 50,
        "iloveyou123",
    ],
)
def test_what_is_soon_guessed_is_refused(password: str) -> None:
    with pytest.raises(Refusal, match="PASSWORD_WEAK"):
        check_password(password, "laowang")


def test_what_is_known_of_the_person_is_no_password() -> None:
    check_password("Zhangsanfeng", "laowang")
    with pytest.raises(Refusal, match="PASSWORD_WEAK"):
        check_password("Zhangsanfeng", "laowang", ["Zhangsanfeng"])


@pytest.mark.parametrize(
    "password", ["correct horse battery", "x7#kLp2!qW", "我爱打麻将每天都打呀", "ärmel voller karten"]
)
def test_any_characters_make_a_good_password(password: str) -> None:
    check_password(password, "laowang")
