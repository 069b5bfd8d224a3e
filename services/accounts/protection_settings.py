"""Settings of protection, and the data they name, read once at the start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from services.accounts.core.protection import BANDS, UNDECLARED, Rules, parse_bands
from services.accounts.core.protection_calendar import BadCalendar, parse_holidays
from services.chassis.config import ConfigError, ServiceSettings, prefixed
from services.chassis.days import HOUR_MS

HERE: Final = Path(__file__).parent


class ProtectionSettings(ServiceSettings):
    """What an operator may decide about protection."""

    model_config = prefixed("PAIJU_ACCOUNTS_")

    bands_file: Path = HERE / "protection_bands.json"
    """Age bands: play windows, daily limits, spending (docs/protection.md)."""
    holidays_file: Path = HERE / "protection_holidays.json"
    """Public holidays and worked weekends by year. A year that is not in it is unknown."""
    undeclared: Literal["under_8", "8_15", "16_17", "adult", "refuse"] = "adult"
    """As which band those are treated who have not said how old they are; `refuse`: they say so before they
    play."""
    loosen_after_hours: int = Field(default=24, ge=24, le=168)
    """A looser limit of one's own counts so long after it was set."""

    def rules(self) -> Rules:
        """Return the rules.

        Raises:
            ConfigError: A file is missing, is no JSON, or makes no sense.
        """
        try:
            bands = parse_bands(_read(self.bands_file))
            holidays = parse_holidays(_read(self.holidays_file))
        except (OSError, ValueError, BadCalendar) as error:
            raise ConfigError([f"protection of accounts: {error}"]) from error
        undeclared = BANDS.get(self.undeclared, UNDECLARED)
        return Rules(bands, holidays, undeclared, self.loosen_after_hours * HOUR_MS)


def _read(path: Path) -> dict[str, Any]:
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise BadCalendar(f"{path.name}: wants an object")
    return data
