// Draws the state.
import * as api from "./api.js";
import { byId, h, keepingFocus, show } from "./dom.js";
import { allTiles, boxOn, certainty, EMPTY } from "./hand.js";
import * as fix from "./corrections.js";
import { handView } from "./handview.js";
import { lang, message, t } from "./i18n.js";
import { clearStage, drawOverlay } from "./overlay.js";
import { isReachable } from "./reach.js";
import { fansView, inShort, inWords, problemList, questionView, scoreView } from "./scoreview.js";
import { answerQuestion, correct, undo } from "./session.js";
import { addSheet, meldSheet, outsideSheet, tileSheet } from "./sheets.js";
import { state } from "./state.js";
import { tileImage, tileName } from "./tiles.js";

const STAGES = ["opening", "sending", "queued", "decode", "detect", "layout", "read", "score"];
const inPlay = () => new Set(state.won.rules.tiles);
const boxShown = (read) => boxOn(read, state.shown);
const onTile = (tile) => tileSheet({ hand: state.hand, tile, inPlay: inPlay(), reading: state.reading, boxShown, change: correct });
const onOutside = (read) => { if (state.hand && read.tile !== "?") outsideSheet({ hand: state.hand, read, boxShown, change: correct }); };

const drawn = new Map();

/** True when any of `parts` differs from the last time for this `name`: what did not change keeps its elements, and taps under way. */
function differs(name, ...parts) {
  const before = drawn.get(name);
  drawn.set(name, parts);
  return !before || parts.some((part, at) => part !== before[at]);
}

/** `actions` are what other files do: onShare(), onCompare(), onKey(). */
export function draw(actions) {
  const { photos, hand, answer } = state;
  const empty = !photos.length && !hand;
  const stage = hand ? "hand" : photos.length ? "photo" : "empty";
  if (stage === "hand" && document.documentElement.dataset.stage !== "hand") foldOnPhone();
  document.documentElement.dataset.stage = stage;
  show("photo-empty", empty);
  show("photo-view", photos.length > 0);
  show("welcome", empty);
  show("examples-card", empty && Number(byId("examples-card").dataset.count) > 0);
  if (!photos.length) clearStage();
  else drawPhoto();
  drawProgress();
  drawError(actions);
  drawHand(actions);
  drawScore(actions);
  drawDock(answer);
}

/** On a narrow page the score is more urgent than the choice of rules, which stays in one line. */
function foldOnPhone() {
  if (matchMedia("(max-width: 899px)").matches) byId("won").open = false;
}

export function drawPhoto() {
  const { photos, shown, reading, hand, zoomed } = state;
  byId("zoom").setAttribute("aria-pressed", String(zoomed));
  if (!photos.length || !differs("photo", photos[shown].url, reading, hand, zoomed, lang(), innerWidth, innerHeight)) return;
  drawOverlay({ photo: photos[shown], index: shown, reading, hand: hand ?? EMPTY, zoomed, onTile, onOutside });
  byId("legend").replaceChildren(...legend());
  byId("reading-info").textContent = reading
    ? t("readIn", { n: reading.tiles.length, s: (reading.timing_ms.total / 1000).toFixed(1) }) + (reading.certain ? ` · ${t("certain")}` : "")
      + (reading.model.tile_set ? ` · ${t("withSet", { name: reading.model.tile_set })}` : "")
    : "";
  drawStrip();
}

/** The photos of the hand, where there are several. */
function drawStrip() {
  const { photos, shown } = state;
  const strip = byId("strip");
  strip.hidden = photos.length < 2;
  strip.setAttribute("aria-label", t("photos"));
  keepingFocus(strip, () => strip.replaceChildren(...photos.map((photo, at) => h("button",
    { type: "button", "aria-pressed": String(at === shown), "aria-label": t("photoN", { n: at + 1 }), "data-name": `photo-${at}`, onclick: () => { state.shown = at; drawPhoto(); } },
    h("img", { src: photo.url, alt: "" })))));
}

/** What the colours of the boxes mean, once there is more than one. */
function legend() {
  const kinds = new Set(allTiles(state.hand ?? EMPTY).map((tile) => certainty(tile)));
  const items = kinds.size > 1 ? ["sure", "unsure", "doubtful", "edited"].filter((kind) => kinds.has(kind)) : [];
  return items.map((kind) => h("span", {}, h("i", { class: `dot ${kind}` }), t(`legend_${kind}`)));
}

function drawProgress() {
  const { busy } = state;
  show("progress", Boolean(busy));
  const text = busy ? t(`stage_${busy.stage}`, { n: busy.position ?? busy.seconds ?? "" }) : "";
  if (byId("progress-text").textContent !== text) byId("progress-text").textContent = text;
  const at = busy ? STAGES.indexOf(busy.stage) : -1;
  if (at < 2) byId("progress-bar").removeAttribute("value"); // no telling how long
  else byId("progress-bar").value = at / STAGES.length;
  if (busy && !state.photos.length) show("photo-view", true);
}

function drawError(actions) {
  const box = byId("photo-error");
  box.hidden = !state.error;
  if (!state.error) return;
  const { error, again } = state.error;
  const words = state.error.words ?? errorWords(error);
  box.className = `message ${error instanceof api.OfflineError && state.entry?.waiting ? "warning" : "error"}`;
  const repeatable = error && (error instanceof api.OfflineError || error.passing);
  box.replaceChildren(
    h("h3", {}, words.title), h("p", {}, words.detail), words.advice ? h("p", { class: "hint" }, words.advice) : "",
    repeatable ? h("button", { type: "button", class: "button small", id: "retry", onclick: () => { state.error = null; drawError(actions); again(); } }, t("retry")) : "",
    error?.problem?.status === 401 ? h("button", { type: "button", class: "button small", id: "enter-key", onclick: () => actions.onKey(again) }, t("enterKey")) : "",
  );
}

function errorWords(error) {
  if (error instanceof api.ServiceProblem) return error.words();
  if (error instanceof api.OfflineError) {
    const kept = { photo: "goneKept", changes: "goneChanges" }[state.entry?.waiting];
    return { title: t("goneTitle"), detail: t(kept ?? "goneDetail") };
  }
  console.error(error);
  return { title: error.name, detail: error.message };
}

function drawHand(actions) {
  const box = byId("hand");
  show("hand-card", Boolean(state.hand));
  if (!state.hand || box.classList.contains("dragging")) return; // drawn when the tile is dropped
  if (!differs("hand", state.hand, state.reading, state.undo.length > 0, lang())) return;
  const edited = allTiles(state.hand).some((tile) => tile.edited) || state.undo.length > 0;
  const problems = edited ? [] : (state.reading?.problems ?? []).filter((problem) => problem.code !== "winning_tile_unknown");
  const { hand } = state;
  keepingFocus(box, () => box.replaceChildren(
    handView(hand, {
      onTile,
      onMeld: (index) => meldSheet({ hand: state.hand, index, change: correct }),
      onAdd: () => addSheet({ hand: state.hand, inPlay: inPlay(), reading: state.reading, change: correct }),
      onSort: () => correct(fix.sorted(state.hand)),
      onUndo: state.undo.length ? undo : null,
      onShare: actions.onShare,
    }),
    problemList(problems, problemTiles),
  ));
}

/** The tiles a problem is about, to tap: of the hand to be corrected, others to be taken in. */
function problemTiles(problem) {
  const held = new Map(allTiles(state.hand).map((tile) => [tile.id, tile]));
  const about = (problem.tiles ?? []).map((id) => state.reading.tiles.find((read) => read.id === id)).filter((read) => read && read.tile !== "?");
  if (about.length > 4) return [];
  return about.map((read) => h("button",
    { type: "button", class: "tile mini", "aria-label": tileName(read.tile), "data-uid": `problem-${read.id}`, "data-about": read.id, onclick: () => (held.has(read.id) ? onTile(held.get(read.id)) : onOutside(read)) },
    tileImage(held.get(read.id)?.code ?? read.tile)));
}

/** The questions worth asking: an answer that changes nothing is not. The tile stays marked all the same. */
const openQuestions = () => (state.answer?.questions ?? []).filter((one) => one.matters || one.code === "which_winning_tile");

function drawScore(actions) {
  const { answer } = state;
  if (!differs("score", answer, lang())) return;
  const open = openQuestions();
  announce([...open.map(message), answer?.score ? inWords(answer.score) : ""].join(" ").trim());
  byId("questions").replaceChildren(...open.map((question) => questionView(question, answerQuestion)));
  show("score-card", Boolean(answer?.score));
  const fans = Boolean(answer?.score?.complete);
  show("fans-card", fans);
  if (answer?.score) keepingFocus(byId("score"), () => byId("score").replaceChildren(scoreView(answer.score, answer.waits, actions.onCompare)));
  if (fans) keepingFocus(byId("fans"), () => byId("fans").replaceChildren(fansView(answer.score)));
}

/** Say it once to those who listen. */
export function announce(text) {
  if (byId("announce").textContent !== text) byId("announce").textContent = text;
}

/** On a phone the score stays in view beside the camera, at the lower edge. */
function drawDock(answer) {
  const dock = byId("dock-score");
  const asked = openQuestions().length;
  dock.hidden = !answer?.score && !asked;
  dock.setAttribute("href", asked ? "#questions" : "#score-card");
  dock.classList.toggle("asked", asked > 0);
  dock.textContent = answer?.score ? inShort(answer.score) : "";
  if (asked) dock.textContent = t("toAnswer", { n: asked });
  dock.classList.toggle("long", dock.textContent.length > 9);
  byId("dock").classList.toggle("scored", !dock.hidden);
}

/** Whether the service answers, and what waits for it. */
export function drawNotice(waiting) {
  const gone = !isReachable();
  const words = [gone ? t(navigator.onLine ? "goneNotice" : "offlineNotice") : "", waiting ? t("waitingNotice", { n: waiting }) : ""];
  const box = byId("notice");
  const text = words.filter(Boolean).join(" ");
  box.hidden = !text;
  if (box.textContent !== text) box.textContent = text;
  byId("waiting-count").hidden = !waiting;
  byId("waiting-count").textContent = waiting || "";
}

/** The circumstances stand beside the photo where there is room, and after the score on a phone. */
export function placeCards(wide) {
  if (wide) byId("given").append(byId("won-card"));
  else byId("score-card").after(byId("won-card"));
}
