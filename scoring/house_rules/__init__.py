"""House rules: a TOML file that changes points and options of a rule set."""

from hupai.scoring.house_rules.parse import (
    HouseRuleError,
    Mistake,
    load_house_rules,
    parse_house_rules,
)

__all__ = ["HouseRuleError", "Mistake", "load_house_rules", "parse_house_rules"]
