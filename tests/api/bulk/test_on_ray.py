"""An archive is read by Ray Data with the same code; only where the extra ``ray`` is installed."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path

import pytest

pytest.importorskip("ray.data", reason="no Ray here: pip install 'hupai[ray]'")

from hupai.api.bulk.on_ray import PartReader, on_ray
from hupai.api.bulk.run import run
from hupai.api.bulk.sources import Entry
from hupai.api.bulk.worker import Job
from tests.api.bulk.archive import archive, names_of

# Ray and its libraries leave sockets and deprecations behind.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_an_archive_is_read_once_and_goes_on(tmp_path: Path) -> None:
    names = archive(tmp_path / "photos", 9, photos=1)
    source, out = str(tmp_path / "photos"), str(tmp_path / "table")
    progress = run(source, Job(out), on_ray(1), part=2)
    assert (progress.read, progress.hands, progress.errors) == (9, 1, 8)
    assert names_of(out) == names
    again = run(source, Job(out), on_ray(1), part=2)
    assert (again.read, again.skipped) == (0, 9)


def test_a_full_disk_is_told_in_the_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (name,) = archive(tmp_path / "photos", 1, photos=0)
    (tmp_path / "table").mkdir()

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    reader = PartReader(Job(str(tmp_path / "table")))
    row = reader({"part": pickle.dumps((Entry(name, "photos", name),))})
    assert "No space left on device" in pickle.loads(row["outcome"])
