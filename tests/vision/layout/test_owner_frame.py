"""Left and right are the owner's: if the tiles hardly show on which side the owner sits, the source
of a meld is not certain.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from tests.vision.pictures import detections, table
from tests.vision.recorded import parse

ASLANT = """\
scene-607 1280x720 666789m222888s8888p
732.8 189.1 828.0 287.5 0.866 54.4 8p 0.9912
535.9 212.4 633.9 313.1 0.861 48.7 9m 0.9953
388.7 320.4 490.1 425.2 0.860 54.3 2s 0.9909
630.2 143.6 726.3 243.2 0.860 55.6 7m 0.9947
489.5 247.9 586.5 347.9 0.859 49.7 9m 0.9958
440.8 282.7 540.7 385.5 0.857 55.0 2s 0.9916
239.5 432.9 337.8 534.1 0.855 54.5 8s 0.9948
340.7 356.4 439.8 458.7 0.849 53.9 2s 0.9929
679.0 110.0 773.4 208.3 0.842 53.9 6m 0.9915
292.5 395.6 388.4 494.2 0.839 57.4 8s 0.9965
686.2 222.0 782.2 321.6 0.837 50.8 8p 0.9974
584.8 176.9 681.4 277.0 0.836 50.3 8m 0.9961
639.9 258.2 735.9 357.6 0.834 55.0 8p 0.9958
573.7 294.0 680.8 396.3 0.833 139.2 8p 0.9904
187.7 468.4 289.1 573.4 0.824 57.2 8s 0.9964
"""
"""A rendered table seen half from the side: the sideways tile of a kong lies neither clearly before
the others nor behind.
"""


def test_where_the_owner_may_sit_on_either_side_a_claim_is_never_certain() -> None:
    photo = parse(ASLANT.splitlines())
    layout = arrange(photo.detections, photo.size)
    reading = read(layout)
    assert reading.hands[0].probability > 0.95, "nothing else tells"
    (sided,) = (p.tiles for p in reading.problems if p.code == "owner_unclear")
    assert [t.tile.code for t in reading.tiles if t.id in sided] == ["8p"] * 4
    assert not reading.certain
    assert read(replace(layout, owner_log_odds=5.0)).certain


@pytest.mark.parametrize(
    "picture",
    ["2m3m4m5p6p7p8s8sEEE _ -2s3s4s", "2m3m4m5p6p7p8s8sEEE _ P-PP", "2m3m4m5p6p7p8s8sEEE _ PPP"],
)
def test_an_owner_that_makes_no_difference_is_not_reported_as_unclear(picture: str) -> None:
    layout = replace(arrange(detections(table(picture))), owner_log_odds=0.0)
    assert "owner_unclear" not in {p.code for p in read(layout).problems}


@pytest.mark.parametrize(
    "picture",
    ["2m3m4m5p6p7p8s8sEEE _ -PPP", "2m3m4m5p6p7p8s8sEEE _ PPP-P", "2m3m4m5p6p7p8s8sEEE _ PP-P"],
)
def test_left_and_right_depend_on_the_seat(picture: str) -> None:
    layout = arrange(detections(table(picture)))
    assert "owner_unclear" not in {p.code for p in read(layout).problems}
    assert "owner_unclear" in {p.code for p in read(replace(layout, owner_log_odds=0.5)).problems}
