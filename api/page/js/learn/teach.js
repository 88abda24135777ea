// Corrections that teach: a missing tile, something that is no tile, a hand confirmed, and the consent to learn from it.
import * as api from "../service/api.js";
import * as fix from "../hand/corrections.js";
import * as model from "../hand/hand.js";
import { keypad } from "../hand/sheets.js";
import { correct, fail } from "../service/session.js";
import { state } from "../service/state.js";
import * as store from "../service/store.js";
import { asRead, freshId, NO_MARKS, proposedQuad, withMarks } from "./labels.js";
import { byId, h } from "../shell/dom.js";
import { t } from "../shell/i18n.js";
import { closeSheet, openSheet } from "../shell/sheet.js";

const ANSWER = "hupai.learn"; // "yes" or "no", once asked on this device

/** Whether marks can be kept: they belong to a stored hand of one photo. */
export const canMark = () => Boolean(state.hand && state.entry?.server?.id && state.reading && state.photos.length === 1);

function mark(marks) {
  const { entry } = state;
  const before = entry.marks ?? NO_MARKS;
  entry.marks = { added: [...before.added, ...marks.added], noTiles: [...before.noTiles, ...marks.noTiles] };
  state.reading = withMarks(state.reading, marks);
  entry.reading = state.reading;
}

/** A tap where no box is: is a tile missing there? */
export function missingSheet(point, inPlay) {
  const quad = canMark() ? proposedQuad(state.reading, point) : null;
  if (!quad) return;
  openSheet(t("missingTile"), h("p", { class: "hint" }, t("missingTileHint")), keypad(inPlay, fix.shown(state.hand), null, (code) => {
    const tile = { id: freshId(state.reading), tile: code, quad };
    const seen = { ...model.fromRead(asRead(tile)), edited: true };
    correct(fix.seenToo(state.hand, seen), () => mark({ added: [tile], noTiles: [] }));
    closeSheet();
  }));
}

/** Strike out what was taken for a tile and is none. */
export function strikeOut(tile) {
  const held = model.allTiles(state.hand).find((one) => one.id === tile.id);
  correct(held ? fix.remove(state.hand, held) : { ...state.hand }, () => mark({ added: [], noTiles: [tile.id] }));
}

/** The box under the hand: confirm it, and may it be learnt from? */
export function drawTeaching() {
  const box = byId("teach") ?? byId("hand-card").appendChild(h("div", { id: "teach", class: "teach" }));
  const { entry } = state;
  box.hidden = !entry?.server?.id || !state.hand;
  if (box.hidden) return;
  const answer = localStorage.getItem(ANSWER);
  const taught = Boolean(entry.taught || state.undo.some((step) => !step.told));
  const open = model.doubts(state.hand).length > 0;
  const shown = `${entry.id} ${answer} ${Boolean(entry.taught)} ${taught} ${open} ${Boolean(entry.consented)} ${document.documentElement.lang}`;
  if (box.dataset.shown === shown) return;
  box.dataset.shown = shown;
  const button = (id, words, act, style = "") => h("button", { type: "button", id, class: `button small ${style}`, onclick: act }, t(words));
  const confirm = entry.taught && !open ? h("span", { class: "hint", role: "status" }, t("confirmed")) : button("confirm-hand", "confirmHand", () => confirmHand(entry));
  box.replaceChildren(confirm);
  if (taught && answer === null) {
    box.append(h("div", { class: "message", id: "learn-ask" }, h("h3", {}, t("mayLearn")), h("p", {}, t("mayLearnText")),
      h("div", { class: "choices" }, button("learn-yes", "learnYes", () => say(entry, true), "primary"), button("learn-no", "learnNo", () => say(entry, false)))));
  } else if (entry.consented) {
    box.append(h("p", { class: "hint", id: "learn-hint" }, t(open ? "learnsOnce" : "learns"), " ", button("learn-back", "takeBack", () => say(entry, false))));
  } else if (taught && answer === "yes") {
    consent(entry, true);
  }
}

/** All tiles are right: those in doubt too, which is sent like any correction. */
async function confirmHand(entry) {
  if (model.doubts(state.hand).length) correct(fix.settled(state.hand));
  else {
    try {
      await api.changeHand(entry.server.id, { confirmed: true });
    } catch (error) {
      fail(error, () => confirmHand(entry));
      return;
    }
  }
  entry.taught = true;
  store.keep({ ...entry });
  drawTeaching();
}

/** Yes or no, for this hand and, once asked, for those that follow on this device. */
function say(entry, given) {
  localStorage.setItem(ANSWER, given ? "yes" : "no");
  consent(entry, given);
}

async function consent(entry, given) {
  entry.consented = given; // before the answer: it is asked for once
  try {
    if (given) await api.allowLearning().catch(() => {}); // an operator's to say; a player's yes counts once it was said
    await api.consentTo(entry.server.id, given);
  } catch (error) {
    if (!(error instanceof api.ServiceProblem) && !(error instanceof api.OfflineError)) throw error;
    entry.consented = !given;
  }
  drawTeaching();
}
