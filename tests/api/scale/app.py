"""An app process for the tests: settings from the environment, a reader that answers from a
recorded reading, after HUPAI_TEST_SECONDS.
"""

from __future__ import annotations

import os
import sys

import uvicorn

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.overlay.service import DrawnHand
from tests.api.service import RecordedReader, recorded_reading

if __name__ == "__main__":
    reader = RecordedReader(recorded_reading(), float(os.environ.get("HUPAI_TEST_SECONDS", "0")))
    app = create_app(Settings(preload=False), reader)
    app.state.overlay.detector = DrawnHand
    app.state.overlay.poll_seconds = float(os.environ.get("HUPAI_TEST_POLL", "2"))
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", ws="websockets-sansio")
