"""Who may call what: staff by their roles, programs within their scopes."""

from __future__ import annotations

import pytest

from services.chassis.access import ACCESS_WORDS, ROLES, SCOPES, reason_of, scope_of
from services.chassis.auth import Principal, Staff, on_behalf
from services.chassis.errors import Refusal


def of_staff(*roles: str) -> Principal:
    return Principal("player", "p_1", roles=frozenset(roles))


def test_a_role_opens_its_own_door_and_admin_opens_all() -> None:
    assert of_staff("disputes").may("staff:disputes")
    assert not of_staff("disputes").may("staff:money")
    assert not of_staff().may("staff:support")
    assert all(of_staff("admin").may(f"staff:{role}") for role in ROLES)  # type: ignore[arg-type]
    assert all(f"staff:{role}" in ACCESS_WORDS for role in ROLES)


def test_who_acts_is_named_with_the_role_by_which_he_may() -> None:
    assert of_staff("disputes", "admin").staff("disputes") == Staff("p_1", "disputes")
    assert of_staff("admin").staff("disputes") == Staff("p_1", "admin")
    assert Principal("operator", "root").staff("money") == Staff("operator:root", "operator")
    assert Principal("service", "gateway").staff("money") is None


def test_a_role_is_no_door_to_what_services_and_operators_may() -> None:
    assert not of_staff("admin").may("service")
    assert not of_staff("admin").may("operator")


def test_a_service_acts_for_staff_with_the_roles_it_says_and_no_made_up_ones() -> None:
    acting = on_behalf(Principal("service", "gateway"), "p_1", frozenset({"money", "king"}))
    assert acting.roles == {"money"}
    assert acting.staff("money") == Staff("p_1", "money")
    assert not acting.may("staff:admin")
    with pytest.raises(Refusal, match="PERMISSION_DENIED"):
        on_behalf(Principal("player", "p_2"), "p_1", frozenset({"admin"}))


def test_a_program_is_never_staff_whoever_made_its_key() -> None:
    direct = Principal("integrator", "p_1", frozenset({"play"}), roles=frozenset({"admin"}))
    through = on_behalf(Principal("service", "gateway"), "p_1", frozenset({"admin"}), "play,profile")
    assert direct.is_program
    assert through.is_program
    assert through.scopes == {"play", "profile"}
    assert not direct.may("staff:admin")
    assert not through.may("staff:admin")


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("/paiju.matchmaking.v1.MatchmakingService/CreateTicket", "play"),
        ("/paiju.gateway.v1.GatewayService/Play", "play"),
        ("/paiju.economy.v1.EconomyService/GetWallet", "wallet.read"),
        ("/paiju.table.v1.TableService/GetRecord", "records.read"),
        ("/paiju.table.v1.ReplayService/ShareRound", "records.share"),
        ("/paiju.table.v1.WatchService/ListLiveTables", "play"),
        ("/paiju.accounts.v1.AccountsService/UpdateProfile", "profile"),
        ("/paiju.accounts.v1.AccountsService/CreateApiKey", ""),
        ("/paiju.accounts.v1.AccountsService/DeleteAccount", ""),
        ("/paiju.accounts.v1.ProtectionService/SetLimits", ""),
        ("/paiju.economy.v1.TopUpService/CreateOrder", ""),
        ("/paiju.economy.v1.EconomyService/NobodyKnows", ""),
    ],
)
def test_what_is_not_listed_as_open_stays_shut_to_programs(path: str, scope: str) -> None:
    assert scope_of(path) == scope
    assert scope in ("", *SCOPES)


@pytest.mark.parametrize("text", ["", "  ", "no", " a ", "x" * 501, "a\x00bc"])
def test_staff_says_why(text: str) -> None:
    with pytest.raises(Refusal, match="REASON_REQUIRED"):
        reason_of(text)
    assert reason_of("  he asked for it ") == "he asked for it"
