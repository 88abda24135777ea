"""The demonstration's clip, and broadcast tables on the command line."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from hupai.api.cli.main import app
from hupai.api.overlay.demo.clip import REGIONS, Player, Script, make_clip
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.vision.video.region import Region

SMALL = Script(
    (Player("far", "11m", 2), Player("near", "E2p")),
    width=320,
    height=180,
    fps=10,
    rest=0.4,
    reach=0.2,
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """Runs commands with a data folder of the test's own."""
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "data"))
    return CliRunner()


def test_the_script_gives_the_tiles_and_the_periods_of_rest(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    moments = make_clip(clip, SMALL)
    assert [(moment.seat, moment.tiles) for moment in moments] == [
        ("", ()),
        ("far", ("1m", "1m")),
        ("far", ("1m", "1m")),
        ("near", ("2p",)),
        ("near", ("2p", "E")),
        ("near", ("2p", "E")),
        ("far", ()),
        ("near", ()),
    ]
    capture = cv2.VideoCapture(str(clip))
    frames = []
    while capture.grab():
        frames.append(np.asarray(capture.retrieve()[1], np.uint8))
    assert len(frames) == round(moments[-1].until * SMALL.fps)
    for moment in moments[1:]:
        rows = Region(REGIONS[moment.seat]).cut
        still = [
            rows(frame).astype(int)
            for frame in frames[round(moment.still_at * 10) : round(moment.until * 10)]
        ]
        assert still, "a time of rest has frames"
        assert max(float(np.abs(picture - still[0]).mean()) for picture in still) < 3


def test_a_clip_is_made_once_for_a_script(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    first = make_clip(clip, SMALL)
    made = clip.stat().st_mtime_ns
    assert make_clip(clip, SMALL) == first
    assert clip.stat().st_mtime_ns == made
    assert (
        make_clip(
            clip, Script((Player("near", "E"),), width=320, height=180, fps=10, rest=0.2, reach=0.2)
        )
        != first
    )


def test_the_hand_of_the_demonstration_may_win() -> None:
    (near,) = (player for player in Script().players if player.seat == "near")
    assert rule_sets.get("mcr-1998").score(parse_hand(near.hand), Circumstances()).legal


def test_tables_are_added_listed_and_removed(run: CliRunner) -> None:
    added = run.invoke(
        app,
        [
            "overlay",
            "add",
            "final",
            "--source",
            "rtsp://me:secret@cam/1",
            "--seat",
            "east=Lin",
            "--seat",
            "west",
        ],
    )
    assert added.exit_code == 0, added.output
    assert "/overlay/final/operator" in added.output
    listed = run.invoke(app, ["overlay", "list"])
    assert "final" in listed.output
    assert "east=Lin, west" in listed.output
    assert "secret" not in listed.output
    again = run.invoke(app, ["overlay", "add", "final"])
    assert again.exit_code == 1
    assert run.invoke(app, ["overlay", "remove", "final"]).exit_code == 0
    assert run.invoke(app, ["overlay", "remove", "final"]).exit_code == 1
    assert run.invoke(app, ["overlay", "list"]).output.strip() == ""


@pytest.mark.parametrize(
    "wrong",
    [
        ["x", "--rules", "none"],
        ["x", "--source", "nowhere"],
        ["No"],
        ["x", "--auto", "perhaps"],
        ["x", "--delay", "-1"],
    ],
)
def test_wrong_tables_are_bad_usage(run: CliRunner, wrong: list[str]) -> None:
    assert run.invoke(app, ["overlay", "add", *wrong]).exit_code == 2
