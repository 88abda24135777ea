// The page: takes a photo, has it read, lets it be corrected, shows the score.
import * as api from "./service/api.js";
import { Circumstances } from "./score/circumstances.js";
import { comparisonView } from "./score/compare.js";
import { destinations, move } from "./hand/corrections.js";
import { byId, h } from "./shell/dom.js";
import { makeDraggable, makeNavigable } from "./hand/drag.js";
import { connectFrame } from "./shell/frame.js";
import { allTiles } from "./hand/hand.js";
import { openHistory } from "./shell/history.js";
import { t, translatePage } from "./shell/i18n.js";
import { askForKey, takeKeyFromAddress } from "./shell/key.js";
import { isReachable, onReach, watchReach } from "./shell/reach.js";
import { correct, fail, openNotation, openStored, rescore, restore, sendWaiting, startOver } from "./service/session.js";
import { fromAddress, linkToHand, linkToStored } from "./shell/share.js";
import { openSheet, setUpSheet } from "./shell/sheet.js";
import { onChange, state } from "./service/state.js";
import * as store from "./service/store.js";
import { current, hasUnsent, holdRefused, isSettling, join, onTable, reasonOf, settle } from "./service/table.js";
import { onOvertaken } from "./score/players.js";
import { openTable, redrawTable } from "./score/table.js";
import { learnTiles, tileName, tileView } from "./hand/tiles.js";
import { announce, draw, drawNotice, drawPhoto, placeCards } from "./view.js";
import { connectWays, drawExamples } from "./photo/ways.js";
import { connectZoom } from "./photo/zoom.js";

const ASK_SESSION_MS = 3000;
const WELCOME = ["1m", "9m", "1p", "9p", "1s", "9s", "E", "S", "W", "N", "C", "F", "P", "P"];
const wide = matchMedia("(min-width: 900px), (min-width: 640px) and (max-height: 500px)");
const onKey = (again) => askForKey(() => { state.error = null; again(); });
const actions = { onShare: share, onCompare: openComparison, onKey };

async function openComparison() {
  const { answer } = state;
  try {
    const comparison = await api.compare({ hand: answer.hand, circumstances: answer.circumstances });
    // Another hand, or another sheet, has been opened since: this one is not asked for any more.
    if (state.answer === answer && !byId("sheet").open) openSheet(t("otherRules"), comparisonView(comparison, state.won.all));
  } catch (error) {
    if (state.answer === answer) fail(error, openComparison);
  }
}

/** Give the link away: by the device's own means, to the clipboard, or shown to be copied. */
async function share() {
  if (!state.answer) return;
  let link;
  try {
    const { entry } = state;
    link = entry.server ? await linkToStored(entry.server) : linkToHand(state.answer, state.won.values);
    if (entry.server) store.keep({ ...entry });
  } catch (error) {
    fail(error, share);
    return;
  }
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    await navigator.share({ title: "Hupai", text: state.answer.notation, url: link }).catch(() => {}); // the user may change their mind
    return;
  }
  const copied = await (navigator.clipboard?.writeText(link).then(() => true, () => false) ?? false);
  openSheet(t("share"),
    h("p", { id: "share-note", role: "status" }, t(copied ? "copied" : "copyThis")),
    h("input", { class: "link-field", id: "share-link", readonly: true, value: link, "aria-label": t("link"), onfocus: (event) => event.target.select() }),
    h("p", { class: "hint" }, t(state.entry.server ? "linkStored" : "linkHand")));
}

/** Take part in the session of a link; the address forgets it, so that a reload does not begin anew. */
async function joinSession({ session, share: token }) {
  try {
    await join(session, token);
  } catch (error) {
    fail(error, () => joinSession({ session, share: token }));
    return;
  }
  history.replaceState(null, "", "/");
  state.error = null;
  draw(actions);
  openTable();
}

/** Bring the session up to date, without a word where nothing came of it: the board shows what is open. */
async function update() {
  try {
    await settle();
  } catch (error) {
    if (!holdRefused(reasonOf(error), 1)) console.warn("the session is not settled:", error);
  }
}

/** Ask every few seconds what others at the table have added, and send what ended sessions have not sent; not while an act of this device is on its way, whose refusal is its own. */
function watchSession() {
  setInterval(() => {
    if (!document.hidden && isReachable() && !isSettling() && (current()?.stored || hasUnsent())) update();
  }, ASK_SESSION_MS);
}

/** Show the hand or the session of a link. */
function openLink() {
  const named = fromAddress();
  if (named?.session) joinSession(named);
  else if (named?.id) openStored(named.id, named.share);
  else if (named) openNotation(named);
}

function connectTools(examples) {
  connectFrame(() => {
    state.won.draw();
    drawExamples(examples);
    draw(actions);
    tellOfWaiting();
  });
  byId("table-button").addEventListener("click", () => openTable());
  byId("history-button").addEventListener("click", () => openHistory(tellOfWaiting));
  byId("dock-score").addEventListener("click", (event) => {
    event.preventDefault();
    const there = byId("asked-title") ?? byId("score-card");
    const sheet = there.closest(".ask-sheet") ?? there;
    sheet.scrollIntoView({ block: sheet.offsetHeight < innerHeight ? "center" : "start" });
    there.focus({ preventScroll: true });
  });
  document.querySelector(".brand").addEventListener("click", (event) => {
    event.preventDefault();
    history.replaceState(null, "", "/");
    startOver();
    scrollTo({ top: 0 });
  });
}

/** Tiles can be dragged, and moved with the keyboard. */
function connectHand() {
  const find = (uid) => allTiles(state.hand).find((tile) => tile.uid === uid) ?? null;
  const accepts = (tile, to) => to.part === "away" || (to.part === "concealed" && state.hand.concealed.includes(tile))
    || destinations(state.hand, tile).some((one) => one.part === to.part && one.index === to.index);
  const moveTile = (tile, to) => {
    correct(move(state.hand, tile, to));
    announce(`${tileName(tile.code)}: ${t(`to_${to.part}`)}`);
  };
  makeDraggable(byId("hand"), { find, accepts, move: moveTile, onEnd: () => draw(actions) });
  makeNavigable(byId("hand"), (uid, by) => {
    const tile = find(uid);
    const from = state.hand.concealed.indexOf(tile);
    const at = by < 0 ? from - 1 : from + 2;
    if (from >= 0 && at >= 0 && at <= state.hand.concealed.length) correct(move(state.hand, tile, { part: "concealed", at }));
  });
}

async function tellOfWaiting() {
  drawNotice((await store.waiting()).length);
}

/** Send what waits whenever the service is back, and say when it is gone. */
function connectReach() {
  onReach(async (reachable) => {
    if (reachable) await Promise.all([sendWaiting(), update()]);
    await tellOfWaiting();
    draw(actions);
  });
  watchReach();
  tellOfWaiting();
  if (isReachable()) sendWaiting().then(tellOfWaiting);
}

async function main() {
  takeKeyFromAddress();
  translatePage();
  setUpSheet();
  onChange(() => {
    draw(actions);
    if (!state.busy) tellOfWaiting();
  });
  const [rules, tiles, examples] = await Promise.all([api.getRules(), api.getTiles(), api.getExamples().catch(() => [])]);
  learnTiles(tiles);
  byId("welcome-tiles").replaceChildren(...WELCOME.map((code) => tileView(code)));
  state.won = new Circumstances(rules, () => rescore());
  state.won.draw();
  drawExamples(examples);
  placeCards(wide.matches);
  wide.addEventListener("change", () => placeCards(wide.matches));
  draw(actions);
  connectWays();
  connectZoom(drawPhoto);
  onTable(() => {
    draw(actions);
    redrawTable();
  });
  connectTools(examples);
  connectHand();
  if (!fromAddress()) await restore();
  connectReach();
  onOvertaken(openTable);
  watchSession();
  addEventListener("resize", drawPhoto);
  addEventListener("hashchange", () => {
    takeKeyFromAddress();
    openLink();
  });
  openLink();
  store.askToStay();
  document.documentElement.dataset.ready = "true";
  navigator.serviceWorker?.register("/sw.js").catch((error) => console.warn("no offline use:", error));
}

main().catch((error) => fail(error, () => location.reload()));
