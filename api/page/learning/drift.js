// How much is corrected: a plot and a table for each tile set and set of weights.
import { h } from "../js/shell/dom.js";
import { t } from "../js/shell/i18n.js";

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 44;
const BELOW = 24;
const ABOVE = 10;
const NS = "http://www.w3.org/2000/svg";

const svg = (name, attributes, text = "") => {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

const share = (part, whole) => (whole ? part / whole : 0);
const percent = (value) => `${(100 * value).toFixed(1)} %`;

/** Rows of one tile set and one set of weights together, the oldest week first. */
export function grouped(rows) {
  const found = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.tile_set, row.model]);
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()].map((weeks) => weeks.sort((a, b) => (a.week < b.week ? -1 : 1)));
}

/** The least round number above all shares. */
export const top = (rows) => {
  const most = Math.max(0, ...rows.map((row) => Math.max(share(row.tiles_corrected, row.tiles), share(row.groups_corrected, row.groups))));
  return [0.05, 0.1, 0.2, 0.5].find((limit) => most <= limit) ?? 1;
};

function plot(rows, label) {
  const limit = top(rows);
  const x = (at) => LEFT + (rows.length > 1 ? (at / (rows.length - 1)) * (WIDTH - LEFT - 30) : (WIDTH - LEFT) / 2);
  const y = (value) => ABOVE + (1 - value / limit) * (HEIGHT - ABOVE - BELOW);
  const made = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": label });
  for (const value of [0, limit / 2, limit]) {
    made.append(svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }));
    made.append(svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, `${+(100 * value).toFixed(1)} %`));
  }
  for (const kind of ["tiles", "groups"]) {
    const points = rows.map((row, at) => [x(at), y(share(row[`${kind}_corrected`], row[kind]))]);
    made.append(svg("polyline", { class: kind, points: points.map((point) => point.join(",")).join(" ") }));
    for (const [cx, cy] of points) made.append(svg("circle", { class: kind, cx, cy, r: 4 }));
  }
  const step = Math.ceil(rows.length / 8);
  rows.forEach((row, at) => { if (at % step === 0) made.append(svg("text", { x: x(at), y: HEIGHT - 6, "text-anchor": "middle" }, row.week)); });
  return made;
}

function tableOf(rows) {
  const head = ["driftWeek", "driftHands", "driftTiles", "driftGroups"].map((name) => h("th", { scope: "col" }, t(name)));
  const of = (part, whole) => `${part} / ${whole} (${percent(share(part, whole))})`;
  const lines = rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.week), h("td", {}, row.hands), h("td", {}, of(row.tiles_corrected, row.tiles)), h("td", {}, of(row.groups_corrected, row.groups))));
  return h("div", { class: "scroll" }, h("table", { class: "drift-table" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, lines)));
}

/** The section about drift. */
export function driftView(rows) {
  const parts = grouped(rows).map((weeks) => {
    const [{ tile_set: set, model }] = weeks;
    const label = t("driftOf", { set: set === "none" ? t("driftNoSet") : set, model });
    return h("div", { class: "column", "data-set": set }, h("h3", {}, label), plot(weeks, label), tableOf(weeks),
      weeks.at(-1).offer ? h("p", { class: "message warning" }, t("driftOffer"), " ", h("a", { href: "/tile-sets" }, t("tileSets"))) : null);
  });
  return h("section", { class: "card column", "aria-labelledby": "drift" }, h("h2", { id: "drift" }, t("drift")),
    parts.length ? [h("p", { class: "hint" }, t("driftKey")), parts] : h("p", { class: "hint" }, t("noDrift")));
}
