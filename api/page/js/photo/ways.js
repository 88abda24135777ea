// The ways in which photos and hands come to the page.
import * as api from "../service/api.js";
import { hasCamera, openCamera } from "./camera.js";
import { byId, h } from "../shell/dom.js";
import { EMPTY } from "../hand/hand.js";
import { own, t } from "../shell/i18n.js";
import { addFiles, atTable, correct, enter, fail, rotate, startOver, stillHere, takeFiles } from "../service/session.js";
import { openSheet, closeSheet } from "../shell/sheet.js";
import { addSheet } from "../hand/sheets.js";
import { state } from "../service/state.js";
import { drawPhoto } from "../view.js";

let wanted = takeFiles; // what the next chosen file is for

function choose(input, act) {
  wanted = act;
  byId(input).click();
}

/** The camera in the page, or the device's own where the page may not have it. */
function photograph(act) {
  if (hasCamera()) openCamera({ onDone: act, onUnable: () => useOwnCamera(act) });
  else choose("camera-file", act);
}

/** The device's own camera. A browser opens it only soon after a tap, and whoever read its question first needs a new one. */
function useOwnCamera(act) {
  if (navigator.userActivation?.isActive) {
    choose("camera-file", act);
    return;
  }
  openSheet(t("noCamera"), h("p", {}, t("noCameraHint")), h("div", { class: "sheet-actions" },
    h("button", { type: "button", class: "button primary", id: "own-camera", onclick: () => { closeSheet(); choose("camera-file", act); } }, t("ownCamera")),
    h("button", { type: "button", class: "button", id: "own-photo", onclick: () => { closeSheet(); choose("file", act); } }, t("choose"))));
}

export function connectWays() {
  for (const id of ["file", "camera-file"]) {
    byId(id).addEventListener("change", (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      if (files.length) wanted(files);
      wanted = takeFiles;
    });
  }
  byId("take").addEventListener("click", () => photograph(takeFiles));
  byId("choose").addEventListener("click", () => choose("file", takeFiles));
  byId("another").addEventListener("click", anotherPhoto);
  byId("by-hand").addEventListener("click", byHand);
  byId("rotate").addEventListener("click", () => rotate().catch((error) => fail(error, rotate)));
  byId("zoom").addEventListener("click", () => {
    state.zoomed = !state.zoomed;
    drawPhoto();
  });
  connectDrop();
}

function anotherPhoto() {
  const then = (act) => () => { closeSheet(); act(addFiles); };
  openSheet(t("another"), h("p", {}, t("anotherHint")), h("div", { class: "sheet-actions" },
    h("button", { type: "button", class: "button primary", id: "another-take", onclick: then(photograph) }, t("take")),
    h("button", { type: "button", class: "button", id: "another-choose", onclick: then((act) => choose("file", act)) }, t("choose"))));
}

function byHand() {
  startOver();
  atTable();
  enter({ ...EMPTY });
  const inPlay = new Set(state.won.rules.tiles);
  addSheet({ hand: state.hand, inPlay, reading: null, change: correct });
}

function connectDrop() {
  const zone = byId("photo-card");
  addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", () => zone.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const files = [...event.dataTransfer.files];
    if (files.length) takeFiles(files);
  });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])].filter((one) => one.type.startsWith("image/"));
    if (files.length) takeFiles(files);
  });
}

/** Scenes to try. */
export function drawExamples(examples) {
  byId("examples-card").dataset.count = examples.length;
  byId("examples").replaceChildren(...examples.map((example) => h("button",
    { type: "button", class: "example", "data-example": example.name, onclick: () => openExample(example) },
    h("img", { src: example.url, alt: "", loading: "lazy" }), h("span", {}, own(example, "title")))));
}

async function openExample(example) {
  scrollTo({ top: 0 });
  startOver();
  const here = stillHere();
  try {
    const file = await api.getFile(example.url);
    if (here()) await takeFiles([file], example.name, example.rules ? example : null);
  } catch (error) {
    if (here()) fail(error, () => openExample(example));
  }
}
