"""The delays that the benchmark of the overlay reports."""

from __future__ import annotations

from benchmarks.overlay import spread


def test_delays_are_summarised() -> None:
    found = spread([0.4, 0.5, 1.2])
    assert found == {"reveals": 3, "median": 0.5, "p95": 1.2, "most": 1.2, "within_a_second": 2}


def test_a_run_in_which_nothing_was_shown_has_figures_too() -> None:
    found = spread([])
    assert found["reveals"] == found["within_a_second"] == 0
    assert found["median"] is found["p95"] is found["most"] is None
