"""The gateway's list of methods and the services' access tables say the same: two doors of one house."""

from __future__ import annotations

from importlib import import_module

import pytest

from services.chassis.auth import AccessTable
from services.gateway.core.methods import METHODS
from services.launch.catalog import SERVICES

BEHIND = [name for name in SERVICES if name != "gateway"]


def table_of(service: str) -> AccessTable:
    """Return a service's access table."""
    table: AccessTable = import_module(f"services.{service}.api").ACCESS
    return table


@pytest.mark.parametrize("service", BEHIND)
def test_a_method_is_open_to_players_at_the_service_exactly_if_the_gateway_offers_it_so(service: str) -> None:
    at_the_service = {
        name: access for name, access in table_of(service).items() if access in ("public", "player")
    }
    at_the_gateway = {
        path.partition("/")[2]: method.access for path, method in METHODS.items() if method.service == service
    }
    assert at_the_service == at_the_gateway


def test_the_gateway_offers_methods_of_known_services_only() -> None:
    assert {method.service for method in METHODS.values()} <= set(BEHIND)
