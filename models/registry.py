"""The available weights, and how to open them.

`registry.toml` beside this file lists every entry with its files, their SHA-256 and the settings
that go with them; the files lie in ``weights/``. A training writes a folder of the same form, and
its path opens it like a name. A file whose hash differs is not opened.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import CODES
from hupai.vision.detection.tile_detector import DetectorSettings
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.protocols import TileDetector
from hupai.vision.types import ModelInfo

FOLDER = Path(__file__).parent
"""The folder of the weights that are shipped."""

FILE = "registry.toml"
"""Name of the list in such a folder."""

DEFAULT = "default"
"""Name of the entry that is used unless another is chosen."""

LAYOUT = "layout"
"""Name of the entry of the shipped layout weights, which cannot be opened as a detector. Also the
role of layout weights that belong to a particular set of networks.
"""

OPTIONAL = ("plain", "upright", LAYOUT, "flowers", "characters")
"""Roles that a set of weights may lack; `TwoStageDetector.open` takes their files by name."""

FORMER = frozenset({"askew", "common", "large", "low_confidence"})
"""Settings of earlier versions, which a folder of weights may still state."""


class WeightsError(HupaiError):
    """Weights that cannot be opened. Its subclasses say why."""


class UnknownWeightsError(WeightsError):
    """No entry of that name, and no folder of weights at that path."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self.name, self.known = name, known
        super().__init__(
            f"there are no weights called {name!r}: choose one of {', '.join(known)}, "
            "or name a folder written by training"
        )


class DamagedWeightsError(WeightsError):
    """A file is missing or differs from the released one."""

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
        version: version of the weights, not of the program.
        files: role (``detector``, ``classifier``, in most sets ``plain``, ``upright``,
            ``flowers`` and ``characters``, in some ``layout``) to file name and SHA-256.
        settings: numbers that go with the weights.
        card: file name of the model card.
        about: one line.
        folder: where registry.toml, the card and ``weights/`` lie.
    """

    name: str
    version: str
    files: tuple[tuple[str, str, str], ...]
    settings: DetectorSettings
    card: str
    about: str
    folder: Path

    def path(self, role: str) -> Path:
        """Return where the file of one of the `roles` lies."""
        return next(self.folder / "weights" / file for r, file, _ in self.files if r == role)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that have files."""
        return tuple(role for role, _, _ in self.files)

    @property
    def info(self) -> ModelInfo:
        """Name, version, and the SHA-256 over the hashes of all files in order."""
        joined = "".join(digest for _, _, digest in self.files)
        return ModelInfo(self.name, self.version, hashlib.sha256(joined.encode()).hexdigest())


def entries(folder: Path) -> tuple[Entry, ...]:
    """Read the entries of a folder, the default first."""
    table: dict[str, Any] = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    found = [
        Entry(
            name,
            row["version"],
            tuple((role, f["file"], f["sha256"]) for role, f in sorted(row["files"].items())),
            DetectorSettings(**{k: v for k, v in row["settings"].items() if k not in FORMER}),
            row["card"],
            row["about"],
            folder,
        )
        for name, row in table.items()
        if name != LAYOUT
    ]
    return tuple(sorted(found, key=lambda entry: entry.name != DEFAULT))


def available() -> tuple[Entry, ...]:
    """Return all shipped entries, the default first."""
    return entries(FOLDER)


def find(name: str) -> Entry:
    """Find a shipped entry by its name, or the first entry of a folder written by training.

    Raises:
        UnknownWeightsError: neither is there.
    """
    shipped = {entry.name: entry for entry in available()}
    if name in shipped:
        return shipped[name]
    made = entries(Path(name)) if (Path(name) / FILE).is_file() else ()
    if made:
        return made[0]
    raise UnknownWeightsError(name, tuple(shipped))


def classes() -> tuple[str, ...]:
    """Return the names of the classes in the order of the model's outputs, the back last."""
    return CODES


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_layout() -> None:
    """Check the layout weights.

    Raises:
        DamagedWeightsError: the file is missing or has another hash.
    """
    table = tomllib.loads((FOLDER / FILE).read_text(encoding="utf-8"))
    row: dict[str, str] = table[LAYOUT]["files"]["weights"]
    _check(FOLDER / "weights" / row["file"], row["sha256"])


def _check(path: Path, digest: str) -> None:
    """Raise if a file is missing or has another SHA-256."""
    if not path.exists():
        raise DamagedWeightsError(path, "is missing")
    if sha256(path) != digest:
        raise DamagedWeightsError(path, "is not the file that was released (its SHA-256 differs)")


def load(name: str = DEFAULT, threads: int = 0, providers: str | None = None) -> TileDetector:
    """Check and open a set of weights.

    Args:
        name: name of an entry, or the path of a folder written by training.
        threads: number of threads that one photo may use; 0 leaves the choice to the runtime.
        providers: what runs the networks, see `hupai.vision.detection.onnx_session.open_network`.

    Raises:
        UnknownWeightsError: no such entry.
        DamagedWeightsError: a file is missing or has another hash.
        hupai.vision.detection.onnx_session.ProviderError: if no provider is available.
    """
    entry = find(name)
    for role, _, digest in entry.files:
        _check(entry.path(role), digest)
    _check_layout()
    return TwoStageDetector.open(
        entry.path("detector"),
        entry.path("classifier"),
        entry.info,
        entry.settings,
        threads,
        providers,
        **{role: entry.path(role) for role in OPTIONAL if role in entry.roles},
    )
