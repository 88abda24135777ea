"""What the app makes of replicas: answers, refusals, full queues, replicas that end."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

from hupai.api.app.factory import create_app
from hupai.api.readers.photo_request import Answer, PhotoRequest, RefusedPhoto
from hupai.api.scale import remote_reader
from hupai.api.scale.recogniser_replica import (
    MOST_FAILED,
    FailingError,
    RecogniserReplica,
    StuckError,
)
from hupai.api.scale.remote_reader import (
    TRIES,
    RemoteReader,
    ReplicaBusyError,
    ReplicaFailedError,
    ReplicaGoneError,
    ReplicaLateError,
)
from hupai.api.scale.shared_runs import Arrays, Run, run_together
from hupai.api.web.settings import Settings
from hupai.scoring import rule_sets
from hupai.vision.detection.onnx_session import Network
from hupai.vision.photo.decode import TruncatedPhotoError
from tests.api.service import (
    MCR,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
)
from tests.shared import ROOT


class Replicas:
    """Gives the prepared answers one after the other, then a recorded reading."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[PhotoRequest] = []

    def ask(self, request: PhotoRequest, seconds: float) -> Answer:
        # What goes to another machine and back is pickled.
        self.asked.append(pickle.loads(pickle.dumps(request)))
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            answer = RecordedReader(recorded_reading()).read_photo(*request.photos[0])
        copy: Answer = pickle.loads(pickle.dumps(answer))
        return copy


@pytest.fixture
def replicas(monkeypatch: pytest.MonkeyPatch) -> Replicas:
    monkeypatch.setattr(remote_reader, "_BETWEEN", 0.0)
    return Replicas()


@pytest.fixture
def client(replicas: Replicas) -> Iterator[httpx.Client]:
    app = create_app(Settings(preload=False), RemoteReader(replicas, 30.0))
    with client_of(app) as one:
        yield one


def send(client: httpx.Client) -> httpx.Response:
    return client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})


def test_a_photo_read_elsewhere_is_stored_as_one_read_here(
    client: httpx.Client, replicas: Replicas
) -> None:
    answer = send(client)
    assert answer.status_code == 200
    assert client.get(answer.headers["location"]).json()["result"]["notation"]
    assert [(one.rules, one.tile_set) for one in replicas.asked] == [(MCR, "auto")]


def test_a_photo_is_given_to_another_replica_when_one_ends(
    client: httpx.Client, replicas: Replicas
) -> None:
    replicas.answers = [ReplicaGoneError("died")] * (TRIES - 1)
    assert send(client).status_code == 200
    assert len(replicas.asked) == TRIES
    replicas.answers = [ReplicaGoneError("died")] * TRIES
    refused = client.post("/v1/recognitions", files=photo_file(picture()))
    assert refused.status_code == 503
    assert refused.json()["type"].endswith("/model-unavailable")
    assert int(refused.headers["retry-after"]) >= 1


def test_a_photo_on_which_a_replica_fails_is_given_out_once_more(
    client: httpx.Client, replicas: Replicas
) -> None:
    replicas.answers = [ReplicaFailedError("bug")]
    assert send(client).status_code == 200
    assert len(replicas.asked) == 2
    replicas.answers = [ReplicaFailedError("bug")] * 2
    failed = client.post("/v1/recognitions", files=photo_file(picture()))
    assert len(replicas.asked) == 4
    assert failed.status_code == 503
    assert failed.json()["type"].endswith("/model-unavailable")
    assert int(failed.headers["retry-after"]) >= 1
    assert send(client).status_code == 200


def test_full_replicas_are_reported_like_a_full_queue(
    client: httpx.Client, replicas: Replicas
) -> None:
    replicas.answers = [ReplicaBusyError()]
    refused = send(client)
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (429, "busy")
    assert int(refused.headers["retry-after"]) >= 1
    assert send(client).status_code == 200


def test_a_late_answer_is_a_timeout(client: httpx.Client, replicas: Replicas) -> None:
    replicas.answers = [ReplicaLateError()]
    refused = send(client)
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (503, "timeout")
    assert "retry-after" in refused.headers


def test_a_file_that_is_not_a_photo_is_refused_as_locally(
    client: httpx.Client, replicas: Replicas
) -> None:
    error = TruncatedPhotoError("hand.jpg", "the end is missing", "结尾缺失")
    replicas.answers = [RefusedPhoto.of(error)]
    refused = send(client)
    assert refused.status_code == 422
    assert refused.json()["type"].endswith("/unreadable-picture")
    again = RefusedPhoto.of(error).error()
    assert type(again) is TruncatedPhotoError
    assert (str(again), again.message_zh, again.name) == (
        str(error),
        error.message_zh,
        "hand.jpg",
    )


def test_a_tile_set_is_named_to_the_replica_and_an_unknown_one_refused_before(
    client: httpx.Client, replicas: Replicas
) -> None:
    form = {"rules": MCR, "tile_set": "none"}
    assert client.post("/v1/hands", files=photo_file(picture()), data=form).status_code == 200
    assert replicas.asked[-1].tile_set == "none"
    unknown = client.post(
        "/v1/hands", files=photo_file(picture()), data={**form, "tile_set": "club"}
    )
    assert unknown.status_code == 422
    assert len(replicas.asked) == 1


class Doubling:
    """A network whose output depends on each input row alone."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def run(self, outputs: tuple[str, ...], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        ((_, rows),) = inputs.items()
        self.sizes.append(len(rows))
        return [rows.sum(tuple(range(1, rows.ndim)), keepdims=True)[:, 0] * 2 for _ in outputs]


def test_batched_runs_give_each_photo_the_same_result_as_alone() -> None:
    random = np.random.default_rng(1)
    shapes = [(3, 4, 4), (1, 4, 4), (2, 4, 4), (2, 8, 8)]
    names = [("logits",), ("logits", "axis"), ("logits",), ("logits",)]
    runs = [
        Run(name, "crops", random.random(shape, np.float32))
        for name, shape in zip(names, shapes, strict=True)
    ]
    network = Doubling()
    together = run_together(network, runs)  # type: ignore[arg-type]
    assert sorted(network.sizes) == [1, 2, 5]
    for run, answer in zip(runs, together, strict=True):
        (alone,) = run_together(Doubling(), [run])  # type: ignore[arg-type]
        assert len(answer) == len(run.outputs)
        for got, expected in zip(answer, alone, strict=True):
            np.testing.assert_array_equal(got, expected)


Batch = Callable[[list[tuple[Network, Run]]], Awaitable[list[Arrays]]]


class Collecting:
    """A batcher as Ray Serve's: waits until so many runs are there, or a moment."""

    def __init__(self, run_batch: Batch) -> None:
        self._run_batch = run_batch
        self._waiting: list[tuple[tuple[Network, Run], asyncio.Future[Arrays]]] = []
        self._shared = False

    async def __call__(self, run: tuple[Network, Run]) -> Arrays:
        answer: asyncio.Future[Arrays] = asyncio.get_running_loop().create_future()
        self._waiting.append((run, answer))
        if self._waiting[0][1] is answer:
            # Until two photos met once, the first waits for the other, however slow it is.
            for _ in range(3000):
                if self._shared or len(self._waiting) > 1:
                    break
                await asyncio.sleep(0.01)
            batch, self._waiting = self._waiting, []
            self._shared |= len(batch) > 1
            found = await self._run_batch([one for one, _ in batch])
            for (_, waiting), got in zip(batch, found, strict=True):
                waiting.set_result(got)
        return await answer


@pytest.mark.nightly
def test_photos_read_together_are_read_as_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), threads=1)
    photos = [(ROOT / "examples" / name).read_bytes() for name in ("pungs.jpg", "knitted.jpg")]
    requests = [PhotoRequest(((data, "a.jpg"),), rule_sets.get(MCR).id) for data in photos]

    async def read(at_once: int) -> tuple[list[Answer], list[int]]:
        replica = RecogniserReplica(settings, at_once, Collecting)
        answers = await asyncio.gather(*(replica.read(request) for request in requests))
        return list(answers), list(replica.batch_sizes)

    alone, none = asyncio.run(read(1))
    together, sizes = asyncio.run(read(2))
    assert none == []
    assert max(sizes) == 2, "no run was shared"
    for one, other in zip(alone, together, strict=True):
        assert not isinstance(one, RefusedPhoto)
        assert not isinstance(other, RefusedPhoto)
        assert one.reading.hands[0].hand == other.reading.hands[0].hand
        assert one.reading.certain == other.reading.certain


def test_a_replica_with_a_stuck_photo_is_unhealthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=str(tmp_path), threads=1, timeout_seconds=0.01)
    held = threading.Event()
    monkeypatch.setattr(RecogniserReplica, "_read", lambda self, request: held.wait(30))

    async def stuck() -> None:
        replica = RecogniserReplica(settings, 1, Collecting)
        replica.check()
        job = asyncio.create_task(replica.read(PhotoRequest(())))
        await asyncio.sleep(0.1)
        with pytest.raises(StuckError):
            replica.check()
        held.set()
        await job
        replica.check()

    asyncio.run(stuck())


def test_a_replica_on_which_photo_after_photo_fails_is_unhealthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [True]

    def read(self: RecogniserReplica, request: PhotoRequest) -> Answer:
        if broken[0]:
            raise RuntimeError("the device is gone")
        return RefusedPhoto.of(TruncatedPhotoError("hand.jpg", "cut", "结尾缺失"))

    monkeypatch.setattr(RecogniserReplica, "_read", read)
    replica = RecogniserReplica(Settings(data_dir=str(tmp_path), threads=1), 1, Collecting)

    def fail(times: int) -> None:
        for _ in range(times):
            with pytest.raises(RuntimeError):
                asyncio.run(replica.read(PhotoRequest(())))

    fail(MOST_FAILED - 1)
    replica.check()
    broken[0] = False
    asyncio.run(replica.read(PhotoRequest(())))
    broken[0] = True
    fail(MOST_FAILED - 1)
    replica.check()
    fail(1)
    with pytest.raises(FailingError):
        replica.check()
