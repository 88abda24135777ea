"""Measures what corrections of 5 to 100 photos teach on rendered tables the networks never saw.

    python -m benchmarks.learning.rendered --work DIR [--check photos/dev] [--plot FILE.svg]

A table is one black tile set of the project's own drawing program, one cloth, one lamp and one
photographer; 150 hands are rendered for each. Shipped weights err on black sets. On the first 40
hands the whole reader is measured; corrections are taken from the others, in random order and in
that of `hupai datasets suggest`, and the classifier's last layer is fitted to them as `hupai models
finetune` does. With --check other photos are read as well, after 30 corrections. Figures are stored
in DIR/results.json; a second run continues after the last one.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.learning.curves import plot
from benchmarks.learning.embedded import Crops, crops_of
from benchmarks.learning.measure import PHOTOS, Readers, Results, figures, hands_of, suggested
from hupai.datasets.synthetic.designs import Design, drawn_faces, random_body
from hupai.datasets.synthetic.generate import aim, generate, random_light
from hupai.datasets.synthetic.layout.surroundings import hand_table
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import View
from hupai.datasets.synthetic.picture.lens import random_lens, sharpen
from hupai.datasets.synthetic.picture.render import render
from hupai.datasets.synthetic.scene import Rendered
from hupai.datasets.synthetic.tables.sets import inverted
from hupai.datasets.synthetic.truth import FILE, truth_record, whole_lines
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.models.evaluation.scenes import read_scenes
from hupai.models.learning import last_layer
from hupai.models.training.classifier.crops import from_scenes

TABLES = (0, 1, 3)
"""Numbers of the tables. Of six hands of table 2 the shipped weights read five: little is to be
learnt there.
"""

HANDS, MEASURED = 150, 40
"""Rendered hands of a table, and how many of them are measured."""

CHECKED = 30
"""Corrected photos after which other tables are read too."""

OLD_SCENES, OLD_SEED = 90, 29
"""Number and seed of the rendered scenes that are mixed in."""

_INKS = ((245, 245, 240), (214, 178, 92))
_SIDE = 960


def black_set(number: int) -> Design:
    """Draw a black tile set with white or golden ink."""
    rng = np.random.default_rng([4711, 29, number])
    faces = drawn_faces(rng)
    *_, proportions = random_body(rng)
    margin, shade = float(rng.uniform(0.04, 0.12)), rng.uniform(14, 48)
    r, g, b = (int(shade + d) for d in rng.normal(0, 3, 3))
    printed = inverted(faces, _INKS[number % 2])
    return Design(f"black-{number}", printed, (r, g, b), (r, g, b), 0.0, proportions, margin)


def hand_on(number: int, index: int, design: Design) -> Rendered:
    """Render a hand on a table: its cloth, lamp and photographer are always the same."""
    rng, fixed = np.random.default_rng([71, number, index]), np.random.default_rng([72, number])
    cloth = str(fixed.choice(["felt", "wood", "felt", "marble"]))
    light, usual = random_light(fixed), fixed.uniform(58, 80)
    scene = hand_table(rng, design.proportions)
    elevation = float(np.clip(rng.normal(usual, 7), 45, 90))
    azimuth, roll = float(rng.normal(0, 12)), float(rng.normal(0, 4))
    view = View(elevation, azimuth, roll, 60.0, _SIDE, _SIDE * 3 // 4)
    camera = aim(rng, scene, view)
    ground = np.random.default_rng([73, number])
    table = effects.background(ground, view.height, view.width, cloth, 0.3)
    drawn = render(scene, design, camera, light, table, rng)
    return photographed(drawn, view, rng)


def photographed(drawn: Rendered, view: View, rng: np.random.Generator) -> Rendered:
    """Photograph a rendering through a random lens, sharpened, with blur and noise."""
    lens = random_lens(rng)
    truth = tuple(
        replace(tile, quad=lens.points(tile.quad, view.width, view.height)) for tile in drawn.tiles
    )
    picture = sharpen(rng, lens.picture(drawn.image))
    photo = effects.photograph(rng, picture, float(rng.uniform(0.3, 0.7)))
    return Rendered(photo, truth, drawn.scene)


def rendered_table(folder: Path, number: int, count: int = HANDS) -> tuple[LabelledPhoto, ...]:
    """Render the missing ones of a table's hands and read them all."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    file, design = folder / FILE, black_set(number)
    done = whole_lines(folder)
    with file.open("a", encoding="utf-8") as truth:
        for index in range(done, count):
            shown, name = hand_on(number, index, design), f"{index:06d}.jpg"
            picture = cv2.cvtColor(shown.image, cv2.COLOR_RGB2BGR)
            cv2.imwrite(str(folder / "images" / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
            truth.write(json.dumps(truth_record(name, shown), ensure_ascii=False) + "\n")
    return read_scenes(folder)


def old_crops(work: Path) -> Crops:
    """Cut the tiles of rendered scenes that are mixed in."""
    scenes, file = work / "scenes", work / "scenes.npz"
    if not file.is_file():
        if not (scenes / FILE).is_file():
            generate(scenes, OLD_SCENES, OLD_SEED, side=_SIDE)
        from_scenes(scenes).save(file)
    with np.load(file) as stored:
        return stored["patches"], stored["classes"]


def measure(
    work: Path, checks: Sequence[LabelledPhoto], results: Results
) -> Iterator[dict[str, Any]]:
    """Measure all tables."""
    whole = Readers()
    shipped = whole.reader(whole.entry.path("classifier"))
    if checks and not results.known(table="others"):
        yield results.add({"table": "others", "photos": 0} | figures(shipped, checks))
    for number in TABLES:
        name, photos = f"black-{number}", rendered_table(work / f"black-{number}", number)
        measured, pool = photos[:MEASURED], photos[MEASURED:]
        key = {"table": name, "photos": 0}
        yield results.known(**key) or results.add(key | figures(shipped, measured))
        orders = {"random": list(pool), "suggested": suggested(shipped, pool)}
        for order, seq in orders.items():
            for count in PHOTOS:
                key = {"table": name, "photos": count, "order": order}
                known = results.known(**key)
                if known is None:
                    out, begun = work / f"{name}-{order}-{count}.onnx", time.process_time()
                    own, old = crops_of(seq[:count]), old_crops(work)
                    base = whole.entry.path("classifier")
                    last_layer.refit(base, own, old, out, last_layer.Settings())
                    key["cpu_seconds"] = round(time.process_time() - begun, 1)
                    reader = whole.reader(out)
                    key |= {"labels": len(own[1])} | figures(reader, measured)
                    if count == CHECKED and checks:
                        key |= figures(reader, checks, "others_")
                    known = results.add(key)
                yield known


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    """Format the figures as Markdown."""
    lines = [
        "| table | photos | order | labels | hands exact | faces right | certain; wrong | others: "
        "hands exact | certain; wrong | CPU seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        others = ("", "")
        if "others_hands" in row:
            others = (
                f"{row['others_hands_exact']} of {row['others_hands']}",
                f"{row['others_certain']}; {row['others_certain_wrong']}",
            )
        cells = (
            row["table"],
            row["photos"],
            row.get("order", ""),
            row.get("labels", ""),
            f"{row['hands_exact']} of {row['hands']}",
            f"{row['faces_right']} of {row['labelled']}",
            f"{row['certain']}; {row['certain_wrong']}",
            *others,
            row.get("cpu_seconds", ""),
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--check", type=Path, action="append", default=[], help="other tables")
    parser.add_argument("--plot", type=Path, help="SVG file to write")
    a = parser.parse_args()
    cv2.setNumThreads(1)
    a.work.mkdir(parents=True, exist_ok=True)
    results = Results(a.work / "results.json")
    checks = [photo for folder in a.check for photo in hands_of(folder)]
    for row in measure(a.work, checks, results):
        print(json.dumps(row), flush=True)
    print(as_table(results.rows))
    if a.plot is not None:
        names = [f"black-{number}" for number in TABLES]
        a.plot.write_text(plot(results.rows, names, MEASURED), "utf-8")


if __name__ == "__main__":
    main()
