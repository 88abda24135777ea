// What was learned: every photographed tile as it was read before and as it is read now.
import { h, icon } from "../js/shell/dom.js";
import { t } from "../js/shell/i18n.js";
import { percent, tileName, tileView } from "../js/hand/tiles.js";

/** A tile cut out of its photo. */
export function cropOf(photo, box) {
  const canvas = h("canvas", { class: "crop", role: "img", "aria-label": t("asPhotographed") });
  cut(photo, box, canvas);
  return canvas;
}

async function cut(photo, [x0, y0, x1, y1], canvas) {
  const margin = 0.08 * Math.max(x1 - x0, y1 - y0);
  const [x, y] = [Math.max(0, x0 - margin), Math.max(0, y0 - margin)];
  const [width, height] = [Math.min(photo.width, x1 + margin) - x, Math.min(photo.height, y1 + margin) - y];
  canvas.height = 144;
  canvas.width = Math.max(1, Math.round((144 * width) / height));
  const bitmap = await createImageBitmap(photo.blob, { imageOrientation: "from-image" });
  canvas.getContext("2d").drawImage(bitmap, x, y, width, height, 0, 0, canvas.width, canvas.height);
  bitmap.close();
}

/** The outcome of POST /v1/tile-sets; `photos` as they were sent. */
export function outcomeView(done, photos) {
  const pairs = done.before_after ?? [];
  const right = (side) => pairs.filter((pair) => pair[side].tile === pair.face).length;
  return h("section", { class: "card column", "aria-labelledby": "done-title" },
    h("h2", { id: "done-title", tabindex: "-1" }, icon("check"), t("learned", { name: done.name })),
    pairs.length ? h("p", { id: "before-after", role: "status" }, t("beforeAfter", { before: right("before"), after: right("after"), all: pairs.length })) : null,
    pairs.length ? h("p", { class: "hint" }, t("beforeAfterHint")) : null,
    pairs.length ? h("div", { class: "compare-scroll", tabindex: "0", role: "region", "aria-labelledby": "before-after" }, table(pairs, photos)) : null);
}

/** Those that were misread before come first. */
function table(pairs, photos) {
  const wrong = (pair) => Number(pair.before.tile === pair.face);
  const rows = [...pairs].sort((a, b) => wrong(a) - wrong(b));
  return h("table", { class: "compare-table" },
    h("thead", {}, h("tr", {}, ["tile", "before", "after"].map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, rows.map((pair) => h("tr", { "data-face": pair.face },
      h("th", { scope: "row" }, photos[pair.photo] ? cropOf(photos[pair.photo], pair.box) : null, h("span", { class: "face-name" }, tileName(pair.face))),
      h("td", {}, reading(pair.before, pair.face)), h("td", {}, reading(pair.after, pair.face))))));
}

/** One reading of a tile: right or wrong is said by sign and colour, not by colour alone. */
function reading({ tile, confidence }, face) {
  const right = tile === face;
  return h("span", { class: `read-as ${right ? "right" : "wrong"}` }, tileView(tile, "tiny"), icon(right ? "check" : "close"), percent(confidence));
}
