"""MCR, the Chinese competition rules: 81 fan under three profiles.

The way of a hand: `legality` (what is wrong with it) → `readings` (every split, every set the
winning tile may have completed) → `evaluation` (the fan of each reading, by aspect; `combine` for
those that sets make together; `ledger` for what excludes what) → `answer` (the words) → `rules`
(the score). `fans` holds the fan, `profiles` what the texts say differently, `variants` house
rules, `differences` two profiles side by side, `table` the documentation, `conformance` the case
files.
"""

from __future__ import annotations

from hupai.scoring.mcr.rules import RULES, McrRules

__all__ = ["RULES", "McrRules"]
