"""The Chinese of what the commands say: headings, words in tables, messages.

Sentences of the rules, problems and notes of an answer carry both languages themselves; here are
the texts that only the terminal has. ``{}`` stands for what a message was filled with, and the
words in it may be translated in turn. A test finds every text of the commands that is missing here.
"""

from __future__ import annotations

from functools import cache

from hupai.api.cli.chinese.messages import MESSAGES
from hupai.api.cli.typer_app import LANGUAGE
from hupai.scoring.cases.phrases import PhraseBook
from hupai.scoring.cases.refusals import REFUSALS

WORDS: dict[str, str] = {
    "SHA-256": "SHA-256",
    "about": "说明",
    "answer": "答法",
    "case": "案卷",
    "claimed from": "来自",
    "clause": "条文",
    "deal": "副",
    "dealer": "庄家",
    "decided by": "依据",
    "entries": "条目",
    "event": "项",
    "expires": "到期",
    "faces": "牌面",
    "fan": "番种",
    "files": "文件",
    "fines": "罚分",
    "from": "付方",
    "group": "组合",
    "hand": "手牌",
    "id": "编号",
    "last": "最后更改",
    "least sure": "最没把握",
    "left": "余张",
    "likely": "可能性",
    "made": "建立",
    "name": "名称",
    "net": "净分",
    "or": "或",
    "photos": "照片",
    "place": "名次",
    "player": "选手",
    "points": "分",
    "probability": "概率",
    "rank": "名次",
    "rarely": "少见",
    "reason": "缘由",
    "rules": "规则",
    "scopes": "权限",
    "score": "比赛分",
    "sessions": "各场标准分",
    "since": "建立",
    "standard points": "标准分",
    "state": "状态",
    "team": "队",
    "tile": "牌",
    "tiles": "牌",
    "title": "标题",
    "to": "收方",
    "to decide": "待裁定",
    "total": "总分",
    "version": "版本",
    "where": "位置",
    "why": "缘由",
    "win": "和牌",
    "winner receives": "和牌者得",
    "winning tile": "和牌张",
    "in doubt": "存疑",
    "yes": "能和",
    "not allowed": "不能和",
    "no winning shape": "不成和",
    "no win": "不成和",
    "not known": "未知",
    "(fine)": "（罚分）",
    "concealed": "立牌",
    "chow": "顺子",
    "pung": "刻子",
    "kong": "明杠",
    "concealed_kong": "暗杠",
    "added_kong": "加杠",
    "flowers": "花牌",
    "winning_tile": "和牌张",
    "across": "对家",
    "right": "下家",
    "fined": "扣分较少",
    "shared": "并列",
    "active": "有效",
    "expired": "已到期",
    "revoked": "已撤销",
    "never": "不到期",
    "open": "未结",
    "ruled": "已裁定",
    "closed": "已结",
    "given": "已同意",
    "not given": "未同意",
    "none": "无",
    "in use": "使用中",
    "as read": "所读",
    "bits open": "未定信息量",
    "disagreement": "分歧",
    "novelty": "新颖度",
    "value": "价值",
    "session": "轮次",
    "table": "桌号",
    "referee": "裁判",
    "certain": "确定",
    "day": "日期",
    "hands": "手牌",
    "problem": "问题",
    "share": "占比",
    "source": "来源",
    "unreadable": "无法读取",
}
"""Headings and words that stand alone in a cell."""

IN_COLUMN: dict[tuple[str, str], str] = {
    ("claimed from", "left"): "上家",
    ("decided by", "score"): "比赛分",
    ("decided by", "fines"): "罚次较少",
}
"""Words that mean something else as a heading, by the heading of their column."""


def in_chinese(text: str) -> str:
    """Return a text of a command in Chinese if that is requested, otherwise as it is."""
    return _book().translated(text) if LANGUAGE.get() == "zh" else text


def cell_in_chinese(heading: str, text: str) -> str:
    """Return the contents of a cell in Chinese if that is requested; names stay as they are."""
    if LANGUAGE.get() != "zh" or heading in _NAMES:
        return text
    return IN_COLUMN.get((heading, text)) or _book().translated(text)


_NAMES = frozenset({"player", "name", "id", "title", "case", "hand", "from", "team", "dealer"})
"""Columns that hold names given by people."""


@cache
def _book() -> PhraseBook:
    return PhraseBook({**MESSAGES, **REFUSALS}, WORDS)
