// Teaching the service a set of tiles: a photo a row, questions where it is not sure, before and after.
import * as api from "../js/service/api.js";
import { byId, h, icon } from "../js/shell/dom.js";
import { connectFrame } from "../js/shell/frame.js";
import { day, lang, t, translatePage } from "../js/shell/i18n.js";
import { askForKey } from "../js/shell/key.js";
import { setUpSheet } from "../js/shell/sheet.js";
import { KEYPAD, learnTiles, tileImage, tileName, tileView } from "../js/hand/tiles.js";
import { chooseFile, photographRow } from "./photos.js";
import { cropOf, outcomeView } from "./outcome.js";
import { chosenSet, chooseSet } from "../js/service/tileset.js";
import "./words.js";

const ROWS = [..."mpszh"].map((id, at) => ({ id, codes: KEYPAD[at], optional: id === "h" }));
const blank = () => ({ step: "list", name: "", row: 0, photos: {}, skipped: [], answers: [], refusal: null, done: null, busy: false, replace: false });
let state = blank();
let sets = [];
let learning = 0;

function go(change, focus = "#top") {
  Object.assign(state, change);
  draw();
  document.querySelector(focus)?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

// Steps

function listView() {
  const known = sets.length
    ? h("ul", { class: "set-list" }, sets.map((set) => h("li", {},
        h("span", {}, h("strong", {}, set.name), h("br"), h("span", { class: "hint" }, t("setLine", { n: set.faces.length, date: day(set.created) }))),
        h("button", { type: "button", class: "tool", "data-remove": set.name, "aria-label": t("removeSet", { name: set.name }), onclick: () => remove(set) }, icon("bin")))))
    : h("p", { class: "hint" }, t("noSets"));
  return [
    h("section", { class: "card", "aria-labelledby": "known" }, h("h2", { id: "known" }, t("knownSets")), known,
      h("button", { type: "button", class: "button primary wide", id: "new-set", onclick: () => go({ step: "name" }, "#set-name") }, icon("plus"), t("newSet"))),
    sets.length ? choiceCard() : null,
  ];
}

/** Which set is used on this device. */
function choiceCard() {
  const options = [["auto", t("setAuto")], ...sets.map((set) => [set.name, set.name]), ["none", t("setNone")]];
  const select = h("select", { id: "set-choice", onchange: (event) => chooseSet(event.target.value) },
    options.map(([value, label]) => h("option", { value, selected: value === chosenSet() }, label)));
  return h("section", { class: "card" }, h("div", { class: "field" }, h("label", { class: "label", for: "set-choice" }, t("whichSet")), select));
}

async function remove(set) {
  try {
    await api.removeTileSet(set.name);
    if (chosenSet() === set.name) chooseSet("auto");
    await load();
  } catch (error) {
    fail(error, () => remove(set));
  }
}

function nameView() {
  const field = h("input", { id: "set-name", class: "link-field", maxlength: "60", required: true, value: state.name, "aria-describedby": "set-name-hint", oninput: () => { state.name = field.value; } }); // drawn anew it keeps what was typed
  const start = (event) => {
    event.preventDefault();
    go({ step: "row", row: 0, name: field.value.trim() });
  };
  return h("form", { class: "card column", onsubmit: start },
    h("div", { class: "field" }, h("label", { class: "label", for: "set-name" }, t("setName")), field, h("p", { class: "hint", id: "set-name-hint" }, t("setNameHint"))),
    foot(back({ step: "list" }), h("button", { class: "button primary", id: "start-rows" }, t("beginRows"))));
}

const foot = (...buttons) => h("div", { class: "steps-foot" }, buttons);
const back = (change) => h("button", { type: "button", class: "button", id: "back", onclick: () => go(change) }, t("back"));

function rowView() {
  const row = ROWS[state.row];
  const photo = state.photos[row.id];
  const last = state.row === ROWS.length - 1;
  const onward = () => (last ? learn() : go({ row: state.row + 1 }));
  const taken = (taken) => { state.photos[row.id] = taken; state.skipped = state.skipped.filter((id) => id !== row.id); go({ answers: [] }, "#next-row"); };
  const take = h("button", { type: "button", class: `button ${photo ? "" : "primary"}`, id: "take-row", onclick: () => photographRow(taken, fail) }, icon("camera"), t(photo ? "retake" : "take"));
  const choose = h("button", { type: "button", class: "button", id: "choose-row", onclick: () => chooseFile("file", taken, fail) }, icon("picture"), t("choose"));
  return h("section", { class: "card column", "aria-labelledby": "row-title" },
    h("ol", { class: "row-steps", "aria-hidden": "true" }, ROWS.map((one, at) => h("li", { class: at === state.row ? "now" : state.photos[one.id] ? "done" : null }))),
    h("div", {}, h("p", { class: "hint" }, t("rowOf", { n: state.row + 1, all: ROWS.length })), h("h2", { id: "row-title" }, t(`row_${row.id}`))),
    h("div", { class: "table" }, h("div", { class: "tiles row-tiles" }, row.codes.map((code) => tileView(code)))),
    h("p", {}, t("rowHint")),
    photo ? h("img", { class: "row-photo", id: "row-photo", src: photo.url, alt: t("rowPhoto") }) : null,
    h("div", { class: "sheet-actions" }, photo ? take : null, choose,
      !photo && row.optional ? h("button", { type: "button", class: "button", id: "skip-row", onclick: onward }, t("skipRow")) : null),
    foot(back(state.row ? { row: state.row - 1 } : { step: "name" }),
      photo ? h("button", { type: "button", class: "button primary", id: "next-row", onclick: onward }, t(last ? "learn" : "next")) : take));
}

// Learning

async function learn() {
  learning += 1;
  const turn = learning;
  const rows = ROWS.filter((row) => state.photos[row.id]);
  go({ step: "busy" }, "#busy");
  try {
    const request = { name: state.name, photos: rows.map((row) => state.photos[row.id]), order: rows.map((row) => row.codes), answers: state.answers, replace: state.replace };
    const done = await api.addTileSet(request);
    sets = await api.listTileSets();
    if (turn === learning) go({ step: "done", done });
  } catch (error) {
    if (turn !== learning) return;
    const problem = error.problem ?? {};
    if (problem.type?.endsWith("tile-set-incomplete")) go({ step: "asked", refusal: problem });
    else if (problem.type?.endsWith("tile-set-exists")) go({ step: "taken" });
    else {
      go({ step: "row" });
      fail(error, learn);
    }
  }
}

const busyView = () => h("section", { class: "card column", id: "busy", tabindex: "-1" }, h("p", { role: "status" }, t("learning")), h("progress", { class: "bar-progress", "aria-label": t("learning") }));

const takenView = () => h("section", { class: "card column" }, h("p", {}, t("nameTaken")),
  foot(back({ step: "name" }), h("button", { type: "button", class: "button primary", id: "replace-set", onclick: () => { state.replace = true; learn(); } }, t("replace"))));

/** What was not found or is not sure, with the tiles to be named. */
function askedView() {
  const { refusal } = state;
  const rows = ROWS.filter((row) => state.photos[row.id]);
  const names = (codes) => codes.map(tileName).join(lang() === "zh" ? "、" : ", ");
  const asked = (refusal.tiles ?? []).filter((tile) => tile.asked);
  const miscounted = (refusal.photos ?? []).filter((photo) => photo.problem);
  const plain = !asked.length && !miscounted.length && !refusal.missing?.length && !refusal.surplus?.length;
  return h("section", { class: "card column", "aria-labelledby": "asked" },
    h("h2", { id: "asked" }, t(asked.length ? "askTitle" : "askAgain")),
    plain ? h("p", {}, (lang() === "zh" && refusal.detail_zh) || refusal.detail) : null,
    miscounted.map((photo) => h("p", { class: "message warning" }, t(photo.tiles === 1 ? "askCount_1" : "askCount", { row: t(`row_${rows[photo.index].id}`), n: photo.tiles, all: rows[photo.index].codes.length }))),
    refusal.missing?.length ? h("p", { class: "message warning" }, t("askMissing", { tiles: names(refusal.missing) })) : null,
    refusal.surplus?.length ? h("p", { class: "message warning" }, t("askSurplus", { tiles: names(refusal.surplus) })) : null,
    asked.length ? h("p", { class: "hint" }, t("askHint")) : null,
    h("ul", { class: "asked" }, asked.map((tile) => askedTile(tile, state.photos[rows[tile.photo].id], rows[tile.photo].codes))),
    h("div", { class: "field" }, h("span", { class: "label" }, t("rowAgain")), h("div", { class: "chips" }, rows.map((row) => h("button",
      { type: "button", class: "chip", "data-row": row.id, onclick: () => go({ step: "row", row: ROWS.indexOf(row) }) }, t(`row_${row.id}`))))),
    asked.length ? foot(h("button", { type: "button", class: "button primary", id: "send-answers", disabled: !asked.every((tile) => answerFor(tile)), onclick: learn }, t("sendAnswers"))) : null);
}

const answerFor = (tile) => state.answers.find((one) => one.photo === tile.photo && one.tile === tile.tile);

function askedTile(tile, photo, codes) {
  const likely = [tile.face, ...(tile.alternatives ?? []).map(([code]) => code)].filter((code) => code && code !== "?");
  const options = [...new Set([...likely, ...codes])].slice(0, 9);
  const chosen = answerFor(tile);
  const set = (face) => {
    state.answers = [...state.answers.filter((one) => one !== chosen), { photo: tile.photo, tile: tile.tile, face }];
    go({}, `[data-asked="${tile.photo}-${tile.tile}"] [aria-pressed="true"]`);
  };
  return h("li", { "data-asked": `${tile.photo}-${tile.tile}` }, cropOf(photo, tile.box),
    h("div", { class: "choices" }, options.map((code) => h("button", { type: "button", class: "key", "aria-label": tileName(code), "aria-pressed": String(chosen?.face === code), "data-key": code, onclick: () => set(code) }, tileImage(code))),
      h("button", { type: "button", class: "chip", "aria-pressed": String(Boolean(chosen) && chosen.face === null), onclick: () => set(null) }, t("leaveOut"))));
}

function doneView() {
  const photos = ROWS.filter((row) => state.photos[row.id]).map((row) => state.photos[row.id]);
  return [outcomeView(state.done, photos), foot(
    h("button", { type: "button", class: "button", id: "to-list", onclick: () => { state = blank(); go({}); } }, t("knownSets")),
    h("a", { class: "button primary", href: "/" }, t("toHands")))];
}

// The page

const VIEWS = { list: listView, name: nameView, row: rowView, busy: busyView, asked: askedView, taken: takenView, done: doneView };

function draw() {
  document.documentElement.dataset.step = state.step;
  byId("error").hidden = true;
  byId("view").replaceChildren(...[VIEWS[state.step]()].flat().filter(Boolean));
}

function fail(error, again) {
  const offline = error instanceof api.OfflineError;
  const words = error instanceof api.ServiceProblem ? error.words() : offline ? { title: t("goneTitle"), detail: t("goneDetail") } : { title: error.name, detail: error.message };
  const box = byId("error");
  box.hidden = false;
  box.replaceChildren(h("h3", {}, words.title), h("p", {}, words.detail), words.advice ? h("p", { class: "hint" }, words.advice) : "",
    again && (offline || error.passing) ? h("button", { type: "button", class: "button small", id: "retry", onclick: () => { box.hidden = true; again(); } }, t("retry")) : "",
    [401, 403].includes(error.problem?.status) ? h("button", { type: "button", class: "button small", id: "enter-key", onclick: () => askForKey(() => { box.hidden = true; (again ?? load)(); }) }, t("enterKey")) : "");
}

async function load() {
  try {
    sets = await api.listTileSets();
    draw();
  } catch (error) {
    draw();
    fail(error, load);
  }
}

async function main() {
  translatePage();
  setUpSheet();
  const name = () => { document.title = `${t("tileSets")} · Hupai 和牌`; };
  connectFrame(() => { name(); draw(); });
  name();
  learnTiles(await api.getTiles());
  await load();
  document.documentElement.dataset.ready = "true";
}

main().catch((error) => fail(error, () => location.reload()));
