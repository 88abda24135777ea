"""The evening of somebody who has read README and nothing else, on a phone in the club's network:
scan the code, photograph, correct a tile, answer, add the hand, reload, read the scores.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
from playwright.sync_api import expect

from hupai.api.app.factory import create_app
from hupai.api.app.welcome import lan_address, welcome
from hupai.api.web.settings import Settings
from hupai.scoring.tiles import Tile
from tests.api.service import NOTATION, RecordedReader, recorded_reading, served
from tests.e2e.conftest import OpenPage, expect_settled, reload
from tests.e2e.test_page import expect_total, total
from tests.e2e.test_table import begin, expect_sums, tell
from tests.qr_codes import read_qr_code

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HALVES = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
"""The upper and the lower half of a character of the terminal."""


def scan(printed: str) -> str:
    """Read the QR code in what a terminal shows, as a phone's camera does."""
    drawn = [line for line in printed.splitlines() if line and set(line) <= set(HALVES)]
    width = max(map(len, drawn))
    rows = [[HALVES[one][half] for one in line.ljust(width)] for line in drawn for half in (0, 1)]
    return read_qr_code(np.array(rows, np.uint8) * 255)


def test_a_first_evening(open_page: OpenPage, photo_path: Path, tmp_path: Path) -> None:
    lan = lan_address()
    if lan is None:
        pytest.skip("this machine is in no network")
    reader = RecordedReader(recorded_reading(doubtful=True))
    settings = Settings(host="0.0.0.0", data_dir=str(tmp_path), preload=False)
    with served(create_app(settings, reader), lan) as address:
        assert httpx.get(f"{address}/v1/hands", timeout=30).status_code == 401  # a stranger
        port = urlsplit(address).port
        assert port is not None
        link = scan("\n".join(welcome(settings, "0.0.0.0", port, "http")))
        assert re.fullmatch(rf"{re.escape(address)}/#key=hupai_\S+", link)
        page = open_page(link)
        begin(page)
        page.set_input_files("#camera-file", photo_path)
        expect(page.locator("#hand .tile").first).to_be_visible()
        for _ in range(2):  # both of the pair
            page.locator('#hand .tile[data-code="5p"]').first.tap()
            page.locator('#sheet [data-key="6p"]').tap()
            expect_settled(page)
        reload(page)
        expect(page.locator('#hand .tile[data-code="6p"]')).to_have_count(2)
        page.locator('.question[data-question="tile"] [data-option="1m"]').tap()
        tell(page, "Anna", "from-own")
        won = {"self_drawn": True, "seat_wind": Tile.EAST, "round_wind": Tile.EAST}
        points = total(NOTATION.replace("55p", "66p"), **won)
        expect_total(page, points)
        page.locator("#add-to-table").tap()
        page.locator("#open-table").tap()
        expect_sums(page, [24 + 3 * points, *[-8 - points] * 3])
