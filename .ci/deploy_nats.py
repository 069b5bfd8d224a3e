"""Write deploy/nats.conf from what the services declare, or check that it is what they declare.

Usage: deploy_nats.py [--check].
"""

import sys
from pathlib import Path

from services.chassis.config import PaijuSettings
from services.launch.catalog import wirings
from services.launch.permissions import allow_list, nats_conf

FILE = Path(__file__).resolve().parent.parent / "deploy" / "nats.conf"


def generated() -> str:
    """Return the configuration that the code asks for."""
    log_streams = PaijuSettings.model_fields["log_streams"].default
    lists = [allow_list(wiring, log_streams) for wiring in wirings()]
    return nats_conf(sorted(lists, key=lambda allowed: allowed.user))


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(
            FILE.read_text(encoding="utf-8") != generated() and "deploy/nats.conf is stale: make deploy-nats"
        )
    FILE.write_text(generated(), encoding="utf-8")
