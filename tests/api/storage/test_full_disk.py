"""A disk without a free byte: what is stored can be deleted, and the service can be started."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hupai.api.storage.reserve import Reserve
from tests.shared import ROOT

_MOUNT = "mount -t tmpfs -o size=12m tmpfs"
_SCRIPT = """
import os, shutil, sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from hupai.api.app.factory import create_app
from hupai.api.hands.store import prune
from hupai.api.storage import Storage
from hupai.api.web.settings import Settings
from tests.api.service import MCR, RecordedReader, client_of, photo_file, recorded_reading
from tests.api.service import picture

folder = Path(sys.argv[1])
settings = Settings(preload=False, data_dir=str(folder), rate_limit=0)


def fill() -> None:
    with suppress(OSError), (folder / f"other-{os.urandom(4).hex()}").open("wb", 0) as file:
        while True:
            file.write(bytes(4096))


with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
    stored = []
    while True:
        photo = picture(500) + os.urandom(150_000)
        answer = client.post("/v1/hands", files=photo_file(photo), data={"rules": MCR})
        if answer.status_code != 200:
            break
        stored.append(answer.json()["id"])
    assert answer.status_code == 507, answer.text
    assert len(stored) > 8
    fill()
    assert shutil.disk_usage(folder).free == 0
    for hand in stored[:4]:
        deleted = client.delete(f"/v1/hands/{hand}")
        assert deleted.status_code == 204, deleted.text
        assert client.get(f"/v1/hands/{hand}").status_code == 404
        fill()
    left = [line["id"] for line in client.get("/v1/hands?limit=100").json()["hands"]]
    assert sorted(left) == sorted(stored[4:])
    for hand in left[:-5]:
        assert client.delete(f"/v1/hands/{hand}").status_code == 204
    for other in folder.glob("other-*"):
        other.unlink()
    assert client.delete(f"/v1/hands/{left[-5]}").status_code == 204
    assert (folder / "hupai.sqlite3-reserve").exists(), "it is set aside again"
fill()
storage = Storage(folder)
storage.open()
assert prune(storage, datetime(2100, 1, 1, tzinfo=UTC)).deleted == 4
storage.close()
print("done")
"""


def _may_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", f'{_MOUNT} "$0"', str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.nightly
def test_on_a_full_disk_hands_are_deleted_and_the_service_starts(tmp_path: Path) -> None:
    if not _may_mount(tmp_path):
        pytest.skip("no file system of a limited size can be mounted here")
    run = f'{_MOUNT} "$0" && exec "$1" -c "$2" "$0/data"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", run]
    arguments = [str(tmp_path), sys.executable, _SCRIPT]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stdout == "done\n", done.stderr


def test_space_is_set_aside_once_and_given_up_once(tmp_path: Path) -> None:
    file = tmp_path / "reserve"
    reserve = Reserve(file)
    reserve.fill()
    held = file.read_bytes()
    assert len(held) > 500_000
    assert file.stat().st_mode & 0o777 == 0o600
    reserve.fill()
    assert file.read_bytes() == held
    assert [path.name for path in tmp_path.iterdir()] == ["reserve"]
    assert [reserve.release(), reserve.release()] == [True, False]
    assert not list(tmp_path.iterdir())


def test_nothing_is_set_aside_where_little_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=3_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    Reserve(tmp_path / "reserve").fill()
    assert not list(tmp_path.iterdir())
