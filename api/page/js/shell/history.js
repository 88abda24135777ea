// Recent hands: those of this device at once, also without a connection; those that the service keeps as they come.
import * as api from "../service/api.js";
import { byId, h, icon } from "./dom.js";
import { amount, t, when } from "./i18n.js";
import { openEntry, openStored, rulesName } from "../service/session.js";
import { state } from "../service/state.js";
import { allTiles, codesOf } from "../hand/hand.js";
import { tileNames, tileView } from "../hand/tiles.js";
import { inShort } from "../score/view.js";
import { closeSheet, openSheet } from "./sheet.js";
import * as store from "../service/store.js";

/** The sheet with both lists. `onForgotten()` is called when something was deleted; `failure` says why it could not be. */
export async function openHistory(onForgotten, failure = null) {
  const kept = await store.entries();
  const search = h("input", { type: "search", class: "link-field", id: "search-hands", placeholder: t("searchHands"), "aria-label": t("searchHands"), oninput: find });
  openSheet(t("history"),
    failure && h("p", { class: "message error", id: "not-deleted", role: "alert" }, t("notDeleted", { why: failure })),
    search, h("p", { class: "hint", id: "nothing-found", role: "status", hidden: true }, t("nothingFound")),
    h("section", { "aria-labelledby": "kept-here" }, h("h3", { id: "kept-here" }, t("keptHere")), localList(kept, onForgotten)),
    h("section", { "aria-labelledby": "kept-there" }, h("h3", { id: "kept-there" }, t("keptThere")), h("div", { id: "stored-hands" }, h("p", { class: "hint", role: "status" }, t("stage_fetching")))));
  await drawStored(new Set(kept.map((entry) => entry.server?.id)), onForgotten);
}

/** Show only the hands in which every word of the search stands, in either language. */
function find() {
  const words = byId("search-hands")?.value.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const items = [...document.querySelectorAll("#sheet [data-find]")];
  for (const one of items) one.hidden = !words.every((word) => one.dataset.find.includes(word));
  byId("nothing-found").hidden = !words.length || items.some((one) => !one.hidden);
}

/** All that a hand may be searched by. */
function findable({ rules, at, score, tiles, player }) {
  const known = state.won.all.find((one) => one.id === rules);
  const fans = (score?.fans ?? []).flatMap((fan) => [fan.zh, fan.en]);
  const date = new Date(at);
  const dates = [`${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`, when(at)];
  return [rules, known?.name_en, known?.name_zh, ...dates, ...fans, ...tiles.flatMap(tileNames), player].filter(Boolean).join(" ").toLowerCase();
}

function localList(kept, onForgotten) {
  if (!kept.length) return h("p", { class: "hint" }, t("historyEmpty"));
  const forgetAll = async () => {
    for (const entry of kept) if (!entry.waiting) await store.remove(entry.id);
    onForgotten();
    openHistory(onForgotten);
  };
  return [
    h("ul", { class: "history-list" }, kept.map((entry) => item({
      title: isKnown(entry.answer) ? inShort(entry.answer).text : t(entry.reading && !tilesOf(entry).length ? "noHand" : "noScore"),
      tiles: tilesOf(entry),
      note: [entry.waiting ? t("waits") : "", entry.problem?.title ?? "", entry.player ?? "", rulesName(entry.rules), when(entry.at)],
      find: findable({ rules: entry.rules, at: entry.at, score: entry.answer?.score, tiles: tilesOf(entry), player: entry.player }),
      picture: entry.thumbnail, tag: entry.waiting, id: entry.id,
      onOpen: async () => openEntry((await store.entries()).find((one) => one.id === entry.id) ?? entry), // as it is now: it may have been read since
      onDelete: () => forget(entry, onForgotten),
    }))),
    h("button", { type: "button", class: "button small danger", id: "forget-all", onclick: forgetAll }, t("historyClear")),
  ];
}

const tilesOf = (entry) => (entry.hand ? allTiles(entry.hand).map((tile) => tile.code) : []);
const isKnown = (answer) => Boolean(answer?.score) || Boolean(answer?.verdict?.outcomes.length);
const total = (score) => (score.complete ? amount(score.total, score.unit) : t("notComplete"));

function item({ title, tiles, note, find: words, picture, tag = null, id, onOpen, onDelete }) {
  const image = picture instanceof Promise ? h("img", { alt: "" }) : h("img", { src: picture ?? "/page/icon.svg", alt: "" });
  if (picture instanceof Promise) picture.then((url) => { image.src = url; });
  return h("li", { class: tag ? "waits" : null, "data-find": `${title.toLowerCase()} ${words}` },
    h("button", { type: "button", class: "history-item", "data-entry": id, "data-uid": `entry-${id}`, onclick: () => { closeSheet(); onOpen(); } },
      image, h("span", {}, h("strong", {}, title), h("br"), h("span", { class: "hint" }, note.filter(Boolean).join(" · ")),
        tiles.length ? h("span", { class: "tiles history-tiles" }, tiles.filter(Boolean).map((code) => tileView(code, "tiny"))) : null)),
    h("button", { type: "button", class: "tool", "aria-label": t("deleteHand", { hand: title }), "data-delete": id, onclick: onDelete }, icon("bin")));
}

/** Delete a hand here and, where it was sent from here, on the service. */
async function forget(entry, onForgotten) {
  const failure = entry.server ? await forgetStored(entry.server.id) : null;
  if (!failure) await store.remove(entry.id);
  onForgotten();
  openHistory(onForgotten, failure);
}

/** Delete a hand on the service; why it could not be, null where it is gone. */
async function forgetStored(id) {
  try {
    await api.deleteHand(id);
  } catch (error) {
    if (!(error instanceof api.ServiceProblem)) return t("goneTitle");
    if (error.problem.status !== 404) return error.words().title;
  }
  return null;
}

/** What the service keeps and this device does not, page by page. */
async function drawStored(known, onForgotten, cursor = null) {
  const place = byId("stored-hands");
  let page;
  try {
    page = await api.listHands(cursor);
  } catch (error) {
    const words = error instanceof api.ServiceProblem ? error.words() : { title: t("goneTitle") };
    place?.replaceChildren(h("p", { class: "hint", role: "status" }, words.title));
    return;
  }
  if (!place?.isConnected) return; // closed meanwhile, or drawn anew
  const more = page.hands.filter((hand) => !known.has(hand.id)).map((hand) => storedItem(hand, onForgotten));
  const list = place.querySelector("ul") ?? h("ul", { class: "history-list" });
  list.append(...more);
  const rest = page.next
    ? h("button", { type: "button", class: "button small", id: "more-hands", onclick: ({ target }) => { target.disabled = true; drawStored(known, onForgotten, page.next); } }, t("moreHands")) : null;
  place.replaceChildren(...[list.children.length || rest ? list : h("p", { class: "hint", role: "status" }, t("storedEmpty")), rest].filter(Boolean));
  find();
}

function storedItem(hand, onForgotten) {
  const picture = hand.photos.length ? api.handPhoto(hand.id, { side: 240 }).then((blob) => URL.createObjectURL(blob), () => "/page/icon.svg") : null;
  return item({
    title: hand.total !== null ? total(hand) : t(hand.notation ? "noScore" : "noHand"),
    tiles: hand.notation ? codesOf(hand.notation) : [],
    note: [rulesName(hand.rules), when(Date.parse(hand.created))],
    find: findable({ rules: hand.rules, at: Date.parse(hand.created), score: null, tiles: hand.notation ? codesOf(hand.notation) : [] }),
    picture, id: hand.id,
    onOpen: () => openStored(hand.id),
    onDelete: async () => {
      const failure = await forgetStored(hand.id);
      onForgotten();
      openHistory(onForgotten, failure);
    },
  });
}
