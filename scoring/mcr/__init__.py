"""MCR, the Chinese competition rules: 81 fan under three profiles."""

from __future__ import annotations

from scoring.mcr.rules import RULES, McrRules

__all__ = ["RULES", "McrRules"]
