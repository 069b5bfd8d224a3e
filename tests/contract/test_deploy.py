"""deploy/ says what the code says: services, settings, users, rights, targets."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.chassis.config import PaijuSettings
from services.chassis.run import Wiring
from services.launch.catalog import SERVICES, wirings
from services.launch.permissions import OPERATOR

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SECRETS = {
    line.split("=")[0]: f"secret-{number:064x}"
    for number, line in enumerate((DEPLOY / "example.env").read_text().splitlines(), 1)
    if re.match("[A-Z_]+=", line)
}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The compose file, with its secrets filled in."""
    text = (DEPLOY / "compose.yml").read_text(encoding="utf-8")
    filled = re.sub(r"\$\{([A-Z_]+):\?[^}]*\}", lambda match: SECRETS[match[1]], text)
    assert "${" not in filled, "every variable is a secret of example.env, and required"
    loaded: dict[str, Any] = yaml.safe_load(filled)["services"]
    return loaded


@pytest.fixture(scope="module")
def by_name() -> dict[str, Wiring]:
    """All wirings."""
    return {wiring.name: wiring for wiring in wirings()}


def test_compose_runs_every_service_the_broker_a_database_and_the_migration(compose: dict[str, Any]) -> None:
    assert set(compose) == {*SERVICES, "nats", "postgres", "migrate"}
    assert {name: compose[name]["command"] for name in SERVICES} == {
        name: ["serve", name] for name in SERVICES
    }
    assert compose["migrate"]["command"] == ["migrate"]


@pytest.mark.parametrize("service", [*SERVICES, "migrate"])
def test_every_variable_in_compose_is_a_setting_of_the_code(
    compose: dict[str, Any], by_name: dict[str, Wiring], service: str
) -> None:
    known = {f"PAIJU_{field}".upper() for field in PaijuSettings.model_fields}
    if service in by_name:
        own = by_name[service].settings
        prefix = str(own.model_config["env_prefix"])
        known |= {f"{prefix}{field}".upper() for field in own.model_fields}
    assert set(compose[service]["environment"]) - known == set()


@pytest.mark.parametrize("service", [*SERVICES, "migrate"])
def test_a_process_in_compose_starts_with_settings_that_are_accepted(
    compose: dict[str, Any], service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in compose[service]["environment"].items():
        monkeypatch.setenv(name, value)
    settings = PaijuSettings()
    assert settings.nats_user == (OPERATOR if service == "migrate" else service)
    assert settings.nats_password.get_secret_value() == SECRETS[f"NATS_PASSWORD_{settings.nats_user.upper()}"]
    assert settings.grpc_addresses == {name: f"{name}:{settings.grpc_port}" for name in SERVICES}
    assert settings.database_url_of("economy").endswith("/paiju_economy")


@pytest.mark.parametrize("secret", ["", "short"])
def test_a_process_refuses_to_start_without_a_real_key(
    compose: dict[str, Any], secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in compose["table"]["environment"].items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PAIJU_SERVICE_KEY", secret)
    with pytest.raises(ValueError, match="PAIJU_SERVICE_KEY"):
        PaijuSettings()


def test_the_secrets_that_ship_are_empty() -> None:
    lines = (DEPLOY / "example.env").read_text().splitlines()
    assert [line for line in lines if re.match("[A-Z_]+=.", line)] == []


def test_every_service_with_a_database_has_one(compose: dict[str, Any], by_name: dict[str, Wiring]) -> None:
    made = set(re.findall(r"CREATE DATABASE (\w+);", (DEPLOY / "databases.sql").read_text()))
    made.add(compose["postgres"]["environment"]["POSTGRES_DB"])
    assert made == {f"paiju_{name}" for name, wiring in by_name.items() if wiring.has_database}


def test_prometheus_scrapes_every_service_where_it_listens(compose: dict[str, Any]) -> None:
    [job] = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())["scrape_configs"]
    [targets] = job["static_configs"]
    ports = {name: compose[name]["environment"]["PAIJU_HTTP_PORT"] for name in SERVICES}
    assert targets["targets"] == [f"{name}:{ports[name]}" for name in sorted(SERVICES)]


def test_the_brokers_users_and_rights_are_what_the_services_declare() -> None:
    done = subprocess.run(
        [sys.executable, ".ci/deploy_nats.py", "--check"],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'protos'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_nats_server_accepts_its_configuration() -> None:
    server = Path(sys.executable).parent / "nats-server"
    done = subprocess.run(
        [server, "-t", "-c", DEPLOY / "nats.conf"], env=SECRETS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
