"""The gateway's list of methods and the services' access tables say the same: two doors of one house."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from services.chassis.auth import AccessTable
from services.gateway.core.methods import METHODS
from services.launch.catalog import SERVICES

BEHIND = [name for name in SERVICES if name != "gateway"]


def table_of(service: str) -> AccessTable:
    """Return the access tables of a service's `api` and `*_api`, as one: method names differ."""
    folder = Path(str(import_module(f"services.{service}").__file__)).parent
    tables: list[AccessTable] = [
        import_module(f"services.{service}.{name}").ACCESS
        for name in sorted({path.stem for path in folder.glob("*api*") if path.stem.endswith("api")})
    ]
    assert tables, f"{service} has no api"
    names = [name for table in tables for name in table]
    assert len(names) == len(set(names)), f"{service}: a method name stands in two tables"
    return {name: access for table in tables for name, access in table.items()}


@pytest.mark.parametrize("service", BEHIND)
def test_a_method_is_open_to_players_and_staff_at_the_service_exactly_if_the_gateway_offers_it_so(
    service: str,
) -> None:
    at_the_service = {
        name: access
        for name, access in table_of(service).items()
        if access in ("public", "player") or access.startswith("staff:")
    }
    at_the_gateway = {
        path.partition("/")[2]: method.access for path, method in METHODS.items() if method.service == service
    }
    assert at_the_service == at_the_gateway


def test_the_gateway_offers_methods_of_known_services_only() -> None:
    assert {method.service for method in METHODS.values()} <= set(BEHIND)
