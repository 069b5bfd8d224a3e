"""How many players an address may make, refresh tokens, and signing keys."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import ValidationError

from services.accounts.core.limits import (
    DAY_MS,
    HOUR_MS,
    CreationLimits,
    Made,
    address_from,
    is_unlimited,
    judge,
)
from services.accounts.core.tokens import (
    KeptSession,
    hash_of,
    judge_use,
    refresh_token,
    split_refresh_token,
)
from services.accounts.keys import KEY_FILE, Signer, SigningKey, keys_in_folder, parse_keys
from services.accounts.settings import AccountsSettings
from services.chassis.config import ConfigError
from services.chassis.errors import Refusal
from services.chassis.ids import SeededIds

LIMITS = CreationLimits(per_hour=3, per_day=5, welcome_per_day=2)
NOW = 1_790_000_000_000


@pytest.mark.parametrize(
    ("made", "allowed", "welcome"),
    [
        (Made(0, 0, 0, 0, 0), True, True),
        (Made(1, 1, 1, NOW, NOW), True, True),
        (Made(2, 2, 2, NOW, NOW), True, False),
        (Made(3, 3, 2, NOW, NOW), False, False),
        (Made(0, 5, 0, 0, NOW), False, False),
        (Made(2, 4, 0, NOW, NOW), True, True),
    ],
)
def test_an_address_makes_so_many_players_and_fewer_are_welcomed(
    made: Made, allowed: bool, welcome: bool
) -> None:
    verdict = judge(LIMITS, made, NOW)
    assert (verdict.allowed, verdict.welcome) == (allowed, welcome)


def test_a_refusal_says_when_there_is_room_again() -> None:
    assert judge(LIMITS, Made(3, 3, 0, NOW - 1_000, NOW - 1_000), NOW).retry_ms == HOUR_MS - 1_000
    assert judge(LIMITS, Made(3, 5, 0, NOW - 5, NOW - 2 * HOUR_MS), NOW).retry_ms == DAY_MS - 2 * HOUR_MS


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("ipv4:203.0.113.9:5000", "203.0.113.9"),
        ("ipv6:%5B2001:db8:1:2::9%5D:443", "2001:db8:1:2::/64"),
        ("ipv6:[::ffff:203.0.113.9]:443", "203.0.113.9"),
        ("ipv6:%5Bfe80::1%25eth0%5D:443", "fe80::/64"),
        ("memory", "unknown"),
        ("", "unknown"),
    ],
)
def test_an_ipv6_subscriber_counts_as_one_address(peer: str, network: str) -> None:
    assert address_from({}, peer, trusted=False) == network


@pytest.mark.parametrize(
    ("said", "network"), [("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("nowhere", "unknown")]
)
def test_what_a_service_says_of_its_client_is_counted_alike(said: str, network: str) -> None:
    assert address_from({"x-paiju-client-address": said}, "ipv4:10.0.0.1:5", trusted=True) == network


def test_only_a_trusted_service_may_name_its_clients_address() -> None:
    said = {"x-paiju-client-address": "203.0.113.9"}
    assert address_from(said, "ipv4:10.0.0.1:5", trusted=True) == "203.0.113.9"
    assert address_from(said, "ipv4:198.51.100.1:5", trusted=False) == "198.51.100.1"
    assert address_from({}, "ipv4:10.0.0.1:5", trusted=True) == "10.0.0.1"


def test_networks_can_be_exempt() -> None:
    assert is_unlimited("127.0.0.1", "127.0.0.0/8,::1/128")
    assert is_unlimited("::/64", "127.0.0.0/8, ::1/128")
    assert not is_unlimited("203.0.113.9", "127.0.0.0/8,::1/128")
    assert not is_unlimited("127.0.0.1", "")
    assert not is_unlimited("unknown", "0.0.0.0/0,::/0")


# Refresh tokens


def test_a_refresh_token_is_read_back_exactly() -> None:
    secret = bytes(range(32))
    token = refresh_token("s_1", secret)
    assert split_refresh_token(token) == ("s_1", hash_of(secret))
    assert secret.hex() not in token


@pytest.mark.parametrize(
    "token", ["", ".", "s_1.", "s_1", "s_1.abc", "s_1." + "A" * 200, "s_1.é", "s_1." + "*" * 43]
)
def test_a_malformed_refresh_token_is_refused(token: str) -> None:
    with pytest.raises(Refusal, match="TOKEN_INVALID"):
        split_refresh_token(token)


def test_a_refresh_token_has_one_spelling() -> None:
    token = refresh_token("s_1", b"\0" * 32)
    with pytest.raises(Refusal, match="TOKEN_INVALID"):
        split_refresh_token(token[:-1] + "B")  # other bits beyond the last byte


@pytest.mark.parametrize(
    ("session", "shown", "now", "use"),
    [
        (KeptSession(b"new", 100, is_revoked=False), b"new", 99, "rotate"),
        (KeptSession(b"new", 100, is_revoked=False), b"old", 99, "reused"),
        (KeptSession(b"new", 100, is_revoked=False), b"new", 100, "expired"),
        (KeptSession(b"new", 100, is_revoked=False), b"old", 100, "reused"),
        (KeptSession(b"new", 100, is_revoked=True), b"new", 99, "revoked"),
        (None, b"new", 99, "unknown"),
    ],
)
def test_what_showing_a_refresh_token_means(
    session: KeptSession | None, shown: bytes, now: int, use: str
) -> None:
    assert judge_use(session, shown, now) == use


# Signing keys


def made(folder: Path, now: int = NOW, seed: int = 1) -> list[SigningKey]:
    return keys_in_folder(folder, SeededIds(seed), now, rotate_days=90, keep_s=1_200)


def test_the_first_start_makes_a_key_for_its_owner_only(tmp_path: Path) -> None:
    (key,) = made(tmp_path / "keys")
    file = tmp_path / "keys" / KEY_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (again,) = made(tmp_path / "keys", seed=2)
    assert again.kid == key.kid
    assert again.public_bytes == key.public_bytes


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        made(tmp_path)


def test_an_old_key_gets_a_successor_and_verifies_a_little_longer(tmp_path: Path) -> None:
    (old,) = made(tmp_path)
    later = NOW + 91 * DAY_MS
    new, kept = made(tmp_path, later, seed=2)
    assert (kept.kid, new.kid == old.kid) == (old.kid, False)
    signer = Signer([new, kept])
    kids = [key["kid"] for key in json.loads(signer.jwks())["keys"]]
    assert kids == [new.kid, old.kid]
    header = jwt.get_unverified_header(signer.access_token("p_a", "s_1", 1, 2))
    assert header["kid"] == new.kid
    assert [key.kid for key in made(tmp_path, later + 1_201_000, seed=3)] == [new.kid]


def test_a_token_says_whose_it_is_and_is_signed_with_the_named_key(tmp_path: Path) -> None:
    signer = Signer(made(tmp_path))
    token = signer.access_token("p_a", "s_1", 1_000, 1_600)
    claims = jwt.decode(
        token,
        Ed25519PublicKey.from_public_bytes(signer.keys[0].public_bytes),
        algorithms=["EdDSA"],
        issuer="paiju",
        audience="paiju",
        options={"verify_exp": False},
    )
    assert claims == {
        "iss": "paiju",
        "aud": "paiju",
        "sub": "p_a",
        "kind": "player",
        "sid": "s_1",
        "iat": 1_000,
        "exp": 1_600,
    }


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "no json",
        '[{"kid":"k"}]',
        '[{"kid":"k","private_key":"AAAA"}]',
        '[{"kid":"service","private_key":"' + "A" * 43 + '"}]',
        '[{"kid":"a.b","private_key":"' + "A" * 43 + '"}]',
    ],
)
def test_damaged_keys_are_refused_without_being_shown(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Signer(parse_keys(text, "PAIJU_ACCOUNTS_SIGNING_KEYS"))
    assert "A" * 43 not in str(caught.value)


def test_settings_refuse_networks_that_are_none() -> None:
    with pytest.raises(ValidationError, match="unlimited_networks"):
        AccountsSettings(unlimited_networks="127.0.0.0/8,everywhere")
    assert AccountsSettings(unlimited_networks="").unlimited_networks == ""
