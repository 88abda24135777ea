// Draws the state.
import * as api from "./service/api.js";
import { byId, h, keepingFocus, show } from "./shell/dom.js";
import { allTiles, boxOn, certainty, EMPTY, size } from "./hand/hand.js";
import * as fix from "./hand/corrections.js";
import { handView } from "./hand/view.js";
import { amount, lang, sentence, t } from "./shell/i18n.js";
import { clearStage, drawOverlay } from "./photo/overlay.js";
import { crop } from "./photo/photo.js";
import { enlarged } from "./photo/zoom.js";
import { openQuestions, openTotal } from "./score/questions.js";
import { afterPress } from "./shell/press.js";
import { isReachable } from "./shell/reach.js";
import { askedView } from "./score/asked.js";
import { addedView, addView, isOfTable, playersView } from "./score/players.js";
import { drawBoard, openTable } from "./score/table.js";
import { fansView, inShort, inWords, problemList, scoreView, setsOf, unitOfAnswer } from "./score/view.js";
import { answerQuestion, correct, isAnswering, leaveOpen, readAt, tellHow, undo } from "./service/session.js";
import { addSheet, meldSheet, outsideSheet, tileSheet } from "./hand/sheets.js";
import { state } from "./service/state.js";
import { current, FOLLOWING } from "./service/table.js";
import { tileImage, tileName, tileView } from "./hand/tiles.js";
import { canMark, drawTeaching, missingSheet, strikeOut } from "./learn/teach.js";

const STAGES = ["opening", "sending", "queued", "decode", "detect", "layout", "read", "score"];
const inPlay = () => new Set(state.won.rules.tiles);
const boxShown = (read) => boxOn(read, state.shown);

/** `drawn` is the tile on the page. The hand may have been replaced while it was pressed, so the tile is looked up in the present one. */
function onTile(drawn) {
  const tile = allTiles(state.hand ?? EMPTY).find(({ uid }) => uid === drawn.uid);
  if (tile) tileSheet({ hand: state.hand, tile, inPlay: inPlay(), redFives: state.won.reads("red_fives"), reading: state.reading, boxShown, change: correct, strike: canMark() ? strikeOut : null });
}

function onMeld(drawn) {
  const index = state.hand?.melds.findIndex(({ tiles }) => tiles.some(({ uid }) => uid === drawn.tiles[0].uid)) ?? -1;
  if (index >= 0) meldSheet({ hand: state.hand, index, change: correct });
}

const onEmpty = (point) => { if (canMark()) missingSheet(point, inPlay()); };
const onOutside = (read) => { if (state.hand) outsideSheet({ hand: state.hand, read, inPlay: inPlay(), boxShown, change: correct, strike: canMark() ? strikeOut : null }); };

/** Problems of a reading that lead to a question: not told beside it, nor once it is answered. */
const ASKED_ABOUT = {
  tile: ["low_confidence"], kong: ["kong_face_unknown", "face_down_tile"], melds: ["kong_kind_unknown", "grouping_unclear"], flowers: ["flowers_apart"],
};

const drawn = new Map();

/** True when any of `parts` differs from the last time for this `name`: what did not change keeps its elements, and taps under way. */
function differs(name, ...parts) {
  const before = drawn.get(name);
  drawn.set(name, parts);
  return !before || parts.some((part, at) => part !== before[at]);
}

/** Draw the state, once nothing on the page is pressed. `actions` are what other files do: onShare(), onCompare(), onKey(). */
export const draw = (actions) => afterPress("page", () => drawAll(actions));

function drawAll(actions) {
  const { photos, hand, answer } = state;
  const empty = !photos.length && !hand;
  const stage = hand ? "hand" : photos.length ? "photo" : "empty";
  if (stage === "hand" && document.documentElement.dataset.stage !== "hand") foldOnPhone();
  document.documentElement.dataset.stage = stage;
  document.documentElement.toggleAttribute("data-bare", !photos.length);
  show("photo-empty", empty);
  show("photo-view", photos.length > 0);
  show("enlarge", photos.length > 0); // one that is being opened is not there yet
  show("tools-card", photos.length > 0);
  show("welcome", empty);
  show("examples-card", empty && Number(byId("examples-card").dataset.count) > 0);
  if (!photos.length) clearStage();
  else drawPhoto();
  drawProgress();
  drawError(actions);
  drawHand(actions);
  drawTeaching();
  drawScore(actions);
  drawDock(answer);
  if (differs("board", current(), stage, lang(), state.won?.rules)) drawBoard();
}

/** On a narrow page the score is more urgent than the choice of rules, which stays in one line. */
function foldOnPhone() {
  if (matchMedia("(max-width: 899px)").matches) byId("won").open = false;
}

export function drawPhoto() {
  const { photos, shown, reading, hand, zoomed } = state;
  byId("zoom").setAttribute("aria-pressed", String(zoomed));
  if (!photos.length || !differs("photo", photos[shown].url, reading, hand, zoomed, lang(), innerWidth, innerHeight, enlarged())) return;
  drawOverlay({ photo: photos[shown], index: shown, reading, hand: hand ?? EMPTY, zoomed, onTile, onOutside, onEmpty, onOther: (other) => readAt(other.at) });
  byId("legend").replaceChildren(...legend());
  byId("reading-info").textContent = reading
    ? t(reading.tiles.length === 1 ? "readIn_1" : "readIn", { n: reading.tiles.length, s: (reading.timing_ms.total / 1000).toFixed(1) }) + (reading.certain ? ` · ${t("certain")}` : "")
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
  const bar = byId("progress-bar");
  if (at < 2) bar.removeAttribute("value"); // no telling how long
  else bar.value = Math.max(at / STAGES.length, bar.value); // stages may come again: it never goes back
  if (busy && !state.photos.length) show("photo-view", true);
}

function drawError(actions) {
  const box = byId("photo-error");
  box.hidden = !state.error;
  document.documentElement.toggleAttribute("data-failed", Boolean(state.error));
  if (!state.error) return;
  const { error, again } = state.error;
  const words = state.error.words ?? errorWords(error);
  box.className = `message ${error instanceof api.OfflineError && state.entry?.waiting ? "warning" : "error"}`;
  const repeatable = error && (error instanceof api.OfflineError || error.passing);
  box.replaceChildren(
    h("h3", {}, words.title), h("p", {}, sentence(words.detail)), words.advice && !saysAlready(words.detail, words.advice) ? h("p", { class: "hint" }, words.advice) : "",
    repeatable ? h("button", { type: "button", class: "button small", id: "retry", onclick: () => { state.error = null; drawError(actions); again(); } }, t("retry")) : "",
    error?.problem?.status === 401 ? h("button", { type: "button", class: "button small", id: "enter-key", onclick: () => actions.onKey(again) }, t("enterKey")) : "",
  );
}

/** Whether a sentence holds another one, but for its first letter and its full stop. */
const saysAlready = (text, sentence) => text.toLowerCase().includes(sentence.toLowerCase().replace(/[.。]$/, ""));

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
  const about = [...asked().map((question) => question.about), ...(state.entry?.server?.settled ?? []).filter((one) => one !== "tile")].join(" ");
  const sets = setsOf(state.answer, state.hand);
  const anyWon = Boolean(state.answer?.score?.complete) && !state.hand.winning && size(state.hand) === 14;
  if (!differs("hand", state.hand, state.reading, state.undo.length > 0, about, sets, anyWon, lang())) return;
  const edited = allTiles(state.hand).some((tile) => tile.edited) || state.undo.some((step) => !step.told);
  const problems = edited ? [] : (state.reading?.problems ?? []).filter((problem) => !["winning_tile_unknown", ...about.split(" ").flatMap((one) => ASKED_ABOUT[one] ?? [])].includes(problem.code));
  const { hand } = state;
  keepingFocus(box, () => box.replaceChildren(
    handView(hand, sets, {
      onTile,
      onMeld: (index) => onMeld(hand.melds[index]),
      onAdd: () => addSheet({ hand: state.hand, inPlay: inPlay(), reading: state.reading, change: correct }),
      onSort: () => correct(fix.sorted(state.hand)),
      onUndo: state.undo.length ? undo : null,
      onShare: actions.onShare,
    }, anyWon),
    problemList(problems, problemTiles),
  ));
}

/** The tiles a problem is about, to tap: of the hand to be corrected, others to be taken in. */
function problemTiles(problem) {
  if (["several_hands", "further_hands"].includes(problem.code)) return state.reading.other_hands.map(otherHand);
  const held = new Map(allTiles(state.hand).map((tile) => [tile.id, tile]));
  const about = (problem.tiles ?? []).map((id) => state.reading.tiles.find((read) => read.id === id)).filter((read) => read && read.tile !== "?");
  const faces = new Set(); // a hand has each flower once
  const offered = problem.code === "flowers_apart" ? about.filter(({ tile }) => !faces.has(tile) && faces.add(tile)) : about;
  if (offered.length > 4) return [];
  return offered.map((read) => h("button",
    { type: "button", class: "tile mini", "aria-label": tileName(read.tile), "data-uid": `problem-${read.id}`, "data-about": read.id, onclick: () => (held.has(read.id) ? onTile(held.get(read.id)) : onOutside(read)) },
    tileImage(held.get(read.id)?.code ?? read.tile)));
}

/** Another hand on the photo, to be read instead. */
function otherHand(other, index) {
  const codes = other.tiles.map((id) => state.reading.tiles.find((read) => read.id === id)?.tile ?? "?");
  return h("button", { type: "button", class: "set-choice other-hand", "data-other": index, "data-uid": `other-${index}`, "aria-label": `${t("readOther")}: ${codes.map(tileName).join(" ")}`, onclick: () => readAt(other.at) },
    h("span", {}, t("readOther")), h("span", { class: "tiles" }, codes.map((code) => tileView(code, "tiny"))));
}

const asked = () => openQuestions(state.answer, state.entry?.passed);

function drawScore(actions) {
  const { answer, entry } = state;
  const busy = isAnswering(entry);
  if (!differs("score", answer, state.hand, lang(), busy, entry?.waiting, entry?.behind, entry?.passed, entry?.table, current(), state.reading, state.won.values)) return;
  const open = entry?.waiting === "changes" && entry.pending?.length ? [] : asked(); // an answer that waits to be sent is no question any more
  const known = Boolean(answer?.score) || Boolean(answer?.verdict?.outcomes.length);
  announce([...open.slice(0, 1).map((question) => question.text), known ? inWords(answer) : ""].join(" ").trim());
  drawAsked(answer, open, busy);
  show("score-card", known);
  const fans = Boolean(answer?.score?.complete);
  show("fans-card", fans);
  const onAsk = entry?.passed?.length && asked().length < openQuestions(answer).length ? () => leaveOpen([]) : null;
  if (known) keepingFocus(byId("score"), () => byId("score").replaceChildren(scoreView(answer, { onCompare: actions.onCompare, onAsk, added: addedView(openTable), before: entry?.waiting === "changes" })));
  if (fans) keepingFocus(byId("fans"), () => byId("fans").replaceChildren(fansView(answer.score, Boolean(setsOf(answer, state.hand)), Boolean(openTotal(answer.verdict, unitOfAnswer(answer))))));
}

/** The sheet of what is open. Whoever answers by keyboard is led to what is left of it, and after the last answer to the score. */
function drawAsked(answer, open, busy) {
  const box = byId("questions");
  const within = box.contains(document.activeElement);
  const { score } = answer ?? {};
  const unit = answer ? unitOfAnswer(answer) : "fan";
  keepingFocus(box, () => box.replaceChildren(...askedView(open, {
    unit, busy, picture: pictureOf, settled: score?.legal ? amount(score.total, unit) : "",
    onOption: answerQuestion, onTell: tellHow, onLeave: leaveOpen,
    first: playersView(), last: addView(open.length > 0), hidden: isOfTable() ? FOLLOWING : [],
  })));
  if (within && !box.contains(document.activeElement)) (byId("asked-title") ?? byId("score-card")).focus({ preventScroll: true });
}

/** The part of the photo that shows the tile in question; null where it is about more than one. */
function pictureOf(question) {
  const boxes = question.tiles.map((id) => state.reading?.tiles.find((read) => read.id === id)).map((read) => read && boxShown(read)).filter(Boolean);
  const image = byId("photo");
  if (boxes.length !== 1 || question.tiles.length !== 1) return null;
  const canvas = h("canvas", { class: "question-picture", role: "img", "aria-label": t("asPhotographed") });
  const put = () => crop(image, boxes[0], canvas);
  if (image.complete && image.naturalWidth) put();
  else image.addEventListener("load", put, { once: true });
  return canvas;
}

/** Say it once to those who listen. */
export function announce(text) {
  if (byId("announce").textContent !== text) byId("announce").textContent = text;
}

/** On a phone the score stays in view beside the camera, at the lower edge; while something is asked it leads there. */
function drawDock(answer) {
  const dock = byId("dock-score");
  const open = asked().length;
  const known = Boolean(answer?.score) || Boolean(answer?.verdict?.outcomes.length);
  dock.hidden = !known && !open;
  dock.classList.toggle("asked", open > 0);
  const { text, kind } = known ? inShort(answer) : { text: open ? t("toAnswer", { n: open }) : "", kind: "" };
  dock.classList.toggle("void", kind === "void");
  dock.classList.toggle("long", text.length > 9);
  dock.textContent = text;
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

/** What belongs to the photo stands under it where there is room, and after the score on a phone. */
export function placeCards(wide) {
  if (wide) byId("photo-card").after(byId("tools-card"), byId("won-card"));
  else byId("fans-card").after(byId("won-card"), byId("tools-card"));
}
