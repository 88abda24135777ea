"""Messages of the commands with their Chinese; ``{}`` stands for what they were filled with."""

from __future__ import annotations

from hupai.api.cli.chinese.service_messages import SERVICE_MESSAGES

MESSAGES: dict[str, str] = {
    **SERVICE_MESSAGES,
    # what several commands say
    "cannot read {}: {}": "无法读取{}：{}",
    "cannot write {}: {}": "无法写入{}：{}",
    "wrote {}": "已写入{}",
    "{}: not UTF-8 text, see byte {}": "{}：不是UTF-8文本，见第{}字节",
    "No such file or directory": "没有这个文件或文件夹",
    "{}: No such file or directory": "{}：没有这个文件或文件夹",
    "{}: Is a directory": "{}：这是文件夹",
    "Permission denied": "没有权限",
    "Is a directory": "这是文件夹",
    "Not a directory": "不是文件夹",
    # hands and photos
    "--at names a place on one photo: give one photo.": "--at 指一张照片上的位置：请只给一张照片。",
    "--seen: {}": "--seen：{}",
    "--win {}: {}": "--win {}：{}",
    "the hand {} has no {} among its concealed tiles": "手牌 {} 的立牌中没有 {}",
    "the hand {} has no {} among its concealed tiles; it says that +{} won": (
        "手牌 {} 的立牌中没有 {}；其中写明和的是 +{}"
    ),
    "Several photos: give --merge if they show one hand, else score them one by one.": (
        "有多张照片：若是同一手牌请加 --merge，否则请逐张计分。"
    ),
    "The model {} cannot be opened: {}": "模型{}无法打开：{}",
    "{} photos: {} with a hand, {} of them certain{}": "{}张照片：{}张读出手牌，其中{}张确定{}",
    ", {} could not be read": "，{}张无法读取",
    "Beside the hand: {}. If one is the dora indicator: --dora {}": (
        "手牌旁有：{}。其中若有宝牌指示牌：--dora {}"
    ),
    "A rare total depends on what was not stated: {}.": "少见的总分取决于未说明的情况：{}。",
    "In parentheses: complete, but not allowed to win.": "括号内：牌型已成，但不能和。",
    "Any of the tiles may have completed the hand: the score is the same.": (
        "和的是哪一张都一样，得分相同。"
    ),
    "Name it with --win, e.g. --win {}": "请用 --win 指明，例如 --win {}",
    "{} ms, model {} {}": "{}毫秒，模型{} {}",
    "{}: no tile completes this hand under {}.": "{}：按{}没有能和的牌。",
    "{}, {}: {} tiles left": "{}，{}：余{}张",
    "another hand, {} tiles: --at {},{}": "另一手牌，{}张：--at {},{}",
    "{} tiles, {} of them in the hand": "{}张牌，其中{}张属于手牌",
    "Likeliest hands": "最可能的手牌",
    "Likeliest hands, certain": "最可能的手牌，确定",
    "{}, or {}": "{}，或{}",
    "{} (not allowed)": "{}（不能和）",
    "{} passed, {} failed": "通过{}，不符{}",
    "{}: no cases; write one JSON object a line": "{}：没有用例；请每行写一个 JSON 对象",
    "{} [{}] passed": "{} [{}] 通过",
    "{} [{}] (disputed by {}; see docs/rulings.md)": "{} [{}]（{}不同，见 docs/rulings.md）",
    "line {} [{}]": "第{}行 [{}]",
    "  differs   {}": "  不符  {}",
    "  expected  {}": "  应为  {}",
    "  got       {}": "  得到  {}",
    "total {}": "合计{}",
    "{}: expected {}, got {}": "{}：应为{}，得到{}",
    "{}: the engine has no such figure (it has {})": "{}：没有这一项（有{}）",
    "not a JSON object": "不是JSON对象",
    # cases of a tournament
    "{} cases: {} open, {} ruled, {} closed; {} wait, {} entries undecided": (
        "{}个案卷：{}个未结，{}个已裁定，{}个已结；{}个待裁，{}条未决"
    ),
    "{} rulings: {} wins, {} false wins, {} void; {} fines, {} points": (
        "{}项裁定：和牌有效{}，诈和{}，作废{}；处罚{}项，共{}分"
    ),
    "corrections: {} accepted, {} rejected": "更正：采纳{}，驳回{}",
    "claims as ruled: {} of {}; computed as ruled: {} of {}; read with certainty: {} of {}": (
        "申报与裁定相同：{}/{}；计算与裁定相同：{}/{}；识别确定：{}/{}"
    ),
    "from opening to the first ruling: {} (median)": "立案至首次裁定：{}（中位数）",
    "{} minutes": "{}分钟",
    "by {}: {}": "按{}：{}",
    " ({} wait)": "（{}待裁）",
    "{}: wins": "{}：能和",
    "{}: no win": "{}：不能和",
    "    1 tile from being ready": "    差1张听牌",
    "    {} tiles from being ready": "    差{}张听牌",
    "    it was ready": "    已听牌",
    "  * {}: {} ({})": "  * {}：{}（{}）",
    "    {}: {} ({})": "    {}：{}（{}）",
    "{} points": "{}分",
    "the referee sets the points": "由裁判判定",
    "*: fits what was missing: hupai dossier rule CASE false_win --fine RULES/OFFENCE": (
        "*：与所缺相符：hupai dossier rule CASE false_win --fine 规则/犯规"
    ),
    # documents of riichi, and figures in their formulas
    "EMA 2016, {}": "欧洲规则（EMA，2016年）{}",
    "WRC 2015, {}": "世界锦标赛规则（WRC，2015年）{}",
    "JPML, competition rules, 組み合わせによる和了点": "日本职业麻将联盟竞技规则，役种组合表",
    "JPML, competition rules": "日本职业麻将联盟竞技规则",
    "Tenhou and Mahjong Soul, list of yaku": "天凤、雀魂，役种表",
    "Tenhou and Mahjong Soul, points": "天凤、雀魂，点数",
    "4.2 Yaku overview": "4.2 役种",
    "4.1.2 Exact calculation of the hand value": "4.1.2 点数计算",
    "6.5 Yaku list": "6.5 役种",
    "6.1 Scoring a winning hand": "6.1 和牌计点",
    "{} dora": "{} 宝牌",
    # deals and sessions
    "--csv and --html show one session": "--csv 与 --html 只用于一场",
    "--json and --csv: choose one": "--json 与 --csv 请选其一",
    "Next dealer: {}": "下一副庄家：{}",
    # dossiers
    "--fine {}: write RULES/OFFENCE, e.g. sichuan-2024/false_win": (
        "--fine {}：请写 规则/犯规，例如 sichuan-2024/false_win"
    ),
    "--player {}: write SEAT=NAME, e.g. E=Anna": "--player {}：请写 座位=姓名，例如 E=Anna",
    "give the hand, or the winning tile with --win": "请给出手牌，或用 --win 指明和牌张",
    "{} cases have {} in their id: hupai dossier list shows them": (
        "{}个案卷的编号含{}：hupai dossier list 可列出"
    ),
    "the file is not valid: {}": "文件经不起核对：{}",
    "{} is not a hash: give {} to 64 hexadecimal digits": "{}不是哈希值：请给{}至64位十六进制数",
    "It was scored by another version of the rules' code. That does not matter here: every score "
    "was computed again with this version and is the same.": (
        "此案由另一版本的规则程序计分。这里无妨：每个分数都已用本版本重算，结果相同。"
    ),
    "signed by {}: compare it with the installation's (hupai dossier key), or give it with --key": (
        "签名者为{}：请与本机的密钥（hupai dossier key）核对，或用 --key 给出"
    ),
    "no legal hand was read: propose one with hupai dossier correct": (
        "未读出合规手牌：请用 hupai dossier correct 提出"
    ),
    "which tile won is not known: hupai dossier correct --win TILE": (
        "和的是哪一张未知：hupai dossier correct --win 牌"
    ),
    "{} was not read with certainty: compare its tiles with the hand": (
        "{}的识别不完全确定：请对照牌面核对手牌"
    ),
    # tile sets
    "--order was given {} times for {} photos": "给了{}次 --order，照片却有{}张",
    "HUPAI_DATA_DIR keeps nothing: name a folder in it": "HUPAI_DATA_DIR 不保存数据：请指定文件夹",
    "cannot write {}: take a name that ends in .png or .jpg, in a folder that exists": (
        "无法写入{}：文件名须以 .png 或 .jpg 结尾，文件夹须存在"
    ),
    "not learnt: {}": "未学会：{}",
    "there is a tile set called {} already: take another name, or --replace": (
        "已有名为{}的牌组：请换名称，或加 --replace"
    ),
    "{} is not an answer: write PHOTO:TILE=CODE, e.g. 1:17=6s": (
        "{}不是答法：请写 照片:牌=代码，例如 1:17=6s"
    ),
    "{} names no tiles: write runs as 123456789m, honours as ESWNCFP, flowers as 12345678h": (
        "{}不是牌：序数牌写作123456789m，字牌写作ESWNCFP，花牌写作12345678h"
    ),
    "Give the right code for each. Where it is not a tile of the set, such as a reflection, answer "
    "with a hyphen: --is {}:{}=-": (
        "请逐一给出正确代码。若不是这副牌的牌（如反光），请答连字符：--is {}:{}=-"
    ),
    "If tile {} of {} is not a tile of the set: {}": "若{1}的第{0}张不是这副牌的牌：{2}",
    "removed {}": "已删除{}",
    "there are no tile sets yet: hupai tile-sets add NAME PHOTO...": (
        "还没有牌组：hupai tile-sets add 名称 照片…"
    ),
    "{} of {} tiles were read right before": "{1}张牌中，此前已读对{0}张",
    "{} faces from {} tiles on {} photos": "{2}张照片上{1}张牌，共{0}种牌面",
    "{}: {} faces from {} tiles on {} photos": "{0}：{3}张照片上{2}张牌，共{1}种牌面",
    "{}: {}; {} tiles on {} photos, {}": "{}：{}；{}张牌、{}张照片，{}",
    "{} at {}, {}": "{}，位于{}, {}",
    # service, keys, storage
    "Cannot listen on {} port {}: {}. Choose another with --port or --host, or with "
    "`HUPAI_PORT={} make run`.": (
        "无法监听{}端口{}：{}。请用 --port 或 --host 另选，或运行 `HUPAI_PORT={} make run`。"
    ),
    "HUPAI_DATA_DIR is {}, which keeps nothing: a key made here would be gone at once.": (
        "HUPAI_DATA_DIR 为{}，不保存数据：在此建立的密钥会立即消失。"
    ),
    "HUPAI_DATA_DIR is {}, which keeps nothing: name a folder.": (
        "HUPAI_DATA_DIR 为{}，不保存数据：请指定文件夹。"
    ),
    "HUPAI_DATA_DIR is {}: name a folder where the certificate is kept.": (
        "HUPAI_DATA_DIR 为{}：请指定存放证书的文件夹。"
    ),
    "The certificate cannot be written: {}.": "无法写入证书：{}。",
    "The database cannot be used: {}. `hupai doctor` says more.": (
        "数据库无法使用：{}。`hupai doctor` 有详情。"
    ),
    "Keep it now: it is not shown again. Send it as header  Authorization: Bearer KEY": (
        "请立即保存：不会再次显示。请求时附上标头  Authorization: Bearer 密钥"
    ),
    "Stop with Ctrl+C.": "按 Ctrl+C 停止。",
    "{} hands would be deleted.": "将删除{}手牌。",
    "{} hands were deleted.": "已删除{}手牌。",
    "{} sessions would be deleted.": "将删除{}个对局。",
    "{} sessions were deleted.": "已删除{}个对局。",
    "{} photos, {} intact.": "{}张照片，{}张完好。",
    "{} photos and {} are in {}.": "{}张照片和{}已保存在{}。",
    "{} photos and the rows of {} are restored.": "{}张照片和{}的数据已恢复。",
    "photo {} is gone from the store": "照片{}已不在存储中",
    "{} stay because something refers to them: {}": "{}手牌仍被引用，予以保留：{}",
    "{}: deleted": "{}：已删除",
    "{}: not deleted, a case or other kept data refers to it": (
        "{}：未删除，仍被案卷或其他保留的内容引用"
    ),
    "{}: there is no such hand": "{}：没有这手牌",
    "--https does not go with --ray: put a proxy in front.": (
        "--https 不能与 --ray 并用：请在前面放代理。"
    ),
    # backups
    "{} is not a complete backup: it has no {}": "{}不是完整的备份：缺少{}",
    "{} cannot be read: {}": "无法读取{}：{}",
    "{} is not a backup: its {} is damaged": "{}不是备份：其中的{}已损坏",
    "the backup is {}: HUPAI_DATABASE_URL is another kind": (
        "备份为{}，与 HUPAI_DATABASE_URL 的数据库种类不同"
    ),
    "{} and the data folder {} lie in each other: name another folder": (
        "{}与数据文件夹{}互相包含：请指定其他文件夹"
    ),
    "the database does not answer: {}": "数据库没有响应：{}",
    "the database is not empty: restore to a new one": "数据库不是空的：请恢复到新的数据库",
    "{} is missing: install PostgreSQL's client programs": "缺少{}：请安装 PostgreSQL 客户端程序",
    # doctor
    "ok": "正常",
    "look": "留意",
    "FAILED": "不行",
    "set HUPAI_MODEL to {}": "请把 HUPAI_MODEL 设为{}",
    "there are none called {}": "没有名为{}的",
    "cannot be opened: {}": "无法打开：{}",
    "missing": "缺失",
    "SHA-256 {}…, not {}…": "SHA-256 为{}…，应为{}…",
    "install hupai again": "请重新安装 hupai",
    "install hupai again: the file is not the one that was released": (
        "请重新安装 hupai：文件与发布的不同"
    ),
    "take other weights: hupai models use shipped": "请换用其他权重：hupai models use shipped",
    "see the lines above": "见上面各行",
    "temporary: hands are forgotten when the service ends": "临时：服务结束即遗忘手牌",
    "set HUPAI_DATA_DIR to a folder": "请把 HUPAI_DATA_DIR 设为文件夹",
    "is the server up, and are address, user and password right?": (
        "服务器是否运行，地址、用户、密码是否正确？"
    ),
    "who owns the file?": "文件属于谁？",
    "who owns the folder?": "文件夹属于谁？",
    "revision {}": "修订{}",
    "revision {}, newest is {}": "修订{}，最新为{}",
    "the next start of the service migrates it": "下次启动服务时迁移",
    "revision {} is of a newer version": "修订{}属于更新的版本",
    "install the newer hupai, or restore a backup": "请安装更新的 hupai，或恢复备份",
    "the database takes changes": "数据库可写",
    "set HUPAI_PHOTOS_URL or HUPAI_DATA_DIR to a place that can be written": (
        "请把 HUPAI_PHOTOS_URL 或 HUPAI_DATA_DIR 设为可写之处"
    ),
    "not there yet; the first start makes the folder": "尚无；首次启动时建立文件夹",
    "not there yet; the first start makes {}": "尚无；首次启动时建立{}",
    "written, read and deleted": "写入、读取、删除均正常",
    "{} GB free at {}": "{1}余{0} GB",
    "free some space, or delete old hands with `hupai storage prune`": (
        "请腾出空间，或用 `hupai storage prune` 删除旧手牌"
    ),
    "weights {}": "权重{}",
    "model": "模型",
    "database": "数据库",
    "photos store": "照片库",
    "room": "空间",
    "fonts": "字体",
    "keys": "密钥",
    "schema": "结构",
    "writing": "写入",
    "SHA-256 {}, {} MB": "SHA-256 {}，{} MB",
    "{} {}, opened in {} s": "{} {}，{}秒打开",
    "what was written came back altered": "写入的内容读回时已变",
    "{} for reports and overlays; other pages use the fonts of the browser": (
        "报告与叠加画面用{}；其他页面用浏览器的字体"
    ),
    "the font of the reports is missing": "缺少报告所用的字体",
    "{} active": "{}个有效",
    "asked for, and there is none": "要求密钥，却没有密钥",
    "not asked for: {} may do everything": "不要求：{}可做任何事",
    "whoever reaches {}": "能访问{}者",
    "whoever reaches the proxy": "能访问代理者",
    "do not set HUPAI_REQUIRE_KEYS=false, or make keys and set it to true": (
        "请勿设 HUPAI_REQUIRE_KEYS=false，或添加密钥并设为 true"
    ),
    "{} is answered without encryption": "{}的答复未加密",
    "put a reverse proxy with HTTPS in front, see docs/deployment.md: a phone gives a page its "
    "camera only there": (
        "请在前面放 HTTPS 反向代理，见 docs/deployment.md：手机只对 HTTPS 页面开放相机"
    ),
    "not asked for; only this machine reaches {}": "不要求；只有本机能访问{}",
    # overlay
    "Drawing the video, once …": "正在绘制视频（仅一次）…",
    "The demonstration cannot start: {}. Try another --port, or another HUPAI_DATA_DIR.": (
        "演示无法开始：{}。请另选 --port 或 HUPAI_DATA_DIR。"
    ),
    "There is a table {} already; `hupai overlay remove {}` deletes it.": (
        "已有牌桌{}；`hupai overlay remove {}` 可删除。"
    ),
    "There is no table {}; `hupai overlay list` lists the tables.": (
        "没有牌桌{}；`hupai overlay list` 列出现有牌桌。"
    ),
    "overlay   /overlay/{}\noperator  /overlay/{}/operator": (
        "叠加画面  /overlay/{}\n操作页面  /overlay/{}/operator"
    ),
    # models and datasets
    "Labels known to be wrong were corrected (datasets/real/patches):": (
        "已更正已知有误的标注（datasets/real/patches）："
    ),
    "no photo failed: {} was not written": "没有读错的照片：未写入{}",
    "{} has no photo with a label or a hand of its name": "{}中没有带标注或同名手牌的照片",
    "{} was not written: name a .png or .jpg file in a folder that exists": (
        "未写入{}：请给出现有文件夹中的 .png 或 .jpg 文件"
    ),
    "{} faces in {}": "{1}中有{0}种牌面",
    "{} labels to look at, see {}": "{}个标注待查看，见{}",
    "{} left out: {}": "{}张未收：{}",
    "{} scenes in {}, {} a second": "{1}中有{0}个场景，每秒{2}个",
    "Deployment: {}. Hands and cases: {} given, {} refused.": (
        "本部署：{}。手牌与案卷：同意{}，拒绝{}。"
    ),
    "{} photos of {} tables in {}: {}.": "{2}中有{1}桌{0}张照片：{3}。",
    # what was taught, and archives
    "{} photos read in {} s, {}/s{}: {} with a hand, {} of them certain": (
        "{1}秒读{0}张照片，每秒{2}张{3}：{4}张读出手牌，其中{5}张确定"
    ),
    "{} could not be read, {} not be fetched: see {}/errors.jsonl; run the command again to try "
    "the latter again": ("{}张无法读取，{}张无法取得：见{}/errors.jsonl；再次运行此命令会重试后者"),
    "Registered as {}. To use it: hupai models use {}": "已登记为{}。启用：hupai models use {}",
    "--part {}: choose classifier, detector or layout": (
        "--part {}：请选 classifier、detector 或 layout"
    ),
    "Refused; the report is {}. The weights in use stay as they are.": (
        "未予采用；报告见{}。正在使用的权重不变。"
    ),
    "{} contains photos withdrawn or deleted since it was written ({}). "
    "Write it again: hupai datasets from-hands --out {}": (
        "{}含有写出后已撤回同意或已删除的照片（{}张）。"
        "请重新写出：hupai datasets from-hands --out {}"
    ),
    "To return to the weights used before: hupai models use --rollback": (
        "退回先前的权重：hupai models use --rollback"
    ),
    "Nothing to train on yet: correct or confirm hands on the page, and give consent "
    "there or with hupai datasets consent.": (
        "尚无可训练的照片：请在页面上更正或确认手牌，"
        "并在页面上或用 hupai datasets consent 表示同意。"
    ),
    "No photo is held out, so nothing can show that training helps: correct or confirm "
    "hands of further scenes.": (
        "没有留出的照片，无法说明训练是否有益：请再更正或确认其他场景的手牌。"
    ),
    "To train on them: hupai models finetune --data {} --name NAME": (
        "用其训练：hupai models finetune --data {} --name NAME"
    ),
    "To let this deployment learn from its hands: hupai datasets consent --give": (
        "允许本部署从手牌中学习：hupai datasets consent --give"
    ),
    "Each hand needs consent too: on the page, or hupai datasets consent --give --hand ID": (
        "每手牌也须同意：在页面上，或用 hupai datasets consent --give --hand ID"
    ),
    "No stored hand waits to be checked.": "没有待查看的手牌。",
    "Check them on the page /learning of the service, or correct them by their id.": (
        "请在服务的 /learning 页面查看，或按编号更正。"
    ),
    "Training needs more: pip install 'hupai[train]' ({} is missing)": (
        "训练需另装：pip install 'hupai[train]'（缺少{}）"
    ),
    "{}. Nothing was registered; run the same command again to continue.": (
        "{}。未登记任何内容；再次运行同一命令可继续。"
    ),
    "--as {}: the key is that of {}": "--as {}：此密钥属于{}",
    "entry {}: {}": "第{}条：{}",
    "{} is not text": "{}不是文本",
    "{}: too large for the memory of this machine": "{}：超出本机内存",
    "case {} ({}) was not exported: {}": "案卷{}（{}）未能导出：{}",
    "{}: this is not an exported case (a zip archive of hupai dossier export)": (
        "{}：不是导出的案卷（hupai dossier export 的 zip 文件）"
    ),
    "{}: {} bytes, more than the {} that are allowed": "{}：{}字节，超过允许的{}",
    "give --change or --lost, not both": "--change 与 --lost 请只给其一",
    "in place of {}, whose file is kept beside the new one": "取代{}，其文件保留在新文件旁",
    "a passphrase has at least {} characters": "口令至少{}个字符",
    "{} exists: choose another name": "{}已存在：请换名称",
    # arguments
    "give {} tiles at most": "最多{}张牌",
    "{} wins no hand: name one of the 34 playable tiles": "{}不能作和牌张：请用34种牌之一",
    "{} cannot be an indicator: give one of the 34 playable tiles": (
        "{}不能作指示牌：请用34种牌之一"
    ),
    "{} is none of E, S, W, N": "{} 不是 E、S、W、N",
    "{} is none of m, p, s": "{} 不是 m、p、s",
}
