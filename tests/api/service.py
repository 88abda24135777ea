"""What tests of the service share: a real server on a free port, a reader that answers from a
recorded reading, small pictures.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from PIL import Image as Pillow

from hupai.api.app.server import Server, listen
from hupai.api.web.middleware.connections import timed_protocol
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.result import RuleSet, Severity
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.photo.decode import decode
from hupai.vision.types import (
    Group,
    GroupKind,
    LikelyHand,
    ModelInfo,
    PhotoInfo,
    PhotoProblem,
    PhotoReading,
    Reading,
    ReadTile,
    Timing,
)

MCR = "mcr-1998"
WON_HOW = '{"self_drawn": true, "seat_wind": "E", "round_wind": "E"}'
HAND = Hand(
    concealed=tiles_from_codes("23m55pEEE"),
    melds=(
        Meld(MeldKind.CHOW, tiles_from_codes("567m"), Source.LEFT),
        Meld(MeldKind.CONCEALED_KONG, tiles_from_codes("9999s")),
    ),
    winning_tile=Tile.M1,
    flowers=(Tile.SPRING,),
)
NOTATION = "23m55pEEE[567m,1](9999s)1h+1m"


def picture(width: int = 640, height: int = 360, form: str = "JPEG", **options: Any) -> bytes:
    """The bytes of a plain green picture."""
    file = io.BytesIO()
    Pillow.new("RGB", (width, height), (20, 92, 60)).save(file, form, **options)
    return file.getvalue()


class RecordedReader:
    """Decodes the photo, then answers with one recorded reading whatever it shows.

    Attributes:
        reading: what is read.
        seconds: how long that takes.
        calls: names, with the ids of the rules, in the order they were read.
        points: the points on the hand that was meant, where one was given.
    """

    def __init__(self, reading: Reading, seconds: float = 0.0) -> None:
        self.reading = reading
        self.seconds = seconds
        self.calls: list[tuple[str, str | None]] = []
        self.points: list[tuple[float, float]] = []
        self._free = threading.Event()
        self._free.set()

    @contextmanager
    def held(self) -> Iterator[None]:
        """What is read meanwhile has begun, as `calls` tells, and does not end before this does."""
        self._free.clear()
        try:
            yield
        finally:
            self._free.set()

    def read_photo(
        self,
        data: bytes,
        name: str = "",
        rules: RuleSet | None = None,
        *,
        point: tuple[float, float] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """The recorded reading, with the photo's own size and hash."""
        self.points += [point] if point else []
        begin = on_stage or (lambda _stage: None)
        begin("decode")
        photo = decode(data, name)
        for stage in ("detect", "layout", "read"):
            begin(stage)
        self.calls.append((name, rules.id if rules else None))
        time.sleep(self.seconds)
        assert self._free.wait(60)
        info = PhotoInfo(photo.name, photo.sha256, photo.width, photo.height)
        return PhotoReading(
            info,
            ModelInfo("recorded", "1", "0" * 64),
            self.reading,
            Timing(1.0, 2.0, 3.0, 4.0, 10.0),
        )

    def read_photos(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """The recorded reading; the last of the photos shows its last tile."""
        each = [self.read_photo(data, name, rules, on_stage=on_stage) for data, name in photos]
        *tiles, last = self.reading.tiles
        reading = replace(self.reading, tiles=(*tiles, replace(last, photo=len(each) - 1)))
        return replace(each[0], reading=reading, photos=tuple(one.photo for one in each))


def recorded_reading(*, doubtful: bool = False, winning_known: bool = True) -> Reading:
    """`HAND` as a reading: a row of concealed tiles, the melds, the winning tile apart unless it is
    not known, a flower.

    With `doubtful` the winning 1m may also be a 4m, with which 2m 3m make a chow too.
    """
    tiles: list[ReadTile] = []
    groups: list[Group] = []

    def lay(kind: GroupKind, faces: tuple[Tile, ...], source: Source | None = None) -> None:
        ids = []
        for face in faces:
            at = len(tiles)
            box = (10.0 + 30 * at, 100.0, 36.0 + 30 * at, 140.0)
            tiles.append(ReadTile(at, face, box, 0.99, group=len(groups)))
            ids.append(at)
        groups.append(Group(len(groups), kind, tuple(ids), source))

    concealed = HAND.concealed if winning_known else (*HAND.concealed, Tile.M1)
    lay(GroupKind.CONCEALED, concealed)
    lay(GroupKind.CHOW, HAND.melds[0].tiles, Source.LEFT)
    lay(GroupKind.CONCEALED_KONG, HAND.melds[1].tiles)
    if winning_known:
        lay(GroupKind.WINNING_TILE, (Tile.M1,))
    lay(GroupKind.FLOWERS, HAND.flowers)
    if doubtful:
        at = next(tile.id for tile in tiles if tile.group == 3)
        tiles[at] = ReadTile(
            at, Tile.M1, tiles[at].box, 0.7, ((Tile.M4, 0.25), (Tile.M9, 0.03)), group=3
        )
    hand = HAND if winning_known else Hand(concealed, HAND.melds, None, HAND.flowers)
    hands: tuple[LikelyHand, ...] = (LikelyHand(hand, 0.7),)
    if doubtful:
        hands = (LikelyHand(hand, 0.75), LikelyHand(replace(hand, winning_tile=Tile.M4), 0.25))
    problems = (
        (PhotoProblem("doubtful_tile", Severity.WARNING, "Look again.", "请再看一次。", (0,)),)
        if doubtful
        else ()
    )
    return Reading(tuple(tiles), tuple(groups), hands, certain=not doubtful, problems=problems)


def questions(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions of an answer's verdict, the most deciding first."""
    verdict = result["verdict"]
    return [] if verdict["question"] is None else [verdict["question"], *verdict["further"]]


def question_about(result: dict[str, Any], about: str) -> dict[str, Any]:
    """The one question of an answer's verdict that is about this."""
    (found,) = [one for one in questions(result) if one["about"] == about]
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for what happens in another thread or process; fails where it does not happen in
    time.

    It is looked for less and less often: what is waited for longest is a program that starts, and
    asking it all the time would take the processor from it.
    """
    deadline = time.monotonic() + seconds
    pause = 0.005
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(pause)
        pause = min(0.1, 1.3 * pause)


@contextmanager
def served(app: FastAPI, host: str = "127.0.0.1") -> Iterator[str]:
    """The app on a free port of this machine; the value is its address. Stopped at the end."""
    listener = listen(host, 0)
    server = Server(
        uvicorn.Config(
            app,
            http=timed_protocol(app.state.settings),
            log_config=None,
            lifespan="on",
            proxy_headers=False,
            timeout_graceful_shutdown=10,
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive(), 120)
    assert server.started, "the server ended while starting"
    try:
        yield f"http://{host}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@contextmanager
def client_of(app: FastAPI) -> Iterator[httpx.Client]:
    """An HTTP client of the app, served for real."""
    with served(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def photo_file(data: bytes, name: str = "hand.jpg") -> dict[str, tuple[str, bytes, str]]:
    """The multipart file field of the routes that take a photo."""
    return {"photo": (name, data, "application/octet-stream")}
