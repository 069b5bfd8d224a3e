"""deploy/ says what the code says: services, settings, users, rights, targets."""

import ast
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
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
"""What Prometheus sees of a metric, by its kind."""
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


def made_metrics() -> dict[str, tuple[str, set[str]]]:
    """Return every metric that the code makes: its kind and its labels."""
    made: dict[str, tuple[str, set[str]]] = {}
    for path in (ROOT / "services").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            target.id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            name, kind = node.args[0], node.func.attr
            if kind not in SUFFIXES or not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
                continue
            labels: ast.expr | None = node.args[2] if len(node.args) > 2 else None
            labels = named.get(labels.id) if isinstance(labels, ast.Name) else labels
            words = ast.literal_eval(labels) if isinstance(labels, ast.List) else []
            made[f"paiju_{name.value}"] = kind, set(words)
    return made


def test_alerts_are_of_metrics_that_there_are_and_name_a_page_that_helps() -> None:
    made = made_metrics()
    rules = [
        rule
        for group in yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    told: set[str] = set()
    for rule in rules:
        for name, chosen in re.findall(r"\b(paiju_\w+)(?:\{([^}]*)\})?", rule["expr"]):
            base = next((one for one in made if name in {one + end for end in SUFFIXES[made[one][0]]}), None)
            assert base is not None, f"{rule['alert']}: nothing is called {name}"
            told.add(base)
            assert {part.split("=")[0] for part in chosen.split(",") if part} <= made[base][1], rule["alert"]
        assert (ROOT / rule["annotations"]["runbook"]).is_file(), rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}
        of_metrics = {"service", "instance"}.union(*(made[one][1] for one in told))
        assert set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) <= of_metrics
    wanted = {
        "economy_disputes_open",
        "economy_proof_findings",
        "scoring_alerts",
        "accounts_holidays_known_days",
    }
    assert {f"paiju_{name}" for name in wanted} <= told


def test_prometheus_reads_the_alerts() -> None:
    assert yaml.safe_load((DEPLOY / "prometheus.yml").read_text())["rule_files"] == ["alerts.yml"]


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
