"""An archive becomes a table: every photo once, whatever happens on the way."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("pyarrow", reason="no pyarrow here: pip install 'hupai[bulk]'")

from hupai.api.bulk import run as bulk_run
from hupai.api.bulk.parts import BulkError, Done, Table
from hupai.api.bulk.photo_rows import READER_DIED, died_row
from hupai.api.bulk.report import report_of
from hupai.api.bulk.run import Part, in_processes, run
from hupai.api.bulk.sources import Entry, SourceError, Unreadable, fetch, photos_of
from hupai.api.bulk.worker import Job, Written
from tests.api.bulk.archive import (
    archive,
    here,
    names_of,
    packed,
    rows_of,
    size_of_photo,
    without_room,
    written_and_dead,
)
from tests.api.s3_server import S3
from tests.shared import ROOT

RULES = ("mcr-1998", "sichuan-2024")


@pytest.mark.parametrize(("name", "mode"), [("a.tar", "w"), ("a.tar.gz", "w:gz")])
def test_a_tar_gives_the_same_photos_as_the_folder(tmp_path: Path, name: str, mode: str) -> None:
    archive(tmp_path / "photos", 7, photos=0)
    (tmp_path / "photos" / "notes.txt").write_text("no photo")
    expected = packed(tmp_path / "photos", tmp_path / name, mode)
    found = [one for one in photos_of(str(tmp_path / name)) if isinstance(one, Entry)]
    assert [one.name for one in found] == expected
    assert {fetch(one)[:8] for one in found} == {b"no photo"}
    assert {one.source for one in found} == {name}


def test_a_folder_is_read_in_order_with_the_tars_in_it(tmp_path: Path) -> None:
    names = archive(tmp_path / "all" / "b", 3, photos=0)
    archive(tmp_path / "more", 2, photos=0)
    inside = packed(tmp_path / "more", tmp_path / "all" / "c.tar", "w")
    found = list(photos_of(str(tmp_path / "all")))
    assert [one.name for one in found] == names + inside
    assert [one.source for one in found if isinstance(one, Entry)] == ["b"] * 3 + ["c.tar"] * 2


def read_tar(path: Path, data: bytes) -> tuple[list[tuple[str, bytes]], list[Unreadable]]:
    """The photos of a tar file with these bytes, and the errors reported for it."""
    path.write_bytes(data)
    found = list(photos_of(str(path)))
    unreadable = [one for one in found if isinstance(one, Unreadable)]
    assert found[len(found) - len(unreadable) :] == unreadable, "at the end"
    assert all(one.name == str(path) for one in unreadable)
    return [(one.name, fetch(one)) for one in found if isinstance(one, Entry)], unreadable


def whole_tar(folder: Path, name: str, mode: str) -> tuple[bytes, list[tuple[str, bytes]]]:
    """The bytes of a tar file of three photos of different sizes, and what is in it."""
    photos = {"a.jpg": b"x" * 500, "b.jpg": b"y" * 512, "c.jpg": bytes(range(256)) * 5}
    with tarfile.open(folder / name, mode) as tar:  # type: ignore[call-overload]
        for photo, data in photos.items():
            member = tarfile.TarInfo(photo)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    data = (folder / name).read_bytes()
    inside = [(f"{folder / name}!{photo}", there) for photo, there in photos.items()]
    assert read_tar(folder / name, data) == (inside, [])
    return data, inside


@pytest.mark.parametrize(
    ("name", "mode"),
    [("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("a.tar.bz2", "w:bz2"), ("a.tar.xz", "w:xz")],
)
def test_a_truncated_compressed_tar_gives_the_photos_before_the_end_and_an_error(
    tmp_path: Path, name: str, mode: str
) -> None:
    data, inside = whole_tar(tmp_path, name, mode)
    for length in range(len(data)):
        found, unreadable = read_tar(tmp_path / name, data[:length])
        assert found == inside[: len(found)], length
        assert len(unreadable) == 1, length


def test_a_truncated_tar_gives_the_complete_photos_and_an_error(tmp_path: Path) -> None:
    data, inside = whole_tar(tmp_path, "a.tar", "w")
    ends, whole = (1012, 2048, 3840), 5120  # of the photos' bytes; of the mark of the end
    near = {at + by for at in (*ends, *range(0, len(data), 512)) for by in (-1, 0, 1)}
    for length in sorted(one for one in near if 0 <= one <= len(data)):
        found, unreadable = read_tar(tmp_path / "a.tar", data[:length])
        assert found == inside[: len(found)], length
        assert len(found) == sum(end <= length for end in ends), length
        assert len(unreadable) == (length < whole), length


def test_a_damaged_tar_gives_an_error_wherever_the_damage_is(tmp_path: Path) -> None:
    data, inside = whole_tar(tmp_path, "a.tar", "w")
    for header in (0, 1024, 2048):
        broken = bytearray(data)
        broken[header + 148] ^= 0x40  # in the checksum
        found, unreadable = read_tar(tmp_path / "a.tar", bytes(broken))
        assert (found, len(unreadable)) == (inside[: header // 1024], 1), header
    packed_data, _ = whole_tar(tmp_path, "a.tar.gz", "w:gz")
    for at in range(len(packed_data) - 8, len(packed_data)):  # checksum and length
        broken = bytearray(packed_data)
        broken[at] ^= 0xFF
        assert len(read_tar(tmp_path / "a.tar.gz", bytes(broken))[1]) == 1, at


def test_a_tar_that_is_not_compressed_in_spite_of_its_name_is_read(tmp_path: Path) -> None:
    whole_tar(tmp_path, "a.tar.gz", "w")


def test_a_missing_source_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such folder"):
        list(photos_of(str(tmp_path / "nothing")))


def test_finished_photos_are_found_by_name() -> None:
    done = Done(f"photo {number}" for number in range(1000))
    assert len(done) == 1000
    assert all(f"photo {number}" in done for number in range(1000))
    assert not any(f"photo {number}" in done for number in range(1000, 2000))
    assert "photo" not in Done([])


def test_rows_hold_reading_hand_and_scores(tmp_path: Path) -> None:
    names = archive(tmp_path / "photos", 3, photos=2)
    out = str(tmp_path / "table")
    job = Job(out, rules=RULES)
    progress = run(str(tmp_path / "photos"), job, here, part=2)
    assert (progress.read, progress.hands, progress.errors) == (3, 2, 1)
    rows = {
        row["photo"]: row for row in rows_of(out, "photo", "hand", "scores", "reading", "error")
    }
    assert sorted(rows) == names
    (good,) = (row for name, row in rows.items() if name.endswith("0000.jpg"))
    expected = json.loads((ROOT / "examples" / "concealed-kong.json").read_text("utf-8"))
    assert [one["rules"] for one in good["scores"]] == list(RULES)
    assert len(json.loads(good["reading"])["tiles"]) >= 14, expected
    (bad,) = (row for name, row in rows.items() if name.endswith("0002.jpg"))
    assert (bad["hand"], bad["scores"]) == (None, [])
    errors = [json.loads(line) for line in Path(out, "errors.jsonl").read_text().splitlines()]
    assert errors == [{"photo": names[-1], "error": bad["error"]}]
    found = report_of(out)
    assert (found.total.photos, found.total.hands, found.total.errors) == (3, 2, 1)
    assert (found.distinct, found.twice, sorted(found.by_source)) == (
        3,
        0,
        ["day-0", "day-1", "day-2"],
    )


def test_a_second_run_reads_what_is_new_and_nothing_else(tmp_path: Path) -> None:
    names = archive(tmp_path / "photos", 10, photos=0)
    out = str(tmp_path / "table")
    source = str(tmp_path / "photos")
    assert run(source, Job(out), here, part=4).read == 10
    again = run(source, Job(out), here, part=3)
    assert (again.read, again.skipped) == (0, 10)
    new = tmp_path / "photos" / "a-new.jpg"
    new.write_bytes(b"new")
    lost = tmp_path / "photos" / "lost.jpg"
    lost.symlink_to("nowhere")
    more = run(source, Job(out), here, part=3)
    assert (more.read, more.skipped) == (1, 10)
    assert [name for name, _ in more.unfetched] == [str(lost)]
    assert '"again": true' in Path(out, "errors.jsonl").read_text()
    lost.unlink()
    lost.write_bytes(b"found again")
    assert run(source, Job(out), here).read == 1
    assert names_of(out) == sorted([*names, str(new), str(lost)])
    with pytest.raises(BulkError, match="another rules"):
        run(source, Job(out, rules=RULES), here)


def test_a_full_disk_ends_the_run_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = archive(tmp_path / "photos", 20, photos=0)
    source, out = str(tmp_path / "photos"), str(tmp_path / "table")
    real, left = os.fsync, iter(range(5))

    def fsync(file: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(BulkError, match=r"No space left on device; .* same command"):
            run(source, Job(out), here, part=5)
    assert 0 < len(names_of(out)) < len(names)
    assert list(Path(out).glob(".unfinished-*")) == []
    assert run(source, Job(out), here, part=5).skipped > 0
    assert names_of(out) == names


@pytest.mark.nightly
def test_an_error_of_a_process_is_the_error_of_the_run(tmp_path: Path) -> None:
    archive(tmp_path / "photos", 9, photos=0)
    with pytest.raises(BulkError, match="no room"):
        run(
            str(tmp_path / "photos"),
            Job(str(tmp_path / "table")),
            in_processes(2, without_room),
            part=3,
        )


@pytest.mark.parametrize(("count", "at_once"), [(1, 2), (20, 1), (200, 2), (1000, 3)])
def test_parts_are_whole_until_the_end_and_end_at_the_same_time(
    tmp_path: Path, count: int, at_once: int
) -> None:
    archive(tmp_path / "photos", count, photos=0)
    sizes: list[int] = []

    def counted(job: Job, parts: Iterable[Part]) -> Iterator[Written]:
        for part in parts:
            sizes.append(len(part))
            yield Written(rows=len(part))

    run(str(tmp_path / "photos"), Job(str(tmp_path / "table")), counted, 64, at_once=at_once)
    assert sum(sizes) == count
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == min(64, max(8, -(-min(count, 128 * at_once) // (2 * at_once)), 1), count)
    ends = [0] * at_once
    for size in sizes:
        ends[ends.index(min(ends))] += size
    assert max(ends) - min(ends) <= 8


def test_two_runs_do_not_write_one_table(tmp_path: Path) -> None:
    archive(tmp_path / "photos", 1, photos=0)
    out = str(tmp_path / "table")
    with Table(out).opened({}), pytest.raises(BulkError, match="another process"):
        run(str(tmp_path / "photos"), Job(out), here)


@pytest.mark.nightly
def test_a_photo_that_kills_its_reader_gets_a_row_and_the_others_too(tmp_path: Path) -> None:
    names = archive(tmp_path / "photos", 20, photos=0)
    deadly = tmp_path / "photos" / "day-1" / "deadly.jpg"
    deadly.write_bytes(b"deadly")
    out = str(tmp_path / "table")
    progress = run(str(tmp_path / "photos"), Job(out), in_processes(2, size_of_photo), part=4)
    assert names_of(out) == sorted([*names, str(deadly)])
    died = [row["photo"] for row in rows_of(out, "photo", "error") if row["error"] == READER_DIED]
    assert died == [str(deadly)]
    assert (progress.read, progress.errors) == (21, 1)


@pytest.mark.nightly
def test_a_process_that_ends_after_writing_makes_no_row_twice(tmp_path: Path) -> None:
    names = archive(tmp_path / "photos", 12, photos=0)
    out = str(tmp_path / "table")
    progress = run(str(tmp_path / "photos"), Job(out), in_processes(1, written_and_dead), part=4)
    assert names_of(out) == names
    assert progress.read == 12


@pytest.mark.nightly
def test_killed_repeatedly_it_neither_misses_nor_repeats_a_photo(tmp_path: Path) -> None:
    names = archive(tmp_path / "photos", 65, photos=0)
    out = tmp_path / "table"
    program = (
        "import sys; from hupai.api.bulk.run import Part, in_processes, run\n"
        "from hupai.api.bulk.worker import Job; from tests.api.bulk.archive import size_some\n"
        "if __name__ == '__main__':\n"
        "    run(sys.argv[1], Job(sys.argv[2]), in_processes(2, size_some), part=5)\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program)
    command = [sys.executable, str(script), str(tmp_path / "photos"), str(out)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    kills = 0
    while True:
        before = len(list(out.glob("part-*")))
        most = {"HUPAI_TEST_MOST_PARTS": str(before + 5)}  # however late it is killed
        process = subprocess.Popen(command, env=environment | most)
        while process.poll() is None and len(list(out.glob("part-*"))) < before + 5:
            time.sleep(0.005)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
    assert process.returncode == 0
    assert kills >= 2
    assert names_of(str(out)) == names
    assert list(out.glob(".unfinished-*")) == []


@pytest.mark.nightly
def test_an_archive_is_read_from_and_written_to_an_object_store(
    tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    names = archive(tmp_path / "photos", 5, photos=0)
    packed(tmp_path / "photos", tmp_path / "more.tar", "w")
    bucket = s3.bucket()
    files = Table(bucket).files
    files.put(str(tmp_path / "photos"), f"{bucket}/archive", recursive=True)
    files.put(str(tmp_path / "more.tar"), f"{bucket}/archive/more.tar")
    out = f"{bucket}/table"
    progress = run(f"{bucket}/archive", Job(out), here, part=4)
    assert (progress.read, progress.unfetched) == (10, [])
    assert len(names_of(out)) == len(set(names_of(out))) == 2 * len(names)
    again = run(f"{bucket}/archive", Job(out), here, part=4)
    assert (again.read, again.skipped) == (0, 10)
    assert report_of(out).total.errors == 10


def test_a_name_that_is_no_text_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    (name,) = archive(folder, 1, photos=0)
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/odd\xff.jpg")).write_bytes(b"no photo")
    except OSError:
        pytest.skip("names of files are always text here")
    job = Job(str(tmp_path / "table"))
    progress = run(str(folder), job, here)
    assert names_of(job.out) == [name]
    ((odd, reason),) = progress.unfetched
    assert odd.endswith("odd\\udcff.jpg")
    assert "not UTF-8" in reason
    assert "odd" in (tmp_path / "table" / "errors.jsonl").read_text("utf-8")


@pytest.mark.parametrize("out", ["file", "file/table"])
def test_a_table_that_cannot_be_a_folder_is_refused(tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BulkError, match="another --out"):
        run(str(tmp_path), Job(str(tmp_path / out)), here)


@pytest.mark.parametrize("modified", [1e300, -1e300, float("nan")])
def test_a_file_of_an_impossible_time_is_read(modified: float) -> None:
    row = died_row(Entry("a.jpg", "a.tar", "a.tar", modified=modified))
    assert row["taken_at"].year == 1970


def test_parts_that_were_taken_back_as_a_process_ended_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        """Hands out parts to a process that ends over the first, before it has got the others."""

        submitted = 0

        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def submit(self, *_: object) -> Future[Written]:
            future: Future[Written] = Future()
            self.submitted += 1
            if self.submitted == 1:
                future.set_exception(BrokenProcessPool())
            return future

    monkeypatch.setattr(bulk_run, "_pool", lambda _count, _job: Broken())
    archive(tmp_path / "photos", 2, photos=0)
    first, second = ((photo,) for photo in photos_of(str(tmp_path / "photos")))
    parts, broken = cast("list[Part]", [first, second]), list[Part]()
    job = Job(str(tmp_path))
    assert list(bulk_run._until_broken(2, size_of_photo, job, iter(parts), broken)) == []
    assert broken == parts
