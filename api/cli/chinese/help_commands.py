"""What the commands do, in Chinese: the paragraphs of their help, their exit codes."""

from __future__ import annotations

COMMAND_HELP: dict[str, str] = {
    "Reads a photo of a mahjong hand and says what it scores, and why. 看照片，算番数。": (
        "看一张和牌的照片，算出番数，并说明理由。"
    ),
    "Exit codes: {}. `hupai COMMAND --help` has examples.": (
        "退出码：{}。`hupai 命令 --help` 有示例。"
    ),
    "Example: {}": "例：{}",
    "Exit codes: {}.": "退出码：{}。",
    # reading and scoring
    "Show what photos contain: tiles, sets, the likeliest hands, problems.": (
        "说出照片上有什么：牌、组合、最可能的手牌和问题。"
    ),
    "Read an archive of photos into a table of hands and scores.": (
        "把成批照片读成手牌与得分的数据表。"
    ),
    "Read an archive of photos into a table of hands and scores: hupai bulk SOURCE --out DIR.": (
        "把成批照片读成手牌与得分的数据表：hupai bulk SOURCE --out DIR。"
    ),
    "Read every photo that has no row yet; started again, it continues where it stopped.": (
        "读取尚无记录的每张照片；中断后再次运行即从断点继续。"
    ),
    "Summarise a table: how many are certain, which problems, by day and by source.": (
        "汇总数据表：有多少确定、有哪些问题，按日期与来源分列。"
    ),
    "Read a photo and score the hand in it. 看照片，算番数。": "读一张照片并为其中的手牌计分。",
    "With --merge several photos of one hand are read as one. If the winning tile does not lie "
    "apart and the score depends on it, the answer shows what each tile would score as the "
    "winning tile.": (
        "加 --merge 时，同一手牌的几张照片合并读取。照片上若未把和牌张单独放出，且分数与此有关，"
        "则列出每张牌作为和牌张时的得分。"
    ),
    "Score a hand in notation.": "为用牌谱写出的手牌计分。",
    "For a hand of 14 tiles without a marked winning tile, it shows what each tile would score as "
    "the winning tile, where that differs.": (
        "若给出14张牌而未指明和牌张，且分数与此有关，则列出每张牌作为和牌张时的得分。"
    ),
    "List the winning tiles of a hand of 13 and what each scores.": (
        "列出13张手牌所听的牌，以及和每张牌的得分。"
    ),
    "Each way of winning has its own total; the tiles left are those neither in the hand nor "
    "visible.": ("每种和牌方式分别计总分；余张为手中与明面均未见的牌。"),
    "Score one hand under several rule sets, by default all.": (
        "用几种规则为同一手牌计分，默认用全部规则。"
    ),
    "Settle a deal of Sichuan mahjong, or rank a session.": "结算一副四川麻将，或为一局排名。",
    "Every payment is shown with its clause. Tiles in the log are checked against the rules; "
    "events without tiles are taken on trust. The log has the form of the scoring cases: {}. A "
    "session is {}.": (
        "每笔付分都注明条文；记录中的牌按规则核对，未附牌张的以所报为准。"
        "记录的格式与计分用例相同：{}。一局写作 {}。"
    ),
    "Settle a session: every deal with running totals, fines, places.": (
        "结算一场：逐副得分与累计、罚分、名次。"
    ),
    "Settle a session: every deal with running totals, fines, places. 一局的记分表。": (
        "结算一场并列出记分表：逐副得分与累计、罚分、名次。"
    ),
    "Rule sets: sichuan-2024, kc-2.5, the MCR and the riichi profiles. The log is {}; several "
    "sessions are {} and end with the final ranking. docs/sessions.md describes the fields of a "
    "deal.": (
        "可用规则：sichuan-2024、kc-2.5、国标各版本与立直各版本。记录写作 {}；"
        "多场写作 {}，末尾给出总排名。各副可记的内容见 docs/sessions.md。"
    ),
    "Run scoring cases and show those that differ.": "运行计分用例，列出每个不符的用例。",
    "Both breakdowns are shown; the last line counts.": "两边的番种明细都会列出；末行为计数。",
    # the service
    "Start the service: the page at /, the API under /v1.": "启动服务：页面在 /，接口在 /v1。",
    "The API is documented at /docs. The settings come from the environment. Other machines need "
    "a key unless HUPAI_REQUIRE_KEYS is false.": (
        "接口说明在 /docs。设置取自环境变量。来自其他机器的请求须有密钥，"
        "除非 HUPAI_REQUIRE_KEYS 设为 false。"
    ),
    "Check that the service has all it needs.": "检查服务所需是否齐备。",
    "Looks at weights and their SHA-256, database and its revision, photo store, write "
    "permissions, disk space, fonts and keys. Takes the settings of the service from the "
    "environment.": (
        "检查权重及其SHA-256、数据库及其版本、照片存储、写权限、剩余空间、字体和密钥。"
        "服务的设置取自环境变量。"
    ),
    "API keys: who may use the service, and for what.": "接口密钥：谁可使用服务，可做什么。",
    "Make a key and print it once: only its hash is stored.": (
        "建立密钥并显示，仅此一次：只保存其散列值。"
    ),
    "An operator or referee may also do what a player may. Other machines need a key unless "
    "HUPAI_REQUIRE_KEYS is false.": (
        "操作员与裁判可做选手可做的一切。在其他机器上使用须有密钥，"
        "除非 HUPAI_REQUIRE_KEYS 设为 false。"
    ),
    "List every key with its scopes and whether it is active, expired or revoked.": (
        "列出每个密钥的权限，以及有效、已到期或已撤销。"
    ),
    "Revoke a key. A running service refuses it from the next request on.": (
        "撤销密钥。运行中的服务从下一个请求起即拒绝。"
    ),
    "Stored hands and photos: retention, deletion, a check.": (
        "已存的手牌与照片：保存期、删除、核对。"
    ),
    "Stored hands and photos: retention, deletion, a check of what is there, backup.": (
        "已存的手牌与照片：保存期、删除、核对、备份。"
    ),
    "Delete hands stored longer ago than an age, with their corrections and photos, and sessions "
    "that were last changed longer ago.": (
        "删除超过保存期的手牌，连同其更正与照片，以及超过同一期限未改动的对局记录。"
    ),
    "May run while the service runs, e.g. every night. What a case or other kept data refers to "
    "is not deleted.": "可在服务运行时执行，例如每夜一次。案卷或其他保留内容所引用的不会删除。",
    "Delete hands on request, with their corrections and photos, at once and for good.": (
        "应请求立即永久删除手牌，连同其更正与照片。"
    ),
    "Compare every stored photo with its SHA-256; list those missing or changed.": (
        "读取每张已存照片并与其SHA-256比对，列出缺失或被改动的。"
    ),
    "Copy all stored data to a folder: rows, photos, tile sets, keys, weights.": (
        "把保存的一切复制到文件夹：记录、照片、牌面图样、密钥、权重。"
    ),
    "May run while the service runs. A later backup into the same folder copies only new photos. "
    "The folder contains the key that signs cases.": (
        "可在服务运行时执行。再次写入同一文件夹时只复制新照片。"
        "持有该文件夹者即持有为案卷签名的密钥。"
    ),
    "Write a backup to an empty database, photo store and data folder.": (
        "把备份写入空的数据库、照片存储与数据文件夹。"
    ),
    "These are the ones that HUPAI_DATABASE_URL, HUPAI_PHOTOS_URL and HUPAI_DATA_DIR name.": (
        "三者由 HUPAI_DATABASE_URL、HUPAI_PHOTOS_URL、HUPAI_DATA_DIR 指定。"
    ),
    "Enrolled tile sets.": "教给识别器的牌面图样。",
    "Learn a tile set from photos of its faces, in any order or, with --order, in that order.": (
        "从牌面照片学习一副牌，顺序不限；加 --order 则按所给顺序。"
    ),
    "Tiles in doubt are listed: run the command again with --is for each of them.": (
        "仍存疑的牌面会询问：请再次运行，并用 --is 逐一说明。"
    ),
    "List the tile sets.": "列出已学的各副牌。",
    "Show which faces a set has; with --picture also draw them.": (
        "说出一副牌有哪些牌面，需要时画出来。"
    ),
    "Delete tile sets.": "删除已学的牌。",
    "The broadcast overlay over the video. 直播叠加画面。": "视频上的直播叠加画面。",
    "The broadcast overlay: hand, waits and score over the video. 直播叠加画面。": (
        "直播叠加画面：在视频上显示手牌、听口与得分。"
    ),
    "Play a rendered video of hands being revealed, and print where to watch it.": (
        "播放一段渲染的亮牌视频，并给出观看地址。"
    ),
    "It goes through model, tracking and overlay like video from a camera.": (
        "视频与摄像机画面一样，经过模型、跟踪与叠加。"
    ),
    "Set up a broadcast table. Draw the places of the seats on the operator's page.": (
        "设置一张直播牌桌。各座位的位置在操作页面上框出。"
    ),
    "List the broadcast tables.": "列出直播牌桌。",
    "Delete a broadcast table and its events.": "删除一张直播牌桌及其记录。",
    # cases
    "Cases of disputed hands, kept as signed logs. 裁判案卷。": (
        "有争议的手牌的案卷，以签名记录保存。"
    ),
    "Open a case from photos and print its id.": "由照片立案，并显示编号。",
    "The case keeps the photos, what was detected and read, and the score.": (
        "案卷保存照片原文件、所见所读以及得分。"
    ),
    "Show a case: every entry with number, author and reason, and the current result.": (
        "讲述一个案卷：逐条的编号、记录人与缘由，以及现行结论。"
    ),
    "Write a case as one zip file: log, photos, key, all signed.": (
        "把案卷导出为一个zip文件：记录、照片、密钥，全部签名。"
    ),
    "List cases by session and table, those that wait for a referee first.": (
        "按轮次与桌号列出案卷，待裁判处理的在前。"
    ),
    "Show figures for the head referee: what waits, what was ruled, how often claims were right.": (
        "供裁判长参考的统计：待裁多少、已裁多少、申报正确率。"
    ),
    "Write the bundle of every case into a folder, one file a case, and a list of them.": (
        "把每个案卷导出到文件夹，一案一个文件，并附清单。"
    ),
    "manifest.json lists the files, and the cases that could not be exported, with the reason.": (
        "manifest.json 列出各文件，以及未能导出的案卷及原因。"
    ),
    "Print a case as PDF, to be signed at the table.": "把案卷打印为PDF，供当场签字。",
    "A bundle that fails the check is not printed, nor one whose signer is unknown; with "
    "--any-key the report says that nobody checked who signed.": (
        "核验不成立或签名者不明的案卷不予打印；加 --any-key 时，报告注明未核对签名者。"
    ),
    "Check an exported case without a network: hashes, signatures, order, photos, scores.": (
        "离线核验导出的案卷：散列值、签名、次序、照片、得分。"
    ),
    "Names the first thing that is wrong.": "指出第一处不符。",
    "Print the fingerprint of this installation's signing key; made on first use.": (
        "显示本安装签名密钥的指纹；首次使用时建立。"
    ),
    "After --change, whoever trusts the old key can trust the new one, and the other way round. "
    "After --lost both must be given to verify a case that both signed.": (
        "用 --change 更换后，信任旧密钥者即可信任新密钥，反之亦然。"
        "用 --lost 之后，核验两者都签过名的案卷时须同时给出两个密钥。"
    ),
    "Make or register a person's own key; without a name, list those that are registered.": (
        "建立或登记个人密钥；不给姓名时列出已登记的密钥。"
    ),
    "Acts with --sign-with FILE are signed by it. The file is encrypted with a passphrase.": (
        "加 --sign-with FILE 的操作由该密钥签名。文件用口令加密。"
    ),
    "Propose a correction: the hand in notation, or with --win the tile that won.": (
        "提出更正：用牌谱写出手牌，或用 --win 指明和牌张。"
    ),
    "Decide on a proposed correction.": "对提出的更正作出决定。",
    "Record what a player says the hand scores.": "记录选手申报的番数。",
    "Record a player's objection: who, to what, and why. It waits for a ruling.": (
        "记录选手的异议：谁、对什么、为何。裁定之前一直未决。"
    ),
    "Record where the hand was played, and by whom; omitted fields stay unchanged.": (
        "说明此手牌在何处由谁打出；未给出的各项保持不变。"
    ),
    "Rule on a case.": "对案卷作出裁定。",
    "Show what the hand lacked under each rule set, and the fines; those that fit are marked.": (
        "说明此手牌按各规则缺什么，并列出罚则；适用的有标记。"
    ),
    "Add a remark.": "添加备注。",
    "Close a case: nothing more is added until it is opened again.": (
        "结案：重新打开之前不再添加任何内容。"
    ),
    "Open a closed case again.": "重新打开已结的案卷。",
    # models and data
    "The models that read photos.": "读照片的模型。",
    "Measure a model on labelled photos: whole hands, tiles, faces, certainty, time.": (
        "用标注照片测量模型：整手牌、牌、牌面、确定性、用时。"
    ),
    "Precision counts, in photos with a whole hand in hands.jsonl, the tiles read into the hand; "
    "in others the tiles whose centre lies in the labelled area (hull of the labelled boxes, grown "
    "by a median tile side), for tiles outside may be unlabelled.": (
        "精确率的计法：hands.jsonl 中有整手牌的照片计读入手牌的牌；"
        "其余照片计中心落在标注区内的牌（标注框的凸包，外扩一个牌边长的中位数），"
        "因为区外的牌可能未标注。"
    ),
    "List the installed models with version, SHA-256 and purpose.": (
        "列出已安装的模型：版本、SHA-256 与用途。"
    ),
    "The one in use is marked; `hupai models use` selects the shipped weights or your own.": (
        "正在使用的有标记；`hupai models use` 可在随附的与自有的之间选择。"
    ),
    "Continue training the shipped weights on corrected hands; needs the extra `train`.": (
        "用更正过的手牌继续训练随附的权重；需要附加组件 `train`。"
    ),
    "The result is registered only if it is better on your held-out photos and nowhere worse. An "
    "interrupted run continues where it stopped. The shipped weights are never changed.": (
        "只有在留出的照片上更好、且处处不退步时才登记。中断的训练会从断点继续。随附的权重不会改动。"
    ),
    "Choose which weights read photos from now on; broadcasts follow when the service restarts.": (
        "选择此后读取照片的权重；转播在服务重启后才改用。"
    ),
    "Scenes, faces and stored hands to train and test with.": (
        "用于训练与测试的场景、牌面和已存手牌。"
    ),
    "Render photos of tables with exact labels: outline, face and group of every tile, and "
    "whether it is in the hand.": (
        "渲染牌桌照片，附精确标注：每张牌的轮廓、牌面、组合，以及是否属于手牌。"
    ),
    "Draw rendered scenes with their labels on one picture, to see what a model would learn.": (
        "把渲染的场景拼成一张图并画出标注，以便看清模型会学到什么。"
    ),
    "Cut the faces of whole tile sets out of photos in which they lie as a grid.": (
        "从排成网格的照片中切出整副牌的牌面。"
    ),
    "Write the project's own drawings of the 42 faces and the back.": (
        "写出本项目自绘的42种牌面与牌背。"
    ),
    "Write the stored hands and cases that people corrected or confirmed as a labelled set.": (
        "把经人更正或确认的手牌与案卷写成标注集。"
    ),
    "Only those with consent, of the deployment and of each hand: see `hupai datasets consent`. "
    "The same hands give the same bytes.": (
        "须有本部署与每手牌的同意：见 `hupai datasets consent`。同样的手牌得到相同的文件。"
    ),
    "Give or withdraw consent to train on photos and corrections.": (
        "说明照片与更正可否用于训练识别器，或撤回同意。"
    ),
    "Without --hand or --case it applies to the whole deployment. A hand is exported only while "
    "both the deployment and the hand have consent. Nothing leaves this computer.": (
        "不加 --hand 或 --case 时对整个部署有效。只有部署与手牌都已同意时才会导出。"
        "任何内容都不会离开本机。"
    ),
    "List the stored hands most worth checking: doubtful ones, unlike all others.": (
        "列出最值得核对的已存手牌：尚未确定、与其他都不同。"
    ),
    # exit codes
    "0 done, 1 done with problems, 2 bad usage": "0 完成，1 完成但有问题，2 用法有误",
    "0 every photo shows a hand without problems, 1 some photo has problems or cannot be read, 2 "
    "bad usage": "0 每张照片都有手牌且无问题，1 有照片有问题或无法读取，2 用法有误",
    "0 all exported, 1 some case could not be exported, 2 bad usage": (
        "0 全部导出，1 有案卷未能导出，2 用法有误"
    ),
    "0 every photo has a row and could be read, 1 some could not, 2 bad usage": (
        "0 每张照片都有记录且可读，1 有的不可读，2 用法有误"
    ),
    "0 a legal win, also if a question is still open, 1 no win, below the minimum, problems, or "
    "the winning tile is unknown, 2 bad usage": (
        "0 可以和牌（仍有疑问时亦然），1 不能和、不足起和番、有问题或和牌张未定，2 用法有误"
    ),
    "0 a legal win, 1 no win, below the minimum, or the winning tile is unknown, 2 bad usage": (
        "0 可以和牌，1 不能和、不足起和番或和牌张未定，2 用法有误"
    ),
    "0 ready, 1 not ready, 2 bad usage": "0 已听牌，1 未听牌，2 用法有误",
    "0 the hand wins under some rule set, 1 under none, 2 bad usage": (
        "0 至少按一种规则能和，1 都不能和，2 用法有误"
    ),
    "0 settled, 1 problems, or the file cannot be read, 2 the file is not a deal log": (
        "0 已结算，1 有问题或文件无法读取，2 文件不是一副的记录"
    ),
    "0 settled, 1 problems, or the file cannot be read, 2 the file is not a session log": (
        "0 已结算，1 有问题或文件无法读取，2 文件不是一场的记录"
    ),
    "0 every case passed, 1 a case differs or none can be read, 2 bad usage": (
        "0 用例全部通过，1 有用例不符或无法读取，2 用法有误"
    ),
    "0 the service can work, 1 something failed, 2 bad usage": (
        "0 服务可以工作，1 有一项不通过，2 用法有误"
    ),
    "0 learnt, 1 faces are missing or in doubt, or a photo cannot be read, 2 bad usage": (
        "0 已学会，1 牌面缺少或存疑，或照片无法读取，2 用法有误"
    ),
    "0 opened and certain, 1 opened but not certain, or a photo cannot be read, 2 bad usage": (
        "0 已立案且确定，1 已立案但识别不确定，或照片无法读取，2 用法有误"
    ),
    "0 valid and signed by a given key, 1 not valid, or no --key says who signed, 2 bad usage": (
        "0 核验成立且由指定密钥签名，1 不成立，或未用 --key 说明签名者，2 用法有误"
    ),
}
"""Paragraphs of help by their English, line breaks as spaces; ``{}`` stands for what varies."""
