"""The words of riichi players for what other families call otherwise."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "unit_points": ("points", "点"),
    "han": ("han", "翻"),
    "fu": ("fu", "符"),
    "fans": ("Yaku and dora", "役与宝牌"),
    "excluded": ("Not counted, and why ({n})", "未计的役及原因（{n}）"),
    "noFans": ("No yaku counts.", "没有役。"),
    "noMinimum": ("At least one yaku to win; dora do not count", "至少一个役才能和牌，宝牌不算役"),
    "legal": ("Valid win", "和牌有效"),
    "payer_discarder": ("Discarder (ron)", "放铳者（荣和）"),
    "payer_each": ("Each player (tsumo)", "每家（自摸）"),
    "payer_dealer": ("Dealer (tsumo)", "庄家（自摸）"),
    "payer_non_dealer": ("Each other player (tsumo)", "每位闲家（自摸）"),
    "payer_robbed": ("Player whose kong was robbed", "被抢杠者"),
    "payer_deposits": ("Riichi deposits", "立直棒"),
}
"""Terms of the page, the overlay and the terminal, English and Chinese."""

CIRCUMSTANCE_WORDS: dict[str, tuple[str, str, str, str]] = {
    "self_drawn": (
        "Tsumo",
        "The winning tile was drawn; else it is ron.",
        "自摸",
        "和牌张是自己摸到的；否则为荣和。",
    ),
    "seat_wind": (
        "Seat wind",
        "The winner's wind; east is the dealer.",
        "自风",
        "和牌者的自风；东为庄家。",
    ),
    "round_wind": ("Round wind", "The wind of the round.", "场风", "本场的场风。"),
    "last_tile": (
        "Haitei, houtei",
        "Last tile of the wall, or the discard after it.",
        "海底、河底",
        "牌墙最后一张，或其后打出的一张。",
    ),
    "kong_replacement": (
        "Rinshan",
        "Won with the tile drawn after a kong.",
        "岭上开花",
        "用开杠后的岭上牌和牌。",
    ),
    "robbing_kong": (
        "Chankan",
        "The tile was being added to an open pung.",
        "抢杠",
        "和别人加杠的那张牌。",
    ),
    "heavenly_win": (
        "Tenhou",
        "The dealer won with the tiles dealt.",
        "天和",
        "庄家起手即和。",
    ),
    "earthly_win": (
        "Chiihou",
        "Won with the first tile drawn, not by the dealer.",
        "地和",
        "闲家第一张自摸即和。",
    ),
    "human_win": (
        "Renhou",
        "Won on a discard before the first draw, not by the dealer.",
        "人和",
        "闲家在第一巡摸牌前荣和。",
    ),
}
"""What riichi players call a circumstance: label, help in English; label, help in Chinese."""
