"""Recipes: the scenes, photos, epochs and learning rates that produce a set of weights.

A recipe is a TOML file; those of the project are in ``recipes/``. The detector's rounds run first,
each starting from the weights of the one before, then the classifier's.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hupai.scoring.errors import HupaiError

FOLDER = Path(__file__).with_name("recipes")

FaceSource = Literal["crops", "fluffystuff", "kmahjongg", "sheets", "drawn", "wide"]
"""Where faces of tiles come from, see `hupai.datasets.faces.from_sources`."""

Seeds = tuple[int, ...]
Count = Annotated[int, Field(ge=1)]


class RecipeError(HupaiError, ValueError):
    """A recipe that does not exist or does not have the form; the message says which."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scenes(_Form):
    """Rendered scenes.

    Attributes:
        seed: of the generator, and the name by which rounds refer to them.
        count: how many.
        low_share: share of cameras between 15 and 50 degrees above the table.
        kind: a hand and what lies around it, whole tables, or rows: few tiles near the camera, most
            of them backs.
        black: share of black tile sets on rows and tables; None for the generator's own.
        rare: rows and tables have mostly backs of rare materials, and rows more low cameras.
        tight: share of the sets whose printed faces reach the tile's edge.
        keep_backs: share of the backs whose crops the classifier is trained on.
    """

    seed: int
    count: Count
    low_share: Annotated[float, Field(ge=0, le=1)] = 0.3
    kind: Literal["hand", "tables", "rows"] = "hand"
    black: Annotated[float, Field(ge=0, le=1)] | None = None
    rare: bool = False
    tight: Annotated[float, Field(ge=0, le=1)] = 0.0
    keep_backs: Annotated[float, Field(ge=0, le=1)] = 0.12


class DetectorRound(_Form):
    """A training round of the detector.

    Attributes:
        round: version of the weights that resulted, or any name.
        scenes: seeds of the scenes.
        photos: how often each photo occurs in an epoch; 0 for no photos.
        epochs, rate, batch, size, mosaic, sizes, frozen: see
            `hupai.models.training.detector.train.Recipe`.
        average: whether to average the weights before and after.
        painted: how often each photo occurs in addition, painted over with backs.
    """

    round: str
    scenes: Seeds
    photos: Annotated[int, Field(ge=0)] = 1
    epochs: Count
    rate: float
    batch: Count = 16
    size: Count = 448
    mosaic: Annotated[float, Field(ge=0, le=1)] = 0.5
    sizes: Annotated[float, Field(ge=0, lt=1)] = 0.0
    frozen: Annotated[int, Field(ge=0)] = 0
    average: bool = False
    painted: Annotated[int, Field(ge=0)] = 0


class ClassifierRound(_Form):
    """A training round of the classifier.

    Attributes:
        round: version of the weights that resulted, or any name.
        scenes: seeds of the scenes whose crops are taken.
        rectified: seeds of those whose rectified crops are taken.
        hard_negatives: seeds of those on which the detector's own boxes are taken.
        painted: seeds of those that are painted over (backs, blank tiles, black sets, red fives);
            with any, photos and single faces are painted too.
        painted_photos: paint over photos and single faces, and paint photos black, but no scenes.
        blank_photos: add photos and single faces on which many tiles are painted blank; with
            `painted_photos`.
        new: seeds of those that the previous weights do not know, such as black sets; with any,
            photos painted black are new too, and the previous weights are the teacher for all
            others.
        new_faces: seeds of those whose faces the previous weights do not know: their crops are
            learnt from labels alone; for all others these weights are the teacher.
        epochs, per_epoch, batch, rate, real_share, blank_weight, new_share, focus: see
            `hupai.models.training.classifier.train.Recipe`.
        widths, depths: of the network from this round on, see
            `hupai.models.training.classifier.network.Shape`; both or neither.
    """

    round: str
    scenes: Seeds = ()
    rectified: Seeds = ()
    hard_negatives: Seeds = ()
    painted: Seeds = ()
    painted_photos: bool = False
    blank_photos: bool = False
    new: Seeds = ()
    new_faces: Seeds = ()
    epochs: Count
    per_epoch: Count = 60000
    batch: Count = 128
    rate: float
    real_share: Annotated[float, Field(ge=0, le=1)] = 0.3
    blank_weight: Count = 1
    new_share: Annotated[float, Field(gt=0, lt=1)] = 0.4
    focus: Annotated[float, Field(ge=0, le=1)] = 0.0
    widths: tuple[Count, Count, Count, Count] | None = None
    depths: tuple[Count, Count, Count] | None = None

    @model_validator(mode="after")
    def _check(self) -> ClassifierRound:
        if (self.widths is None) != (self.depths is None):
            raise ValueError("widths and depths belong together")
        if self.blank_photos and not self.painted_photos:
            raise ValueError("blank_photos needs painted_photos")
        if not {*self.new_faces} <= {*self.scenes, *self.rectified}:
            raise ValueError("new_faces must be among scenes or rectified")
        return self


class PlainRound(_Form):
    """The training of the plain-tile network.

    Attributes:
        start: ``shipped`` trains on the network that ships, ``none`` one with random weights.
        scenes: seeds of the scenes that are painted over with backs and blank tiles.
        tables: seeds of the scenes that are used unchanged.
        photos: paintings of each photo.
        marked: copies of the marked places of photos, see
            `hupai.models.training.plain_tiles.places.add_marked`; each counts twice.
        epochs, per_epoch, rate: see `hupai.models.training.plain_tiles.train.train`.
        fit: seeds of the scenes to which the combination of the networks is fitted, with an eighth
            of the photos and all their marked places.
    """

    scenes: Seeds = ()
    tables: Seeds = ()
    start: Literal["shipped", "none"] = "none"
    photos: Annotated[int, Field(ge=0)] = 2
    marked: Annotated[int, Field(ge=0)] = 0
    epochs: Count = 11
    per_epoch: Count = 40000
    rate: float = 0.003
    fit: Annotated[Seeds, Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> PlainRound:
        if not (self.scenes or self.tables or self.photos):
            raise ValueError("the network for plain tiles needs scenes or photos")
        if {*self.fit} & {*self.scenes, *self.tables}:
            raise ValueError("the networks are combined on scenes that none of them was trained on")
        return self


class FamilyRound(_Form):
    """The training of a family's network, from the weights of the network for upright crops.

    Attributes:
        styles, pictures: see `hupai.models.training.families.patches`.
        shares: of wide sets, drawn sets, the other faces and photos in a batch.
        epochs, per_epoch, rate: see `hupai.models.training.families.train.train`.
    """

    styles: Count = 1600
    pictures: Count = 5000
    shares: tuple[float, float, float, float] = (0.35, 0.25, 0.2, 0.2)
    epochs: Count
    per_epoch: Count = 24000
    rate: float


class Recipe(_Form):
    """Everything that determines a set of weights.

    Attributes:
        about: one line.
        start: weights to start from: none, or the shipped ones.
        faces: where the faces of the scenes come from.
        styles: how many styles are drawn.
        first_style: number of the first one, so that a recipe can have other sets than the others.
        photographed: of the tile sets cut out of the photos, one in this many is laid on rendered
            tables; 0 for none.
        outlines: cut the tiles of photos by the outlines that the shipped detector finds, instead
            of by their labels.
        small_pictures: small pictures of few faces, mostly flowers and characters, on which the
            classifiers are trained as well (`hupai.models.training.classifier.face_scenes`).
        small_picture_gaps: most patches of each that show no tile, but a place beside one.
        cloth: lay some tables and rows on plain cloth cut out of the photos.
        scenes: what is rendered.
        detector, classifier: the rounds, in their order.
        upright: the rounds of the network that names upright crops. Without them the shipped one is
            copied.
        upright_start: weights from which the first of them starts: the classifier's, or those of
            the shipped network.
        calibration: seeds of the scenes whose crops calibrate the 8-bit classifiers.
        plain: the plain-tile network; without it the shipped one is copied.
        families: the networks of families of faces, by family; those left out are copied.
    """

    about: str
    start: Literal["nothing", "shipped"] = "nothing"
    faces: tuple[FaceSource, ...] = ("crops", "fluffystuff", "kmahjongg", "sheets", "drawn")
    styles: Count
    first_style: Annotated[int, Field(ge=0)] = 0
    photographed: Annotated[int, Field(ge=0)] = 0
    outlines: bool = False
    small_pictures: Annotated[int, Field(ge=0)] = 0
    small_picture_gaps: Annotated[int, Field(ge=0)] = 0
    cloth: bool = False
    scenes: Annotated[tuple[Scenes, ...], Field(min_length=1)]
    detector: tuple[DetectorRound, ...] = ()
    classifier: tuple[ClassifierRound, ...] = ()
    upright: tuple[ClassifierRound, ...] = ()
    upright_start: Literal["classifier", "shipped"] = "classifier"
    calibration: Annotated[Seeds, Field(min_length=1)]
    plain: PlainRound | None = None
    families: dict[Literal["flowers", "characters"], FamilyRound] = {}

    @model_validator(mode="after")
    def _check(self) -> Recipe:
        rendered = {scenes.seed for scenes in self.scenes}
        used = set(self.calibration)
        for one in self.detector:
            used |= {*one.scenes}
        for other in (*self.classifier, *self.upright):
            used |= {*other.scenes, *other.rectified, *other.hard_negatives, *other.painted}
            used |= {*other.new}
        if self.plain is not None:
            used |= {*self.plain.scenes, *self.plain.tables, *self.plain.fit}
        if used - rendered:
            raise ValueError(f"no scenes of seed {', '.join(map(str, sorted(used - rendered)))}")
        if self.start == "nothing":
            if not (self.detector and self.classifier):
                raise ValueError("from nothing, both networks need a round")
            if self.detector[0].average:
                raise ValueError("the first round from nothing has no weights before it")
            if self.classifier[0].new or self.classifier[0].new_faces:
                raise ValueError("the first round from nothing has no teacher")
        return self


def find(name: str) -> Path:
    """Find a recipe by its name in ``recipes/``, or by the path of its file.

    Raises:
        RecipeError: when there is neither.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.toml")))
        raise RecipeError(f"there is no recipe {name!r}: choose one of {known}, or name a file")
    return path


def read(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        RecipeError: when the file does not have the form.
    """
    try:
        return Recipe.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise RecipeError(f"{path}: {error}") from None
