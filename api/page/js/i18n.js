// Words in English and Chinese. What the service says comes in both already; own() picks.
const WORDS = {
  skip: ["Skip to the result", "跳到结果"],
  photo: ["Photo", "照片"],
  hero: ["Photograph the hand. Read the score.", "拍下和牌，读出番数。"],
  heroHint: ["Lay the tiles in a row, melds apart, and take the photo from above.", "牌摆成一排，副露分开，从上方拍摄。"],
  take: ["Take a photo", "拍照"],
  choose: ["Choose a photo", "选择照片"],
  dropHint: ["or drop or paste one here", "也可以拖到这里或粘贴"],
  byHand: ["Enter the tiles by hand", "手动输入牌"],
  again: ["New photo", "换一张"],
  rotate: ["Rotate", "旋转"],
  zoom: ["Only the hand", "只看手牌"],
  examples: ["No tiles at hand? Try a scene", "手边没有牌？试试示例"],
  howWon: ["How it was won", "和牌条件"],
  rules: ["Rules", "规则"],
  minimum: ["At least {n} to win", "{n}番起和"],
  noMinimum: ["No minimum", "不限起和"],
  score: ["Score", "得分"],
  hand: ["The hand", "手牌"],
  handHint: ["Tap a tile to correct it", "点牌可以更正"],
  fans: ["What counts", "计番"],
  welcome: ["From photo to score", "从照片到番数"],
  step1: ["The photo is read", "识别照片"],
  step1Text: ["Every tile gets a box, coloured by how sure it is; sets laid out, kongs and flowers are found.", "每张牌都有框，颜色表示把握；副露、杠和花牌一并找出。"],
  step2: ["You decide what is unclear", "不清楚的由你定"],
  step2Text: ["A doubtful tile or an unknown winning tile is asked about, with what each answer would score.", "拿不准的牌、不知哪张和牌，都会问你，并列出各自的得分。"],
  step3: ["The score explains itself", "番数有据可查"],
  step3Text: ["Each fan with its clause, what was left out and why, and who pays what.", "每个番种附条文，未计的说明原因，各家付分一目了然。"],
  privacy: ["Photos are read and forgotten; nothing is stored on the server.", "照片识别后即丢弃，服务器不保存任何内容。"],
  problemsLink: ["Error messages", "错误说明"],
  history: ["Recent hands", "最近的手牌"],
  historyEmpty: ["Hands you read are kept here, on this device only.", "识别过的手牌保存在这里，仅限本机。"],
  historyClear: ["Forget all", "全部清除"],
  theme: ["Light or dark", "浅色或深色"],
  theme_auto: ["Theme: as the device", "主题：跟随系统"],
  theme_light: ["Theme: light", "主题：浅色"],
  theme_dark: ["Theme: dark", "主题：深色"],
  close: ["Close", "关闭"],
  reading: ["Reading the tiles …", "正在识别…"],
  opening: ["Opening the photo …", "正在打开照片…"],
  waiting: ["Many photos are waiting. Trying again in {n} s …", "排队较多，{n} 秒后重试…"],
  retry: ["Try again", "重试"],
  offlineTitle: ["The service cannot be reached", "无法连接服务"],
  offlineDetail: ["Your photo is kept here. Try again when you are back online.", "照片还在，恢复连接后请重试。"],
  offlineNotice: ["You are offline. Recent hands can still be viewed.", "当前离线，仍可查看最近的手牌。"],
  readIn: ["{n} tiles in {s} s", "{n} 张，{s} 秒"],
  certain: ["Sure of every tile", "每张都确定"],
  noTiles: ["No tiles were found on the photo.", "照片上没有找到牌。"],
  noTilesAdvice: ["Come closer, avoid glare, and photograph from above.", "请靠近些，避免反光，从上方拍摄。"],
  concealed: ["In the hand", "手牌"],
  winningTile: ["Winning tile", "和牌张"],
  melds: ["Laid out", "副露"],
  flowers: ["Flowers", "花牌"],
  addTile: ["Add a tile", "加一张牌"],
  sort: ["Sort", "理牌"],
  tileCount: ["{n} of 14 tiles", "{n} / 14 张"],
  kind_chow: ["Chow", "吃"],
  kind_pung: ["Pung", "碰"],
  kind_kong: ["Kong", "明杠"],
  kind_concealed_kong: ["Concealed kong", "暗杠"],
  kind_added_kong: ["Added kong", "加杠"],
  part_chow: ["Chow", "顺子"],
  part_pung: ["Pung", "刻子"],
  part_kong: ["Kong", "杠"],
  part_pair: ["Pair", "将牌"],
  part_knitted: ["Knitted", "组合龙"],
  part_singles: ["Singles", "单张"],
  hidden: ["concealed", "暗"],
  claimedFrom: ["Claimed from", "来自"],
  source_none: ["not known", "不清楚"],
  source_left: ["left", "上家"],
  source_across: ["across", "对家"],
  source_right: ["right", "下家"],
  setKind: ["Kind of set", "种类"],
  breakUp: ["Put back into the hand", "放回手牌"],
  tileSheet: ["{tile}", "{tile}"],
  sure: ["{p} sure", "把握 {p}"],
  inferred: ["Inferred from the rest of the hand", "由其余牌推断"],
  editedNote: ["Set by you", "由你更正"],
  unknownFace: ["Face down: which tile is it?", "牌面朝下，是哪张？"],
  maybe: ["It may also be", "也可能是"],
  setTo: ["Change to", "改为"],
  thisWon: ["This tile won", "和的是这张"],
  notWon: ["Not the winning tile", "不是和牌张"],
  isRight: ["It is right", "没错"],
  removeTile: ["Remove", "去掉"],
  layOutAs: ["Lay out as", "亮出为"],
  addTiles: ["Add tiles", "添加牌"],
  done: ["Done", "完成"],
  won: ["won", "和"],
  legend_sure: ["sure", "确定"],
  legend_unsure: ["nearly sure", "较有把握"],
  legend_doubtful: ["look again", "请核对"],
  legend_edited: ["set by you", "已更正"],
  asSeen: ["as seen", "看牌面"],
  noScore: ["Not scored yet", "尚未计分"],
  legal: ["Valid win", "和牌有效"],
  belowMinimum: ["Below the minimum", "不够起和"],
  notComplete: ["No winning hand", "未成和"],
  illegal: ["Cannot be scored as it is", "无法计分"],
  unit_fan: ["fan", "番"],
  unit_points: ["points", "分"],
  unit_times: ["times", "倍"],
  payments: ["Payments", "付分"],
  payer_discarder: ["Discarder", "点炮者"],
  payer_each: ["Each player", "每家"],
  payer_others: ["Each other player", "其他各家"],
  payer_other: ["Each other player", "其他各家"],
  payer_dealer: ["Dealer", "庄家"],
  payer_robbed: ["Player robbed", "被抢杠者"],
  payer_non_dealer: ["Each non-dealer", "每位闲家"],
  winnerReceives: ["Winner receives", "和牌者得"],
  excluded: ["Left out, and why ({n})", "未计的番种及原因（{n}）"],
  principle_non_repeat: ["non-repeat", "不重复"],
  principle_non_separation: ["non-separation", "不拆移"],
  principle_non_identical: ["non-identical", "不得相同"],
  principle_high_not_low: ["high, not low", "就高不就低"],
  principle_combine_once: ["combine once", "套算一次"],
  principle_excluded: ["excluded by clause", "条文不计"],
  principle_house: ["house rule", "本场规则"],
  runnerUp: ["Another way to split it: {n}", "另一种拆法：{n}"],
  noFans: ["No fan counts.", "没有可计的番种。"],
  ready: ["Ready", "听牌"],
  waitsFor: ["One of these tiles completes the hand. Points from the cheapest to the dearest way of winning:", "以下任一张即可和牌，得分从最低到最高："],
  left: ["{n} left", "余 {n} 张"],
  otherRules: ["Under other rules", "按其他规则"],
  countDifferently: ["{left} against {right}", "{left} 与 {right}"],
  verdict_win: ["wins", "和牌"],
  verdict_not_allowed: ["not allowed", "不能和"],
  verdict_no_win: ["no win", "未成和"],
  share: ["Share", "分享"],
  linkInAddress: ["Link is in the address bar", "链接在地址栏"],
  copied: ["Link copied", "链接已复制"],
};

let language = localStorage.getItem("hupai.lang") ?? (navigator.language?.toLowerCase().startsWith("zh") ? "zh" : "en");

export const lang = () => language;

/** The words for a key in the page's language; the key itself where there are none, so that a gap shows. */
export function t(key, values = {}) {
  const words = WORDS[key];
  const text = words ? words[language === "zh" ? 1 : 0] : key.replace(/^[a-z]+_/, "").replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** The field of an answer in the page's language: own(fan, "why") is fan.why_zh or fan.why_en. */
export function own(object, name) {
  const [first, second] = language === "zh" ? ["zh", "en"] : ["en", "zh"];
  return object[`${name}_${first}`] || object[`${name}_${second}`] || "";
}

/** A problem's message; English has the plain name in the service's answers. */
export const message = (problem) => (language === "zh" && problem.message_zh) || problem.message;

export function setLanguage(next) {
  language = next;
  localStorage.setItem("hupai.lang", next);
  translatePage();
}

/** Put the words into the page's fixed texts. */
export function translatePage() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const element of document.querySelectorAll("[data-i18n]")) element.textContent = t(element.dataset.i18n);
  for (const element of document.querySelectorAll("[data-i18n-label]")) {
    element.setAttribute("aria-label", t(element.dataset.i18nLabel));
    element.title = t(element.dataset.i18nLabel);
  }
}
