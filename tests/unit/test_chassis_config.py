"""Settings are checked whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import Field

from services.chassis.config import ConfigError, PaijuSettings, ServiceSettings, load, prefixed
from services.chassis.db.sqlite import sqlite_engine


class ShopSettings(ServiceSettings):
    model_config = prefixed("PAIJU_SHOP_")

    grant: int = Field(default=10, ge=0)
    name: str


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("PAIJU_"):
            monkeypatch.delenv(name)


def test_all_problems_of_all_classes_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_SHOP_GRANT", "-1")
    monkeypatch.setenv("PAIJU_GRPC_PORT", "70000")
    with pytest.raises(ConfigError) as caught:
        load(PaijuSettings, ShopSettings)
    problems = "\n".join(caught.value.problems)
    for expected in ("PAIJU_GRPC_PORT", "PAIJU_SHOP_GRANT", "PAIJU_SHOP_NAME: Field required"):
        assert expected in problems


@pytest.mark.parametrize("key", ["", "short", "x" * 31])
def test_a_missing_or_short_key_is_refused_unless_in_development(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIJU_SERVICE_KEY", key)
    with pytest.raises(ConfigError, match="PAIJU_SERVICE_KEY"):
        load(PaijuSettings)
    monkeypatch.setenv("PAIJU_DEV", "true")
    load(PaijuSettings)


def test_a_key_is_not_shown_and_settings_are_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_SERVICE_KEY", "a-key-that-is-long-enough-to-be-used")
    (settings,) = load(PaijuSettings)
    assert "long-enough" not in repr(settings)
    with pytest.raises(Exception, match="frozen"):
        settings.grpc_port = 1


def test_services_read_their_own_prefix_and_addresses_are_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_DEV", "1")
    monkeypatch.setenv("PAIJU_SHOP_NAME", "corner")
    monkeypatch.setenv("PAIJU_GRPC_ADDRESSES", '{"economy": "economy:7000"}')
    monkeypatch.setenv("PAIJU_DATA_DIR", "/srv/paiju")
    shared, shop = load(PaijuSettings), load(ShopSettings)
    assert shop[0].name == "corner"
    assert shared[0].grpc_addresses == {"economy": "economy:7000"}
    assert shared[0].database_url_of("economy") == "sqlite:////srv/paiju/economy.db"
    assert shared[0].data_dir == Path("/srv/paiju")


@pytest.mark.parametrize("name", ["plain", "a b", "50%", "%41", "why?", "#1", "数据", "a+b&c=d", "{x}"])
def test_the_books_are_in_the_data_folder_whatever_it_is_called(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIJU_DEV", "1")
    monkeypatch.setenv("PAIJU_DATA_DIR", str(tmp_path / name))
    (settings,) = load(PaijuSettings)
    url = settings.database_url_of("economy")
    for reads_only in (False, True):
        (tmp_path / name).mkdir(exist_ok=True)
        engine = sqlite_engine(url, reads_only=reads_only)
        with engine.connect() as connection:
            (_, _, file) = connection.exec_driver_sql("PRAGMA database_list").one()
        engine.dispose()
        assert Path(file) == tmp_path / name / "economy.db"


def test_a_certificate_needs_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIJU_DEV", "1")
    monkeypatch.setenv("PAIJU_TLS_CERT", "/x.pem")
    with pytest.raises(ConfigError, match="PAIJU_TLS_KEY"):
        load(PaijuSettings)
