"""Fine-tunes the shipped weights on corrected hands; an acceptance gate decides on the result.

A run is kept in a folder named after its data and settings. After a kill or a full disk it can be
run again and resumes where it stopped. Nothing outside that folder is written before
the gate has accepted the candidate. The copies of photos that training needs are deleted
afterwards, so that a photo withdrawn later is not kept there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hupai.datasets.synthetic.generate import generate
from hupai.models import registry
from hupai.models.learning import candidate, parts
from hupai.models.learning.gate import Suite, Verdict, judge, measure
from hupai.models.learning.harm import PhotoHarm, estimate
from hupai.models.learning.library import Library
from hupai.models.learning.parts import FinetuneError, Say
from hupai.models.learning.report import report_json, report_text
from hupai.models.learning.set_crops import PARTS, SetCrops, crops_of, parts_of
from hupai.models.learning.settings import Settings
from hupai.models.training.classifier.crops import from_photos, from_scenes
from hupai.vision.layout.weights import OWN, shipped_weights

SCENES_SEED = 29
"""Seed of the rendered scenes that are mixed in; different from that of the held-out designs."""

REFERENCE_SCENES = 20
"""Number of rendered scenes if no network is trained; they are then only the reference for harm."""

IMPOSSIBLE = frozenset({"copies", "hand", "overlap"})
"""Kinds of suspicion that prove a wrong label: more tiles of a face than a tile set
has, or two boxes on one tile.
"""


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a fine-tuning.

    Attributes:
        verdict: the gate's.
        report: file of the report.
        suites: all figures.
        harm: photos, the most harmful first.
        entry: the entry in the library; None if the gate refused.
    """

    verdict: Verdict
    report: Path
    suites: tuple[Suite, ...]
    harm: tuple[PhotoHarm, ...]
    entry: registry.Entry | None


def finetune(
    data: Path, name: str, library: Library, work: Path, settings: Settings, say: Say
) -> Finished:
    """Train a candidate, compare it with the shipped weights, and register it if it is better.

    Args:
        data: a set of `hupai datasets from-hands`.
        name: name of the new weights.
        library: where they are registered.
        work: folder for runs.
        settings: how to train.
        say: called with each step.

    Raises:
        FinetuneError: the set has no photo to train on.
        hupai.datasets.real.labels.LabelError: it is no such set.
        OSError: there is no room, or a file cannot be read.
    """
    library.check_name(name)
    split = _possible(parts_of(data), data, say)
    if not split[PARTS[0]]:
        raise FinetuneError(f"{data} has no photo to train on: correct or confirm some hands first")
    shipped = registry.find(registry.DEFAULT)
    run = work / settings.digest(data)
    run.mkdir(parents=True, exist_ok=True)
    say(f"run {run}")
    own = crops_of(data, split[PARTS[0]])
    old, scenes = _old_crops(run, settings, say)
    held_out = crops_of(data, split[PARTS[1]] | split[PARTS[2]])
    if not own.photos:
        raise FinetuneError("no tile of the photos to train on is known by its place")
    harm = estimate(shipped, own, held_out, old)
    made = run / "candidate"
    if not (made / registry.FILE).is_file():
        _train(data, split[PARTS[0]], shipped, own, old, scenes, run, settings, say)
        candidate.write(made, name, shipped, run, settings)
    _delete_copies(run)
    suites = tuple(measure(data, split, made, work / "held-out-designs", settings, say))
    verdict = judge(suites)
    about = {"name": name, "data": str(data), "settings": asdict(settings)}
    text = report_text(suites, verdict, harm, data)
    (run / "report.md").write_text(text, "utf-8")
    (run / "report.json").write_text(
        report_json(suites, verdict, harm, json.loads(json.dumps(about, default=str))), "utf-8"
    )
    entry = None
    if verdict.accepted:
        candidate.rename(made, name, shipped)
        card = candidate.card(name, data, len(split[PARTS[0]]), shipped, settings, text)
        (made / f"{name}.md").write_text(card, "utf-8")
        for file in ("report.md", "report.json"):
            shutil.copy(run / file, made / file)
        entry = library.add(made, name)
    return Finished(verdict, run / "report.md", suites, harm, entry)


def _possible(split: dict[str, frozenset[str]], data: Path, say: Say) -> dict[str, frozenset[str]]:
    """Leave out photos with labels that cannot be true, and mention other suspicious ones."""
    file = data / "suspicious.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    found = [(row["photo"], row["kind"]) for row in map(json.loads, lines)]
    wrong = frozenset(photo for photo, kind in found if kind in IMPOSSIBLE)
    if wrong:
        say(
            f"left out until they are corrected, with too many of a face or two boxes on one tile: "
            f"{', '.join(sorted(wrong))}"
        )
    others = sum(photo not in wrong for photo, _ in found)
    if others:
        say(f"{others} labels are suspicious and are trained on as they are: see {file}")
    return {part: names - wrong for part, names in split.items()}


def _delete_copies(run: Path) -> None:
    """Delete checkpoints and the user's photos and crops once the candidate is written."""
    (run / "own.npz").unlink(missing_ok=True)
    for name in ("photos", "classifier", "detector"):
        shutil.rmtree(run / name, ignore_errors=True)


def _old_crops(run: Path, settings: Settings, say: Say) -> tuple[Path, tuple[Path, ...]]:
    """Cut crops of rendered scenes and mixed-in photos, to prevent forgetting.

    Returns:
        The file of the crops, and the folders of the scenes.
    """
    networks = set(settings.parts) - {registry.LAYOUT}
    count = settings.scenes if networks else min(settings.scenes, REFERENCE_SCENES)
    # Rendered scenes show nobody's tiles, so later runs use the same ones.
    out, scenes = run / "old.npz", run.parent / f"scenes-{count}"
    if not out.is_file():
        if not (scenes / "done").is_file():
            shutil.rmtree(scenes, ignore_errors=True)
            why = "to mix in" if networks else "to compare labels with"
            say(f"rendering {count} scenes {why}, once, for some minutes")
            generate(scenes, count, SCENES_SEED)
            (scenes / "done").write_text("")
        say("cutting their tiles")
        patches = from_scenes(scenes)
        for folder in settings.mix:
            more = from_photos(folder)
            for name in ("patches", "classes", "axes", "red", "pictures"):
                getattr(patches, name).extend(getattr(more, name))
        patches.save(run / "new.npz")
        (run / "new.npz").replace(out)
    return out, (scenes,)


def _train(
    data: Path,
    names: frozenset[str],
    shipped: registry.Entry,
    own: SetCrops,
    old: Path,
    scenes: Sequence[Path],
    run: Path,
    settings: Settings,
    say: Say,
) -> None:
    """Train the parts that the settings name, except those that an earlier run finished."""
    if "classifier" in settings.parts and not (run / "out" / "classifier.onnx").is_file():
        say(f"training the classifier on {len(own.photos)} crops of {len(names)} photos")
        deep = (settings.epochs, settings.per_epoch) if settings.deep else None
        parts.classifier(shipped.path("classifier"), own, old, run, deep)
    if "detector" in settings.parts and not (run / "out" / "detector.onnx").is_file():
        say(f"training the detector on {len(names)} photos")
        start = shipped.path("detector")
        parts.detector(start, data, names, settings.mix, scenes, run, settings.epochs)
    if registry.LAYOUT in settings.parts and not (run / "out" / "layout.json").is_file():
        parts.layout(data, names, run, shipped_weights().version + OWN, say)
