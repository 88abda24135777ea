"""The Chinese of what can be wrong in a house-rule file."""

from __future__ import annotations

from hupai.scoring.cases.phrases import PhraseBook

REFUSALS: dict[str, str] = {
    "did you mean {}?": "是否想写{}？",
    "docs/fans.md and docs/fans-sichuan-kc.md list the names": (
        "名称见 docs/fans.md 与 docs/fans-sichuan-kc.md"
    ),
    "is missing": "缺少",
    "is missing; write {} = {}": "缺少：请写 {} = {}",
    "is not UTF-8 text; save the file as UTF-8": "不是UTF-8文本：请存为UTF-8",
    "is not known; write fans = {}": "没有这一项：请写 fans = {}",
    "is not known; {}": "没有这一项：{}",
    "is no switch; {}": "没有这个开关：{}",
    "is the same fan as {}: keep one of them": "与{}是同一番种：请留其一",
    "is {}, below the minimum of {} to win": "为{}，低于起和的{}",
    "must be a list of fan, got {}": "应为番种列表，现为{}",
    "must be a table; begin it with [{}] on a line of its own": "应为一节：请另起一行写 [{}]",
    "must be a text in quotes, got {}": "应为引号内的文字，现为{}",
    "must be a whole number from {} to {}, got {}": "应为{}至{}的整数，现为{}",
    "must be true or false, got {}": "应为 true 或 false，现为{}",
    "not TOML: {}": "不是TOML：{}",
    "use {}": "请用{}",
    "{} has points in [points] and is switched off: choose one": (
        "{}在 [points] 中有分值，又被取消：请择其一"
    ),
    "{} is no fan; {}": "{}不是番种：{}",
    "{} is no rule set; {}": "{}不是规则：{}",
    "{} is taken by the rule set itself; choose another": "{}已是规则本身的编号：请另取",
    "{} is the same fan as {}: keep one of them": "{}与{}是同一番种：请留其一",
    "{} must be a name of letters, digits, hyphens and single dots": (
        "{}应为字母、数字、连字符与单个点组成的名称"
    ),
    "must not hold control characters": "不能有控制字符",
}
"""Messages of `hupai.scoring.house_rules.Mistake`; ``{}`` stands for what they were filled with."""

IN_CHINESE = PhraseBook(REFUSALS)
