"""The table service in a process of its own, to be killed: `python table_process.py NATS FOLDER NAME`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVICE_KEY = "a key that all services of a test share, long enough"


def main() -> None:
    """Serve until SIGTERM; print `ready` once tables can be made."""
    sys.path[:0] = [str(ROOT), str(ROOT / "protos")]
    # Accounts is not here to be asked.
    os.environ["PAIJU_TABLE_PROTECTION"] = "false"
    from services.chassis.config import PaijuSettings
    from services.chassis.db import migrate
    from services.chassis.run import run, serve
    from services.table.app import WIRING

    nats_url, folder, name = sys.argv[1:4]
    settings = PaijuSettings(
        dev=True,
        data_dir=Path(folder),
        nats_url=nats_url,
        service_key=SERVICE_KEY,
        process=name,
        log_shards=1,
        log_streams=1,
        log_level="warning",
    )
    migrate(settings.database_url_of("table"), "table")
    run(serve([WIRING], settings, on_ready=lambda _: print("ready", flush=True)))


if __name__ == "__main__":
    main()
