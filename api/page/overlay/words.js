// Words of the operator's pages: English, Chinese. The language is the one of the whole page.
import { lang, setLanguage } from "/page/js/shell/i18n.js";

const WORDS = {
  sourceLink: ["Source code (AGPL)", "源代码（AGPL）"],
  tables: ["Broadcast tables", "直播牌桌"],
  noTables: ["No tables yet.", "还没有牌桌。"],
  newTable: ["New table", "新建牌桌"],
  tableId: ["Id: lower-case letters, digits, hyphens", "名称：小写字母、数字、连字符"],
  sourceIs: ["Source: camera:0, rtsp://…, rtmp://…, udp://…, file:…, push; several cameras: camera:0 + camera:1", "来源：camera:0、rtsp://…、rtmp://…、udp://…、file:…、push；多个摄像头：camera:0 + camera:1"],
  rules: ["Rules", "规则"],
  seatNames: ["Seats, separated by spaces: lower-case letters, digits, hyphens; players are named on the operator's page", "座位，用空格分开：小写字母、数字、连字符；选手姓名在导播页填写"],
  make: ["Create", "创建"],
  remove: ["Remove", "删除"],
  reallyRemove: ["Remove the table {id} and everything in it?", "确定删除牌桌 {id} 及其全部内容？"],
  overlay: ["Overlay", "画面"],
  operator: ["Operator", "导播"],
  auto: ["Without approval", "自动播出"],
  auto_off: ["nothing", "不自动"],
  auto_certain: ["certain readings", "仅确定的识别"],
  auto_all: ["everything", "全部"],
  delay: ["Delay, s", "延迟（秒）"],
  setup: ["Places", "座位区域"],
  hideAll: ["Hide all", "全部隐藏"],
  programme: ["On air", "播出画面"],
  queue: ["Waiting to go on air", "待播"],
  queueEmpty: ["Nothing is waiting.", "没有待播内容。"],
  now: ["Now", "立即"],
  drop: ["Drop", "撤下"],
  undo: ["Undo", "撤销"],
  freeze: ["Freeze", "定住"],
  frozen: ["Frozen", "已定住"],
  board: ["Scoreboard", "记分牌"],
  logo: ["Logo", "标志"],
  picture: ["Picture", "照片"],
  boardTitle: ["Event", "赛事名称"],
  roundWind: ["Round", "圈风"],
  deal: ["Deal", "第几盘"],
  wind: ["Wind", "门风"],
  score: ["Score", "得分"],
  log: ["Log of what went on air:", "播出记录："],
  localFile: ["file for OBS", "供 OBS 使用的文件"],
  live: ["connected", "已连接"],
  lost: ["connection lost, trying again", "连接中断，正在重连"],
  gone: ["The table was removed.", "牌桌已删除。"],
  trouble: ["The storage is not responding.", "存储无响应。"],
  fps: ["{fps} frames/s, {skipped} skipped, {read} read", "每秒 {fps} 帧，跳过 {skipped}，识别 {read}"],
  noSource: ["no source", "无来源"],
  noPushed: ["waiting for pushed frames", "等待推送画面"],
  noFrames: ["no frames: {error}", "没有画面：{error}"],
  partly: ["{fps} frames/s; missing: {error}", "每秒 {fps} 帧；缺画面：{error}"],
  ended: ["video ended", "视频已结束"],
  nothingRead: ["Nothing read yet", "尚无识别结果"],
  cleared: ["The place was cleared", "已清空"],
  covered: ["covered: last seen {s} s ago", "被遮挡：{s} 秒前最后看到"],
  changed: ["picture changed: last seen {s} s ago", "画面已变：{s} 秒前最后看到"],
  unseen: ["no picture: last seen {s} s ago", "无画面：{s} 秒前最后看到"],
  out_of_sight: ["hidden: the hand is out of sight", "已隐藏：看不到这手牌"],
  no_frames: ["hidden: no picture from the source", "已隐藏：信号源没有画面"],
  certain: ["certain", "确定"],
  uncertain: ["please check", "请核对"],
  corrected: ["corrected", "已更正"],
  seenIn: ["{ms} ms after the tiles came to rest", "静止后 {ms} 毫秒"],
  approve: ["Put on air", "播出"],
  approveHide: ["Take off the air", "撤下画面"],
  approved: ["Approved", "已批准"],
  reject: ["Discard", "忽略"],
  hide: ["Hide", "隐藏"],
  onAir: ["ON AIR", "播出中"],
  offAir: ["not on air", "未播出"],
  player: ["Player's name", "选手姓名"],
  use: ["Use", "采用"],
  notation: ["Hand in notation", "牌谱"],
  whichWon: ["Which tile won? Tap it.", "和的是哪张？请点击。"],
  wins: ["{total} {unit}", "{total} {unit}"],
  below: ["below the minimum", "不够起和"],
  notAllowed: ["not allowed", "不能和"],
  noWin: ["not a winning hand", "未成和"],
  waitsFor: ["waits for", "听"],
  notReady: ["not ready", "未听牌"],
  left: ["{n} left", "余 {n}"],
  change: ["Change this tile", "更正这张牌"],
  thisWon: ["This tile won", "和的是这张"],
  notWon: ["Not the winning tile", "不是和牌张"],
  takeOut: ["Remove", "去掉"],
  close: ["Close", "关闭"],
  save: ["Save", "保存"],
  sessionFile: ["Scores from a session (JSON)", "从场次记录读取得分（JSON）"],
  noJson: ["This is not JSON.", "不是 JSON 文件。"],
  places: ["Where the seats are", "座位在画面中的位置"],
  placesHint: [
    "Drag the corners around each player's tiles. The red edge is the player's own side.",
    "拖动四角框住每位选手的牌。红边为选手一侧。",
  ],
  noPicture: ["No picture has come in yet.", "尚无画面。"],
  addSeat: ["Add a seat", "加座位"],
  seatName: ["Name of the seat", "座位名称"],
  turn: ["Turn", "旋转"],
  sourceLabel: ["Source", "来源"],
  theme: ["Theme", "主题"],
  overlayLanguage: ["Language on air", "播出语言"],
  self_drawn: ["Self-drawn", "自摸"],
  last_tile: ["Last tile", "海底"],
  last_of_kind: ["Last of its kind", "和绝张"],
  kong_replacement: ["Kong replacement", "杠上开花"],
  kong_discard: ["Kong discard", "杠上炮"],
  robbing_kong: ["Robbing a kong", "抢杠"],
  dealer: ["Dealer", "庄家"],
  seat_wind: ["Seat", "门风"],
  round_wind: ["Round", "圈风"],
};

export { lang };

/** The words for a key in the page's language. */
export function w(key, values = {}) {
  const text = (WORDS[key] ?? [key, key])[lang() === "zh" ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const has = (key) => key in WORDS;

/** Put the words into the page, and make the button switch the language; `changed` draws the rest anew. */
export function speak(button, changed) {
  const translate = () => {
    document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
    for (const element of document.querySelectorAll("[data-w]")) element.textContent = w(element.dataset.w);
    button.textContent = lang() === "zh" ? "EN" : "中文";
  };
  button.addEventListener("click", () => {
    setLanguage(lang() === "zh" ? "en" : "zh");
    translate();
    changed();
  });
  translate();
}
