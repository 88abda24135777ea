"""Which form should the detector's answer have? Four small trainings on the same scenes, measured
on the same pictures.

    python -m benchmarks.experiments.detector_heads WORK --body WEIGHTS.pt --scenes DIR --check DIR --photos ../shared/photos/dev

Started again with the same WORK, it goes on where it stopped.

Upright boxes of two classes (tile, back), upright boxes of all 43 classes, oriented boxes, and
upright boxes with the four corners as keypoints; each a YOLOv8n with the same body, a new head, and
the same pictures, steps and settings. The body (all but the head) comes from a detector that knows
tiles: from nothing, hours pass before any form finds one. A tile counts as found if the middle of a
prediction lies within a third of its shorter side. The result goes into docs/decisions.md; nothing
here is used by the product.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.evaluation.scenes import read_scenes
from hupai.models.training import cpu
from hupai.models.training.detector.data import MIN_VISIBLE
from hupai.scoring.tiles import Tile

NEAR = 0.33
CONFIDENCE = 0.25


@dataclass(frozen=True)
class Form:
    """One form of answer.

    Attributes:
        name: for the table.
        task: Ultralytics' name of the task.
        network: its architecture.
        faces: one class a face, instead of one for all.
    """

    name: str
    task: str
    network: str
    faces: bool = False


FORMS = (
    Form("boxes", "detect", "yolov8n.yaml"),
    Form("boxes, a class a face", "detect", "yolov8n.yaml", faces=True),
    Form("oriented boxes", "obb", "yolov8n-obb.yaml"),
    Form("corner keypoints", "pose", "yolov8n-pose.yaml"),
)


@dataclass(frozen=True)
class Outcome:
    """What a form reached on some pictures: tiles, found, named right (where it names), predictions
    beyond those, milliseconds.
    """

    form: str
    pictures: str
    tiles: int
    found: int
    named: int | None
    surplus: int
    milliseconds: float


def write(form: Form, scenes: Path, out: Path, limit: int) -> Path:
    """The scenes with labels of this form; returns the path of the data file."""
    (out / "labels").mkdir(parents=True, exist_ok=True)
    link = out / "images"
    if not link.exists():
        link.symlink_to((scenes / "images").resolve(), target_is_directory=True)
    names = []
    for line in (scenes / "truth.jsonl").read_text("utf-8").splitlines()[:limit]:
        record = json.loads(line)
        size = np.array([record["width"], record["height"]])
        rows = [_row(form, tile, size) for tile in record["tiles"] if tile[3] >= MIN_VISIBLE]
        (out / "labels" / f"{Path(record['image']).stem}.txt").write_text("\n".join(rows) + "\n")
        names.append(f"./images/{record['image']}")
    (out / "train.txt").write_text("\n".join(names) + "\n")
    (out / "val.txt").write_text("\n".join(names[:8]) + "\n")
    classes = [Tile(i).code for i in range(43)] if form.faces else ["tile", "back"]
    data: dict[str, Any] = {
        "path": str(out.resolve()),
        "train": "train.txt",
        "val": "val.txt",
        "names": dict(enumerate(classes)),
    }
    if form.task == "pose":
        data |= {"kpt_shape": [4, 2], "flip_idx": [0, 1, 2, 3]}
    (out / "data.yaml").write_text(json.dumps(data))
    return out / "data.yaml"


def _row(form: Form, tile: list[Any], size: np.ndarray) -> str:
    shown, quad = tile[1], np.clip(np.array(tile[2]).reshape(4, 2) / size, 0, 1)
    kind = int(Tile.from_code(shown)) if form.faces else int(shown == "?")
    low, high = quad.min(0), quad.max(0)
    box = [*(low + high) / 2, *(high - low)]
    values = {"detect": box, "obb": list(quad.ravel()), "pose": [*box, *quad.ravel()]}[form.task]
    return f"{kind} " + " ".join(f"{v:.5f}" for v in values)


def new_head(body: Path, out: Path) -> Path:
    """Weights whose head has learnt nothing: every form starts from these, and takes of them what
    fits its shapes.
    """
    import torch
    from ultralytics import YOLO

    known = YOLO(str(body)).model.float().state_dict()
    model = YOLO("yolov8n.yaml", task="detect").model
    head = f"model.{len(model.model) - 1}."
    model.load_state_dict(
        model.state_dict() | {k: v for k, v in known.items() if not k.startswith(head)}
    )
    torch.save({"model": model, "train_args": {}, "epoch": -1}, out)
    return out


def train(form: Form, data: Path, run: Path, start: Path, size: int, epochs: int) -> Any:
    """A network with a new head; the same settings for every form. No mirrored pictures: they would
    mix up the corners.
    """
    from ultralytics import YOLO

    from hupai.models.training.bfloat16 import (
        MixedCornersTrainer,
        MixedOrientedTrainer,
        MixedTrainer,
    )

    trainer = {"detect": MixedTrainer, "obb": MixedOrientedTrainer, "pose": MixedCornersTrainer}[
        form.task
    ]
    last = run / "weights" / "last.pt"
    begun = last.exists()
    model = YOLO(str(last) if begun else form.network, task=form.task)
    count = cpu.threads()
    model.add_callback("on_train_start", lambda _: cpu.threads(count))
    settings = {
        "optimizer": "AdamW",
        "lr0": 0.002,
        "lrf": 0.05,
        "cos_lr": True,
        "warmup_epochs": 0.2,
        "nbs": 16,
        "batch": 16,
    }
    calm = {
        "fliplr": 0.0,
        "mosaic": 0.0,
        "plots": False,
        "val": False,
        "amp": False,
        "workers": 0,
        "seed": 20,
        "device": "cpu",
    }
    where = {"project": str(run.parent.resolve()), "name": run.name, "exist_ok": True}
    if begun:
        model.train(trainer=trainer, resume=True)
    else:
        model.train(
            trainer=trainer,
            data=str(data),
            imgsz=size,
            epochs=epochs,
            pretrained=str(start),
            **settings,
            **calm,
            **where,
        )
    return YOLO(str(last), task=form.task)


def measure(
    form: Form, model: Any, pictures: str, photos: list[LabelledPhoto], size: int
) -> Outcome:
    """Predict on labelled photos."""
    tiles = found = named = surplus = 0
    spent = []
    for photo in photos:
        image = cv2.imread(str(photo.path))
        if image is None:
            continue
        begun = time.perf_counter()
        answer = model.predict(
            image, imgsz=size, conf=CONFIDENCE, iou=0.5, verbose=False, max_det=300
        )[0]
        spent.append(time.perf_counter() - begun)
        boxes = answer.obb if form.task == "obb" else answer.boxes
        middles = boxes.xywhr[:, :2].numpy() if form.task == "obb" else boxes.xywh[:, :2].numpy()
        classes = boxes.cls.numpy().astype(int)
        truth = photo.boxes * np.array([image.shape[1], image.shape[0]] * 2)
        centres, sides = (truth[:, :2] + truth[:, 2:]) / 2, (truth[:, 2:] - truth[:, :2]).min(1)
        free = np.ones(len(middles), bool)
        for tile, centre, side in zip(photo.tiles, centres, sides, strict=True):
            tiles += 1
            distance = np.where(free, np.hypot(*(middles - centre).T), np.inf)
            if len(distance) and distance.min() < NEAR * side:
                best = int(distance.argmin())
                free[best] = False
                found += 1
                named += int(classes[best]) == int(tile)
        # Two predictions on one tile: what a reading suffers from; other tiles may lie on the photo
        # without a label.
        for middle in middles[free]:
            surplus += bool((np.hypot(*(centres - middle).T) < NEAR * sides).any())
    return Outcome(
        form.name,
        pictures,
        tiles,
        found,
        named if form.faces else None,
        surplus,
        1000 * float(np.median(spent)),
    )


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument(
        "--body",
        type=Path,
        required=True,
        help="weights of a YOLOv8n that finds tiles; its head is not used",
    )
    parser.add_argument("--scenes", type=Path, required=True, help="rendered scenes to train on")
    parser.add_argument("--check", type=Path, required=True, help="rendered scenes to measure on")
    parser.add_argument("--photos", type=Path, required=True, help="labelled photos to measure on")
    parser.add_argument("--limit", type=int, default=2400)
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--epochs", type=int, default=2)
    a = parser.parse_args()
    cpu.register_missing_ops()
    sets: dict[str, Callable[[], list[LabelledPhoto]]] = {
        "rendered": lambda: list(read_scenes(a.check))[:150],
        "photos": lambda: list(read_folder(a.photos)),
    }
    a.work.mkdir(parents=True, exist_ok=True)
    kept = a.work / "forms.json"
    outcomes = [Outcome(**row) for row in json.loads(kept.read_text())] if kept.exists() else []
    start = new_head(a.body, a.work / "start.pt")
    for form in FORMS:
        if any(outcome.form == form.name for outcome in outcomes):
            continue
        place = a.work / form.name.replace(", ", "-").replace(" ", "-")
        model = train(
            form, write(form, a.scenes, place, a.limit), place / "run", start, a.size, a.epochs
        )
        outcomes += [measure(form, model, name, photos(), a.size) for name, photos in sets.items()]
        kept.write_text(json.dumps([asdict(o) for o in outcomes], indent=1) + "\n")
        print(outcomes[-2], outcomes[-1], sep="\n", flush=True)


if __name__ == "__main__":
    main()
