"""Scores of many hands at once, for simulations and archives."""

from __future__ import annotations

from collections.abc import Iterable

from hupai.api.facade.arguments import RulesLike, rules_of
from hupai.scoring import rule_sets as registry
from hupai.scoring.batch.hand_arrays import BatchError, HandArrays
from hupai.scoring.batch.result import BatchScores
from hupai.scoring.batch.scorer import batch_scorer
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.mcr.rules import McrRules


def score_many(
    hands: HandArrays | Iterable[tuple[Hand, Circumstances]], rules: RulesLike = "mcr-1998"
) -> BatchScores:
    """Score many won hands at once: the same totals and fan as `score`, without reasons.

    The first call under a rule set takes about a second, to fill the tables.

    Args:
        hands: as arrays, or each with its circumstances.
        rules: an MCR rule set: its id, the path of a house-rule file based on one, or itself.

    Raises:
        BatchError: the rule set is of another family, or a hand cannot be scored: it does not have
            14 tiles, no tile is marked as the winning one, it has five of a kind.
        UnknownRuleSetError, HouseRuleError: the rules cannot be used.
    """
    chosen = rules_of(rules)
    if not isinstance(chosen, McrRules):
        able = ", ".join(rule.id for rule in registry.all_rules() if isinstance(rule, McrRules))
        raise BatchError(
            f"{chosen.id} scores single hands only; many at once are scored under {able} and house "
            "rules based on these"
        )
    arrays = hands if isinstance(hands, HandArrays) else HandArrays.from_hands(hands)
    return batch_scorer(chosen).score(arrays)
