"""The steps that turn a recipe into weights, each a separate program."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from hupai.models import registry
from hupai.models.training.recipe import ClassifierRound, DetectorRound, Recipe
from hupai.vision.detection.families import FAMILIES

PACKAGE = "hupai.models.training"

BLANKS = ("--blanks", 1.0, "--tiles", 0.4, "--black", 0.1, "--plain", 2, "--seed", 905)
"""Arguments of `classifier.painted` for pictures with many blank tiles."""


@dataclass(frozen=True, slots=True)
class Step:
    """One program of a training.

    Attributes:
        name: name of the mark in WORK/done; empty for a step that always runs.
        module: run with ``python -m``.
        arguments: its arguments; a path that ends in ``*`` stands for all folders there.
    """

    name: str
    module: str
    arguments: tuple[object, ...]

    def command(self) -> list[str]:
        """Return the command, its folders listed."""
        words: list[object] = []
        for word in self.arguments:
            if isinstance(word, Path) and word.name == "*":
                words += sorted(path for path in word.parent.iterdir() if path.is_dir())
            else:
                words.append(word)
        return [sys.executable, "-m", self.module, *map(str, words)]


@dataclass(frozen=True, slots=True)
class Job:
    """The recipe, the data, and the output folders of a training.

    Attributes:
        recipe: the scenes and rounds.
        file: the recipe's file.
        work: gets all intermediate files.
        out: gets the weights.
        name, version: of the registry entry.
        data: holds ``photos/`` and ``art/``, the sources of faces and photos.
        photos: labelled folders to train on.
        check: labelled folder that is measured after each epoch; None without.
        device: ``cpu`` or the number of a GPU.
    """

    recipe: Recipe
    file: Path
    work: Path
    out: Path
    name: str
    version: str
    data: Path
    photos: tuple[Path, ...]
    check: Path | None
    device: str

    def missing(self) -> list[Path]:
        """List the missing folders and files that the recipe needs."""
        needed = [folder / part for folder in self.photos for part in ("images", "labels")]
        if "crops" in self.recipe.faces:
            needed.append(self.data / "photos" / "crops" / "labels.json")
        if "sheets" in self.recipe.faces:
            needed.append(self.data / "photos" / "sheets")
        return [path for path in needed if not path.exists()]

    def steps(self) -> Iterator[Step]:
        """Yield all steps in their order."""
        yield from self._material()
        base = yield from self._detector()
        yield Step("detector-onnx", f"{PACKAGE}.export", (
            *self._exported(base), "--out", self.work / "detector", "--version", self.version,
        ))  # fmt: skip
        last = yield from self._classifier()
        upright = yield from self._upright(last)
        plain = yield from self._plain()
        families = yield from self._families(upright)
        yield Step("", f"{PACKAGE}.export", (
            *self._exported(base), "--classifier", last, *upright, *plain, *families,
            "--out", self.out, "--name", self.name, "--version", self.version,
            "--recipe", self.file,
        ))  # fmt: skip
        crops = [*(self._crops(seed) for seed in self.recipe.calibration), self._crops("photos-0")]
        entry = self.name if self.out.resolve() == registry.FOLDER.resolve() else self.out
        quantise = f"{PACKAGE}.quantise"
        # Networks that are copied are in 8 bits already.
        for role, rounds in (
            ("classifier", self.recipe.classifier), ("upright", self.recipe.upright),
        ):  # fmt: skip
            if rounds:
                yield Step("", quantise, (role, "--model", entry, "--crops", *crops))
        if self.recipe.detector:
            pictures = [*self.photos, *(self._scenes(one.seed) for one in self.recipe.scenes)]
            yield Step("", quantise, ("detector", "--model", entry, "--pictures", *pictures))
        if self.recipe.plain is not None:
            fitted = [self._scenes(seed) for seed in self.recipe.plain.fit]
            yield Step("", f"{PACKAGE}.plain_tiles.fusion", (
                "--model", entry, "--scenes", *fitted, "--photos", *self.photos,
            ))  # fmt: skip

    def _material(self) -> Iterator[Step]:
        """Yield the steps that draw faces, render scenes and cut crops."""
        faces = self.work / "faces"
        yield Step("faces", "hupai.datasets.faces.from_sources", (
            faces, "--shared", self.data, "--styles", self.recipe.styles,
            "--first-style", self.recipe.first_style, "--only", *self.recipe.faces,
        ))  # fmt: skip
        sets, cloth = [faces / "*"], self.work / "cloth"
        for number, folder in enumerate(self.photos if self.recipe.photographed else ()):
            sets.append(self.work / f"faces-photos-{number}" / "*")
            yield Step(sets[-1].parent.name, "hupai.datasets.real.photographed", (
                folder, sets[-1].parent, "--every", self.recipe.photographed,
                "--references", faces / "*",
            ))  # fmt: skip
        for number, folder in enumerate(self.photos if self.recipe.cloth else ()):
            yield Step(f"cloth-{number}", "hupai.datasets.real.cloth", (folder, cloth))
        for scenes in self.recipe.scenes:
            folder = self._scenes(scenes.seed)
            yield Step(folder.name, "hupai.datasets.synthetic.generate", (
                folder, "--count", scenes.count, "--seed", scenes.seed, "--drawn-share", 0.4,
                "--low-share", scenes.low_share, "--workers", os.cpu_count() or 1,
                *(() if scenes.kind == "hand" else (f"--{scenes.kind}",)),
                *(() if scenes.black is None else ("--black", scenes.black)),
                *(("--rare",) if scenes.rare else ()),
                *(("--tight", scenes.tight) if scenes.tight else ()),
                *(("--cloth", cloth) if self.recipe.cloth and scenes.kind != "hand" else ()),
                "--faces", *sets,
            ))  # fmt: skip
        rounds = (*self.recipe.classifier, *self.recipe.upright)
        cut = f"{PACKAGE}.classifier.crops"
        taken = {seed for one in rounds for seed in one.scenes} | {*self.recipe.calibration}
        backs = {scenes.seed: scenes.keep_backs for scenes in self.recipe.scenes}
        rectified = {seed for one in rounds for seed in one.rectified}
        for seeds, kind in ((taken, ""), (rectified, "-rectified")):
            flags = ("--rectified",) if kind else ()
            for seed in sorted(seeds):
                source = ("--scenes", self._scenes(seed), "--keep-backs", backs[seed], *flags)
                yield Step(f"crops-{seed}{kind}", cut, (self._crops(seed, kind), *source))
        if self.recipe.small_pictures:
            yield Step("crops-few", f"{PACKAGE}.classifier.face_scenes", (
                self._crops("few"), "--faces", faces / "*", "--count", self.recipe.small_pictures,
                "--gaps", self.recipe.small_picture_gaps,
            ))  # fmt: skip
        for number, folder in enumerate([*self.photos, *([self.check] if self.check else [])]):
            file = self._crops(f"photos-{number}")
            yield Step(f"crops-photos-{number}", cut, (
                file, "--photos", folder, *self._outlines(),
            ))  # fmt: skip
        painted = {seed for one in rounds for seed in (*one.painted, *one.new)}
        kinds: list[tuple[object, tuple[object, ...]]] = [
            (seed, ("--scenes", self._scenes(seed))) for seed in sorted(painted)
        ]
        if painted or self._paints_photos():
            kinds += [
                (f"photos-{number}", ("--photos", folder, *self._outlines(), "--copies", 2))
                for number, folder in enumerate(self.photos)
            ]
            singles = [self.data / "photos" / name for name in ("crops", "crops-2")]
            singles = [folder for folder in singles if (folder / "labels.json").exists()]
            if singles:
                kinds.append(("faces", ("--faces", *singles, "--copies", 2)))
        blackened = any(one.new or one.painted_photos for one in rounds)
        for number, folder in enumerate(self.photos if blackened else ()):
            yield Step(f"crops-photos-{number}-black", f"{PACKAGE}.classifier.painted", (
                self._crops(f"photos-{number}", "-black"), "--photos", folder, "--black", 1,
                *self._outlines(),
            ))  # fmt: skip
        for origin, arguments in kinds:
            yield Step(f"crops-{origin}-painted", f"{PACKAGE}.classifier.painted", (
                self._crops(origin, "-painted"), *arguments,
            ))  # fmt: skip
            if any(one.blank_photos for one in rounds) and "--scenes" not in arguments:
                yield Step(f"crops-{origin}-blank", f"{PACKAGE}.classifier.painted", (
                    self._crops(origin, "-blank"), *arguments, *BLANKS,
                ))  # fmt: skip

    def _outlines(self) -> tuple[object, ...]:
        return ("--outlines", registry.DEFAULT) if self.recipe.outlines else ()

    def _paints_photos(self) -> bool:
        rounds = (*self.recipe.classifier, *self.recipe.upright)
        return any(one.painted_photos for one in rounds)

    def _detector(self) -> Generator[Step, None, Path]:
        """Yield the detector's rounds; return the file with its last weights."""
        shipped = registry.find(registry.DEFAULT).path("detector")
        base: Path | None = None
        for number, one in enumerate(self.recipe.detector, 1):
            folder = self.work / f"detector-{number}"
            data, run = folder / "data", folder / "run"
            yield self._detector_data(one, data)
            if base is None and self.recipe.start == "shipped":
                base = self.work / "shipped-detector.pt"
                yield Step(base.stem, f"{PACKAGE}.onnx_checkpoint", (
                    shipped, base, "--pictures", data / "images",
                ))  # fmt: skip
            yield Step(folder.name, f"{PACKAGE}.detector.train", (
                data, run, "--epochs", one.epochs, "--size", one.size, "--batch", one.batch,
                "--rate", one.rate, "--mosaic", one.mosaic, "--sizes", one.sizes,
                "--frozen", one.frozen,
                "--device", self.device, "--resume",
                *(() if base is None else ("--base", base)),
            ))  # fmt: skip
            yield Step("", f"{PACKAGE}.plots", (run,))
            last = run / "weights" / "last.pt"
            if one.average:
                mean = folder / "mean.pt"
                yield Step(f"{folder.name}-mean", f"{PACKAGE}.average_weights", (base, last, mean))
                last = mean
            base = last
        return base or shipped

    def _exported(self, detector: Path) -> tuple[object, ...]:
        """Return the export's arguments for a detector; a fine-tuned one keeps its directions."""
        if self.recipe.start != "shipped" or detector.suffix == ".onnx":
            return ("--detector", detector)
        shipped = registry.find(registry.DEFAULT).path("detector")
        return ("--detector", detector, "--directions", shipped)

    def _detector_data(self, one: DetectorRound, data: Path) -> Step:
        scenes = [self._scenes(seed) for seed in one.scenes]
        photos = ("--photos", *self.photos, "--repeat-photos", one.photos) if one.photos else ()
        check = ("--check", self.check) if self.check else ()
        painted = ("--painted", one.painted) if one.painted and one.photos else ()
        return Step(
            f"{data.parent.name}-data",
            f"{PACKAGE}.detector.prepare",
            (data, "--scenes", *scenes, *photos, *check, *painted),
        )

    def _classifier(self) -> Generator[Step, None, Path]:
        """Yield the classifier's rounds; return the file with its last weights."""
        rounds = (*self.recipe.classifier, *self.recipe.upright)
        for seed in sorted({s for one in rounds for s in (*one.hard_negatives, *one.new)}):
            file = self._crops(seed, "-hard")
            yield Step(f"crops-{seed}-hard", f"{PACKAGE}.classifier.hard_negatives", (
                file, "--scenes", self._scenes(seed), "--model", self.work / "detector",
            ))  # fmt: skip
        shipped = registry.find(registry.DEFAULT).path("classifier")
        base: Path | None = None
        if self.recipe.start == "shipped" and rounds:
            base = self.work / "shipped-classifier.pt"
            yield Step(base.stem, f"{PACKAGE}.onnx_checkpoint", (
                shipped, base, "--crops", self._files(rounds[0])[0],
            ))  # fmt: skip
        for number, one in enumerate(self.recipe.classifier, 1):
            base = yield from self._round(one, self.work / f"classifier-{number}", base)
        return base if self.recipe.classifier and base is not None else shipped

    def _upright(self, classifier: Path) -> Generator[Step, None, tuple[object, ...]]:
        """Yield the rounds of the network for upright crops; return the export's arguments."""
        base = classifier
        if self.recipe.upright and self.recipe.upright_start == "shipped":
            base = yield from self._shipped_upright()
        elif not self.recipe.classifier:
            base = self.work / "shipped-classifier.pt"
        for number, one in enumerate(self.recipe.upright, 1):
            base = yield from self._round(one, self.work / f"upright-{number}", base, "--upright")
        return ("--upright", base) if self.recipe.upright else ()

    def _shipped_upright(self) -> Generator[Step, None, Path]:
        """Convert the shipped network for upright crops; return the file with its weights."""
        weights = self.work / "shipped-upright.pt"
        yield Step(weights.stem, f"{PACKAGE}.onnx_checkpoint", (
            registry.find(registry.DEFAULT).path("upright"), weights,
            "--crops", self._crops(self.recipe.calibration[0]),
        ))  # fmt: skip
        return weights

    def _round(
        self, one: ClassifierRound, run: Path, base: Path | None, *flags: str
    ) -> Generator[Step, None, Path]:
        """Yield the steps of one round of a classifier; return the file with its weights."""
        real = [self._crops(f"photos-{k}") for k in range(len(self.photos))]
        if one.painted or one.painted_photos:
            sources = [f"photos-{k}" for k in range(len(self.photos))]
            if any(step.name == "crops-faces-painted" for step in self._material()):
                sources.append("faces")
            kinds = ["-painted", *(["-blank"] if one.blank_photos else [])]
            real += [self._crops(source, kind) for source in sources for kind in kinds]
        if one.painted_photos:
            real += [self._crops(f"photos-{k}", "-black") for k in range(len(self.photos))]
        check = [self._crops(f"photos-{len(self.photos)}")] if self.check else []
        yield Step(run.name, f"{PACKAGE}.classifier.train", (
            run, "--synthetic", *self._files(one), "--real", *real, "--check", *check,
            "--epochs", one.epochs, "--per-epoch", one.per_epoch, "--batch", one.batch,
            "--rate", one.rate, "--real-share", one.real_share,
            "--blank-weight", one.blank_weight, "--focus", one.focus, "--device", self.device,
            "--resume", *flags,
            *(() if one.widths is None else ("--widths", *one.widths)),
            *(() if one.depths is None else ("--depths", *one.depths)),
            *(() if base is None else ("--base", base)), *self._new(one, base),
        ))  # fmt: skip
        plotted = () if flags else ("--check", *check)  # the plots do not turn crops upright
        yield Step("", f"{PACKAGE}.plots", (run, *plotted))
        return run / "classifier.pt"

    def _new(self, one: ClassifierRound, teacher: Path | None) -> tuple[object, ...]:
        """Return the training arguments for the new scenes and faces of a round."""
        if teacher is None or not (one.new or one.new_faces):
            return ()
        files = [self._crops(seed, kind) for seed in one.new for kind in ("-hard", "-painted")]
        if one.new:
            files += [self._crops(f"photos-{k}", "-black") for k in range(len(self.photos))]
        for seeds, kind in ((one.scenes, ""), (one.rectified, "-rectified")):
            files += [self._crops(seed, kind) for seed in seeds if seed in one.new_faces]
        return ("--new", *files, "--new-share", one.new_share, "--teacher", teacher)

    def _plain(self) -> Generator[Step, None, tuple[object, ...]]:
        """Yield the steps of the plain-tile network; return the export's arguments for it."""
        one = self.recipe.plain
        if one is None:
            return ()
        kinds: list[tuple[object, tuple[object, ...]]] = [
            (seed, ("--scenes", self._scenes(seed))) for seed in one.scenes
        ]
        kinds += [
            (seed, ("--scenes", self._scenes(seed), "--plain-share", 1)) for seed in one.tables
        ]
        if one.photos:
            kinds += [
                (f"photos-{k}", ("--photos", folder, "--copies", one.photos))
                for k, folder in enumerate(self.photos)
            ]
        if one.marked:
            kinds += [
                (f"marked-{k}", ("--marked", folder, "--copies", one.marked))
                for k, folder in enumerate(self.photos)
            ]
        files = [self.work / "places" / f"{origin}.npz" for origin, _ in kinds]
        for file, (origin, source) in zip(files, kinds, strict=True):
            yield Step(f"places-{origin}", f"{PACKAGE}.plain_tiles.places", (
                file, *source, "--model", self.work / "detector",
            ))  # fmt: skip
        run = self.work / "plain"
        start: tuple[object, ...] = ()
        if one.start == "shipped":
            start = ("--base", registry.find(registry.DEFAULT).path("plain"))
        if one.marked:
            files += files[-len(self.photos) :]
        yield Step("plain", f"{PACKAGE}.plain_tiles.train", (
            run, *files, *start, "--epochs", one.epochs, "--per-epoch", one.per_epoch,
            "--rate", one.rate, "--resume",
        ))  # fmt: skip
        return ("--plain", run / "plain.onnx")

    def _families(self, upright: tuple[object, ...]) -> Generator[Step, None, tuple[object, ...]]:
        """Yield the steps of the families' networks; return the export's arguments for them.

        Args:
            upright: the export's arguments for the network for upright crops, whose weights are
                the first ones of these networks; empty for the shipped network.
        """
        if not self.recipe.families:
            return ()
        base = upright[-1] if upright else (yield from self._shipped_upright())
        exported: list[object] = []
        for name, one in self.recipe.families.items():
            cut, run = self.work / f"{name}-patches", self.work / name
            yield Step(cut.name, f"{PACKAGE}.families.patches", (
                name, cut, "--faces", self.work / "faces" / "*", "--photos", *self.photos,
                "--styles", one.styles, "--pictures", one.pictures, *self._outlines(),
            ))  # fmt: skip
            kinds = ("wide", "drawn", "faces", *(f"photos-{n}" for n in range(len(self.photos))))
            files = [cut / f"{kind}.npz" for kind in kinds]
            shares = [*one.shares[:3], *[one.shares[3] / len(self.photos)] * len(self.photos)]
            others: list[object] = []
            if FAMILIES[name].judged_from is not None:
                others = ["--others", *(cut / f"others-{kind}.npz" for kind in kinds)]
                shares *= 2
            yield Step(run.name, f"{PACKAGE}.families.train", (
                name, run, "--patches", *files, *others, "--shares", *shares,
                "--check", *(cut / f"{kind}-check.npz" for kind in kinds[:2]),
                "--epochs", one.epochs, "--per-epoch", one.per_epoch, "--rate", one.rate,
                "--base", base, "--resume",
            ))  # fmt: skip
            exported += [f"--{name}", run / f"{name}.onnx"]
        return tuple(exported)

    def _files(self, one: ClassifierRound) -> list[Path]:
        kinds = (
            (one.scenes, ""),
            (one.rectified, "-rectified"),
            (one.hard_negatives, "-hard"),
            (one.painted, "-painted"),
        )
        few = [self._crops("few")] if self.recipe.small_pictures else []
        files = [
            self._crops(seed, kind)
            for seeds, kind in kinds
            for seed in seeds
            if seed not in one.new_faces or kind not in {"", "-rectified"}
        ]
        return [*files, *few]

    def _scenes(self, seed: int) -> Path:
        return self.work / f"scenes-{seed}"

    def _crops(self, source: object, kind: str = "") -> Path:
        return self.work / "crops" / f"{source}{kind}.npz"
