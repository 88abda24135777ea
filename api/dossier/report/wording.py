"""The words of a report in English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hupai.api.dossier.report.zones import shown_time

Language = Literal["both", "en", "zh"]

WORDS: dict[str, tuple[str, str]] = {
    "title": ("Referee's dossier", "裁判案卷"),
    "case": ("Case", "案卷号"),
    "rules": ("Rules", "规则"),
    "opened": ("Opened", "立案"),
    "state": ("State", "状态"),
    "state_open": ("open", "待裁"),
    "state_ruled": ("ruled", "已裁"),
    "state_closed": ("closed", "已结"),
    "by": ("by", "经手"),
    "photos": ("Photo and what was read", "照片与识别"),
    "taken": ("taken", "拍摄"),
    "no_time": ("no EXIF time", "无拍摄时间"),
    "model": ("model", "模型"),
    "certain": ("The program was sure of this reading.", "识别结果确定。"),
    "not_certain": ("The program was not sure of this reading.", "识别结果有疑。"),
    "disagree": (
        "The photos were read as different hands: compare them.",
        "各照片识别出的手牌不同，请核对。",
    ),
    "doubts": ("Tiles to look at", "需核对的牌"),
    "tile": ("tile", "牌"),
    "sure": ("sure", "把握"),
    "maybe": ("or", "也可能"),
    "why_doubt": ("remark", "说明"),
    "inferred": ("inferred from the rest of the hand, not seen", "由其余牌推断，未见牌面"),
    "unsure": ("read, but not surely", "识别把握不足"),
    "hand": ("The hand", "手牌"),
    "hand_as_read": ("As it was read, before corrections", "更正前识别结果"),
    "no_hand": ("No legal hand was read.", "未识别出有效手牌。"),
    "corrected_tiles": ("Blue outline: tile changed by a correction.", "蓝框：经更正的牌。"),
    "inferred_tiles": ("Violet outline: face inferred, not seen.", "紫框：推断的牌面。"),
    "concealed": ("concealed", "手牌"),
    "winning_tile": ("winning tile", "和牌张"),
    "flowers": ("flowers", "花牌"),
    "chow": ("chow", "吃"),
    "pung": ("pung", "碰"),
    "kong": ("kong", "明杠"),
    "concealed_kong": ("concealed kong", "暗杠"),
    "added_kong": ("added kong", "加杠"),
    "from_left": ("from the left", "上家"),
    "from_across": ("from across", "对家"),
    "from_right": ("from the right", "下家"),
    "won_how": ("How it was won", "和牌条件"),
    "nothing_special": ("on a discard, nothing special", "点和，无特殊条件"),
    "claims": ("Claimed and computed", "申报与计算"),
    "who": ("who", "来源"),
    "total": ("total", "得分"),
    "remarks": ("fan and remarks", "番种与说明"),
    "claimed_by": ("claimed by", "申报："),
    "objected_by": ("objection by", "异议："),
    "computed": ("computed from the photo", "照片计算"),
    "standing": ("computed, with accepted corrections", "更正后计算"),
    "ruled": ("ruled", "裁定"),
    "legal": ("valid win", "和牌有效"),
    "not_legal": ("no valid win", "和牌无效"),
    "no_score": ("not scored: which tile won is not known", "未计分：不知和哪张"),
    "fan_list": ("What counts", "计番"),
    "fan": ("fan", "番种"),
    "points": ("points", "分值"),
    "clause": ("clause", "条文"),
    "reason": ("why", "理由"),
    "none": ("none", "无"),
    "excluded": ("What was left out, and why", "未计番种及原因"),
    "payments": ("Payments", "付分"),
    "receives": ("the winner receives", "和牌者共得"),
    "problems": ("What stands in the way", "问题"),
    "other_rules": ("Under other rules", "按其他规则"),
    "verdict_win": ("wins", "和牌"),
    "verdict_not_allowed": ("not allowed", "不能和"),
    "verdict_no_win": ("no winning shape", "未成和"),
    "corrections": ("Corrections", "更正"),
    "number": ("no.", "序号"),
    "proposed_by": ("proposed by", "提出："),
    "before": ("before", "更正前"),
    "after": ("after", "更正后"),
    "red_fives": ("red fives", "赤牌"),
    "accepted": ("accepted", "采纳"),
    "rejected": ("rejected", "驳回"),
    "open_still": ("not decided", "未决"),
    "ruling": ("Ruling", "裁定"),
    "no_ruling": ("No ruling yet.", "尚未裁定。"),
    "outcome_win": ("The win stands.", "和牌有效。"),
    "outcome_false_win": ("False win.", "诈和（错和）。"),
    "outcome_void": ("Undecided: the hand is void.", "本盘作废。"),
    "fine": ("Fine", "处罚"),
    "fine_points": ("points off", "罚分"),
    "pays": ("pays", "付给"),
    "notes": ("Remarks", "备注"),
    "evidence": ("Evidence", "凭据"),
    "evidence_text": (
        "Every entry of the case is signed and carries the hash of the one before. "
        "Check the exported file without a network:",
        "案卷每条记录均经签名并含前一条的哈希。导出文件可离线核验：",
    ),
    "signed_by": (
        "The installation's key signs what was done on its page, in the name that each entry "
        "states. A person's own key signs only where it is listed here as such.",
        "网页上的操作由本机构的密钥以各条所载姓名签名；个人密钥仅在此处列明时由本人签名。",
    ),
    "head": ("hash of the last entry", "末条哈希"),
    "entries": ("entries", "条数"),
    "key": ("fingerprint of the signing key", "签名密钥指纹"),
    "personal_key": ("key of", "个人密钥："),
    "since_entry": ("from entry", "起始条"),
    "key_lost": ("in place of a lost key", "原密钥已遗失"),
    "not_checked": (
        "Printed from a file. Who signed it was NOT checked.",
        "本件由导出文件印出，未核对签署人。",
    ),
    "photo_hash": ("photo", "照片"),
    "model_hash": ("model weights", "模型权重"),
    "rules_hash": ("rules' code", "规则代码"),
    "signatures": ("Signatures", "签名"),
    "signed_winner": ("Winner", "和牌者"),
    "signed_discarder": ("Discarder", "点炮者"),
    "signed_opponent": ("Opponent", "对方选手"),
    "signed_referee": ("Referee", "裁判"),
    "printed_name": ("name", "姓名"),
    "tournament": ("Tournament", "赛事"),
    "session": ("Session", "轮次"),
    "table": ("Table", "桌号"),
    "round": ("Round", "圈"),
    "hand_number": ("Hand", "盘"),
    "players": ("Players", "选手"),
    "player_number": ("no.", "编号"),
    "zone": ("Times in", "时区"),
    "seat_E": ("East", "东"),
    "seat_S": ("South", "南"),
    "seat_W": ("West", "西"),
    "seat_N": ("North", "北"),
    "sum": ("Sum", "合计"),
    "of_minimum": ("minimum", "起和"),
    "counts_only": ("counts", "计"),
    "date": ("date, time", "日期时间"),
    "principle_non_repeat": ("non-repeat", "不重复"),
    "principle_non_separation": ("non-separation", "不拆移"),
    "principle_non_identical": ("non-identical", "不得相同"),
    "principle_high_not_low": ("high, not low", "就高不就低"),
    "principle_combine_once": ("combine once", "套算一次"),
    "principle_excluded": ("excluded by clause", "条文不计"),
    "principle_ruling": ("by ruling", "裁定"),
    "principle_house": ("house rule", "本场规则"),
    "principle_condition": ("condition not met", "条件不符"),
    "payer_discarder": ("discarder", "点炮者"),
    "payer_each": ("each player", "每家"),
    "payer_others": ("each other player", "其他各家"),
    "payer_other": ("each other player", "其他各家"),
    "payer_dealer": ("dealer", "庄家"),
    "payer_robbed": ("player robbed", "被抢杠者"),
    "payer_non_dealer": ("each non-dealer", "每位闲家"),
    "payer_deposits": ("riichi deposits", "立直棒"),
    "unit_fan": ("fan", "番"),
    "unit_points": ("points", "分"),
    "unit_times": ("times", "倍"),
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words in one language, or in both, Chinese first.

    Attributes:
        language: the language.
        zone: time zone of times: an IANA name or an offset; empty for UTC.
    """

    language: Language = "both"
    zone: str = ""

    def __call__(self, key: str) -> str:
        """Return the words for a key in the chosen language."""
        return self.pick(*WORDS[key])

    def time(self, moment: str) -> str:
        """Return a time of the log in the zone of the report."""
        return shown_time(moment, self.zone)

    def pick(self, en: str, zh: str, between: str = "  ") -> str:
        """Return the English words, the Chinese ones, or both, as the language requires."""
        if self.language == "both" and en and zh and en != zh:
            return f"{zh}{between}{en}"
        return (
            zh or en if self.language == "zh" else en or zh if self.language == "en" else zh or en
        )

    def lines(self, en: str, zh: str) -> tuple[str, ...]:
        """Return the English sentence, the Chinese one, or both, one per line."""
        wanted = (
            (zh, en)
            if self.language == "both"
            else (zh or en,)
            if self.language == "zh"
            else (en or zh,)
        )
        return tuple(dict.fromkeys(line for line in wanted if line))
