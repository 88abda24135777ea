"""Settings of the service, read from the environment (prefix ``HUPAI_``) or a ``.env`` file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hupai.api.web.middleware.proxies import ProxyTrust, is_loopback

_MEBI = 1024 * 1024
_MOST_AT_ONCE = 4
"""Maximum number of readers in one process: more would only contend for the interpreter lock."""
TEMPORARY = ":temporary:"
"""Value of ``data_dir`` for storage that is deleted at the end."""


def processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Settings(BaseSettings):
    """What an operator may set: each field is ``HUPAI_<NAME>`` in the environment."""

    model_config = SettingsConfigDict(
        env_prefix="HUPAI_", env_file=".env", extra="ignore", frozen=True
    )

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="TCP port to listen on.")
    model: str = Field(
        default="default",
        description="Weights for reading photos: a name listed by `hupai models list`, or a "
        "folder written by a training.",
    )
    threads: int = Field(
        default=0,
        ge=0,
        le=64,
        description="Threads per photo; 0 leaves the choice to ONNX Runtime.",
    )
    providers: str = Field(
        default="cpu",
        description="Runtime of the networks: `cpu`, `cuda` (package onnxruntime-gpu) or "
        "`openvino` (package openvino); of several, separated by commas, the first one available. "
        "Also used by `hupai read`.",
    )
    preload: bool = Field(
        default=True,
        description="Open the model at start and try it once; "
        "otherwise the first photo waits for it.",
    )
    max_upload_bytes: int = Field(
        default=20 * _MEBI, ge=1024, description="Largest request body, bytes."
    )
    max_pixels: int = Field(
        default=50_000_000,
        ge=10_000,
        description="Most pixels of a photo, checked before decoding.",
    )
    min_side: int = Field(
        default=32, ge=1, description="Smallest width or height of a photo, pixels."
    )
    workers: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Number of processes; each has its own model, queue and metrics, and its own "
        "rate limits unless `HUPAI_REDIS_URL` is set.",
    )
    concurrency: int = Field(
        default=0,
        ge=0,
        le=64,
        description="Photos that a process reads concurrently; 0: one for each processor that "
        f"`HUPAI_WORKERS` leaves to it, at most {_MOST_AT_ONCE}.",
    )
    separate_readers: bool = Field(
        default=True,
        description="Read concurrent photos in processes of their own; `false`: in threads of the "
        "serving process, which saves memory and slows all requests down.",
    )
    batch_photos: int = Field(
        default=20, ge=1, le=500, description="Most photos of one batch upload."
    )
    queue_length: int = Field(
        default=24,
        ge=0,
        le=1000,
        description="Further photos that may wait in the queue; beyond that the answer is 429.",
    )
    timeout_seconds: float = Field(
        default=60.0, gt=0, description="Longest time for waiting and reading of a photo; then 503."
    )
    annotated_side: int = Field(
        default=1600, ge=64, le=8192, description="Longest side of pictures sent back, pixels."
    )
    examples_dir: Path = Field(
        default=Path(__file__).resolve().parents[2] / "examples",
        description="Folder of example scenes that the page offers.",
    )
    cors_origins: tuple[str, ...] = Field(
        default=(),
        description="Origins whose pages may call the API, as a JSON list: "
        '`["https://club.example"]`.',
    )
    require_keys: bool | None = Field(
        default=None,
        description="Whether to require a key (`hupai keys add`) under `/v1` and for `/metrics`. "
        "Not set: required from other machines if `HUPAI_HOST` listens beyond this one.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Host names under which the service answers without a key, as a JSON list: "
        '`["hupai.club.example"]`; in addition to IP addresses, this machine\'s name and the host '
        "of `HUPAI_PUBLIC_URL`.",
    )
    allowed_sources: tuple[str, ...] = Field(
        default=(),
        description="Sources of broadcast tables that other machines may set without a key, as a "
        'JSON list of patterns: `["rtmp://127.0.0.1/*"]`; in addition to `push`.',
    )
    rate_limit: int = Field(
        default=600,
        ge=0,
        description="Requests per minute under `/v1` for each key, or each address without a key; "
        "bursts of a minute's worth are allowed. 0: no limit.",
    )
    trusted_proxies: tuple[str, ...] = Field(
        default=(),
        description="Addresses or networks whose X-Forwarded-For is trusted, as a JSON list: "
        '`["127.0.0.1"]`; `unix`: a socket.',
    )
    header_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Longest time for receiving the headers of a request, from the opening of the "
        "connection or the previous answer; then 408, or closed if nothing came.",
    )
    upload_seconds: float = Field(
        default=60.0,
        gt=0,
        description="Longest time for receiving the body of a request; then 408.",
    )
    download_seconds: float = Field(
        default=60.0,
        gt=0,
        description="Longest time for a client to take each MiB of an answer, or what is left of "
        "it; then the connection is closed.",
    )
    shutdown_seconds: int = Field(
        default=30,
        ge=1,
        description="Longest time for requests in progress to finish when the service is stopped.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="`text` for a terminal, `json` for one object per line."
    )
    public_url: str = Field(
        default="",
        description="Public address of the service, printed on reports; empty: that of the "
        "request.",
    )
    data_dir: str = Field(
        default="hupai-data",
        description="Folder of the database and the photos; `:temporary:` deletes everything when "
        "the service ends.",
    )
    database_url: str = Field(
        default="",
        description="`sqlite:///file` or `postgresql://user:password@host/name`; empty: SQLite in "
        "the data folder.",
    )
    photos_url: str = Field(
        default="",
        description="Where photos are stored: a folder, or an fsspec URL such as "
        "`s3://bucket/photos` (extra `s3`), which then also stores tile sets; empty: in the "
        "data folder.",
    )
    redis_url: str = Field(
        default="",
        validation_alias=AliasChoices("HUPAI_REDIS_URL", "redis_url"),
        description="`redis://host:6379/0` if several processes share a database: they then serve "
        "the same broadcast tables, share rate limits, and read a photo that is sent twice only "
        "once. `REDIS_URL` is used if this is not set.",
    )
    tracing_url: str = Field(
        default="",
        pattern=r"^(https?://\S+)?$",
        description="OpenTelemetry collector that accepts OTLP over HTTP, such as "
        "`http://collector:4318` (extra `tracing`): requests, readings, database and photo "
        "store are traced, also through Ray. The standard variables such as "
        "`OTEL_TRACES_SAMPLER` apply too.",
    )
    source_url: str = Field(
        default="",
        pattern=r"^(https?://\S+)?$",
        description="Address of the source code of this service, to which `/source` redirects "
        "(AGPL, section 13); empty: `/source` sends the installed package.",
    )

    @property
    def data_folder(self) -> Path | None:
        """The data folder; None if nothing is kept."""
        return None if self.data_dir == TEMPORARY else Path(self.data_dir)

    @property
    def photos_at_once(self) -> int:
        """How many photos this process reads at the same time."""
        if self.concurrency:
            return self.concurrency
        return max(1, min(processors() // self.workers, _MOST_AT_ONCE))

    @property
    def is_local(self) -> bool:
        """Whether the service listens on this machine alone."""
        return is_loopback(self.host)

    @property
    def keys_needed(self) -> bool:
        """Whether other machines are asked for a key."""
        return not self.is_local if self.require_keys is None else self.require_keys

    @field_validator("trusted_proxies")
    @classmethod
    def _known_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        ProxyTrust(value)
        return value


def as_markdown() -> str:
    """Write the page docs/settings.md."""
    lines = [
        "# Settings of the service",
        "",
        "Environment variables, or lines of a file `.env` in the folder where `hupai serve` is",
        "started. This page is written from `api/web/settings.py`",
        "(`python -m hupai.api.web.settings > docs/settings.md`); a test compares the two.",
        "",
        "| variable | default | what |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        default = (
            "`examples/` of the checkout"
            if isinstance(field.default, Path)
            else f"`{_shown(field.default)}`"
        )
        lines.append(f"| `HUPAI_{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def _shown(default: object) -> str:
    return (
        "[]"
        if default == ()
        else "not set"
        if default is None
        else str(default).lower()
        if isinstance(default, bool)
        else str(default)
    )


if __name__ == "__main__":
    print(as_markdown(), end="")
