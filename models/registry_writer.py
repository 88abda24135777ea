"""Writes registry.toml: a new entry after export, changed settings after calibration."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hupai.models import registry
from hupai.vision.detection.tile_detector import DetectorSettings

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
"""Names that TOML takes without quotes; in others a dot would begin a sub-table."""


def write_entry(
    folder: Path,
    name: str,
    version: str,
    files: dict[str, Path],
    settings: DetectorSettings,
    about: str,
) -> None:
    """Write an entry into FOLDER/registry.toml, replacing one of the same name.

    Args:
        folder: what `hupai.models.registry.Entry.folder` will be.
        name: name of the entry.
        version: version of the weights.
        files: role to file in FOLDER/weights.
        settings: numbers that go with the weights.
        about: one line.
    """
    path = folder / registry.FILE
    table = _read(path) if path.exists() else {}
    table[name] = {
        "version": version,
        "about": about,
        "card": f"{name}.md",
        "files": {
            role: {"file": file.name, "sha256": registry.sha256(file)}
            for role, file in files.items()
        },
        "settings": asdict(settings),
    }
    _write(path, table)


def change_settings(entry: registry.Entry, settings: DetectorSettings) -> None:
    """Replace the settings of an entry; its files stay."""
    path = entry.folder / registry.FILE
    table = _read(path)
    table[entry.name]["settings"] = asdict(settings)
    _write(path, table)


def write_layout(folder: Path, version: str, about: str) -> None:
    """Write the entry of the layout weights, FOLDER/weights/layout.json."""
    path = folder / registry.FILE
    table = _read(path) if path.exists() else {}
    file = folder / "weights" / "layout.json"
    table[registry.LAYOUT] = {
        "version": version,
        "about": about,
        "card": "layout.md",
        "files": {"weights": {"file": file.name, "sha256": registry.sha256(file)}},
    }
    _write(path, table)


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, table: dict[str, Any]) -> None:
    lines = [
        "# Written by hupai.models.training.export; "
        "the settings were chosen on the development photos."
    ]
    for entry, row in table.items():
        name = entry if _BARE_KEY.fullmatch(entry) else _toml(entry)
        lines += ["", f"[{name}]"]
        lines += [f"{key} = {_toml(row[key])}" for key in ("version", "about", "card")]
        for role, item in sorted(row["files"].items()):
            file, digest = _toml(item["file"]), _toml(item["sha256"])
            lines.append(f"files.{role} = {{ file = {file}, sha256 = {digest} }}")
        if "settings" in row:
            lines += ["", f"[{name}.settings]"]
            lines += [f"{key} = {_toml(value)}" for key, value in row["settings"].items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # A JSON string is a TOML string, with the same escapes.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
