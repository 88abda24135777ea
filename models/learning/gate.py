"""Decides whether fine-tuned weights may be used: they must improve on the user's held-out photos
without a regression elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hupai.datasets.synthetic import held_out_designs
from hupai.models import registry
from hupai.models.evaluation.evaluate import Figures, PhotoOutcome, evaluate_photos, figures_of
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.evaluation.scenes import read_scenes
from hupai.models.learning.parts import Say
from hupai.models.learning.set_crops import PARTS
from hupai.models.learning.settings import Settings
from hupai.vision.pipeline.recogniser import Recogniser

FACES_NOISE = 0.002
"""Tolerated share of a suite's labelled tiles that are read worse, provided no hand is lost."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Figures on one set of photos, with the current weights and with the candidate.

    Attributes:
        name: name of the set.
        own: whether these are held-out photos of the user, on which the candidate must improve.
        before, after: figures with the shipped weights and with the candidate.
        lost: photos whose hand was exact only before.
        won: photos whose hand is exact only now.
        hand_tiles: on photos of the user, how many tiles of the hands were read into the hand,
            before and after; None for other suites. Faces are compared, not boxes: the labelled
            boxes are mostly those of the weights in use, and a detector that draws better ones
            would overlap them less.
    """

    name: str
    own: bool
    before: Figures
    after: Figures
    lost: tuple[str, ...] = ()
    won: tuple[str, ...] = ()
    hand_tiles: tuple[int, int] | None = None

    @property
    def tiles_right(self) -> tuple[int, int]:
        """Tiles read right, before and after."""
        return self.hand_tiles or (self.before.faces_right, self.after.faces_right)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the candidate may be used, and why not."""

    accepted: bool
    reasons: tuple[str, ...]


def measure(
    data: Path,
    split: dict[str, frozenset[str]],
    candidate: Path,
    designs: Path,
    settings: Settings,
    say: Say,
) -> list[Suite]:
    """Read every suite with the shipped weights and with the candidate.

    Args:
        data: the user's set.
        split: its photos by part.
        candidate: folder of the candidate.
        designs: folder of rendered hands in held-out designs; the missing ones are rendered.
        settings: the number of these hands, and further labelled folders to measure.
        say: called with each step.
    """
    held_out_designs.make(designs, settings.designs)
    photos = read_folder(data)
    suites: list[tuple[str, bool, tuple[LabelledPhoto, ...]]] = [
        (part, True, tuple(photo for photo in photos if photo.path.stem in split[part]))
        for part in PARTS[1:]
    ]
    suites += [(folder.name, False, read_folder(folder)) for folder in settings.checks]
    suites.append(("held-out designs", False, read_scenes(designs)[: settings.designs]))
    readers = [Recogniser(registry.load(model)) for model in (registry.DEFAULT, str(candidate))]
    measured = []
    for name, own, chosen in suites:
        if chosen:
            say(f"measuring {name}: {len(chosen)} photos")
            before, after = (tuple(evaluate_photos(reader, chosen)) for reader in readers)
            lost, won = _exact_only(before, after), _exact_only(after, before)
            hand_tiles = (_hand_tiles(before), _hand_tiles(after)) if own else None
            figures = figures_of(before), figures_of(after)
            measured.append(Suite(name, own, *figures, lost, won, hand_tiles))
    return measured


def _hand_tiles(outcomes: Sequence[PhotoOutcome]) -> int:
    return sum((o.read_hand & Counter(o.truth.hand or ())).total() for o in outcomes)


def _exact_only(these: Sequence[PhotoOutcome], others: Sequence[PhotoOutcome]) -> tuple[str, ...]:
    pairs = zip(these, others, strict=True)
    return tuple(a.truth.path.stem for a, b in pairs if a.exact and not b.exact)


def judge(suites: Sequence[Suite]) -> Verdict:
    """Compare a candidate with the weights it came from.

    It improves if, over all held-out photos of the user together, more hands are exact; or as many
    hands and more groupings and melds; or as many of these and more tiles. A suite has a regression
    if fewer hands are exact, fewer groups or melds are right, more certain readings are wrong, or
    more than `FACES_NOISE` of the tiles are read worse.
    """
    reasons = []
    own = [suite for suite in suites if suite.own and suite.before.photos]
    if not own:
        reasons.append("no photo of yours was held out, so nothing shows that it got better")
    elif not _won(own):
        reasons.append(
            "it is not better on your held-out photos: "
            f"{_total(own, 'hands_exact', after=False)} hands exact before, "
            f"{_total(own, 'hands_exact')} after; "
            f"{_grouped(own, after=False)} groupings and melds right before, "
            f"{_grouped(own)} after; "
            f"{_tiles(own, after=False)} tiles right before, {_tiles(own)} after"
        )
    for suite in suites:
        reasons += [f"{suite.name}: {what}" for what in _losses(suite)]
    return Verdict(not reasons, tuple(reasons))


def _won(own: Sequence[Suite]) -> bool:
    before, after = (
        (
            _total(own, "hands_exact", after=now),
            _grouped(own, after=now),
            _tiles(own, after=now),
        )
        for now in (False, True)
    )
    return after > before


def _losses(suite: Suite) -> list[str]:
    before, after = suite.before, suite.after
    found = []
    if after.hands_exact < before.hands_exact:
        found.append(f"{after.hands_exact} hands exact, {before.hands_exact} before")
    if after.groups_exact < before.groups_exact:
        found.append(f"{after.groups_exact} groupings right, {before.groups_exact} before")
    if after.melds_right < before.melds_right:
        found.append(f"{after.melds_right} melds right, {before.melds_right} before")
    if after.certain_wrong > before.certain_wrong:
        found.append(f"{after.certain_wrong} certain and wrong, {before.certain_wrong} before")
    right_before, right_after = suite.tiles_right
    if right_before - right_after > FACES_NOISE * max(before.labelled, 1):
        found.append(f"{right_after} tiles right, {right_before} before")
    return found


def _total(suites: Sequence[Suite], name: str, *, after: bool = True) -> int:
    return sum(int(getattr(suite.after if after else suite.before, name)) for suite in suites)


def _tiles(suites: Sequence[Suite], *, after: bool = True) -> int:
    return sum(suite.tiles_right[after] for suite in suites)


def _grouped(suites: Sequence[Suite], *, after: bool = True) -> int:
    return sum(_total(suites, name, after=after) for name in ("groups_exact", "melds_right"))
