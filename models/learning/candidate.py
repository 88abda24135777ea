"""A candidate's folder: its weights, its registry entry and its model card."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from hupai.models import registry
from hupai.models.learning.parts import HANDS
from hupai.models.learning.settings import Settings
from hupai.models.registry_writer import write_entry


def write(made: Path, name: str, shipped: registry.Entry, run: Path, settings: Settings) -> None:
    """Assemble the weights as a folder that `hupai.models.registry.load` opens.

    Args:
        made: the folder.
        name: name of the candidate.
        shipped: the weights from which untrained parts are taken.
        run: folder of the run; its ``out/`` holds the trained parts.
        settings: settings of the training, which name the trained parts.
    """
    shutil.rmtree(made, ignore_errors=True)
    (made / "weights").mkdir(parents=True)
    for role in dict.fromkeys((*shipped.roles, *settings.parts)):
        source = run / "out" / _file_of(role) if role in settings.parts else shipped.path(role)
        shutil.copy(source, made / "weights" / _file_of(role))
    rename(made, name, shipped)


def _file_of(role: str) -> str:
    """Return the file name for a role."""
    return f"{role}.json" if role == registry.LAYOUT else f"{role}.onnx"


def rename(made: Path, name: str, shipped: registry.Entry) -> None:
    """Write the candidate's registry entry under a name."""
    (made / registry.FILE).unlink(missing_ok=True)
    there = (made / "weights" / _file_of(role) for role in (*shipped.roles, registry.LAYOUT))
    files = {file.stem: file for file in there if file.is_file()}
    about = f"fine-tuned on corrected hands, from {shipped.name} {shipped.version}"
    version = f"{shipped.version}+{name}"
    write_entry(made, name, version, files, shipped.settings, about)


def card(
    name: str, data: Path, trained: int, shipped: registry.Entry, settings: Settings, report: str
) -> str:
    """Write the model card.

    Args:
        name: name of the candidate.
        data: the data set.
        trained: how many of its photos were trained on.
        shipped: the weights that training started from.
        settings: settings of the training.
        report: the report in Markdown, which becomes the end of the card.
    """
    manifest = json.loads((data / "manifest.json").read_text("utf-8"))
    digest = registry.sha256(data / "manifest.json")
    lines = [
        f"# Model card: {name}",
        "",
        f"Fine-tuned from {shipped.name} {shipped.version} ({shipped.info.sha256[:16]}).",
        "",
        "## Training data",
        "",
        f"{manifest['photos']} corrected or confirmed photos of this deployment (manifest "
        f"{digest[:16]}), of which {trained} were trained on; "
        f"{_mixed_in(settings)}. The corrected photos are those of the people who use this "
        "deployment: do not pass the weights on without asking them.",
        "",
        "## How",
        "",
        _how(settings),
        "",
    ]
    return "\n".join(lines) + "\n" + report.replace("# Fine", "## Fine", 1)


def _mixed_in(settings: Settings) -> str:
    """Say what was trained on besides the corrected photos."""
    what = []
    if set(settings.parts) - {registry.LAYOUT}:
        folders = f"{len(settings.mix)} folders of earlier photos"
        what.append(f"{settings.scenes} rendered scenes were mixed in, and {folders}")
    if registry.LAYOUT in settings.parts:
        what.append(f"the layout also learnt from {HANDS} rendered hands and {HANDS} whole tables")
    return "; ".join(what)


def _how(settings: Settings) -> str:
    """Say which parts were trained, and how."""
    passes = f"{settings.epochs} passes of {settings.per_epoch} crops"
    deep = f"all layers, {passes}, then the last one"
    ways = {
        "classifier": deep if settings.deep else "its last layer",
        "detector": f"all layers but the first five, {settings.epochs} passes",
        registry.LAYOUT: "the weights that group the hand",
    }
    return "; ".join(f"{part}: {ways[part]}" for part in settings.parts) + "."
