// Words of this page only: [English, Chinese].
import { WORDS } from "../js/shell/words.js";

Object.assign(WORDS, {
  learning: ["What to check, what is corrected", "核对与更正"],
  learningWhy: ["These hands were read with the least certainty, so checking them teaches the most.", "这些牌识别得最没把握，核对它们最有帮助。"],
  checkNext: ["Check next", "接下来核对"],
  looking: ["Looking through the stored hands …", "正在查看已存的牌…"],
  nothingToCheck: ["No hands are waiting to be checked.", "没有待核对的牌。"],
  handOf: ["Photo of a stored hand: {hand}", "已存牌的照片：{hand}"],
  somethingWrong: ["Something is wrong: correct it", "有误：去更正"],
  later: ["Not now", "以后再说"],
  drift: ["How much is corrected", "更正了多少"],
  noDrift: ["Nobody has corrected or confirmed a hand yet.", "还没有人更正或确认过牌。"],
  driftOf: ["Share corrected by week, tile set {set}, weights {model}", "每周更正比例，牌：{set}，权重：{model}"],
  driftKey: ["Solid line: tiles. Dashed line: groups.", "实线：牌。虚线：组合。"],
  driftWeek: ["Week", "周"],
  driftHands: ["Hands", "手数"],
  driftTiles: ["Tiles corrected", "更正的牌"],
  driftGroups: ["Groups corrected", "更正的组合"],
  driftNoSet: ["none", "无"],
  driftOffer: ["More than 1 tile in 20 of this set is corrected. Photograph its faces once, or fine-tune the weights.", "这副牌每 20 张就有超过 1 张被更正。请拍一次它的牌面，或微调权重。"],
});
