"""Tile sets in a folder: one file per set, and beside it the fit for each version of the weights.

``NAME.tiles.npz`` holds the pictures. ``NAME.fit-HASH.npz`` caches what
`hupai.vision.enrolment.discriminant.fit` makes of them with the classifier of that hash; it may be
deleted, and is made again when the weights change. Every file is written beside its place, synced
and renamed, so that an interruption leaves either the old file or the new one.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
from tokenize import TokenError
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.discriminant import (
    DEFAULT_FIT,
    FitSettings,
    FittedSet,
    TileSet,
    fit,
    recognised,
)
from hupai.vision.enrolment.enrol import (
    NoEmbeddingsError,
    TileSetError,
    TileSetNameError,
    check_name,
)
from hupai.vision.protocols import TileDetector

_SETS, _FITS = ".tiles.npz", ".fit-"

_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    MemoryError,
    RuntimeError,
    BadZipFile,
    TokenError,
    zlib.error,
)
"""What NumPy and `zipfile` raise for a damaged file, depending on where the damage is."""


class UnknownTileSetError(TileSetError):
    """There is no set of that name.

    Attributes:
        name: the name.
        known: the names there are.
    """

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self.name, self.known = name, known
        advice = (
            f"choose one of {', '.join(known)}"
            if known
            else "there are none yet: add one with `hupai tile-sets add`"
        )
        super().__init__(f"there is no tile set called {name!r}: {advice}")


class TileSetExistsError(TileSetError):
    """A set of that name exists."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is a tile set called {name!r} already: take another name, or replace it"
        )


class DamagedTileSetError(TileSetError):
    """The file of a set cannot be read."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name} cannot be read: remove the set and add it again")


class TileSetStore:
    """The tile sets in a folder, which need not exist yet; threads and processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._fitted: dict[tuple[str, str, int, FitSettings], FittedSet] = {}

    def names(self) -> tuple[str, ...]:
        """List the names of all sets, sorted."""
        if not self._folder.is_dir():
            return ()
        return tuple(
            sorted(path.name.removesuffix(_SETS) for path in self._folder.glob(f"*{_SETS}"))
        )

    def get(self, name: str) -> TileSet:
        """Load a set.

        Raises:
            UnknownTileSetError: no such set.
            DamagedTileSetError: its file cannot be read.
        """
        path = self._existing(name)
        try:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                return TileSet(
                    name, str(file["created"]), file["faces"], file["views"], file["photo_of"]
                )
        except FileNotFoundError:  # removed a moment ago
            raise UnknownTileSetError(name, self.names()) from None
        except _UNREADABLE as error:
            raise DamagedTileSetError(path) from error

    def put(self, tiles: TileSet, replace: bool = False) -> None:
        """Store a set.

        Raises:
            TileSetNameError: the name is invalid.
            TileSetExistsError: the name is taken, and `replace` is not set.
        """
        check_name(tiles.name)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / (tiles.name + _SETS)
        arrays = {
            "created": np.asarray(tiles.created),
            "faces": tiles.faces,
            "views": tiles.views,
            "photo_of": tiles.photo_of,
        }
        if not _write(path, arrays, replace):
            raise TileSetExistsError(tiles.name)
        if replace:
            self._forget(tiles.name)

    def remove(self, name: str) -> None:
        """Delete a set and its fits.

        Raises:
            UnknownTileSetError: no such set.
        """
        self._existing(name).unlink(missing_ok=True)
        self._forget(name)

    def fitted(
        self, name: str, detector: TwoStageDetector, settings: FitSettings = DEFAULT_FIT
    ) -> FittedSet:
        """Fit a set to the detector's classifier; the fit is kept in memory and beside the set.

        Raises:
            UnknownTileSetError: no such set.
            DamagedTileSetError: its file cannot be read.
        """
        weights = detector.info.sha256[:16]
        try:
            stamp = self._existing(name).stat().st_mtime_ns
        except FileNotFoundError:  # removed a moment ago
            raise UnknownTileSetError(name, self.names()) from None
        key = (name, weights, stamp, settings)
        with self._lock:
            known = self._fitted.get(key)
            if known is None:
                kept = self._folder / f"{name}{_FITS}{weights}.npz"
                known = _load_fit(kept, name, settings, stamp)
                if known is None:
                    known = fit(self.get(name), detector, settings)
                    with suppress(OSError):  # a folder that cannot be written to only costs time
                        _write(kept, _fit_arrays(known, stamp), replace=True)
                self._fitted = {k: v for k, v in self._fitted.items() if k[:2] != key[:2]} | {
                    key: known
                }
            return known

    def all_fitted(self, detector: TwoStageDetector) -> tuple[FittedSet, ...]:
        """Fit all sets to the detector's classifier; damaged ones are left out."""
        return tuple(self._readable(detector)) if detector.embeds else ()

    def _readable(self, detector: TwoStageDetector) -> Iterator[FittedSet]:
        for name in self.names():
            with suppress(UnknownTileSetError, DamagedTileSetError):
                yield self.fitted(name, detector)

    def _existing(self, name: str) -> Path:
        """Return the path of a set; raise `UnknownTileSetError` without one."""
        path = self._folder / (name + _SETS)
        try:
            check_name(name)
        except TileSetNameError:
            raise UnknownTileSetError(name, self.names()) from None
        if not path.is_file():
            raise UnknownTileSetError(name, self.names())
        return path

    def _forget(self, name: str) -> None:
        for path in self._folder.iterdir():
            if path.name.startswith(name + _FITS) and not path.name.endswith(_SETS):
                path.unlink(missing_ok=True)


def _fit_arrays(fitted: FittedSet, stamp: int) -> dict[str, NDArray[np.generic]]:
    return {
        "faces": fitted.faces,
        "means": fitted.means,
        "whiten": fitted.whiten,
        "weight": np.asarray(fitted.weight),
        "settings": np.asarray(repr(asdict(fitted.settings))),
        "stamp": np.asarray(stamp),
    }


def _load_fit(path: Path, name: str, settings: FitSettings, stamp: int) -> FittedSet | None:
    """Load a cached fit if it was made from this very file with these settings."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            if int(file["stamp"]) != stamp or str(file["settings"]) != repr(asdict(settings)):
                return None
            return FittedSet(
                name, file["faces"], file["means"], file["whiten"], float(file["weight"]), settings
            )
    except _UNREADABLE:
        return None


def _write(path: Path, arrays: dict[str, NDArray[np.generic]], replace: bool) -> bool:
    """Write a file whole or not at all; False if it exists and is not to be replaced."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(name, path)
        else:
            try:
                os.link(name, path)
            except FileExistsError:
                return False
        return True
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def with_choice(detector: TileDetector, choice: str, store: TileSetStore) -> TileDetector:
    """Return the detector with a tile set in use.

    Args:
        detector: as it was opened.
        choice: name of a set, ``auto`` for the one that each photo is recognised as showing, or
            ``none``.
        store: where the sets are.

    Raises:
        UnknownTileSetError: no set of that name.
        DamagedTileSetError: its file cannot be read.
        NoEmbeddingsError: a set is named, but the detector has no embeddings.
    """
    if choice == "none":
        return detector
    if not isinstance(detector, TwoStageDetector) or not detector.embeds:
        if choice == "auto":
            return detector
        store.get(choice)
        raise NoEmbeddingsError(detector.info.name)
    if choice == "auto":
        known = store.all_fitted(detector)
        return detector.with_correction(recognise=partial(recognised, known)) if known else detector
    return detector.with_correction(store.fitted(choice, detector))
