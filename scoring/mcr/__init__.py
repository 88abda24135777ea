"""MCR, the Chinese competition rules: 81 fan under three profiles.

A hand passes through `legality` (what is wrong with it), `decompose` (every split, with every set
that the winning tile may have completed), `evaluation` (the fan of each decomposition, by aspect,
with `combination_choice` for those that sets make together and `exclusions` for what excludes
what), `explanation` (the reasons) and `rules` (the score). `fans` holds the fan, `profiles` what
the texts say differently, `house` what a house may change, `profile_differences` two profiles side
by side, `fan_table` the documentation, `conformance` the case files.
"""

from __future__ import annotations

from hupai.scoring.family import Family
from hupai.scoring.mcr.house import HOUSE_SCHEMAS
from hupai.scoring.mcr.rules import MCR, McrRules

__all__ = ["FAMILY", "McrRules"]

FAMILY = Family(
    "mcr", "MCR", MCR, __name__, HOUSE_SCHEMAS, has_sessions=True, compares_profiles=True
)
"""mcr-1998 (the default of all rule sets), mcr-2006 and mcr-handbook."""
