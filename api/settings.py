"""Settings of the service, read from the environment (prefix ``HUPAI_``) or a ``.env`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What an operator may set. Every field can be given as ``HUPAI_<NAME>`` in the environment.

    Attributes:
        host: address to listen on.
        port: TCP port to listen on.
        model: name of the model registry's entry that reads photos.
        threads: threads that one photo may use; 0 leaves the choice to ONNX Runtime.
        preload: open the model at start; otherwise the first photo waits for it.
        max_upload_bytes: largest request body that is read, bytes.
        max_pixels: largest photo that is decoded, width times height in pixels.
        min_side: smallest width or height of a photo in pixels; below it no tile can be told from another.
        concurrency: photos read at the same time.
        queue_length: photos that may wait besides; the next is answered 429.
        timeout_seconds: longest time a photo may wait and be read before the answer is 503.
        annotated_side: longest side in pixels of pictures that are sent back, unless the request asks for another.
        examples_dir: folder of example scenes that the page offers; without it the page offers none.
        data_dir: folder for what the service stores. Nothing is stored by this version.
        cors_origins: origins whose pages may call the API; none by default.
        log_format: ``text`` for a terminal, ``json`` for one object a line.
    """

    model_config = SettingsConfigDict(env_prefix="HUPAI_", env_file=".env", extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    model: str = "default"
    threads: int = Field(default=0, ge=0, le=64)
    preload: bool = True
    max_upload_bytes: int = Field(default=20 * 1024 * 1024, ge=1024)
    max_pixels: int = Field(default=50_000_000, ge=10_000)
    min_side: int = Field(default=32, ge=1)
    concurrency: int = Field(default=1, ge=1, le=64)
    queue_length: int = Field(default=8, ge=0, le=1000)
    timeout_seconds: float = Field(default=60.0, gt=0)
    annotated_side: int = Field(default=1600, ge=64, le=8192)
    examples_dir: Path = Path(__file__).resolve().parent.parent / "examples"
    data_dir: Path = Path("data")
    cors_origins: tuple[str, ...] = ()
    log_format: Literal["text", "json"] = "text"
