"""Settings from the environment, checked whole at the start, then frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

S = TypeVar("S", bound=BaseSettings)

SERVICE_KEY_CHARS_MIN = 32


class ConfigError(Exception):
    """The settings are not usable; `problems` names every one of them, by variable."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


def prefixed(prefix: str) -> SettingsConfigDict:
    """Return the model configuration of settings whose variables begin with `prefix`."""
    return SettingsConfigDict(env_prefix=prefix, frozen=True, extra="ignore", env_nested_delimiter="__")


class ServiceSettings(BaseSettings):
    """Base of each service's own settings: `model_config = prefixed("PAIJU_ECONOMY_")`."""

    model_config = prefixed("PAIJU_")


class PaijuSettings(BaseSettings):
    """What every process shares (`PAIJU_*`)."""

    model_config = prefixed("PAIJU_")

    dev: bool = False
    """Allow missing keys and console logs; never in production."""
    data_dir: Path = Path(".paiju")
    """Where SQLite files live."""
    database_url: str = "sqlite:///{data_dir}/{service}.db"
    """Template; `postgresql://user:password@host/paiju_{service}` in a deployment."""
    database_connections: int = Field(default=8, ge=1, le=100)
    """Connections per service to PostgreSQL."""
    process: str = ""
    """This process's name among others of its kind; empty = another at each start. One that restarts under
    its old
    name takes its shards back at once; two at a time must never share a name."""
    nats_url: str = "nats://127.0.0.1:4222"
    """Several, separated by commas, for a cluster."""
    nats_user: str = ""
    """With several services in one process, one that may do all of theirs."""
    nats_password: SecretStr = SecretStr("")
    stream_replicas: int = Field(default=1, ge=1, le=5)
    """R1 on one machine, R3 in a cluster."""
    log_streams: int = Field(default=2, ge=1, le=64)
    """Streams that a sharded log is spread over."""
    log_shards: int = Field(default=4, ge=1, le=1024)
    """Shards of a sharded log: 4 for one process, 8 per process a deployment may grow to."""
    grpc_host: str = "127.0.0.1"
    grpc_port: int = Field(default=0, ge=0, le=65535)
    """0 = any free port."""
    grpc_addresses: dict[str, str] = Field(default_factory=dict)
    """Service → `host:port`; JSON. A service of the same process needs none."""
    http_host: str = "127.0.0.1"
    http_port: int = Field(default=0, ge=0, le=65535)
    """`/metrics`, `/healthz`, `/readyz`; 0 = any free port."""
    service_key: SecretStr = SecretStr("")
    """Shared by all services, at least 32 characters; signs their tokens to each other."""
    tls_cert: Path | None = None
    """PEM chain of this process; with `tls_key`, gRPC listens with TLS."""
    tls_key: Path | None = None
    tls_ca: Path | None = None
    """PEM of the authority that signed all services' certificates: callers must show one of them (mTLS)."""
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$")
    drain_s: float = Field(default=20.0, ge=0, le=600)
    """How long services may take to end after SIGTERM: a table process hands its shards over meanwhile, each
    when the process it goes to has read it."""

    @model_validator(mode="after")
    def _keys_are_set(self) -> Self:
        key = self.service_key.get_secret_value()
        if not self.dev and len(key) < SERVICE_KEY_CHARS_MIN:
            raise ValueError(
                f"PAIJU_SERVICE_KEY is missing or shorter than {SERVICE_KEY_CHARS_MIN} characters"
            )
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("PAIJU_TLS_CERT and PAIJU_TLS_KEY belong together")
        return self

    def database_url_of(self, service: str) -> str:
        """Return where a service's database is; a folder may be called as it likes, `50%?#` too."""
        return self.database_url.format(data_dir=quote(str(self.data_dir)), service=service)


def load(*classes: type[S], overrides: Mapping[type[S], Mapping[str, Any]] | None = None) -> list[S]:
    """Return one instance of each class, read from the environment.

    Raises:
        ConfigError: With all problems of all classes, not only the first.
    """
    made: list[S] = []
    problems: list[str] = []
    for cls in classes:
        try:
            made.append(cls(**(overrides or {}).get(cls, {})))
        except ValidationError as error:
            prefix = cls.model_config.get("env_prefix", "")
            for problem in error.errors():
                name = (
                    prefix + "_".join(str(part) for part in problem["loc"]).upper() if problem["loc"] else ""
                )
                message = problem["msg"].removeprefix("Value error, ")
                problems.append(f"{name}: {message}" if name else message)
    if problems:
        raise ConfigError(problems)
    return made
