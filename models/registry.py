"""Which weights there are, and how to open them.

`registry.toml` beside this file lists every entry with its files, their SHA-256 and the numbers
that go with them; the files lie in ``weights/``. A file whose hash differs is not opened.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from hupai.scoring.tiles import CODES
from hupai.vision.detection.tile_detector import DetectorSettings
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.protocols import TileDetector
from hupai.vision.types import ModelInfo

FOLDER = Path(__file__).parent
DEFAULT = "default"


class WeightsError(Exception):
    """Weights that cannot be opened. Its subclasses say why."""


class UnknownWeightsError(WeightsError):
    """No entry of that name."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self.name, self.known = name, known
        super().__init__(f"there are no weights called {name!r}: choose one of {', '.join(known)}")


class DamagedWeightsError(WeightsError):
    """A file is missing or is not the one that was released."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        super().__init__(
            f"{path.name} {reason}: install hupai again, or fetch the file from the release"
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One set of weights.

    Attributes:
        name: what `load` takes.
        version: of the weights, not of the program.
        files: role (``detector``, ``classifier``) to file name and SHA-256.
        settings: numbers that go with the weights.
        card: file name of the model card.
        about: one line.
    """

    name: str
    version: str
    files: tuple[tuple[str, str, str], ...]
    settings: DetectorSettings
    card: str
    about: str

    def path(self, role: str) -> Path:
        """Where the file of a role lies."""
        return next(FOLDER / "weights" / file for r, file, _ in self.files if r == role)

    @property
    def info(self) -> ModelInfo:
        """Name, version, and the SHA-256 over the hashes of all files in order."""
        joined = "".join(digest for _, _, digest in self.files)
        return ModelInfo(self.name, self.version, hashlib.sha256(joined.encode()).hexdigest())


@lru_cache(maxsize=1)
def available() -> tuple[Entry, ...]:
    """All entries, the default first."""
    table: dict[str, Any] = tomllib.loads((FOLDER / "registry.toml").read_text(encoding="utf-8"))
    entries = []
    for name, row in table.items():
        files = tuple(
            (role, item["file"], item["sha256"]) for role, item in sorted(row["files"].items())
        )
        entries.append(
            Entry(
                name,
                row["version"],
                files,
                DetectorSettings(**row["settings"]),
                row["card"],
                row["about"],
            )
        )
    return tuple(sorted(entries, key=lambda e: e.name != DEFAULT))


def classes() -> tuple[str, ...]:
    """Names of the classes in the order of the model's outputs: the tile codes, the back last."""
    return CODES


def sha256(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def load(name: str = DEFAULT, threads: int = 0) -> TileDetector:
    """Check and open a set of weights.

    Args:
        name: of an entry.
        threads: for ONNX Runtime; 0 leaves the choice to it.

    Raises:
        UnknownWeightsError: no such entry.
        DamagedWeightsError: a file is missing or has another hash.
    """
    entries = {entry.name: entry for entry in available()}
    if name not in entries:
        raise UnknownWeightsError(name, tuple(entries))
    entry = entries[name]
    for role, _, digest in entry.files:
        path = entry.path(role)
        if not path.exists():
            raise DamagedWeightsError(path, "is missing")
        if sha256(path) != digest:
            raise DamagedWeightsError(
                path, "is not the file that was released (its SHA-256 differs)"
            )
    return TwoStageDetector.open(
        entry.path("detector"), entry.path("classifier"), entry.info, entry.settings, threads
    )
