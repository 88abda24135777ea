// Penalties and false wins of a session: who, what for, and what it costs where the rules leave that to the referee.
import { choice, h } from "../shell/dom.js";
import { lang, t } from "../shell/i18n.js";
import { openSheet } from "../shell/sheet.js";
import * as table from "../service/table.js";

/** T/TFMJ 01-2024, chapter 11, wins that are none: [event, English, Chinese]. */
const FALSE_WINS = [
  ["false_win", "false win (not ready, claimed): 24", "诈和 24 分"],
  ["mistaken_win", "win announced by mistake: 8", "错和 8 分"],
  ["pig_win", "win while holding the void suit: 24", "未打缺和牌 24 分"],
  ["late_pig", "void suit drawn again after another discard: 24", "先打后摸花猪 24 分"],
];

/** The other offences of chapter 11: [reason, English, Chinese]; the service knows their points, which grow with repetition. */
const OFFENCES = [
  ["wrong_break", "wall opened at the wrong place", "开牌位置错误"],
  ["wrong_deal", "too many or few tiles taken, deal redone", "取牌错误重开"],
  ["dealt_exposed", "over three tiles exposed at the deal", "开牌暴露三张以上"],
  ["pig_probe", "probing a hand by a report of \u82b1\u732a", "举报花猪试探"],
  ["empty_claim", "claim that is not made good", "空碰、空杠"],
  ["early_draw", "reaching for the wall too early", "上家未出牌即摸牌"],
  ["misdeclared", "pung or kong declared wrongly", "错报碰、杠"],
  ["late_pung", "pung called after three seconds", "超时碰牌"],
  ["changed_claim", "pung changed to kong or kong to pung", "报碰改杠、报杠改碰"],
  ["exposed_tile", "exposed tile not discarded in time", "罚张未及时打出"],
  ["named_discard", "discard named aloud", "出牌报牌名"],
  ["discard_before_draw", "discard before the draw", "先打后摸"],
  ["untidy_discard", "discard not laid in order", "出牌未整齐摆放"],
  ["late_kong", "tile of a kong not taken in time", "杠牌不及时捡回"],
  ["wrong_rows", "wrong number of tiles in a row of discards", "牌池摆放张数不符"],
  ["wrong_sets", "pung or kong laid wrongly", "碰杠摆放不符"],
  ["wrong_winning_tile", "winning tile laid wrongly", "和牌张摆放不符"],
  ["wall_peek", "looking at the rest of the wall", "翻看剩余牌墙"],
  ["hand_peek", "looking at another's hand after a win", "和牌后看他人手牌"],
  ["device_worn", "electronic device worn", "佩戴通讯电子产品"],
  ["phone_rang", "phone rang", "手机响"],
  ["phone_used", "phone looked at", "翻看手机"],
  ["signalling", "passing information", "传递信息"],
  ["rudeness", "uncivil behaviour", "不文明行为"],
  ["late_5", "up to 5 minutes late", "迟到5分钟之内"],
  ["late_10", "up to 10 minutes late", "迟到10分钟之内"],
  ["late_15", "up to 15 minutes late", "迟到15分钟之内"],
];

const named = (rows) => rows.map(([id, en, zh]) => [id, lang() === "zh" ? zh : en]);
const number = (id, label, value) => h("label", { class: "seat-field" }, h("span", {}, label),
  h("input", { class: "link-field", type: "number", inputmode: "numeric", min: "0", max: "99999", required: true, id, value }));
const valueOf = (field) => field.querySelector("select, input").value;

/** Whether a select is too narrow for what was chosen; browsers cut it without a mark. */
function isCut(select) {
  const copy = select.cloneNode(false);
  copy.style.cssText = "position: absolute; width: max-content; visibility: hidden";
  copy.append(new Option(select.selectedOptions[0].text));
  select.after(copy);
  const cut = copy.offsetWidth > select.offsetWidth;
  copy.remove();
  return cut;
}

/** A choice of reasons, with the chosen one written out below where the field cuts it. */
function reasons(options) {
  const field = choice("penalty-reason", t("penaltyFor"), options);
  const select = field.querySelector("select");
  const whole = h("p", { class: "hint", id: "penalty-whole", "aria-hidden": "true", hidden: true });
  const write = () => {
    whole.textContent = select.selectedOptions[0].text;
    whole.hidden = !isCut(select);
  };
  select.addEventListener("change", write);
  requestAnimationFrame(write);
  return [field, whole];
}

/** What each family asks for besides the player: {fields, read(player), chosen(player)?}; `read` logs it, `chosen` follows the choice of the player. */
const FORMS = {
  mcr: (players) => {
    const why = choice("penalty-reason", t("penaltyFor"), [["错和 false win", t("falseWin")], ["犯规 foul", t("foul")]]);
    const points = number("penalty-points", t("penaltyPoints"), "");
    const to = choice("penalty-to", t("penaltyTo"), [["", t("nobody")], ["others", t("otherThree")]]);
    return {
      fields: [why, points, to, h("p", { class: "hint" }, t("refereeSets"))],
      read: (player) => table.addPenalty({ player, points: Number(valueOf(points)), reason: valueOf(why), ...(valueOf(to) ? { to: players.filter((name) => name !== player) } : {}) }),
    };
  },
  sichuan: () => {
    const [why, whole] = reasons([...named(FALSE_WINS), ...named(OFFENCES)]);
    return {
      fields: [why, whole],
      read: (player) => {
        const reason = valueOf(why);
        table.addEvent(FALSE_WINS.some(([id]) => id === reason) ? { type: reason, player } : { type: "fine", player, reason });
      },
    };
  },
  kc: (players) => {
    const ready = players.map((name, at) => [name, number(`penalty-ready-${at}`, name, "0")]);
    return {
      fields: [h("p", { class: "hint" }, t("falseWinReady")), ready.map(([, field]) => field)],
      chosen: (player) => ready.forEach(([name, field]) => { field.hidden = name === player; }),
      read: (player) => table.addDeal({ type: "false_win", player,
        ready: Object.fromEntries(ready.filter(([name, field]) => name !== player && Number(valueOf(field)) > 0).map(([name, field]) => [name, Number(valueOf(field))])) }),
    };
  },
  riichi: () => {
    const points = number("penalty-points", t("penaltyPoints"), "20000");
    return { fields: [points], read: (player) => table.addDeal({ type: "chombo", player, points: Number(valueOf(points)) }) };
  },
};

/** Ask for a penalty or a false win; `log(act)` logs it by `act()`. */
export function openPenalty(log) {
  const { players, family } = table.current();
  const who = choice("penalty-player", t("penaltyWho"), players.map((name) => [name, name]));
  const form = FORMS[family](players);
  const chosen = () => form.chosen?.(valueOf(who));
  who.addEventListener("change", chosen);
  chosen();
  const save = (event) => {
    event.preventDefault();
    log(() => form.read(valueOf(who)));
  };
  openSheet(t("penalty"), h("form", { class: "sheet-body bare penalty", onsubmit: save }, who, form.fields,
    h("button", { class: "button primary", id: "log-penalty" }, t("done"))));
}
