"""Writes registry.toml: a new entry after export, other numbers after calibration."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hupai.models import registry
from hupai.vision.detection.tile_detector import DetectorSettings


def write_entry(
    name: str, version: str, files: dict[str, Path], settings: DetectorSettings, about: str
) -> None:
    """Replace the entry of that name in registry.toml."""
    path = registry.FOLDER / "registry.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
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


def change_settings(name: str, settings: DetectorSettings) -> None:
    """Keep an entry's files and replace the numbers that go with them.

    Raises:
        registry.UnknownWeightsError: no such entry.
    """
    path = registry.FOLDER / "registry.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    if name not in table:
        raise registry.UnknownWeightsError(name, tuple(table))
    table[name]["settings"] = asdict(settings)
    _write(path, table)


def _write(path: Path, table: dict[str, Any]) -> None:
    lines = [
        "# Written by hupai.models.training.export; the numbers in settings are chosen on development photos."
    ]
    for entry, row in table.items():
        lines += [
            "",
            f"[{entry}]",
            *(f"{k} = {_toml(row[k])}" for k in ("version", "about", "card")),
        ]
        for role, item in sorted(row["files"].items()):
            lines.append(
                f"files.{role} = {{ file = {_toml(item['file'])}, sha256 = {_toml(item['sha256'])} }}"
            )
        lines += [
            "",
            f"[{entry}.settings]",
            *(f"{k} = {_toml(v)}" for k, v in row["settings"].items()),
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    registry.available.cache_clear()


def _toml(value: object) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f'"{value}"'
        if isinstance(value, str)
        else str(value)
    )
