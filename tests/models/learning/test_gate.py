"""The gate: what wins, what loses, and what cannot be judged."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from hupai.models.evaluation.evaluate import Figures
from hupai.models.learning.gate import Suite, judge

ZERO = Figures(**{field.name: 0 for field in fields(Figures)})
PLAIN = replace(
    ZERO, photos=10, labelled=140, found=138, faces_right=130, hands=10, hands_exact=6,
    melds=12, melds_right=9, grouped=5, groups_exact=4, certain=2,
)  # fmt: skip


def suites(own: Figures, other: Figures) -> list[Suite]:
    """The user's photos and the held-out designs, each plain before."""
    return [
        Suite("held-out-photos", True, PLAIN, own),
        Suite("held-out designs", False, PLAIN, other),
    ]


BETTER = replace(PLAIN, hands_exact=8, faces_right=135)


def test_an_improvement_without_regression_is_accepted() -> None:
    assert judge(suites(BETTER, PLAIN)).accepted
    assert judge(suites(replace(PLAIN, faces_right=131), PLAIN)).accepted, (
        "as many hands, more tiles"
    )
    grouped = replace(PLAIN, groups_exact=5, faces_right=130)
    assert judge(suites(grouped, PLAIN)).accepted, "as many hands, more groupings"


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        (PLAIN, BETTER, "not better on your held-out photos"),
        (replace(BETTER, hands_exact=6, faces_right=130), PLAIN, "not better"),
        (BETTER, replace(PLAIN, hands_exact=5), "5 hands exact, 6 before"),
        (BETTER, replace(PLAIN, groups_exact=3), "3 groupings right, 4 before"),
        (BETTER, replace(PLAIN, melds_right=8), "8 melds right, 9 before"),
        (BETTER, replace(PLAIN, certain=3, certain_wrong=1), "1 certain and wrong, 0 before"),
        (BETTER, replace(PLAIN, faces_right=129), "129 tiles right, 130 before"),
        (replace(BETTER, certain_wrong=1), PLAIN, "1 certain and wrong, 0 before"),
    ],
)
def test_a_regression_on_any_suite_is_refused(own: Figures, other: Figures, said: str) -> None:
    verdict = judge(suites(own, other))
    assert not verdict.accepted
    assert any(said in reason for reason in verdict.reasons), verdict.reasons


def test_an_improvement_on_one_suite_does_not_hide_a_loss_on_another() -> None:
    parts = [
        Suite("held-out-photos", True, PLAIN, replace(PLAIN, hands_exact=9)),
        Suite("held-out-table", True, PLAIN, replace(PLAIN, hands_exact=5)),
    ]
    assert judge(parts).reasons == ("held-out-table: 5 hands exact, 6 before",)


def test_without_held_out_photos_nothing_is_shown() -> None:
    verdict = judge([Suite("held-out designs", False, PLAIN, BETTER)])
    assert not verdict.accepted
    assert "no photo of yours was held out" in verdict.reasons[0]
