// The photo with its tiles, how each was read, and the hand as it stands; tapping a tile leads to a proposal.
import { byId, h, s } from "/page/js/shell/dom.js";
import { t } from "/page/js/shell/i18n.js";
import { idsOf, inOrder } from "/page/js/photo/order.js";
import { percent, tileName, tileView } from "/page/js/hand/tiles.js";
import { file, send, stated } from "./desk.js";
import { handView, placeOf, replaced } from "./hand.js";
import { askTile, openForm, reasonField } from "./sheet.js";

export async function photoCard(found, again) {
  const card = h("section", { class: "card photo-card", "aria-label": t("photoAndReading") });
  for (const one of found.photos) {
    const url = URL.createObjectURL(await file(`/cases/${found.id}/photos/${one.photo.sha256}`));
    const info = h("div", { class: "reading-at", "aria-live": "polite" });
    card.append(shot(found, one, url, info, again), note(one), info);
  }
  return card;
}

function note({ photo, read }) {
  const taken = photo.taken ? t("taken", { time: photo.taken.replace("T", " ") }) : t("noTime");
  return h("div", { class: "photo-note" }, `${photo.name} · ${photo.width} × ${photo.height} · ${taken}`, h("div", { class: "hash" }, photo.sha256),
    read ? h("div", {}, t("tapTile")) : null);
}

function shot(found, one, url, info, again) {
  const { photo, read } = one;
  const figure = h("figure", { class: "shot" }, h("img", { src: url, alt: t("photo"), width: photo.width, height: photo.height }));
  if (!read) return figure;
  const svg = s("svg", { viewBox: `0 0 ${photo.width} ${photo.height}`, role: "group", "aria-label": t("photo") });
  const show = (box, tile) => {
    svg.querySelectorAll(".lit").forEach((lit) => lit.classList.remove("lit"));
    box.classList.add("lit");
    info.replaceChildren(readingAt(found, one, tile, again));
  };
  for (const tile of inOrder(read.reading.tiles, idsOf(read.reading.groups))) {
    const [x0, y0, x1, y1] = tile.box;
    const look = tile.in_hand ? (tile.inferred ? "inferred" : tile.confidence < 0.95 ? "unsure" : "") : "outside";
    const box = s("rect", { class: `box ${look}`, x: x0, y: y0, width: x1 - x0, height: y1 - y0, tabindex: 0, role: "button", "aria-label": tileName(tile.tile), "data-tile": tile.id });
    box.addEventListener("click", () => show(box, tile));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      show(box, tile);
    });
    svg.append(box);
  }
  figure.append(svg);
  return figure;
}

/** How one tile was read: face, alternatives, what the detector saw; and what may be proposed about it. */
function readingAt(found, { photo, read }, tile, again) {
  const chances = tile.inferred ? [h("span", { class: "chance" }, t("inferred"))] : [[tile.tile, tile.confidence], ...tile.alternatives].map(chance);
  const seen = read.detections?.find((one) => closeTo(one.box, tile.box));
  const acts = tile.in_hand && found.standing && found.may.propose
    ? h("div", { class: "acts" },
      h("button", { type: "button", class: "button small", id: "other-tile", onclick: () => askTile(t("proposeOther"), (code) => proposeTile(found, photo, read.reading, tile, code, again)) }, t("proposeOther")),
      h("button", { type: "button", class: "button small", onclick: () => proposeForm(found, t("proposeWon"), { winning_tile: tile.tile }, [], again) }, t("proposeWon")))
    : null;
  return h("div", { class: "form", data: { read: tile.tile } },
    h("div", { class: "row" }, tileView(tile.tile), h("div", { class: "row" }, h("b", {}, t("sureOf")), chances), tile.in_hand ? null : h("span", { class: "hint" }, t("notInHand"))),
    seen ? h("div", { class: "row" }, h("span", { class: "hint" }, t("seenAs")), seen.faces.slice(0, 4).map(chance)) : null, acts);
}

const chance = ([code, p]) => h("span", { class: "chance" }, tileView(code, "tiny"), `${tileName(code)} ${percent(p)}`);

/** The same box: their centres lie within half a tile of each other. */
function closeTo(a, b) {
  const distance = (i) => Math.abs((a[i] + a[i + 2]) / 2 - (b[i] + b[i + 2]) / 2);
  return distance(0) < (b[2] - b[0]) / 2 && distance(1) < (b[3] - b[1]) / 2;
}

function proposeTile(found, photo, reading, tile, code, again) {
  const hand = replaced(found.standing.hand, tile.tile, code, placeOf(reading, tile));
  if (!hand) return byId("sheet").close();
  const changes = [{ photo: photo.sha256, tile: tile.id, before: tile.tile, after: code }];
  proposeForm(found, `${tileName(tile.tile)} → ${tileName(code)}`, { hand }, changes, again);
}

/** Ask for the reason, and send the proposal. */
export function proposeForm(found, title, wanted, changes, again) {
  openForm(title, [reasonField()], async ({ reason }) => {
    await send(`/cases/${found.id}/corrections`, { ...wanted, changes, reason, stated: stated() });
    await again();
  }, { button: t("propose") });
}

export function handCard(found, again) {
  if (!found.standing) return h("section", { class: "card" }, h("h2", {}, t("theHand")), h("div", { class: "message warning" }, t("noHandRead")));
  const changed = new Set(found.corrections.filter((one) => one.decision?.accepted).flatMap((one) => one.proposal.changes.map((change) => change.after)));
  const onTile = found.may.propose
    ? (code) => askTile(t("proposeOther"), (other) => proposeForm(found, `${tileName(code)} → ${tileName(other)}`,
      { hand: replaced(found.standing.hand, code, other) }, [{ before: code, after: other }], again))
    : null;
  return h("section", { class: "card", id: "hand-card" }, h("h2", {}, t("theHand")), handView(found.standing.hand, onTile, changed),
    h("p", { class: "hash", id: "notation" }, found.standing.notation),
    found.standing.score ? null : h("div", { class: "message warning" }, t("whichWon")));
}
