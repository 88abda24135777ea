"""Messages on keys, archives, weights, storage and the service, with their Chinese."""

from __future__ import annotations

SERVICE_MESSAGES: dict[str, str] = {
    # keys
    "{} is not a scope": "{}不是权限",
    "choose at least one scope of {}": "请至少选一项权限：{}",
    "a name has 1 to {} printable characters": "名称应为1至{}个可显示的字符",
    "a name does not begin or end with a space": "名称不能以空格开头或结尾",
    "{} is reserved in logs and lists: choose another name": ("{}在记录和列表中另有所指：请换名称"),
    "an active key is called {}: revoke it first, or choose another name": (
        "已有名为{}的有效密钥：请先撤销，或换名称"
    ),
    "no active key has the name or id {}: `hupai keys list` shows them": (
        "没有名称或编号为{}的有效密钥：`hupai keys list` 可列出"
    ),
    "revoked {} {}": "已撤销 {} {}",
    # reading archives
    "--ray needs the extra 'ray': pip install 'hupai[ray]'": (
        "--ray 需另装：pip install 'hupai[ray]'"
    ),
    "this needs the extra 'ray': pip install 'hupai[ray]'": "需另装：pip install 'hupai[ray]'",
    "`hupai bulk` needs the extra 'bulk': pip install 'hupai[bulk]'": (
        "`hupai bulk` 需另装：pip install 'hupai[bulk]'"
    ),
    "{} cannot be written: {}; what is in the table stays, and the same command goes on with the "
    "rest": "无法写入{}：{}；表中已有的保留，再次运行同一命令可继续其余部分",
    "{} cannot be written: {}; take another --out": "无法写入{}：{}；请另选 --out",
    "{} is being written by another process": "另一进程正在写入{}",
    "{} was begun with another {}; take another --out": "{}开始时用的{}不同；请另选 --out",
    "{} contains no table of `hupai bulk`": "{}中没有 `hupai bulk` 的表",
    "{}: there is no such folder, tar file or prefix": "{}：没有这个文件夹、tar 文件或前缀",
    "{} photos · {}/s · {} certain · {} errors": "{}张照片 · 每秒{}张 · {}张确定 · {}处错误",
    "{} photos · {}/s · {} certain · {} errors · {} before": (
        "{}张照片 · 每秒{}张 · {}张确定 · {}处错误 · 此前{}张"
    ),
    "opening the model": "正在打开模型",
    ", {} had a row before": "，此前已有{}张",
    "{} photos, {} different: {} with a hand, {} certain, {} unreadable, {} twice; {} ms a photo; "
    "{}": "{}张照片，{}张互不相同：{}张有手牌，{}张确定，{}张无法读取，{}张重复；每张{}毫秒；{}",
    "{} hands win under {}": "按{1}有{0}手能和",
    "… {} more: --json": "… 另有{}行：--json",
    # signing keys of cases
    "{} is gone, but cases here are signed by the key {}: restore it from a backup to {}, or run "
    "hupai dossier key --lost to go on with a new one": (
        "{}已不在，而这里的案卷由密钥{}签署：请从备份恢复到{}，"
        "或运行 hupai dossier key --lost 换用新密钥"
    ),
    "{} holds the key {}, but cases here are signed by {}: restore that key from a backup (is this "
    "the right data folder?), or run hupai dossier key --lost to go on with this one": (
        "{}中的密钥是{}，而这里的案卷由{}签署：请从备份恢复该密钥（数据文件夹是否正确？），"
        "或运行 hupai dossier key --lost 改用现有密钥"
    ),
    "the key {} is not registered here: run hupai dossier signer NAME --from FILE": (
        "密钥{}未在此登记：请运行 hupai dossier signer 姓名 --from 文件"
    ),
    "{} cannot be read: restore it from a backup": "无法读取{}：请从备份恢复",
    "{}: others may read the signing key: run chmod 600 {}, and make a new one if they did": (
        "{}：他人可以读取签名密钥：请运行 chmod 600 {}；若已被读取，请换新密钥"
    ),
    "{} contains a key of another kind than Ed25519: move it away to get a new one": (
        "{}中的密钥不是 Ed25519：移走该文件即可生成新密钥"
    ),
    "{} contains a key of another kind than Ed25519": "{}中的密钥不是 Ed25519",
    "{} contains no private key: restore it from a backup": "{}中没有私钥：请从备份恢复",
    "{}: the passphrase is wrong, or the key in the file has none": (
        "{}：口令有误，或文件中没有带口令的密钥"
    ),
    "the case was signed by {}, and nothing says that the key at hand follows it: run hupai "
    "dossier key --lost": (
        "此案由{}签署，没有记录表明现有密钥是其后继：请运行 hupai dossier key --lost"
    ),
    "ok      {}": "成立    {}",
    "FAILED  {}": "不成立  {}",
    "        key {}, from entry {}": "        密钥{}，自第{}条起",
    "        key of {} {}, from entry {}": "        {}的密钥{}，自第{}条起",
    "valid: case {}, {} scores recomputed": "成立：案卷{}，重算{}个得分",
    "valid, signer unknown: case {}, {} scores recomputed": (
        "成立，签署人未核对：案卷{}，重算{}个得分"
    ),
    "it is signed by {}, but whose key that is was not checked: compare it with the printed report "
    "or the installation (hupai dossier key) and give it with --key, or give --any-key": (
        "由{}签署，但未核对是谁的密钥：请与打印的报告或本机（hupai dossier key）核对，"
        "用 --key 给出，或加 --any-key"
    ),
    # tile sets, and weights of one's own
    "the weights {} cannot learn tile sets: export them again with this version": (
        "权重{}不能学习牌组：请用本版本重新导出"
    ),
    "there is no tile set called {}: {}": "没有名为{}的牌组：{}",
    "choose one of {}": "请选其一：{}",
    "there are none yet: add one with `hupai tile-sets add`": (
        "还没有牌组：请用 `hupai tile-sets add` 添加"
    ),
    "there is a tile set called {} already: take another name, or replace it": (
        "已有名为{}的牌组：请换名称，或替换它"
    ),
    "{} cannot be read: remove the set and add it again": "无法读取{}：请删除该牌组后重新添加",
    "HUPAI_DATA_DIR keeps nothing: name a folder for weights of your own": (
        "HUPAI_DATA_DIR 不保存数据：请为自己的权重指定文件夹"
    ),
    "{} cannot be a name for weights: use lower-case letters, digits, dots and hyphens, and none "
    "of "
    "{}": ("{}不能作权重名称：请用小写字母、数字、点和连字符，且不是{}"),
    "there are weights called {} already: choose another name": "已有名为{}的权重：请换名称",
    "there are no weights called {}: choose one of {}": "没有名为{}的权重：请选其一：{}",
    "there is nothing to go back to: these are the first weights": (
        "没有可退回的：现在用的是最初的权重"
    ),
    "In use: {}": "使用中：{}",
    "{} has no photo to train on: correct or confirm some hands first": (
        "{}中没有可训练的照片：请先更正或确认一些手牌"
    ),
    "no tile of the photos to train on is known by its place": "训练照片上没有已知位置的牌",
    "no photo to train on has a box for every tile of its hand": (
        "没有一张训练照片的手牌每张牌都有框"
    ),
    "no photo to train on shows a hand that is read whole and whose groups are all known": (
        "没有一张训练照片的手牌完整读出且各组已知"
    ),
    "{} is not a set of `hupai datasets from-hands`: {} ({})": (
        "{}不是 `hupai datasets from-hands` 写出的数据：{}（{}）"
    ),
    "{} is not a set of `hupai datasets from-hands`: splits.json ({})": (
        "{}不是 `hupai datasets from-hands` 写出的数据：splits.json（{}）"
    ),
    "{} cannot be decoded by the trainer": "训练程序无法解码{}",
    "{} is not a COCO file of `from-hands` ({})": "{}不是 `from-hands` 写出的 COCO 文件（{}）",
    # storage and service
    "HUPAI_DATABASE_URL: {} is not supported; {}": "HUPAI_DATABASE_URL：不支持{}；{}",
    "HUPAI_DATABASE_URL: a database in memory does not serve several threads; "
    "HUPAI_DATA_DIR=:temporary: does": (
        "HUPAI_DATABASE_URL：内存数据库不能供多个线程使用；请用 HUPAI_DATA_DIR=:temporary:"
    ),
    "HUPAI_DATABASE_URL is not a database URL: {}": "HUPAI_DATABASE_URL 不是数据库地址：{}",
    "PostgreSQL needs the extra 'postgres': pip install 'hupai[postgres]'": (
        "PostgreSQL 需另装：pip install 'hupai[postgres]'"
    ),
    "all connections to the database are in use": "数据库的连接都在使用中",
    "migration: {}": "迁移：{}",
    "the database's disk is full": "数据库所在磁盘已满",
    "the database's disk takes no more": "数据库所在磁盘不能再写入",
    "database: {}": "数据库：{}",
    "the folder of the database cannot be made: {}": "无法建立数据库的文件夹：{}",
    "the folder of the photos cannot be used: {}": "无法使用照片的文件夹：{}",
    "the photo cannot be written: {}": "无法写入照片：{}",
    "the photo cannot be read: {}": "无法读取照片：{}",
    "the photo cannot be deleted: {}": "无法删除照片：{}",
    "photo {} has other bytes in the store than it had": "存储中照片{}的内容与原来不同",
    "the photo store does not answer: {}": "照片库没有响应：{}",
    "the photo store has no such place: {}": "照片库没有这个位置：{}",
    "HUPAI_PHOTOS_URL: {}{}": "HUPAI_PHOTOS_URL：{}{}",
    "HUPAI_PHOTOS_URL: {}": "HUPAI_PHOTOS_URL：{}",
    "HUPAI_TRACING_URL needs the extra 'tracing': pip install 'hupai[tracing]'": (
        "HUPAI_TRACING_URL 需另装：pip install 'hupai[tracing]'"
    ),
    "the process that opens {} ends": "打开{}的进程异常结束",
    "Several processes need a data folder they share: HUPAI_DATA_DIR is {}.": (
        "多个进程需要共用的数据文件夹：HUPAI_DATA_DIR 为{}。"
    ),
    "The service did not start, the lines above say why; `hupai doctor` checks weights, storage "
    "and database.": "服务未能启动，原因见上面各行；`hupai doctor` 检查权重、存储和数据库。",
    "Hupai has stopped.": "Hupai 已停止。",
    "Hupai is at {}://{}:{}/  (stop with Ctrl+C)": "Hupai 位于 {}://{}:{}/  （按 Ctrl+C 停止）",
    "this machine's address in the network": "本机的网络地址",
    "OPEN TO EVERYBODY who reaches {}: all hands and photos can be seen, changed and deleted "
    "without a key, because HUPAI_REQUIRE_KEYS is false.": (
        "对能访问{}的所有人开放：无需密钥即可查看、更改、删除全部手牌和照片，"
        "因为 HUPAI_REQUIRE_KEYS 为 false。"
    ),
    "Phones reach it at {} with a key: `hupai keys add NAME --scope player`.": (
        "手机凭密钥访问{}：`hupai keys add 名称 --scope player`。"
    ),
    "Others reach it at {} with a key only, and none can be made: HUPAI_DATA_DIR is {} or the "
    "database cannot be used.": (
        "其他设备须凭密钥访问{}，但无法生成密钥：HUPAI_DATA_DIR 为{}，或数据库无法使用。"
    ),
    "Phones in this network: scan the code, or open {}": "本网络中的手机：请扫码，或打开 {}",
    "The code lets a phone in for {} days: show it to players only. `hupai keys revoke phones` "
    "shuts all paired phones out.": (
        "扫码的手机可使用{}天：只给选手看。`hupai keys revoke phones` 可断开所有已配对的手机。"
    ),
    "For the live camera on phones: hupai serve --lan --https": (
        "手机使用实时相机：hupai serve --lan --https"
    ),
    "A browser warns of the certificate once; its SHA-256 fingerprint is {}": (
        "浏览器会对证书警告一次；其 SHA-256 指纹为 {}"
    ),
    "hupai, run from its sources without being installed": "hupai，未安装，直接从源码运行",
}
