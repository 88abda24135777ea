"""What `import hupai` offers: the names, the five lines of the README, results, errors, types."""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import hupai
from hupai.models.learning.library import Library
from hupai.vision.types import LikelyHand
from tests.models.learning.test_library import made
from tests.shared import ROOT

PUNGS = ROOT / "examples" / "pungs.jpg"
PLAIN = "123456789m1144p +4p"

EXPORTED = {
    "ArgumentError",
    "BatchError",
    "BatchScores",
    "Circumstances",
    "ComparisonResult",
    "CorrectionError",
    "Hand",
    "HandArrays",
    "HupaiError",
    "Meld",
    "NoLegalHandError",
    "PhotoFileError",
    "PhotoResult",
    "Recogniser",
    "RuleSet",
    "Score",
    "ScoreResult",
    "Tile",
    "UnknownCircumstanceError",
    "WaitsResult",
    "WinningTileUnknownError",
    "__version__",
    "compare",
    "format_hand",
    "parse_hand",
    "read",
    "rule_sets",
    "score",
    "score_many",
    "waits",
}

FIVE_LINES = """\
import hupai
photo = hupai.read("examples/pungs.jpg")
print(photo)
score = photo.score("mcr-1998", seat="E", round="E", self_drawn=True)
print(score)
"""


@pytest.fixture(scope="module")
def photo() -> hupai.PhotoResult:
    return hupai.read(PUNGS)


def anything(value: Any) -> Any:
    """Return a value whose type no checker looks at."""
    return value


class Page(HTMLParser):
    """Collects addresses and text of a piece of HTML, and checks that its elements close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "iframe")
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "img":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_public_names_are_these() -> None:
    assert set(hupai.__all__) == EXPORTED
    assert len(hupai.__all__) == len(EXPORTED)
    for name in EXPORTED:
        assert getattr(hupai, name) is not None, name
    assert set(dir(hupai)) >= EXPORTED
    with pytest.raises(AttributeError, match="no attribute 'raed'"):
        _ = getattr(hupai, "raed")  # noqa: B009 - a name that type checkers would refuse


def test_every_public_name_has_a_docstring() -> None:
    for name in EXPORTED - {"__version__"}:
        assert (getattr(hupai, name).__doc__ or "").strip(), name


def test_importing_loads_nothing_else() -> None:
    code = "import sys, hupai; print([m for m in sys.modules if m.startswith('hupai.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_five_lines_of_the_readme(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(FIVE_LINES, "README.md", "exec"), {})
    read, scored = capsys.readouterr().out.splitlines()
    assert read.startswith("examples/pungs.jpg: 88p")
    assert scored.startswith("22 fan (mcr-1998), win: 碰碰和 All Pungs 6")


def test_a_photo_may_be_given_in_any_form(photo: hupai.PhotoResult) -> None:
    with PUNGS.open("rb") as file, Image.open(PUNGS) as picture:
        forms: list[Any] = [str(PUNGS), PUNGS.read_bytes(), picture, np.asarray(picture), file]
        found = [hupai.read(form).hand for form in forms]
    assert found == [photo.hand] * len(forms)


def test_photos_of_one_hand_are_merged() -> None:
    whole = (ROOT / "examples" / "mixed-chows.jpg").read_bytes()
    merged = hupai.read(whole, whole, merge=True, rules="mcr-1998")
    assert merged.hand == hupai.read(whole, rules="mcr-1998").hand
    assert len(merged.reading.photos) == 2
    assert merged.annotated(photo=1).size == merged.annotated().size
    with pytest.raises(hupai.CorrectionError, match="several photos"):
        merged.corrected({0: "7p"})


def test_a_photo_is_described_by_its_properties(photo: hupai.PhotoResult) -> None:
    assert hupai.format_hand(photo.hand) == "88pEEFFF [222s,1] [777m,2] 3h +E"
    assert photo.hands[0].hand == photo.hand
    assert {tile.id for tile in photo.tiles} == {t.id for t in photo.reading.reading.tiles}
    first = photo.tiles[: len(photo.groups[0].tiles)]
    assert [tile.id for tile in first] == list(photo.groups[0].tiles)
    assert repr(photo) == f"<PhotoResult {photo}>"


def test_results_export_what_the_command_line_prints(photo: hupai.PhotoResult) -> None:
    reading = json.loads(photo.to_json())
    assert reading == photo.to_dict()
    assert reading["hands"][0]["notation"] == hupai.format_hand(photo.hand)
    scored = photo.score("mcr-1998", self_drawn=True, seat="E", round="E")
    answer = json.loads(scored.to_json())
    assert answer["score"]["total"] == scored.total == 22
    assert answer["verdict"]["message"] == scored.verdict.text_en
    typed = hupai.score(PLAIN, "mcr-1998").to_dict()
    assert (typed["notation"], typed["score"]["total"]) == (PLAIN, 20)
    assert hupai.waits("123456789m1144p", "mcr-1998").to_dict()["waits"][0]["tile"] == "1p"
    rules = [column["rules"] for column in hupai.compare(PLAIN).to_dict()["columns"]]
    assert rules == [one.id for one in hupai.rule_sets()]


def test_html_is_self_contained_and_draws_the_tiles(photo: hupai.PhotoResult) -> None:
    scored = photo.score("mcr-1998", self_drawn=True, seat="E", round="E")
    shown: list[Any] = [
        photo,
        scored,
        hupai.waits("123456789m1144p", "mcr-1998"),
        hupai.compare(PLAIN),
    ]
    for result in shown:
        page = Page(result._repr_html_())
        assert page.sources
        assert all(source.startswith("data:image/") for source in page.sources)
    page = Page(scored._repr_html_())
    assert "碰碰和" in page.words
    assert len(page.sources) == len(photo.hand.all_tiles) + len(photo.hand.flowers)


def test_html_escapes_what_comes_from_outside(tmp_path: Path) -> None:
    path = tmp_path / '<img src="x" onerror="alert(1)">.jpg'
    path.write_bytes(PUNGS.read_bytes())
    text = hupai.read(path)._repr_html_()
    assert '<img src="x"' not in text
    assert str(path) in Page(text).words


def test_a_photo_is_annotated_and_saved(photo: hupai.PhotoResult, tmp_path: Path) -> None:
    target = tmp_path / "read.png"
    drawn = photo.annotated(target)
    with Image.open(PUNGS) as original, Image.open(target) as saved:
        assert drawn.size == original.size == saved.size
        assert not np.array_equal(np.asarray(drawn), np.asarray(original))
        assert np.array_equal(np.asarray(drawn), np.asarray(saved))


def test_a_corrected_tile_is_known_and_the_others_are_read_in_its_light(
    photo: hupai.PhotoResult,
) -> None:
    eights = [tile.id for tile in photo.tiles if tile.tile is hupai.Tile.P8]
    corrected = photo.corrected(dict.fromkeys(eights, "7p"))
    assert hupai.format_hand(corrected.hand).startswith("77pEEFFF")
    assert hupai.format_hand(photo.hand).startswith("88p")


def test_a_tile_that_could_be_either_follows_those_that_were_corrected(
    photo: hupai.PhotoResult,
) -> None:
    *first, last = next(group for group in photo.groups if group.kind.value == "pung").tiles
    detections = photo.reading.detections
    assert detections is not None
    probabilities = detections.probabilities.copy()
    probabilities[last] = 0.0
    probabilities[last, [hupai.Tile.S2, hupai.Tile.S3]] = 0.6, 0.4
    seen = replace(detections, probabilities=probabilities)
    unsure = replace(photo, reading=replace(photo.reading, detections=seen))
    known = unsure.corrected(dict.fromkeys(first, "3s"))
    assert {tile.tile.code for tile in known.tiles if tile.id in (*first, last)} == {"3s"}


def test_a_photo_without_a_legal_hand_says_why_and_what_to_do() -> None:
    empty = hupai.read(Image.new("RGB", (640, 480), (40, 90, 60)))
    assert empty.hands == ()
    with pytest.raises(hupai.NoLegalHandError, match=r"no legal hand: .+corrected"):
        empty.score("mcr-1998")
    assert "no legal hand" in str(empty)
    assert "no legal hand" in Page(empty._repr_html_()).words


def test_a_hand_in_notation_is_scored() -> None:
    scored = hupai.score(PLAIN, "mcr-1998", seat="east", round="东")
    assert (scored.total, scored.unit, scored.legal) == (20, "fan", True)
    assert scored.circumstances.seat_wind is hupai.Tile.EAST
    assert str(scored).startswith("20 fan (mcr-1998), win: 清龙 Pure Straight 16")
    assert hupai.score("123456789m11444p", "mcr-1998", win="4p").score == scored.score
    assert hupai.score(hupai.parse_hand(PLAIN), hupai.rule_sets()[0]).total == 20


def test_a_riichi_hand_is_scored_with_its_indicators() -> None:
    won = "23406m234p567s88p +7m"
    score = hupai.score(won, "riichi-online", riichi=True, seat="S", dora="1p", honba=1)
    assert score.total == 8000
    assert score.to_dict()["score"]["winner_receives"] == 8300
    with pytest.raises(hupai.HupaiError, match="dora: '1h' cannot be an indicator"):
        hupai.score(won, "riichi-online", dora="1h")


def test_house_rules_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('id = "club"\nbase = "mcr-1998"\n[points]\npure_straight = 32\n', "utf-8")
    assert hupai.score(PLAIN, path).total == hupai.score(PLAIN, str(path)).total == 36


def test_waits_and_comparisons_print_as_a_line() -> None:
    assert "waits for 1p (" in str(hupai.waits("123456789m1144p", "mcr-1998", seen="4p"))
    assert "mcr-1998 20 fan" in str(hupai.compare(PLAIN))
    assert "not ready" in str(hupai.waits("1258m1258p1258sE", "mcr-1998"))


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: hupai.score(PLAIN, "mcr1998"), hupai.HupaiError, "did you mean mcr-1998"),
        (lambda: hupai.score(PLAIN, "none.toml"), hupai.ArgumentError, "none.toml"),
        (lambda: hupai.score("12x", "mcr-1998"), hupai.HupaiError, "has no suit"),
        (lambda: hupai.score(PLAIN, "mcr-1998", seat="1"), hupai.ArgumentError, "seat: '1'"),
        (lambda: hupai.score(PLAIN, "mcr-1998", void="h"), hupai.ArgumentError, "m, p, s"),
        (lambda: hupai.score(PLAIN, "mcr-1998", flowers=9), hupai.ArgumentError, "0 to 8"),
        (lambda: hupai.score(PLAIN, "mcr-1998", win="9s"), hupai.ArgumentError, r"\+4p won"),
        (lambda: hupai.score(PLAIN, "mcr-1998", win="1h"), hupai.ArgumentError, "wins no hand"),
        (
            lambda: hupai.score("123456789m11444p", "mcr-1998"),
            hupai.WinningTileUnknownError,
            r"win=, one of 1m \(20\)",
        ),
        (lambda: hupai.read("none.jpg"), hupai.PhotoFileError, "no such file"),
        (lambda: hupai.read(ROOT), hupai.PhotoFileError, "directory"),
        (lambda: hupai.read(PUNGS, PUNGS), hupai.ArgumentError, "merge=True"),
        (
            lambda: hupai.read(anything(np.zeros((2, 2)))),
            hupai.ArgumentError,
            r"\(height, width, 3\)",
        ),
        (lambda: hupai.read(anything(io.StringIO("x"))), hupai.ArgumentError, "rb"),
        (lambda: hupai.read(anything(3)), hupai.ArgumentError, "not int"),
    ],
)
def test_common_mistakes_are_reported_with_advice(
    call: object, kind: type[Exception], said: str
) -> None:
    assert callable(call)
    with pytest.raises(kind, match=said) as caught:
        call()
    assert isinstance(caught.value, hupai.HupaiError)


def test_a_misspelt_circumstance_is_reported_with_the_right_one() -> None:
    wrong = {"selfdrawn": True}
    with pytest.raises(hupai.UnknownCircumstanceError, match="did you mean self_drawn"):
        hupai.score(PLAIN, "mcr-1998", **wrong)  # type: ignore[arg-type]
    with pytest.raises(hupai.ArgumentError, match="mean the same"):
        hupai.score(PLAIN, "mcr-1998", seat="E", seat_wind="S")


def test_an_unknown_tile_in_a_correction_is_reported(photo: hupai.PhotoResult) -> None:
    with pytest.raises(hupai.CorrectionError, match="999"):
        photo.corrected({999: "7p"})
    with pytest.raises(hupai.HupaiError, match="7q"):
        photo.corrected({photo.tiles[0].id: "7q"})
    with pytest.raises(hupai.CorrectionError, match="and is not str"):
        photo.corrected(anything("zz"))
    with pytest.raises(hupai.ArgumentError, match="not int"):
        photo.corrected({photo.tiles[0].id: anything(7)})


def test_threads_may_share_a_recogniser(photo: hupai.PhotoResult) -> None:
    recogniser = hupai.Recogniser()
    with ThreadPoolExecutor(4) as pool:
        hands = [result.hand for result in pool.map(recogniser.read, [PUNGS] * 4)]
    assert hands == [photo.hand] * 4


def test_a_stated_winning_tile_selects_a_likely_hand_that_holds_it(
    photo: hupai.PhotoResult,
) -> None:
    likely = [("1133557m226688p+7m", 0.7), ("1133557m226699p+7m", 0.3)]
    hands = tuple(LikelyHand(hupai.parse_hand(hand), share) for hand, share in likely)
    reading = replace(photo.reading.reading, hands=hands)
    doubtful = replace(photo, reading=replace(photo.reading, reading=reading))
    assert str(doubtful.score("mcr-1998", win="9p").hand) == "11335577m22669p +9p"
    with pytest.raises(hupai.ArgumentError, match=r"the hand 1133557m226688p \+7m has no 9s, and"):
        doubtful.score("mcr-1998", win="9s")


@pytest.mark.nightly
def test_weights_that_were_chosen_read_here_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path / "models")
    library.add(made(tmp_path / "made", "club"), "club")
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path))
    assert hupai.read(PUNGS).reading.model.name == "default"
    assert hupai.Recogniser("club").read(PUNGS).reading.model.name == "club"
    library.use("club")
    assert hupai.read(PUNGS).reading.model.name == "club"
    assert hupai.read(PUNGS, model="shipped").reading.model.name == "default"


def test_results_can_be_pickled(photo: hupai.PhotoResult) -> None:
    again = pickle.loads(pickle.dumps(photo))
    assert (again.hand, str(again)) == (photo.hand, str(photo))
    scored = photo.score("mcr-1998", self_drawn=True)
    assert pickle.loads(pickle.dumps(scored)).total == scored.total


RIGHT = """\
import hupai

photo = hupai.read("hand.jpg", rules="mcr-1998")
score = photo.score("mcr-1998", seat="E", self_drawn=True)
total: int = score.total
names: list[str] = [fan.zh for fan in score.fans]
again: hupai.PhotoResult = photo.corrected({3: "7p"})
try:
    print(hupai.score("23m", rules="kc-2.5").to_dict(), hupai.__version__)
except hupai.HupaiError as error:
    print(error)
"""
WRONG = """\
import hupai

score = hupai.score("23m", rules="mcr-1998", self_drwan=True)
print(score.totl)
hupai.read("hand.jpg", rules=3)
"""


@pytest.mark.nightly
def test_a_users_script_is_checked_by_mypy(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT, "utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache")]
    done = subprocess.run(
        [*command, "right.py", "wrong.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.partition(": error:")[0] for line in errors] == [
        "wrong.py:3",
        "wrong.py:4",
        "wrong.py:5",
    ], done.stdout
