// What is still to be told of a hand, on one sheet: tiles in question, how it was won, and what is rare, which is taken as not so.
import { h } from "../shell/dom.js";
import { codesOf, isFace, sortKey } from "../hand/hand.js";
import { own, t } from "../shell/i18n.js";
import { percent, received, worth } from "./questions.js";
import { withTiles } from "../hand/texts.js";
import { tileName, tileView } from "../hand/tiles.js";
import { state } from "../service/state.js";

const RARE = 0.1; // what is true less often is offered to be tapped where it applies, and not asked one by one

/** Whether an answer is a hand, sets or flowers in notation. */
const isNotation = (question, option) => ["tile", "melds", "flowers"].includes(question.about) && /\d[mpsh]|^[[(ESWNCFP]/.test(option.value);
const isTile = (question, option) => isFace(option.value) && question.about !== "circumstance";

const notationView = (text) => h("span", { class: "tiles option-tiles" }, codesOf(text).map((code) => (code ? tileView(code, "tiny") : h("span", { class: "gap" }))));

/** What an answer is called. */
function nameOf(question, option) {
  if (isTile(question, option)) return tileName(option.value);
  return isNotation(question, option) ? codesOf(option.value).filter(Boolean).map(tileName).join(" ") : option.label;
}

/** The order in which a circumstance's values are always offered; tiles come likeliest first, or, where there are many, in their own. */
const USUAL = ["true", "false", "E", "S", "W", "N", "m", "p", "s", "0", "1", "2", "3"];

/** What stands for an answer: a tile, tiles, or words. */
function optionFace(question, option, few) {
  const many = question.options.some((one) => isNotation(question, one) && codesOf(one.value).filter(Boolean).length > 1); // all in one size then
  if (isTile(question, option) && !many) return tileView(option.value, few ? "" : "mini");
  if (isNotation(question, option)) return notationView(option.value);
  return h("span", { class: "option-label" }, option.label);
}

/** Whether a question is about something that hardly ever applies. */
export const isRare = (question) => question.about === "circumstance"
  && question.options.every((option) => option.value === "false" || (option.value === "true" && option.raw.probability <= RARE));

const seen = { entry: null, questions: new Map() }; // circumstances that were asked for of the hand shown, by name, as last asked

/** The circumstances to show: those that are open, and of this hand those answered before, in the rules' own order. */
function circumstancesOf(open, entryId) {
  if (seen.entry !== entryId) Object.assign(seen, { entry: entryId, questions: new Map() });
  const asked = open.filter((one) => one.about === "circumstance");
  for (const question of asked) {
    const rare = seen.questions.get(question.name)?.rare ?? isRare(question); // once a row, always a row
    seen.questions.set(question.name, { ...question, rare });
  }
  const { rules, values } = state.won;
  const order = rules.circumstances.map((one) => one.name);
  const isOpen = new Set(asked.map((one) => one.name));
  return [...seen.questions.values()]
    .filter((one) => isOpen.has(one.name) || (one.name in values && order.includes(one.name)))
    .map((question) => ({ question, open: isOpen.has(question.name), told: question.name in values ? String(values[question.name]) : null }))
    .sort((a, b) => order.indexOf(a.question.name) - order.indexOf(b.question.name));
}

/**
 * The sheet for the questions that are open (questions.js), none without any. `actions` has onOption(question, option),
 * onTell({name: value}), onLeave(keys), picture(question); while `busy` an answer is on its way; `settled` is the total once nothing
 * rare applies; `first` stands before the questions and answers those that `hidden` names, `last` is the final button.
 */
export function askedView(open, { unit, busy, settled, first = null, last = null, hidden = [], ...actions }) {
  const hows = circumstancesOf(open, state.entry?.id).filter(({ question }) => !hidden.includes(question.name));
  if (!open.length && !first) return [];
  const rare = hows.filter(({ question }) => question.rare);
  const restOpen = rare.filter((one) => one.open);
  const only = restOpen.length > 0 && restOpen.length === open.length;
  const none = () => actions.onTell(Object.fromEntries(restOpen.map(({ question }) => [question.name, "false"])));
  const tiles = open.filter((one) => one.about !== "circumstance").map((question) => tileRow(question, unit, busy, actions));
  const how = hows.length || first ? t("howWonAsked") : null;
  return [h("div", { class: `ask-sheet${busy ? " busy" : ""}`, role: "group", "aria-labelledby": "asked-title" },
    h("h2", { id: "asked-title", tabindex: "-1" }, tiles.length ? t("pleaseCheck") : how),
    tiles,
    tiles.length && how ? h("h2", {}, how) : null,
    first,
    hows.filter(({ question }) => !question.rare).map((how) => usualRow(how, unit, busy, actions)),
    rare.length ? h("div", { class: "question", "data-question": "rare", role: "group", "aria-label": t("rareTitle") },
      h("h3", {}, t("rareTitle")),
      h("div", { class: "chips" }, rare.map((how) => rareChip(how, unit, busy, actions)))) : null,
    h("div", { class: "question-foot" },
      open.length ? h("button", { type: "button", class: "link", id: "leave-all", onclick: () => actions.onLeave(open.map((one) => one.key)) }, t("leaveAll")) : null,
      restOpen.length ? h("button", { type: "button", class: `button${only ? " primary" : ""}`, id: "none-applies", "aria-disabled": busy ? "true" : null, onclick: none },
        only && settled ? t("noneAppliesTotal", { total: settled }) : t("noneApplies")) : null,
      last))];
}

const leave = (question, actions) => h("button", { type: "button", class: "link small", "data-leave": question.name || question.about, onclick: () => actions.onLeave([question.key]) }, t("leaveOpen"));

/** A question about the tiles: its answers as tiles, each with what it would score. */
function tileRow(question, unit, busy, actions) {
  const few = question.options.length <= 6;
  const paid = received(question.options, unit);
  const last = question.about === "winning_tile" && !state.reading ? state.hand?.concealed.at(-1)?.code : null;
  const first = (option) => (option.value === last ? 0 : 1);
  const options = [...question.options].sort((a, b) => first(a) - first(b) || (few ? 0 : sortKey(a.value) - sortKey(b.value)));
  const button = (option) => {
    const { number, text, note, waits } = worth(option, unit);
    const face = optionFace(question, option, few);
    const small = [option.value === last ? t("enteredLast") : "", note, paid ? t("receives", { n: paid[question.options.indexOf(option)] }) : "", option.likely && few ? t("likely", { p: percent(option.likely) }) : ""];
    return h("button",
      { type: "button", class: `option${face.classList.contains("tile") ? "" : " worded"}`, "data-option": option.value, "data-uid": `option-${question.key}-${option.value}`, "aria-disabled": busy ? "true" : null, "aria-label": [nameOf(question, option), text, ...small].filter(Boolean).join(", "), onclick: () => actions.onOption(question, option) },
      face, h("b", {}, few ? text : number), waits.length ? h("span", { class: "tiles option-tiles" }, waits.map((code) => tileView(code, "tiny"))) : null,
      small.filter(Boolean).map((one) => h("small", {}, one)));
  };
  return h("div", { class: "question", "data-question": question.about, "data-key": question.key, role: "group", "aria-label": question.text },
    h("div", { class: "question-head" }, h("h3", {}, withTiles(question.text)), actions.picture(question), leave(question, actions)),
    h("div", { class: `choices${few ? "" : " many"}` }, options.map(button)));
}

/** A circumstance: its values side by side, each with what it would score; the one that was told is marked and may be changed. */
function usualRow({ question, open, told }, unit, busy, actions) {
  const paid = open ? received(question.options, unit) : null;
  const first = (option) => (option.raw.probability >= 1 - RARE ? 0 : 1); // what is nearly certain
  const options = [...question.options].sort((a, b) => first(a) - first(b) || USUAL.indexOf(a.value) - USUAL.indexOf(b.value));
  const button = (option) => {
    const { text, note } = open ? worth(option, unit) : { text: "", note: "" };
    const small = [note, paid ? t("receives", { n: paid[question.options.indexOf(option)] }) : ""].filter(Boolean);
    const act = () => (open ? actions.onOption(question, option) : actions.onTell({ [question.name]: option.value }));
    return h("button",
      { type: "button", class: "option worded", "data-option": option.value, "data-uid": `option-${question.key}-${option.value}`, "aria-pressed": String(!open && told === option.value), "aria-disabled": busy ? "true" : null, "aria-label": [option.label, text, ...small].filter(Boolean).join(", "), onclick: act },
      h("span", { class: "option-label" }, option.label), text ? h("b", {}, text) : null, small.map((one) => h("small", {}, one)));
  };
  const item = state.won.rules.circumstances.find((one) => one.name === question.name);
  return h("div", { class: "question", "data-question": "circumstance", "data-name": question.name, "data-key": question.key, role: "group", "aria-label": question.text },
    h("div", { class: "question-head" }, h("h3", { title: question.text }, own(item, "label")), open ? leave(question, actions) : null),
    h("div", { class: "choices" }, options.map(button)));
}

/** What hardly ever applies: a chip to tap where it does, with what it would score. */
function rareChip({ question, open, told }, unit, busy, actions) {
  const item = state.won.rules.circumstances.find((one) => one.name === question.name);
  const yes = question.options.find((option) => option.value === "true");
  const on = told === "true";
  const value = open && yes ? worth(yes, unit) : null;
  const paid = value ? received(question.options, unit) : null;
  const receives = paid ? t("receives", { n: paid[question.options.indexOf(yes)] }) : "";
  const text = value ? [receives ? "" : value.text, value.note, receives].filter(Boolean).join(", ") : "";
  const act = () => (open && yes ? actions.onOption(question, yes) : actions.onTell({ [question.name]: on ? "false" : "true" }));
  return h("button",
    { type: "button", class: "chip rare", "aria-pressed": String(on), "data-rare": question.name, "data-uid": `rare-${question.name}`, title: question.text, "aria-disabled": busy ? "true" : null, onclick: act },
    own(item, "label"), text ? h("b", {}, ` ${text}`) : null);
}
