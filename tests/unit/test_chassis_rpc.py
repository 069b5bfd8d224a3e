"""RPC through memory: the interceptor's rules, and what callers get."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from paiju.economy.v1 import economy_service_pb2_grpc

from services.chassis import auth
from services.chassis.errors import Defect, Outage, Refusal
from tests.support.process import MemoryProcess
