"""Determines whether the winning tile is the only one that completes the hand."""

from __future__ import annotations

import numpy as np

from hupai.scoring.batch.cases import Bool, Cases
from hupai.scoring.batch.hand_arrays import HandArrays
from hupai.scoring.batch.splits import PAIRED, POWERS, SETS, honour_table, suit_table
from hupai.scoring.decomposition.packed import completing, pack


def waits_alone(cases: Cases, hands: HandArrays) -> Bool:
    """Return which hands no other tile would have completed: (hands,).

    For hands of four sets and a pair and for seven pairs; neither can also wait for an orphan or a
    knitted tile, of which they have too few.
    """
    rows = np.arange(len(cases.kind))
    before = cases.cases.copy()
    before[rows, cases.group] -= POWERS[cases.rank]
    tables = (suit_table(), suit_table(), suit_table(), honour_table())
    forms = [table.form[before[:, group]] for group, table in enumerate(tables)]
    short = np.sum([form != SETS for form in forms], axis=0)
    paired = np.sum([form == PAIRED for form in forms], axis=0)
    others = np.zeros(len(rows), np.int64)
    for group, table in enumerate(tables):
        form, case = forms[group], before[:, group]
        lacks_pair = (form != SETS) & (short == 1)
        lacks_set = (form != SETS) & (short == 2) & (paired - (form == PAIRED) == 1)
        waits = np.where(lacks_pair, table.waits_for_pair[case], 0)
        waits = np.where(lacks_set, table.waits_for_sets[case], waits)
        won = np.where(cases.group == group, 1 << cases.rank, 0)
        others += np.bitwise_count(waits & ~won)
    odd = hands.concealed & 1
    for_pairs = (odd.sum(axis=1) == 1) & (cases.melds == 0)
    others += for_pairs & (odd.argmax(axis=1) != cases.kind)
    return np.equal(others, 0)


def knitted_waits_alone(hands: HandArrays, index: int) -> bool:
    """Return the same of one hand with a knitted straight."""
    hand, _ = hands.hand(index)
    waits = completing(pack(hand.concealed), len(hand.melds))
    return not waits & (waits - 1)
