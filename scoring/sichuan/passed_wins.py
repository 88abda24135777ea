"""顺和 (9.3.5): who passed a win may not win with as many fan or fewer before drawing again."""

from __future__ import annotations

from hupai.scoring.sichuan.rules import CAP


def win_allowed(
    passed_fan: int,
    offered_fan: int,
    *,
    own_draw_since_pass: bool = False,
    self_drawn: bool = False,
    partner_play: bool = False,
) -> bool:
    """Return True if a win may be taken after one was passed.

    Args:
        passed_fan: the sum of fan of the win that was passed; more than three counts as three
            (10.1.1).
        offered_fan: the same of the win now possible.
        own_draw_since_pass: the player has drawn since; nothing is forbidden any more.
        self_drawn: the win is self-drawn, so the player has just drawn.
        partner_play: two against two, where passing binds nobody.
    """
    if partner_play or own_draw_since_pass or self_drawn:
        return True
    return min(offered_fan, CAP) > min(passed_fan, CAP)
