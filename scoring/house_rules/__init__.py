"""House rules: a TOML file that changes points and options of a rule set."""

from hupai.scoring.house_rules.parse import (
    BASES,
    SCHEMAS,
    House,
    HouseRuleError,
    Mistake,
    Schema,
    load_house_rules,
    parse_house_rules,
)

__all__ = [
    "BASES",
    "SCHEMAS",
    "House",
    "HouseRuleError",
    "Mistake",
    "Schema",
    "load_house_rules",
    "parse_house_rules",
]
