"""The user's weights, in a folder of the data folder; the shipped weights are never changed.

    models/NAME/          registry.toml, weights/, NAME.md (the card), report.md, report.json
    models/in-use.json    the weights in use, and earlier ones, newest last

Weights are copied under a temporary name and renamed when complete, so a full disk or a kill leaves
no partial copy.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from tempfile import mkdtemp

from hupai.models import registry
from hupai.scoring.errors import HupaiError

SHIPPED = "shipped"
"""The name of the weights that came with the program."""

_IN_USE = "in-use.json"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_RESERVED = (SHIPPED, registry.DEFAULT, registry.LAYOUT, _IN_USE)
"""Names that mean the shipped weights, the entry of layout weights, or the library's own file."""


class LibraryError(HupaiError, ValueError):
    """A name that is invalid, taken or unknown; nothing was changed."""


class Library:
    """The user's weights.

    Args:
        folder: their folder, created when needed; None disables the library, so that only the
            shipped weights can be used.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @classmethod
    def of_data_folder(cls, folder: Path | None) -> Library:
        """Return the weights in the service's data folder; None if the settings keep nothing."""
        return cls(None if folder is None else folder / "models")

    @property
    def folder(self) -> Path:
        """The folder of the weights.

        Raises:
            LibraryError: the library is disabled.
        """
        if self._folder is None:
            raise LibraryError(
                "HUPAI_DATA_DIR keeps nothing: name a folder for weights of your own"
            )
        return self._folder

    def entries(self) -> tuple[registry.Entry, ...]:
        """List the weights by name."""
        there = self._folder is not None and self._folder.is_dir()
        found = sorted(self.folder.glob(f"*/{registry.FILE}")) if there else []
        return tuple(registry.entries(path.parent)[0] for path in found)

    def add(self, made: Path, name: str) -> registry.Entry:
        """Copy a folder written by training into the library.

        Args:
            made: holds registry.toml with one entry called `name`, weights/ and the card.
            name: see `check_name`.

        Raises:
            LibraryError: the name is not allowed, or is taken.
            OSError: it cannot be copied; the library is unchanged.
        """
        self.check_name(name)
        self.folder.mkdir(parents=True, exist_ok=True)
        new = Path(mkdtemp(prefix=".new-", dir=self.folder))
        try:
            shutil.copytree(made, new / name)
            for role, _, digest in registry.entries(new / name)[0].files:
                path = registry.entries(new / name)[0].path(role)
                if registry.sha256(path) != digest:
                    raise registry.DamagedWeightsError(path, "was not copied whole")
            (new / name).rename(self.folder / name)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return registry.entries(self.folder / name)[0]

    def check_name(self, name: str) -> None:
        """Check that new weights may have this name.

        A name has at most 40 lower-case letters, digits, dots, hyphens and underscores, the first a
        letter or a digit, and is none of the reserved ones.

        Raises:
            LibraryError: the name is not allowed, or is taken.
        """
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise LibraryError(
                f"{name!r} cannot be a name for weights: use lower-case letters, digits, dots and "
                f"hyphens, and none of {', '.join(map(repr, _RESERVED))}"
            )
        if (self.folder / name).exists():
            raise LibraryError(f"there are weights called {name!r} already: choose another name")

    @property
    def in_use(self) -> str:
        """The name of the weights in use: `SHIPPED` unless others were chosen."""
        return self._history()[-1]

    def use(self, name: str) -> None:
        """Use these weights from now on.

        Raises:
            LibraryError: there are none of this name.
            hupai.models.registry.DamagedWeightsError: one of their files has changed.
        """
        history = self._history()
        if name != SHIPPED:
            self._check_entry(name)
        self._write(history if history[-1] == name else [*history, name])

    def _check_entry(self, name: str) -> None:
        """Raise unless there are complete weights of this name; see `use`."""
        known = {entry.name: entry for entry in self.entries()}
        if name not in known:
            names = ", ".join([SHIPPED, *known])
            raise LibraryError(f"there are no weights called {name!r}: choose one of {names}")
        for role, _, digest in known[name].files:
            path = known[name].path(role)
            if not path.is_file() or registry.sha256(path) != digest:
                raise registry.DamagedWeightsError(path, "is missing or was changed")

    def roll_back(self) -> str:
        """Return to the weights used before; return their name.

        Raises:
            LibraryError: there are no earlier weights.
        """
        history = self._history()
        if len(history) < 2:
            raise LibraryError("there is nothing to go back to: these are the first weights")
        self._write(history[:-1])
        return history[-2]

    def path_in_use(self) -> str:
        """What `hupai.models.registry.load` takes: a folder, or the shipped name."""
        name = self.in_use
        return registry.DEFAULT if name == SHIPPED else self._path(name) or registry.DEFAULT

    def resolve(self, name: str) -> str:
        """Return what `hupai.models.registry.load` takes for a name.

        ``default`` is what is in use, ``shipped`` what came with the program; other names are the
        library's first, then the registry's.
        """
        if name == registry.DEFAULT:
            return self.path_in_use()
        if name == SHIPPED:
            return registry.DEFAULT
        return self._path(name) or name

    def _path(self, name: str) -> str:
        """Return the folder of weights of this name; empty if there are none."""
        if self._folder is None or not _NAME.fullmatch(name):
            return ""
        return str(self._folder / name) if (self._folder / name / registry.FILE).is_file() else ""

    def _history(self) -> list[str]:
        if self._folder is None:
            return [SHIPPED]
        try:
            names = json.loads((self.folder / _IN_USE).read_text("utf-8"))["history"]
        except (OSError, ValueError, KeyError, TypeError):
            return [SHIPPED]
        known = [name for name in names if isinstance(name, str)]
        return known or [SHIPPED]

    def _write(self, history: list[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self.folder / f".{_IN_USE}.new"
        with new.open("w", encoding="utf-8") as file:
            json.dump({"history": history[-50:]}, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.folder / _IN_USE)
