"""Rows cut into segments, and what lies over them."""

from __future__ import annotations

from hupai.vision.geometry.table_tiles import ground_of
from hupai.vision.layout.rows import row_frame
from hupai.vision.layout.segments import cut_rows, segment_graph
from tests.vision.pictures import detections, table

ADDED = "1m2m3m4p5p6p7s7s _ SS-S/S.-C/CCC"
"""Two added kongs whose fourth tiles lie beside each other."""


def test_added_tiles_beside_each_other_are_segments_of_their_own() -> None:
    frame = row_frame(ground_of(detections(table(ADDED))), 0.0)
    graph = segment_graph(frame, cut_rows(frame))
    assert len(graph.added) == 2
    for k, base in graph.added.items():
        (top,) = graph.segments[k]
        assert frame.ground.faces[top] in frame.ground.faces[[*graph.segments[base]]]


def test_an_added_tile_without_the_tile_below_it_is_like_any_other() -> None:
    frame = row_frame(ground_of(detections(table(ADDED))), 0.0)
    whole = segment_graph(frame, cut_rows(frame))
    bases = set(whole.added.values())
    rest = [s for k, s in enumerate(whole.segments) if k not in bases]
    assert len(rest) < len(whole.segments)
    assert segment_graph(frame, rest).added == {}


def test_tiles_do_not_lie_over_each_other_in_turn() -> None:
    """In stacked rows of one face, such as backs taken for white dragons, each tile would be the
    fourth of a kong with the tile below or above it.
    """
    frame = row_frame(ground_of(detections(table("\n".join(["PPP"] * 5)))), 0.0)
    graph = segment_graph(frame, cut_rows(frame))
    assert graph.added.keys().isdisjoint(graph.added.values())
