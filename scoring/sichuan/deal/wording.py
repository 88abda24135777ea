"""The words of the JSON form of a deal: other spellings of event types, kongs and offences, and the
fields each event may have.
"""

from __future__ import annotations

from hupai.scoring.sichuan.deal.log import KongKind, Offence

KONG_KINDS: dict[str, KongKind] = {
    spelling: kind
    for kind, spellings in {
        KongKind.CONCEALED: "concealed ckong concealed_kong hidden dark an angang 暗杠",
        KongKind.FROM_DISCARD: (
            "from_discard discard exposed direct melded open kong claimed big "
            "dian zhi 引杠 点杠 直杠 明杠"
        ),
        KongKind.ADDED: (
            "added add added_kong akong self supplementary small jia ba rao 绕杠 加杠 巴杠 刮风"
        ),
        KongKind.TIMELY_RAIN: (
            "timely_rain timely rain instant_rain instant immediate_rain immediate delayed late "
            "late_added jishiyu ji_shi_yu unscored worthless 即时雨"
        ),
    }.items()
    for spelling in spellings.split()
}

OFFENCES: dict[str, Offence] = {
    spelling: offence
    for offence, spellings in {
        Offence.FALSE_WIN: "false_win 诈和 诈胡",
        Offence.MISTAKEN_WIN: "mistaken_win wrong_win erroneous_win misdeclared_win 错和",
        Offence.LATE_PIG: (
            "late_pig drawn_pig pig flower_pig draw_pig pig_after_clearing 花猪 "
            "先打后摸 先打后摸花猪"
        ),
        Offence.PIG_WIN: "pig_win win_with_void_suit void_suit_win 未打缺和牌",
        Offence.BARRED: "barred no_win dead_hand wrong_count stop_win 停和 相公",
        Offence.OTHER: "other fine foul penalty 罚分",
    }.items()
    for spelling in spellings.split()
}

PLAIN_FINES = frozenset({"fine", "penalty", "foul", "罚分"})
TIMELY_FLAGS = ("timely_rain", "instant_rain", "immediate_rain", "held_three", "unscored")
HELD_TRIPLET_FIELDS = ("held_triplet", *TIMELY_FLAGS)
NATURAL_PIG_FIELDS = ("natural_pig", "natural_pigs", "天然花猪")
LATE_PIG_FIELDS = (
    "late_pig",
    "late_pigs",
    "drawn_pig",
    "drawn_pigs",
    "pig",
    "pigs",
    "先打后摸花猪",
)
FINE_FIELDS = ("points", "fine", "penalty", "amount")

EVENT_NAMES = {
    "multiple_win": "multi_win",
    "exhausted": "exhaust",
    "exhausted_wall": "exhaust",
    "wall_end": "exhaust",
    "wall_empty": "exhaust",
    "end_of_wall": "exhaust",
    "end": "exhaust",
    "流局": "exhaust",
    "passed_win": "pass",
    "pass_win": "pass",
    "peng": "pung",
    "pong": "pung",
    "碰": "pung",
    "杠": "kong",
    "和": "win",
    "摸": "draw",
    "打": "discard",
    "过和": "pass",
}

_CLAIM = frozenset(
    {
        "from",
        "discarder",
        "robbed_from",
        "kong_discard",
        "robbing_kong",
        "robbed_kong",
        "last_tile",
        "tile",
    }
)

EVENT_FIELDS: dict[str, frozenset[str]] = {
    "kong": frozenset({"kong", "from", "discarder", "tile", "scored", *TIMELY_FLAGS}),
    "pung": frozenset({"from", "discarder", "tile", *HELD_TRIPLET_FIELDS}),
    "win": _CLAIM
    | {"base_points", "points", "value", "hand", "self_drawn", "kong_draw", "fan_sum", "fans"},
    "multi_win": _CLAIM | {"winners"},
    "exhaust": frozenset({"ready", "not_ready", "hands", *NATURAL_PIG_FIELDS, *LATE_PIG_FIELDS}),
    "pass": frozenset({"fan", "passed_fan", "tile", "from"}),
    "draw": frozenset({"tile"}),
    "discard": frozenset({"tile"}),
}
FINE_EVENT_FIELDS = frozenset({*FINE_FIELDS, "reason", "offence", "from", "tile"})
