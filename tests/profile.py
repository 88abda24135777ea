"""The profile that the tests run with: ``HUPAI_TEST_PROFILE=nightly`` runs all of them, with more
examples.
"""

from __future__ import annotations

import os

PROFILE = os.environ.get("HUPAI_TEST_PROFILE", "ci")

NIGHTLY = PROFILE == "nightly"
"""Whether there is time for more examples, and for slower tests, than a change should wait for."""
