"""Fine-tunes the shipped weights on corrected hands, and lets a gate decide on acceptance.

A run is kept in a folder named after its data and settings. After a kill or a full disk it can be
run again and resumes where it stopped. Nothing outside that folder is written before
the gate has accepted the candidate. The copies of photos that training needs are deleted when it is
over, so that a photo withdrawn later is not kept there.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from hupai.datasets.synthetic import held_out_designs
from hupai.datasets.synthetic.generate import generate
from hupai.models import registry
from hupai.models.evaluation.evaluate import PhotoOutcome, evaluate_photos, figures_of
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.evaluation.scenes import read_scenes
from hupai.models.learning import parts
from hupai.models.learning.gate import Suite, Verdict, judge
from hupai.models.learning.harm import Crops, PhotoHarm, harm_by_photo
from hupai.models.learning.library import Library
from hupai.models.learning.parts import FinetuneError as FinetuneError
from hupai.models.learning.parts import Say
from hupai.models.learning.report import report_json, report_text
from hupai.models.learning.set_crops import PARTS, SetCrops, crops_of, parts_of
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.crops import CONTEXT, PATCH, from_photos, from_scenes
from hupai.vision.detection.crops import VIEW, cut_square, stacked
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.pipeline.recogniser import Recogniser

SCENES_SEED = 29
"""Seed of the rendered scenes that are mixed in; different from that of the held-out designs."""

TRAINABLE = ("classifier", "detector", registry.LAYOUT)
"""Parts that can be fine-tuned."""


IMPOSSIBLE = frozenset({"copies", "hand", "overlap"})
"""Kinds of suspicion of labels of which at least one is wrong: more of a face than a tile set has,
two boxes on one tile.
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a fine-tuning.

    Attributes:
        parts: what is trained, some of `TRAINABLE`.
        deep: train all layers of the classifier, with PyTorch, instead of fitting the last one.
        epochs, per_epoch: number of epochs, and crops per epoch, of that training.
        scenes: rendered scenes that are mixed in.
        designs: rendered hands of held-out designs for the gate.
        mix: labelled folders that are mixed in.
        checks: further labelled folders for the gate; they are not trained on.
    """

    parts: tuple[str, ...] = ("classifier",)
    deep: bool = False
    epochs: int = 3
    per_epoch: int = 4000
    scenes: int = 150
    designs: int = 40
    mix: tuple[Path, ...] = ()
    checks: tuple[Path, ...] = ()

    def digest(self, data: Path) -> str:
        """Return a hash of everything that determines the outcome of a run."""
        document = asdict(self) | {
            "data": registry.sha256(data / "manifest.json"),
            "base": registry.find(registry.DEFAULT).info.sha256,
            "layout": shipped_weights().version,
        }
        text = json.dumps(document, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a fine-tuning.

    Attributes:
        verdict: the gate's.
        report: file of the report.
        suites: all figures.
        harm: photos, the most harmful first.
        entry: the entry in the library; None where the gate refused.
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
    harm = _harm(shipped, own, held_out, old)
    made = run / "candidate"
    if not (made / registry.FILE).is_file():
        _train(data, split[PARTS[0]], shipped, own, old, scenes, run, settings, say)
        _write_candidate(made, name, shipped, run, settings)
    _delete_copies(run)
    suites = tuple(_measure(data, split, made, run, settings, say))
    verdict = judge(suites)
    about = {"name": name, "data": str(data), "settings": asdict(settings)}
    text = report_text(suites, verdict, harm, data)
    (run / "report.md").write_text(text, "utf-8")
    (run / "report.json").write_text(
        report_json(suites, verdict, harm, json.loads(json.dumps(about, default=str))), "utf-8"
    )
    entry = None
    if verdict.accepted:
        _name_candidate(made, name, shipped)
        (made / f"{name}.md").write_text(_card(name, data, shipped, settings, text), "utf-8")
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
    """Cut crops of rendered scenes and mixed-in photos, to prevent forgetting."""
    out, scenes = run / "old.npz", run / "scenes"
    if not out.is_file():
        if not (scenes / "done").is_file():
            shutil.rmtree(scenes, ignore_errors=True)
            say(f"rendering {settings.scenes} scenes to mix in")
            generate(scenes, settings.scenes, SCENES_SEED, [], 1, 960, 1.0)
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
    """Train the parts that the settings name; each is left out where it is done."""
    if "classifier" in settings.parts and not (run / "out" / "classifier.onnx").is_file():
        say(f"training the classifier on {len(own.photos)} crops of {len(names)} photos")
        deep = (settings.epochs, settings.per_epoch) if settings.deep else None
        parts.classifier(shipped.path("classifier"), own, old, run, deep)
    if "detector" in settings.parts and not (run / "out" / "detector.onnx").is_file():
        say(f"training the detector on {len(names)} photos")
        parts.detector(shipped.path("detector"), data, names, settings.mix, scenes, run)
    if registry.LAYOUT in settings.parts and not (run / "out" / "layout.json").is_file():
        parts.layout(data, names, run, f"{shipped_weights().version}+own", say)


def _write_candidate(
    made: Path, name: str, shipped: registry.Entry, run: Path, settings: Settings
) -> None:
    """Assemble the networks as a folder that `hupai.models.registry.load` opens."""
    shutil.rmtree(made, ignore_errors=True)
    (made / "weights").mkdir(parents=True)
    for role in dict.fromkeys((*shipped.roles, *settings.parts)):
        source = run / "out" / _file(role) if role in settings.parts else shipped.path(role)
        shutil.copy(source, made / "weights" / _file(role))
    _name_candidate(made, name, shipped)


def _file(role: str) -> str:
    """Name the file of a role."""
    return f"{role}.json" if role == registry.LAYOUT else f"{role}.onnx"


def _name_candidate(made: Path, name: str, shipped: registry.Entry) -> None:
    """Write the candidate's registry entry under a name."""
    (made / registry.FILE).unlink(missing_ok=True)
    there = (made / "weights" / _file(role) for role in (*shipped.roles, registry.LAYOUT))
    files = {file.stem: file for file in there if file.is_file()}
    about = f"fine-tuned on corrected hands, from {shipped.name} {shipped.version}"
    version = f"{shipped.version}+{name}"
    write_entry(made, name, version, files, replace(shipped.settings), about)


def _measure(
    data: Path,
    split: dict[str, frozenset[str]],
    made: Path,
    run: Path,
    settings: Settings,
    say: Say,
) -> list[Suite]:
    """Read every suite with both sets of weights."""
    designs = run.parent / "held-out-designs"
    held_out_designs.make(designs, settings.designs)
    photos = read_folder(data)
    suites: list[tuple[str, bool, tuple[LabelledPhoto, ...]]] = [
        (part, True, tuple(photo for photo in photos if photo.path.stem in split[part]))
        for part in PARTS[1:]
    ]
    suites += [(folder.name, False, read_folder(folder)) for folder in settings.checks]
    suites.append(("held-out designs", False, read_scenes(designs)[: settings.designs]))
    measured = []
    readers = [Recogniser(registry.load(model)) for model in (registry.DEFAULT, str(made))]
    for name, own, chosen in suites:
        if not chosen:
            continue
        say(f"measuring {name}: {len(chosen)} photos")
        before, after = (tuple(evaluate_photos(reader, chosen)) for reader in readers)
        measured.append(
            Suite(
                name,
                own,
                figures_of(before),
                figures_of(after),
                _exact_only(before, after),
                _exact_only(after, before),
            )
        )
    return measured


def _exact_only(these: Sequence[PhotoOutcome], others: Sequence[PhotoOutcome]) -> tuple[str, ...]:
    pairs = zip(these, others, strict=True)
    return tuple(a.truth.path.stem for a, b in pairs if a.exact and not b.exact)


def _harm(
    shipped: registry.Entry, own: SetCrops, held_out: SetCrops, old: Path
) -> tuple[PhotoHarm, ...]:
    """Find photos whose labels contradict the others, using the shipped classifier."""
    if not own.photos:
        raise FinetuneError("no tile of the photos to train on is known by its place")
    classifier = TileClassifier(shipped.path("classifier"), shipped.settings)
    stored = np.load(old)
    rows = np.linspace(0, len(stored["classes"]) - 1, min(1200, len(stored["classes"])))
    rows = rows.round().astype(int)
    patches, classes = stored["patches"][rows], stored["classes"][rows]
    if held_out.photos:
        more, named, *_ = held_out.patches.arrays()
        patches, classes = np.concatenate([patches, more]), np.concatenate([classes, named])
    mine, labels, *_ = own.patches.arrays()
    side = shipped.settings.crop
    return harm_by_photo(
        _seen(classifier, side, mine, labels),
        own.photos,
        _seen(classifier, side, patches, classes),
    )


def _seen(classifier: TileClassifier, side: int, patches: np.ndarray, classes: np.ndarray) -> Crops:
    """Run the classifier, which takes crops of this side, on patches, as at inference."""
    tile = PATCH / CONTEXT
    box = np.array([PATCH - tile, PATCH - tile, PATCH + tile, PATCH + tile], np.float32) / 2
    parts = []
    for start in range(0, len(patches), 64):
        crops = stacked(
            [cut_square(patch, box, side, VIEW) for patch in patches[start : start + 64]]
        )
        parts.append(classifier.embed(crops))
    logits, embeddings = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Crops(logits, embeddings, classes.astype(np.int64))


def _card(name: str, data: Path, shipped: registry.Entry, settings: Settings, report: str) -> str:
    """Write the model card."""
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
        f"{digest[:16]}), of which {manifest['parts'].get('train', 0)} were trained on; "
        f"{settings.scenes} rendered scenes were mixed in, and {len(settings.mix)} folders of "
        "earlier photos. They are photos of the people who use this deployment: do not pass "
        "the weights on without asking them.",
        "",
        "## How",
        "",
        _how(settings),
        "",
    ]
    return "\n".join(lines) + "\n" + report.replace("# Fine", "## Fine", 1)


def _how(settings: Settings) -> str:
    """Say which parts were trained, and how."""
    deep = f"all layers, {settings.epochs} passes of {settings.per_epoch} crops"
    ways = {
        "classifier": deep if settings.deep else "its last layer",
        "detector": "all layers",
        registry.LAYOUT: "the weights that group the hand",
    }
    return "; ".join(f"{part}: {ways[part]}" for part in settings.parts) + "."
