"""Options and arguments of the commands, in Chinese."""

from __future__ import annotations

OPTION_HELP: dict[str, str] = {
    # of the program and of most commands
    "Print the version and stop.": "显示版本号后退出。",
    "Install completion for the current shell.": "为当前的命令行环境安装自动补全。",
    "Show completion for the current shell, to copy it or customize the installation.": (
        "显示当前命令行环境的自动补全脚本，以便复制或自行安装。"
    ),
    "Show this message and exit.": "显示此帮助后退出。",
    "Answer in Chinese or English alone. 只用中文或英文回答。": "只用中文或只用英文回答。",
    "Print JSON, one object per line.": "输出JSON，每行一个对象。",
    # photos and hands
    "JPEG, PNG, WebP or HEIC.": "JPEG、PNG、WebP 或 HEIC。",
    "Rule set in play, if known: {}, or a .toml file.": "所用规则（若已知）：{}，或 .toml 文件。",
    "Required. Rule set: {}, or a .toml file of house rules.": (
        "必填。规则：{}，或本场规则的 .toml 文件。"
    ),
    "Rule set to score under; repeat for several: {}, or a .toml file.": (
        "计分所用的规则，可重复给出：{}，或 .toml 文件。"
    ),
    "Rule set, or a .toml file of house rules.": "规则，或本场规则的 .toml 文件。",
    "Rule set.": "规则。",
    "A point on the wanted hand, in pixels, if the photo shows several hands.": (
        "照片上有几手牌时，用像素坐标指出所指的手牌。"
    ),
    "The photos show one hand (glare on one, cut on another): read them as one.": (
        "这些照片是同一手牌（一张反光、一张缺边等）：合并读取。"
    ),
    "Write each photo with boxes, names and groups into this folder.": (
        "把画有检测框、牌名与组合的照片写入此文件夹。"
    ),
    "A model (see hupai models list), or a folder written by a training.": (
        "模型（见 hupai models list），或训练所写的文件夹。"
    ),
    "Tile set in the photo (hupai tile-sets list); auto: any that is recognised; none.": (
        "照片上是哪副牌（hupai tile-sets list）；auto：自动辨认；none：不用。"
    ),
    "The winning tile, if the hand does not mark it, e.g. 5m.": (
        "和牌张，手牌中未指明时给出，如 5m 或 五万。"
    ),
    "Explain why each fan counts or does not, and show the next best decomposition.": (
        "说明每个番种计或不计的理由，以及次优的拆法。"
    ),
    "Also score the hand under this rule set; may be repeated.": (
        "同时按此规则计分以作对照；可重复给出。"
    ),
    "A hand in quotes: '23m55pEEE [567m,1] (9999s) 1h +1m', or 东东东 一二三万 +五万.": (
        "用引号括起的手牌：'23m55pEEE [567m,1] (9999s) 1h +1m'，或 东东东 一二三万 +五万。"
    ),
    "Visible tiles outside the hand: discards, melds of other players.": (
        "手牌以外已见的牌：弃牌、他人的副露。"
    ),
    "Only these; may be repeated.": "只用这些规则；可重复给出。",
    # archives
    "Folder, tar file, or URL such as s3://bucket/prefix.": (
        "文件夹、tar 文件，或 s3://bucket/prefix 之类的网址。"
    ),
    "Where the Parquet files go.": "Parquet 文件写到哪里。",
    "Photos read at the same time; 0: one for each core.": (
        "同时读取的照片数；0：每个处理器核心一张。"
    ),
    "On a Ray cluster (RAY_ADDRESS), else on this machine.": (
        "在 Ray 集群（RAY_ADDRESS）上运行，否则在本机。"
    ),
    "With --ray: share of a GPU that each worker needs.": (
        "与 --ray 同用：每个工作进程所占的 GPU 份额。"
    ),
    "Maximum number of photos in a Parquet file.": "每个 Parquet 文件最多的照片数。",
    "What `hupai bulk` wrote.": "`hupai bulk` 所写的数据表。",
    # logs
    "JSON file with players and events, or with a session's scores; - for standard input.": (
        "JSON 文件：选手与各项，或一局的得分；- 为标准输入。"
    ),
    "JSON file with rules, players and deals, or with sessions; - for standard input.": (
        "JSON 文件：规则、选手与各副，或多场；- 为标准输入。"
    ),
    "Print the sheet as CSV.": "以CSV输出记分表。",
    "Write the sheet as a page to print.": "把记分表写成可打印的网页。",
    "Scoring cases, one JSON object a line.": "计分用例，每行一个JSON对象。",
    "List the cases that pass, too.": "通过的用例也列出。",
    # the service
    "Address to listen on; HUPAI_HOST, else 127.0.0.1.": (
        "监听的地址；HUPAI_HOST，否则 127.0.0.1。"
    ),
    "Port; HUPAI_PORT, else 8000. 0 picks a free one.": (
        "端口；HUPAI_PORT，否则 8000。0：任取空闲端口。"
    ),
    "Processes that serve; HUPAI_WORKERS, else 1.": "服务进程数；HUPAI_WORKERS，否则 1。",
    "Allow phones on this network; prints a code that pairs them.": (
        "允许本网络的手机接入：显示配对码。"
    ),
    "Run on Ray Serve (RAY_ADDRESS, else on this machine): --workers is then the number of "
    "readers.": "在 Ray Serve 上运行（RAY_ADDRESS，否则本机）：此时 --workers 为识别器数。",
    "Encrypt with a self-made certificate, so that phones allow the camera.": (
        "用自签证书加密，手机才会允许使用摄像头。"
    ),
    "Owner of the key; recorded with what they store.": ("密钥持有人；会记在其所存内容旁。"),
    "player, operator, referee; may be repeated.": (
        "player（选手）、operator（操作员）、referee（裁判）；可重复给出。"
    ),
    "Days until it expires.": "多少天后到期。",
    "Name or id of the key.": "密钥的名称或编号。",
    "12h, 90d, 8w or 2y.": "如 12h、90d、8w、2y（时、天、周、年）。",
    "Only print how many.": "只说有多少，不删除。",
    "Ids of hands.": "手牌的编号。",
    # tile sets
    "Name of the set.": "这副牌的名称。",
    "All faces, each one to four times: face up, in one row or several, seen from above.": (
        "全部牌面，每种一至四张：牌面朝上，排成一行或几行，从上方拍摄。"
    ),
    "34 without flowers, 42 with them; by default, what the photos show.": (
        "无花牌为34，有花牌为42；不给则以照片为准。"
    ),
    "Guided: what a photo shows in reading order, e.g. 123456789m; once a photo.": (
        "指定顺序：照片依次是哪些牌，如 123456789m；每张照片给一次。"
    ),
    "Answer for a tile in doubt, e.g. 1:17=6s; 1:17=- if it is not a tile.": (
        "回答所问的牌是什么，如 1:17=6s；不是牌则 1:17=-。"
    ),
    "Replace a set of this name.": "替换同名的一副牌。",
    "Write all its faces as PNG or JPEG.": "把全部牌面写成PNG或JPEG。",
    "Names of the sets.": "哪几副牌。",
    # cases
    "Title, e.g. table and number of the hand.": "案卷标题：桌号、第几副。",
    "Tournament, for the head of the report.": "写在报告页首的赛事名称。",
    "Session of the tournament.": "赛事的轮次。",
    "Table.": "桌号。",
    "Session.": "轮次。",
    "Tournament.": "赛事。",
    "Time zone of the report's times, e.g. Europe/Paris or +08:00.": (
        "报告时间所用的时区，如 Asia/Shanghai 或 +08:00。"
    ),
    "Your name, for the log.": "您的姓名，写入记录。",
    "Your own key (hupai dossier signer): it signs instead of the installation's.": (
        "您的个人密钥（hupai dossier signer）：代替本安装的密钥签名。"
    ),
    "File with the passphrase of your key; without it, you are asked.": (
        "存有密钥口令的文件；不给则会询问。"
    ),
    "Id of the case, or its beginning.": "案卷编号，或其开头几位。",
    "Where to write it; - for standard output.": "写到哪里；- 为标准输出。",
    "Only of this tournament.": "只限此赛事。",
    "Only of this session.": "只限此轮次。",
    "Only of this table.": "只限此桌。",
    "Only those in this state.": "只限此状态。",
    "Where to write the files.": "文件写到哪里。",
    "Id of a case, or an exported bundle.": "案卷编号，或导出的案卷文件。",
    "Of the report.": "报告的语言。",
    "Address of the service, for the QR code.": "服务的地址，用于二维码。",
    "Who must have signed: at least 32 digits, as the report prints them; may be repeated.": (
        "必须由谁签名：报告所印指纹，至少32位；可重复给出。"
    ),
    "Hash of the last entry that a report prints, or its first 16 digits.": (
        "报告所印末条的散列值，或其前16位。"
    ),
    "Do not ask whose key signed a file.": "不核对文件由谁的密钥签名。",
    "An exported bundle.": "导出的案卷文件。",
    "Make a new key, signed by the current one.": "建立新密钥，并由现有密钥签名。",
    "The current key is lost: continue without its signature.": (
        "原签名密钥已遗失：不经其签名而继续。"
    ),
    "Whose key it is.": "密钥属于谁。",
    "Where to write a new key.": "新密钥写到哪里。",
    "Register a key made elsewhere.": "登记在别处建立的密钥。",
    "Reason, for the log.": "缘由；写入记录。",
    "Why.": "缘由。",
    "The hand as it should be, in notation.": "正确的手牌，用牌谱写出。",
    "Number of the proposal, as hupai dossier show prints it.": (
        "所提更正的条目号，见 hupai dossier show。"
    ),
    "Whether the correction is accepted.": "是否采纳该更正。",
    "Who claims.": "由谁申报。",
    "What is claimed, in the unit of the rules.": "申报的数值，单位依规则。",
    "A fan that is claimed; may be repeated.": "申报的番种；可重复给出。",
    "In the player's words.": "选手原话。",
    "What is wrong: a fan, a total, a tile.": "何处有误：番种、总分或某张牌。",
    "Who objects.": "由谁提出异议。",
    "Number of the entry objected to, as hupai dossier show prints it.": (
        "所异议的条目号，见 hupai dossier show。"
    ),
    "Round, e.g. 'East 4'.": "圈与局，如 'East 4'（东四局）。",
    "Number of the hand.": "第几副。",
    "A player, e.g. E=Anna or E=Anna#12 with a number; may be repeated.": (
        "选手，如 E=张三，或带编号 E=张三#12；可重复给出。"
    ),
    "Who won.": "和牌者。",
    "Who discarded.": "点炮者。",
    "win, false_win or void.": "win（和牌有效）、false_win（诈和）或 void（作废）。",
    "By default the current score.": "默认为现行得分。",
    "Clause that the ruling rests on.": "裁定所依据的条文。",
    "A fine, e.g. sichuan-2024/false_win.": "处罚，如 sichuan-2024/false_win。",
    "Points of the fine, if the rules do not set them.": "规则未定时所扣的分数。",
    "Continue although something is undecided; the log records what.": (
        "虽有未决之处仍继续；记录中会注明。"
    ),
    "The remark.": "备注内容。",
    # broadcast
    "Id of the table, e.g. final; part of its addresses.": (
        "牌桌的编号，如 final；会出现在网址中。"
    ),
    "camera:0, an RTSP, RTMP or HTTP URL, file:PATH, loop:PATH, or push; 'camera:0 + camera:1' "
    "for several cameras.": (
        "camera:0，RTSP、RTMP 或 HTTP 网址，file:路径，loop:路径，或 push；"
        "多个摄像头写作 'camera:0 + camera:1'。"
    ),
    "A seat, NAME or NAME=PLAYER; may be repeated.": (
        "座位，写作 座位名 或 座位名=选手；可重复给出。"
    ),
    "off, certain or all: what goes on air without approval.": (
        "off（不播）、certain（仅确定的）或 all（全部）：哪些不经确认即可播出。"
    ),
    "Seconds between approval and air.": "确认到播出之间的秒数。",
    "Id of the table.": "牌桌的编号。",
    # models
    "images/ with labels/ (YOLO) and classes.txt, with hands.jsonl, or with both; or rendered "
    "scenes.": (
        "images/ 加 labels/（YOLO）与 classes.txt，或加 hands.jsonl，或两者皆有；也可为渲染的场景。"
    ),
    "Write everything measured, photo by photo.": "逐张照片写出全部测量结果。",
    "Only N photos, the tables taking turns.": "只用N张照片，各桌轮流取。",
    "Write the failures, annotated, as PNG or JPEG.": "把读错的照片加注后写成PNG或JPEG。",
    "Use the labels as published, without the known corrections of the public photos.": (
        "用原样发布的标注，不作已知的更正。"
    ),
    "From `hupai datasets from-hands`.": "由 `hupai datasets from-hands` 写出。",
    "Name of the new weights.": "权重的名称。",
    "classifier (the default), detector or layout; may be repeated.": (
        "classifier（分类器，默认）、detector（检测器）或 `layout`（布局）；可重复给出。"
    ),
    "A labelled folder to mix in; may be repeated.": "混入训练的标注文件夹；可重复给出。",
    "A labelled folder on which results must not get worse; may be repeated.": (
        "不得退步的标注文件夹；可重复给出。"
    ),
    "Train all layers of the classifier, not only the last one; takes minutes.": (
        "训练分类器的全部层，而不只是最后一层；需数分钟。"
    ),
    "Passes, with --deep or --part detector.": "训练遍数（与 --deep 或 --part detector 同用）。",
    "Crops drawn in a pass, with --deep.": "每遍抽取的裁片数（与 --deep 同用）。",
    "Rendered scenes to mix in.": "混入的渲染场景数。",
    "Rendered hands of held-out designs that the gate measures.": (
        "验收时所用的留出牌面设计的渲染手牌数。"
    ),
    "Your own weights, or shipped.": "自有权重的名称，或 shipped（随附的）。",
    "Go back to the weights used before.": "退回此前所用的权重。",
    # data
    "Where images/ and truth.jsonl go.": "images/ 与 truth.jsonl 写到哪里。",
    "How many scenes.": "场景数。",
    "The same seed gives the same scenes.": "随机种子相同，场景就相同。",
    "Number of the first scene, to go on with a folder.": "首个场景的编号，用于续写文件夹。",
    "Longer side of a picture in pixels.": "图片长边的像素数。",
    "A folder of face pictures, one tile set; may be repeated.": (
        "牌面图片文件夹，一副牌一个；可重复给出。"
    ),
    "Processes.": "进程数。",
    "Revealed hands only, no loose tiles or trays.": "只有亮出的手牌，没有散牌或牌盒。",
    "From `hupai datasets render`.": "由 `hupai datasets render` 写出。",
    "PNG or JPEG to write.": "要写的PNG或JPEG。",
    "Number of the first scene.": "首个场景的编号。",
    "Scenes in a row.": "每行并排的场景数。",
    "Without the labelled outlines.": "不画标注的轮廓。",
    "Folder the sheets' paths start from.": "各图路径的起始文件夹。",
    "Faces go here as <set>/<code>_<n>.png.": "牌面写在这里：<牌名>/<代码>_<序号>.png。",
    "The 43 faces go here as SVG, named by their code.": ("43种图样以SVG写在这里，按代码命名。"),
    "New, or written by this command.": "新文件夹，或由此命令写过的文件夹。",
    "Without either, only shows the current consent.": "两者都不给时，只说明现状。",
    "A stored hand; may be repeated.": "已存的手牌；可重复给出。",
    "A case; may be repeated.": "案卷；可重复给出。",
    "How many.": "数量。",
    "Read the photos again, to see where detector and classifier disagree.": (
        "重新读取照片，找出检测器与分类器不一致之处。"
    ),
}
"""Help of options and arguments by their English; ``{}`` stands for what varies."""

USAGE_ERRORS: dict[str, str] = {
    "Missing argument {}.": "缺少参数 {}。",
    "Missing option {}.": "缺少选项 {}。",
    "Missing command.": "缺少命令。",
    "No such command {}.": "没有命令 {}。",
    "No such command {}. Did you mean {}?": "没有命令 {}。是否指 {}？",
    "No such option: {}": "没有选项 {}",
    "No such option: {} (Possible options: {})": "没有选项 {}（近似的有：{}）",
    "Option {} requires an argument.": "选项 {} 后须给出内容。",
    "Option {} does not take a value.": "选项 {} 后不带内容。",
    "Got unexpected extra argument(s) ({})": "多出的参数：{}",
    "Invalid value for {}: {}": "{} 有误：{}",
    "Invalid value: {}": "有误：{}",
    "Input should be less than or equal to {}": "不得大于 {}",
    "Input should be greater than or equal to {}": "不得小于 {}",
    "Input should be a valid integer, unable to parse string as an integer": "应为整数",
    "Input should be a valid number, unable to parse string as a number": "应为数字",
    "{} is not one of {}.": "{} 不在下列之中：{}。",
    "use zh or en": "应为 zh 或 en",
    "name a rule set: {}, or a .toml file": "请指明规则：{}，或 .toml 文件",
    "no rule set {}: use {}; did you mean {}?": "没有规则 {}：可用 {}；是否指 {}？",
    "no rule set {}: use {}": "没有规则 {}：可用 {}",
    "give X,Y in pixels, such as 512,640": "请以像素给出 X,Y，如 512,640",
    "{} is not an age: write 12h, 90d, 8w or 2y": "{} 不是期限：请写 12h、90d、8w 或 2y",
    "{} is none of E, S, W, N": "{} 不是 E、S、W、N（东南西北）之一",
    "{} is none of m, p, s": "{} 不是 m、p、s（万饼条）之一",
    "{} wins no hand: name one of the 34 playable tiles": "{} 不能作和牌张：请给出34种牌之一",
    "{} cannot be an indicator: give one of the 34 playable tiles": (
        "{} 不能作指示牌：请给出34种牌之一"
    ),
    "give {} tiles at most": "最多给出{}张牌",
}
"""What is wrong with a command line, by its English."""
