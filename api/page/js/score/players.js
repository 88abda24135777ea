// Who won and whose tile it was, while a session runs: asked with the rest of a hand, and what is added to the session then.
import { h, icon } from "../shell/dom.js";
import { amount, t } from "../shell/i18n.js";
import * as table from "../service/table.js";
import { changed, state } from "../service/state.js";
import { fail, tell } from "../service/session.js";
import * as store from "../service/store.js";

/** What was said of the hand that is shown: {winner, from, riichi, together}; without who can no longer win, or lose the tile, in the deal. */
function choiceOf() {
  const { winner, from, ...rest } = state.entry?.table ?? {};
  if (!table.mayWin().includes(winner)) return rest;
  return { ...rest, winner, ...(from === null || table.playingOn().includes(from) ? { from } : {}) };
}

/** The number of the deal in which the hand shown is counted; 0 where it is not. */
const addedAs = () => (table.current()?.deals.findIndex((deal) => deal.hands.some((hand) => hand.entry === state.entry?.id)) ?? -1) + 1;

/** Whether the hand shown may be added to the session that runs. */
export const isOfTable = () => Boolean(table.current()) && Boolean(state.entry) && !state.answer?.waits?.length && table.fits(state.answer) && !addedAs() && !isHeld();

/** Whether the hand shown is not counted because another phone was faster; the player decides about it on the board. */
const isHeld = () => table.current().held.some((act) => act.args.hand?.entry === state.entry.id);

function choose(next) {
  state.entry.table = { ...choiceOf(), ...next };
  store.keep({ ...state.entry });
  const told = table.following(state.entry.table);
  const { values } = state.won;
  const news = Object.fromEntries(Object.entries(told).filter(([name, value]) => state.won.reads(name) && String(values[name] ?? "") !== value));
  if (Object.keys(news).length) tell(news);
  else changed();
}

const option = (label, small, on, uid, act) => h("button",
  { type: "button", class: "option worded", "aria-pressed": String(on), "data-uid": uid, "data-player": label, onclick: act },
  h("span", { class: "option-label name" }, label), small ? h("small", {}, small) : null);

/** The rows for the sheet; null while no session runs, or the hand is counted in it. */
export function playersView() {
  if (!isOfTable()) return null;
  const { family } = table.current();
  const { winner, from, riichi = [], together } = choiceOf();
  const wind = (name) => (table.windOf(name) ? t(`wind_${table.windOf(name)}`) : "");
  const others = table.playingOn().filter((name) => name !== winner);
  const pick = (name) => choose({ winner: name, ...(from === name ? { from: undefined } : {}) });
  const deposit = (name) => choose({ riichi: riichi.includes(name) ? riichi.filter((one) => one !== name) : [...riichi, name] });
  return [
    h("div", { class: "question", "data-question": "winner", role: "group", "aria-label": t("whoWon") }, h("h3", {}, t("whoWon")),
      h("div", { class: "choices four" }, table.mayWin().map((name) => option(name, wind(name), winner === name, `winner-${name}`, () => pick(name))))),
    winner ? h("div", { class: "question", "data-question": "from", role: "group", "aria-label": t("whoseTile") }, h("h3", {}, t("whoseTile")),
      h("div", { class: "choices four" },
        option(t("ownDraw"), "", from === null, "from-own", () => choose({ from: null, together: false })),
        others.map((name) => option(name, "", from === name, `from-${name}`, () => choose({ from: name }))))) : null,
    family === "riichi" && winner ? h("div", { class: "question", role: "group", "aria-label": t("riichiBy") }, h("h3", {}, t("riichiBy")),
      h("div", { class: "chips" }, others.map((name) => h("button", { type: "button", class: "chip", "aria-pressed": String(riichi.includes(name)), "data-uid": `riichi-${name}`, onclick: () => deposit(name) }, name)))) : null,
    from && table.mayShareTile() ? h("button", { type: "button", class: "chip", "aria-pressed": String(Boolean(together)), "data-uid": "together", onclick: () => choose({ together: !together }) }, t("sameTile")) : null,
  ];
}

/** The button that adds the hand, once nothing is open; null before. Until a change is scored the total is that of the hand before. */
export function addView(isOpen) {
  if (!isOfTable() || isOpen) return null;
  const { winner, from } = choiceOf();
  const { score } = state.answer ?? {};
  if (!winner || from === undefined || !score?.legal) return null;
  return h("button", { type: "button", class: "button primary", id: "add-to-table", disabled: state.entry.behind, onclick: addNow }, icon("table"), t("addToTable", { total: amount(score.total, score.unit) }));
}

let overtaken = () => {};
/** `act()` is called where a hand was not added because another phone was faster. */
export const onOvertaken = (act) => { overtaken = act; };

async function addNow() {
  const { entry, answer, won } = state;
  const choice = { ...choiceOf() };
  if (won.values.riichi || won.values.double_riichi) choice.riichi = [...(choice.riichi ?? []), choice.winner];
  table.addHand(choice, answer, entry);
  entry.player = choice.winner; // at once: the list of recent hands may be opened before the sums have come
  store.keep({ ...entry });
  if (!(await settleOrTakeBack())) {
    delete entry.player;
    store.keep({ ...entry });
    return;
  }
  if (isHeld()) overtaken();
  changed();
}

/** Have the service settle what was just logged; what it refuses is taken back and said. False where it was. */
export async function settleOrTakeBack() {
  try {
    await table.settle();
  } catch (error) {
    if (table.holdRefused(table.reasonOf(error))) return true;
    table.withdraw();
    fail(error, () => changed());
    return false;
  }
  return true;
}

/** What the score says once the hand is in the session. */
export function addedView(onTable) {
  const added = addedAs();
  if (!added) return null;
  return h("p", { class: "message note", id: "added", role: "status" }, t("addedToTable", { n: added }), " ",
    h("button", { type: "button", class: "link", id: "open-table", onclick: onTable }, t("tableScores")));
}
