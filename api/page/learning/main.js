// What to check next, a tap each, and how much is corrected.
import * as api from "../js/service/api.js";
import { byId, h } from "../js/shell/dom.js";
import { connectFrame } from "../js/shell/frame.js";
import { lang, t, translatePage } from "../js/shell/i18n.js";
import { askForKey } from "../js/shell/key.js";
import { afterPress } from "../js/shell/press.js";
import { setUpSheet } from "../js/shell/sheet.js";
import { codesOf } from "../js/hand/hand.js";
import { learnTiles, tileName, tileView } from "../js/hand/tiles.js";
import { driftView } from "./drift.js";
import "./words.js";

const PHOTO_SIDE = 1024;
let waiting = null; // until the service has looked through the stored hands
let rows = null; // null for those who may not see it
const done = new Map(); // what was said of a hand: "confirmed" or "later"
const pictures = new Map();
const failures = new Map(); // {error, again} by what failed: a hand that was to be confirmed, or "pictures", "list", "page"

/** Fetches the photo of a hand as it comes near the window. */
const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    fetchPicture(target).catch((error) => fail("pictures", error, draw));
  }
}, { rootMargin: "600px" });

async function fetchPicture(image) {
  const { hand } = image.closest("li").dataset;
  if (!pictures.has(hand)) pictures.set(hand, URL.createObjectURL(await api.handPhoto(hand, { side: PHOTO_SIDE })));
  image.src = pictures.get(hand);
}

async function confirm(one) {
  try {
    await api.changeHand(one.hand, { confirmed: true });
    if (localStorage.getItem("hupai.learn") === "yes") await api.consentTo(one.hand, true);
    say(one, "confirmed");
    if (rows) rows = (await api.getDrift()).rows;
    draw();
  } catch (error) {
    fail(one.hand, error, () => confirm(one));
  }
}

function say(one, what) {
  done.set(one.hand, what);
  forget(one.hand);
  draw();
  document.querySelector(".to-check button")?.focus({ preventScroll: true });
}

function item(one) {
  const picture = h("img", { alt: t("handOf", { hand: codesOf(one.notation ?? "").filter(Boolean).map(tileName).join(" ") }), src: pictures.get(one.hand) });
  if (!pictures.has(one.hand)) near.observe(picture);
  return h("li", { "data-hand": one.hand }, picture,
    one.notation ? h("div", { class: "tiles row-tiles" }, codesOf(one.notation).map((code) => (code ? tileView(code, "tiny") : h("span", { class: "gap" })))) : null,
    h("div", { class: "choices" },
      h("button", { type: "button", class: "button primary", onclick: () => confirm(one) }, t("confirmHand")),
      h("a", { class: "button", href: `/#${new URLSearchParams({ h: one.hand })}` }, t("somethingWrong")),
      h("button", { type: "button", class: "button", onclick: () => say(one, "later") }, t("later"))));
}

const draw = () => afterPress("list", drawAll);

function drawAll() {
  forget("pictures"); // they are fetched anew
  near.disconnect();
  const left = (waiting ?? []).filter((one) => !done.has(one.hand));
  const confirmed = [...done.values()].filter((what) => what === "confirmed").length;
  byId("view").replaceChildren(
    h("section", { class: "card column", "aria-labelledby": "next" }, h("h2", { id: "next" }, t("checkNext")),
      h("p", { class: "hint", role: "status" }, confirmed ? `${t("confirmed")}: ${confirmed}` : ""),
      left.length ? h("ul", { class: "to-check" }, left.map(item)) : h("p", { class: "hint" }, t(waiting ? "nothingToCheck" : "looking"))),
    ...(rows ? [driftView(rows)] : []));
}

/** Say what failed until it is tried again. */
function fail(what, error, again) {
  failures.set(what, { error, again });
  drawFailures();
}

function forget(what) {
  if (failures.delete(what)) drawFailures();
}

function drawFailures() {
  const box = byId("error");
  box.hidden = !failures.size;
  box.replaceChildren(...[...failures].flatMap(([what, { error, again }]) => failureView(what, error, again)));
}

function failureView(what, error, again) {
  const offline = error instanceof api.OfflineError;
  const words = error instanceof api.ServiceProblem ? error.words() : offline ? { title: t("goneTitle"), detail: t("goneDetail") } : { title: error.name, detail: error.message };
  const retry = () => { forget(what); again(); };
  return [h("h3", {}, words.title), h("p", {}, words.detail),
    h("button", { type: "button", class: "button small", onclick: retry }, t("retry")),
    [401, 403].includes(error.problem?.status) ? h("button", { type: "button", class: "button small", onclick: () => askForKey(retry) }, t("enterKey")) : ""];
}

async function load() {
  try {
    draw();
    const drift = api.getDrift().then((found) => found.rows, (error) => { if (error.problem?.status === 403) return null; throw error; });
    drift.catch(() => {}); // told below, after the suggestions
    waiting = (await api.getSuggestions()).suggestions;
    draw();
    rows = await drift;
    if (rows) draw();
  } catch (error) {
    draw();
    fail("list", error, load);
  }
}

async function main() {
  translatePage();
  setUpSheet();
  learnTiles(await api.getTiles());
  connectFrame(() => { document.title = `${t("learning")} · Hupai 和牌`; draw(); drawFailures(); });
  document.title = `${t("learning")} · Hupai 和牌`;
  document.documentElement.lang = lang();
  await load();
  document.documentElement.dataset.ready = "true";
}

main().catch((error) => fail("page", error, () => location.reload()));
