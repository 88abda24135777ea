"""The gate: what wins, what loses, and what cannot be judged."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from hupai.datasets.synthetic import held_out_designs
from hupai.models import registry
from hupai.models.evaluation.evaluate import Figures
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.models.learning import gate
from hupai.models.learning.gate import Suite, judge, measure
from hupai.models.learning.set_crops import parts_of
from hupai.models.learning.settings import Settings
from hupai.scoring.tiles import Tile
from hupai.vision.types import ModelInfo, PhotoInfo, PhotoReading, Reading, ReadTile
from tests.models.learning.label_set import HAND, write

ZERO = Figures(**{field.name: 0 for field in fields(Figures)})
PLAIN = replace(
    ZERO, photos=10, labelled=140, found=138, faces_right=130, hands=10, hands_exact=6,
    melds=12, melds_right=9, grouped=5, groups_exact=4, certain=2,
)  # fmt: skip


def suites(own: Figures, other: Figures) -> list[Suite]:
    """The user's photos and the held-out designs, each plain before."""
    return [
        Suite("held-out-photos", True, PLAIN, own),
        Suite("held-out designs", False, PLAIN, other),
    ]


BETTER = replace(PLAIN, hands_exact=8, faces_right=135)


def test_an_improvement_without_regression_is_accepted() -> None:
    assert judge(suites(BETTER, PLAIN)).accepted
    assert judge(suites(replace(PLAIN, faces_right=131), PLAIN)).accepted, (
        "as many hands, more tiles"
    )
    grouped = replace(PLAIN, groups_exact=5, faces_right=130)
    assert judge(suites(grouped, PLAIN)).accepted, "as many hands, more groupings"


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (PLAIN, BETTER, "not better on your held-out photos"),
        (replace(BETTER, hands_exact=6, faces_right=130), PLAIN, "not better"),
        (BETTER, replace(PLAIN, hands_exact=5), "5 hands exact, 6 before"),
        (BETTER, replace(PLAIN, groups_exact=3), "3 groupings right, 4 before"),
        (BETTER, replace(PLAIN, melds_right=8), "8 melds right, 9 before"),
        (BETTER, replace(PLAIN, certain=3, certain_wrong=1), "1 certain and wrong, 0 before"),
        (BETTER, replace(PLAIN, faces_right=129), "129 tiles right, 130 before"),
        (replace(BETTER, certain_wrong=1), PLAIN, "1 certain and wrong, 0 before"),
    ],
)
def test_a_regression_on_any_suite_is_refused(own: Figures, other: Figures, said: str) -> None:
    verdict = judge(suites(own, other))
    assert not verdict.accepted
    assert any(said in reason for reason in verdict.reasons), verdict.reasons


def test_an_improvement_on_one_suite_does_not_hide_a_loss_on_another() -> None:
    parts = [
        Suite("held-out-photos", True, PLAIN, replace(PLAIN, hands_exact=9)),
        Suite("held-out-table", True, PLAIN, replace(PLAIN, hands_exact=5)),
    ]
    assert judge(parts).reasons == ("held-out-table: 5 hands exact, 6 before",)


def test_on_photos_of_the_user_tiles_count_by_hand_not_by_box() -> None:
    """Their boxes were drawn by the weights in use, half a tile where these saw half a tile."""
    boxes = replace(PLAIN, hands_exact=8, found=120, faces_right=118)
    theirs = Suite("held-out designs", False, PLAIN, PLAIN)
    more = Suite("held-out-photos", True, PLAIN, boxes, hand_tiles=(130, 136))
    assert judge([more, theirs]).accepted
    fewer = replace(more, hand_tiles=(130, 128))
    assert judge([fewer, theirs]).reasons == ("held-out-photos: 128 tiles right, 130 before",)


def test_without_held_out_photos_nothing_is_shown() -> None:
    verdict = judge([Suite("held-out designs", False, PLAIN, BETTER)])
    assert not verdict.accepted
    assert "no photo of yours was held out" in verdict.reasons[0]


class OfOneTable:
    """A reader that reads the photos of one folder right, and takes 1m for 2m on all others."""

    def __init__(self, table: str) -> None:
        self._table = table

    def read_photo(self, _: bytes, name: str) -> PhotoReading:
        """What the hand of `tests.models.learning.label_set` is read as."""
        right = self._table in Path(name).parts
        faces = [Tile.M2 if face is Tile.M1 and not right else face for face in HAND.all_tiles]
        tiles = [
            ReadTile(i, face, (20.0 + 40 * i, 150.0, 56.0 + 40 * i, 200.0), 0.9)
            for i, face in enumerate(faces)
        ]
        info = PhotoInfo(name, "0" * 64, 640, 360)
        return PhotoReading(info, ModelInfo("recorded", "1", "0" * 64), Reading(tuple(tiles)))


@pytest.fixture
def read_by_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped weights read the table "theirs", a candidate the table its folder is named by."""
    tables = {registry.DEFAULT: "theirs"}
    monkeypatch.setattr(registry, "load", lambda name: tables.get(name, Path(name).name))
    monkeypatch.setattr(gate, "Recogniser", OfOneTable)
    monkeypatch.setattr(gate, "read_scenes", lambda _: ())
    monkeypatch.setattr(held_out_designs, "make", lambda *_: 0)


def verdict_on(tmp_path: Path, checks: tuple[Path, ...], candidate: str) -> gate.Verdict:
    """What the gate says of a candidate for the photos of "ours"."""
    data, said = tmp_path / "ours", list[str]()
    settings = Settings(checks=checks)
    suites = measure(
        data, parts_of(data), tmp_path / candidate, tmp_path / "designs", settings, said.append
    )
    return judge(suites)


def test_a_candidate_that_wins_on_the_new_table_and_costs_another_one_is_refused(
    tmp_path: Path, read_by_table: None
) -> None:
    for name in ("ours", "theirs"):
        write(tmp_path / name, 5)
    count = len(read_folder(tmp_path / "theirs"))
    assert verdict_on(tmp_path, (), "ours").accepted, "nobody asked for the other table"
    costly = verdict_on(tmp_path, (tmp_path / "theirs",), "ours")
    assert costly.reasons == (
        f"theirs: 0 hands exact, {count} before",
        f"theirs: {13 * count} tiles right, {14 * count} before",
    )


def test_a_candidate_that_reads_both_tables_is_accepted(
    tmp_path: Path, read_by_table: None
) -> None:
    for name in ("ours", "theirs"):
        write(tmp_path / name, 5)
    assert verdict_on(tmp_path, (tmp_path / "theirs",), tmp_path.name).accepted
