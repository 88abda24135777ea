"""Measures the delay from a hand coming to rest until the overlay shows it, and whether the service
keeps up with 1080p at 30 frames a second.

Plays the demonstration's clip, rendered at 1920 by 1080, as a video file in real time through the
whole service: reader thread, motion detection, model, layout, reading, database, event stream over
HTTP. The clip's script says when the hand comes to rest and which tiles it then shows; the delay of
a reveal runs from that moment to the arrival of the first event with exactly these tiles.

With ``--reckon`` wall-clock time is not used: the clip is stepped through, and each frame and
reading is charged the processor time it took. This gives the delay until the reading is accepted on
an idle machine, however busy this one is.

    python -m benchmarks.overlay [--passes 3] [--tables 2] [--reckon] [--save FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import uvicorn
from fastapi import FastAPI

from hupai.api.app.factory import create_app
from hupai.api.app.server import listen
from hupai.api.overlay.demo.clip import REGIONS, Moment, Script, make_clip
from hupai.api.overlay.schemas import SeatIn, SourceStatus, TableIn
from hupai.api.overlay.service import OverlayService
from hupai.api.overlay.table_reader import frame_interval
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.scoring import rule_sets
from hupai.vision.video.hand_watch import HandWatch, Sighting
from hupai.vision.video.region import Region, shrink
from hupai.vision.video.sources import FileSource, Frame


@dataclass(frozen=True, slots=True)
class Shown:
    """An event as it arrived.

    Attributes:
        at: time of arrival, monotonic seconds.
        seat: whose hand it shows.
        tiles: codes of the tiles it shows; none for ``hide``.
    """

    at: float
    seat: str
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """One playback of the clip.

    Attributes:
        delays: seconds from rest to display of each reveal that was shown correctly.
        missed: reveals that were not shown correctly before the next movement.
        cleared: seconds from rest to hiding of each cleared seat.
        extra: events that showed other tiles than the true ones: flicker or misreading.
        captured, looked, read: frames received, examined, read by the model.
        fps: frames received per second.
        late: delay of the file's last frame, seconds.
        cores: processor time a second, of the whole process.
    """

    delays: tuple[float, ...]
    missed: int
    cleared: tuple[float, ...]
    extra: int
    captured: int
    looked: int
    read: int
    fps: float
    late: float
    cores: float


def main() -> None:
    """Command line of this benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--reckon", action="store_true", help="by processor time, see above")
    parser.add_argument(
        "--threads", type=int, default=0, help="of the model; 0 leaves the choice to ONNX Runtime"
    )
    parser.add_argument("--tables", type=int, default=1, help="number that play the clip at once")
    parser.add_argument("--save", type=Path, help="write the figures there as JSON")
    arguments = parser.parse_args()
    script = replace(Script(), width=1920, height=1080, fps=30, rest=1.6)
    clip = Path(tempfile.gettempdir()) / "hupai-benchmark" / "hands-1080p30.mp4"
    print(f"{clip.name}: rendering unless kept from an earlier run …", flush=True)
    moments = make_clip(clip, script)
    if arguments.reckon:
        simulate(clip, moments, script.fps)
        return
    load = os.getloadavg()[0]
    print(
        f"{'pass':>4} {'reveals':>7} {'median s':>8} {'p95 s':>6} {'max s':>6} {'missed':>6} "
        f"{'extra':>5} {'cleared s':>9} "
        f"{'fps':>5} {'looked':>6} {'read':>5} {'late s':>6} {'cores':>5}"
    )
    passes = []
    for number in range(arguments.passes):
        for one in play(clip, moments, arguments.threads, arguments.tables):
            passes.append(one)
            _print(str(number + 1), one)
    every = {
        **spread([delay for one in passes for delay in one.delays]),
        "missed": sum(one.missed for one in passes),
        "extra": sum(one.extra for one in passes),
        "load_before": round(load, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "cpus": os.cpu_count(),
    }
    print(", ".join(f"{name} {value}" for name, value in every.items()))
    if arguments.save:
        rows = [asdict(one) for one in passes]
        arguments.save.write_text(
            json.dumps({"all": every, "passes": rows}, indent=1, default=float) + "\n", "utf-8"
        )


def spread(delays: list[float]) -> dict[str, float | None]:
    """Summarise delays, in seconds; median, p95 and most are None if nothing was shown."""
    return {
        "reveals": len(delays),
        "median": round(statistics.median(delays), 3) if delays else None,
        "p95": round(_p95(delays), 3) if delays else None,
        "most": round(max(delays), 3) if delays else None,
        "within_a_second": sum(delay <= 1 for delay in delays),
    }


def play(clip: Path, moments: tuple[Moment, ...], threads: int, tables: int = 1) -> list[Pass]:
    """Serve tables that all read the clip once, at the same time, and follow their events."""
    names = [f"bench-{number}" for number in range(1, tables + 1)]
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(
            Settings(
                preload=False, threads=threads, data_dir=folder, rate_limit=0, log_format="text"
            )
        )
        overlay = app.state.overlay
        with _serving(app) as address:
            # The model is open before the video begins, as it is in the course of an evening.
            overlay.open_detector()
            shown: dict[str, list[Shown]] = {name: [] for name in names}
            seats = [
                SeatIn(seat=seat, region=[list(corner) for corner in region])
                for seat, region in REGIONS.items()
            ]
            for name in names:
                table = TableIn(id=name, auto="all", source=f"file:{clip}", seats=seats)
                overlay.store.create(table)
                follower = (address, name, shown[name])
                threading.Thread(target=_follow, args=follower, daemon=True).start()
            cpu, wall = time.process_time(), time.monotonic()
            begun = {name: _wait_for_start(overlay, name) for name in names}
            ended = {name: _wait_for_end(overlay, name) for name in names}
            cores = (time.process_time() - cpu) / (time.monotonic() - wall)
            time.sleep(1.5)
            statuses = {name: overlay.status(name) for name in names}
        return [
            _compare(
                moments,
                shown[name],
                begun[name],
                statuses[name],
                cores,
                max(0.0, ended[name] - begun[name] - moments[-1].until - 1.2),
            )
            for name in names
        ]


def _wait_for_start(overlay: OverlayService, table: str) -> float:
    """Wait until the table's video starts; return the time."""
    while True:
        source = overlay.source(table)
        if isinstance(source, FileSource) and source.begun:
            return source.begun
        time.sleep(0.005)


def _wait_for_end(overlay: OverlayService, table: str) -> float:
    """Wait until the table's video ends; return the time."""
    while (status := overlay.status(table)) is None or not status.ended:
        time.sleep(0.2)
    return time.monotonic()


def simulate(clip: Path, moments: tuple[Moment, ...], fps: int) -> None:
    """Step through the clip with one simulated core; print the delays until acceptance."""
    detector = registry.load("default", 1)
    watches = {
        seat: HandWatch(detector, Region(corners), rule_sets.get("mcr-1998"))
        for seat, corners in REGIONS.items()
    }
    accepted: list[Shown] = []
    looks: list[float] = []
    reads: list[float] = []
    capture = cv2.VideoCapture(str(clip))
    now = next_look = 0.0
    last_read = dict.fromkeys(watches, 0.0)
    for index in range(int(capture.get(cv2.CAP_PROP_FRAME_COUNT))):
        at = index / fps
        capture.grab()
        if at < max(now, next_look):
            continue
        image = np.asarray(cv2.cvtColor(capture.retrieve()[1], cv2.COLOR_BGR2RGB), np.uint8)
        frame, begun = Frame(image, at, index), time.process_time()
        small = shrink(image)
        waiting, found = [], []
        for seat, watch in watches.items():
            if watch.look(frame, small):
                waiting.append(seat)
            else:
                found.append((seat, watch.rest(frame)))
        looks.append(time.process_time() - begun)
        now = at + looks[-1]
        accepted += [Shown(now, seat, _seen(one)) for seat, one in found if one is not None]
        if waiting:
            seat = min(waiting, key=last_read.__getitem__)
            last_read[seat], begun = at, time.process_time()
            sighting = watches[seat].read(frame)
            reads.append(time.process_time() - begun)
            now += reads[-1]
            if sighting is not None:
                accepted.append(Shown(now, seat, _seen(sighting)))
        next_look = at + frame_interval(watches.values())
    status = SourceStatus(
        table="bench",
        connected=False,
        ended=True,
        error="",
        fps=fps,
        captured=index + 1,
        skipped=0,
        read=len(reads),
    )
    one = _compare(moments, accepted, 0.0, status, 0.0, 0.0)
    print(
        f"a look {1000 * statistics.mean(looks):.1f} ms, "
        f"a reading {1000 * statistics.mean(reads):.0f} ms of processor time"
    )
    print(
        f"to acceptance, with free cores: reveals {len(one.delays)}, "
        f"median {statistics.median(one.delays):.2f} s, "
        f"p95 {_p95(list(one.delays)):.2f} s, most {max(one.delays):.2f} s, missed {one.missed}, "
        f"extra {one.extra}, "
        f"cleared {statistics.median(one.cleared):.2f} s"
    )


def _seen(sighting: Sighting) -> tuple[str, ...]:
    return tuple(tile.tile.code for tile in sighting.reading.tiles)


def _compare(
    moments: tuple[Moment, ...],
    shown: list[Shown],
    begun: float,
    status: SourceStatus,
    cores: float,
    late: float,
) -> Pass:
    true: dict[str, tuple[str, ...]] = dict.fromkeys(REGIONS, ())
    delays: list[float] = []
    cleared: list[float] = []
    missed = extra = 0
    used: set[int] = set()
    for number, moment in enumerate(moments):
        start = begun + moment.still_at
        end = begun + (
            moments[number + 1].still_at if number + 1 < len(moments) else moment.until + 2
        )
        events = [
            (k, event) for k, event in enumerate(shown) if start <= event.at < end and k not in used
        ]
        changed = bool(moment.seat) and true[moment.seat] != moment.tiles
        if moment.seat:
            true[moment.seat] = moment.tiles
        hits = [
            (k, event)
            for k, event in events
            if event.seat == moment.seat and _same(event.tiles, moment.tiles)
        ]
        if changed and hits:
            (delays if moment.tiles else cleared).append(hits[0][1].at - start)
        elif changed and moment.tiles:
            missed += 1
            print(
                f"     at {moment.still_at:.1f} s {moment.seat} was to show "
                f"{' '.join(moment.tiles)}"
            )
        # Other seats get events too, since the counts of tiles left change; such an event is right
        # if it shows the seat's tiles unchanged.
        wrong = [event for _, event in events if not _same(event.tiles, true[event.seat])]
        extra += len(wrong)
        for event in wrong:
            print(f"     at {event.at - begun:.1f} s {event.seat} showed {' '.join(event.tiles)}")
        used |= {k for k, _ in events}
    wall = moments[-1].until
    return Pass(
        tuple(delays),
        missed,
        tuple(cleared),
        extra,
        status.captured,
        status.captured - status.skipped,
        status.read,
        round(status.captured / wall, 1),
        round(late, 2),
        round(cores, 2),
    )


def _same(shown: tuple[str, ...], true: tuple[str, ...]) -> bool:
    """Return whether the tiles shown are the true ones.

    A face-down tile may be shown as a back or by its face.
    """
    open_shown, open_true = (
        Counter(code for code in codes if code != "?") for codes in (shown, true)
    )
    return len(shown) == len(true) and not open_true - open_shown


def _follow(address: str, table: str, shown: list[Shown]) -> None:
    last: dict[str, tuple[str, ...]] = {}
    name = ""
    with httpx.stream("GET", f"{address}/v1/tables/{table}/events", timeout=30) as answer:
        try:
            for line in answer.iter_lines():
                at = time.monotonic()
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name in ("hand", "hide"):
                    event = json.loads(value)
                    last[event["seat"]] = _tiles(event.get("card"))
                    shown.append(Shown(at, event["seat"], last[event["seat"]]))
        except httpx.HTTPError:
            pass


def _tiles(card: dict[str, Any] | None) -> tuple[str, ...]:
    if card is None:
        return ()
    won = [card["winning_tile"]] if card.get("winning_tile") else []
    melds = (code for meld in card["melds"] for code in meld["tiles"])
    return (*card["concealed"], *won, *card.get("flowers", ()), *melds)


@contextmanager
def _serving(app: FastAPI) -> Iterator[str]:
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        app.state.stopping.set()
        server.should_exit = True
        thread.join(20)
        listener.close()


def _p95(values: list[float]) -> float:
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def _print(name: str, one: Pass) -> None:
    delays, cleared = list(one.delays) or [float("nan")], list(one.cleared) or [float("nan")]
    times = f"{statistics.median(delays):>8.2f} {_p95(delays):>6.2f} {max(delays):>6.2f}"
    found = f"{one.missed:>6} {one.extra:>5} {statistics.median(cleared):>9.2f}"
    frames = f"{one.fps:>5.1f} {one.looked:>6} {one.read:>5} {one.late:>6.2f} {one.cores:>5.2f}"
    print(f"{name:>4} {len(one.delays):>7} {times} {found} {frames}", flush=True)


if __name__ == "__main__":
    main()
