"""Cases that the tests of the dossier work on: a photo with EXIF data, the recorded reading, a
correction, a claim, a ruling.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
from PIL import Image as Pillow

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier import commands
from hupai.api.dossier.bundle.pack import pack
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.chain.events import (
    Author,
    Body,
    Claimed,
    Closed,
    FineRecord,
    Noted,
    PlayedAt,
    PlayerRecord,
    Ruled,
)
from hupai.api.dossier.chain.keys import SigningKey
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.photo_records import photo_record
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import get
from hupai.vision.types import Detections, PhotoReading
from tests.api.service import RecordedReader, picture, recorded_reading

CASE = "01932f4c-1c7e-7a3b-9a4e-0242ac120002"
PLAYER = Author(name="table-3", role="player", stated="Anna")
REFEREE = Author(name="head referee", role="referee")
BEGIN = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
WON = CircumstancesModel(self_drawn=True, seat_wind="E", round_wind="E")
AT_TABLE = PlayedAt(
    tournament="Spring Open",
    session="2",
    table="17",
    round="East 4",
    hand="7",
    players=(
        PlayerRecord(seat="E", name="Anna Müller", number="12"),
        PlayerRecord(seat="S", name="王小明"),
        PlayerRecord(seat="W", name="Charlotte"),
        PlayerRecord(seat="N", name="Dmitri", number="101"),
    ),
    discarder="S",
)
CORRECTED = "23m55pEEE[567m,1](9999s)2h+1m"
"""The recorded hand with another flower."""


@cache
def key(name: str = "club") -> SigningKey:
    """A key for a test; each name has its own."""
    return SigningKey.generate()


@cache
def photo() -> bytes:
    """A photo of 640 x 360 with EXIF time, zone and camera."""
    exif = Pillow.Exif()
    exif[0x010F], exif[0x0110], exif[0x0132] = "Canon", "EOS R5", "2026:11:20 20:01:02"
    exif.get_ifd(0x8769).update({0x9003: "2026:11:20 20:01:02", 0x9011: "+01:00"})
    return picture(640, 360, exif=exif)


@cache
def other_photo() -> bytes:
    """A second photo, without EXIF data."""
    return picture(320, 200, form="PNG")


def read(data: bytes, name: str = "hand.jpg") -> PhotoReading:
    """The recorded hand as read on this photo, with detections that fit it."""
    found = RecordedReader(recorded_reading()).read_photo(data, name)
    tiles = found.reading.tiles
    faces = np.full((len(tiles), 43), 0.01 / 42, np.float32)
    for row, tile in enumerate(tiles):
        faces[row, tile.tile] = 0.99
    boxes = np.array([tile.box for tile in tiles], np.float32)
    seen = Detections(
        boxes,
        np.full(len(tiles), 0.98, np.float32),
        faces,
        np.full(len(tiles), np.pi / 2, np.float32),
    )
    return PhotoReading(found.photo, found.model, found.reading, found.timing, seen)


def opened() -> Log:
    """A case just opened with one photo."""
    rules = get("mcr-1998")
    bodies: list[Body] = [commands.opening("Table 3, hand 7", rules, WON)]
    bodies += commands.photo_events(rules, WON, photo_record(photo(), "hand.jpg"), read(photo()))
    return log.begin(CASE, bodies, PLAYER, key(), BEGIN)


def moments() -> Iterator[datetime]:
    """One minute after another."""
    at = BEGIN
    while True:
        at += timedelta(minutes=1)
        yield at


@cache
def ruled() -> Log:
    """A case with all that can happen: two photos, a correction accepted and one rejected, a claim,
    a ruling, closed.
    """
    at = moments()
    case = opened()

    def go(author: Author, *bodies: Body) -> None:
        nonlocal case
        case = log.extend(case, bodies, author, key(), next(at))

    go(
        PLAYER,
        *commands.more_photos(
            case.case, photo_record(other_photo(), "side.png"), read(other_photo(), "side.png")
        ),
    )
    go(PLAYER, Claimed(by="Anna", total=12, unit="fan", fans=("不求人", "暗杠"), text="自摸"))
    go(PLAYER, commands.proposal(case.case, parse_hand(CORRECTED), None, "花牌是夏，不是春"))
    go(REFEREE, commands.decision(case.case, case.events[-1].event.seq, True, "看过照片"))
    go(
        PLAYER,
        commands.proposal(
            case.case, None, WON.model_copy(update={"self_drawn": False}), "it was a discard"
        ),
    )
    go(
        REFEREE,
        commands.decision(
            case.case, case.events[-1].event.seq, False, "two witnesses saw the draw"
        ),
    )
    fine = FineRecord(
        rules="sichuan-2024",
        offence="false_win",
        name_en="false win",
        name_zh="诈和",
        points=24,
        clause="11.2.9.1",
    )
    go(REFEREE, Noted(text="Heard both players."))
    go(
        REFEREE,
        Ruled(
            outcome="false_win",
            total=0,
            unit="fan",
            reason="不够起和",
            clause="MCR 1998",
            fine=fine,
        ),
    )
    go(REFEREE, Closed(reason="signed"))
    return case


def photos() -> dict[str, bytes]:
    """The photos of `ruled` by hash."""
    return {digest(data): data for data in (photo(), other_photo())}


@cache
def bundle() -> bytes:
    """The export of `ruled`."""
    return pack(ruled(), photos(), key())
