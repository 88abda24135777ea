// Drawings and names of tiles.
import { h } from "../shell/dom.js";
import { lang, t } from "../shell/i18n.js";

const names = new Map();

export function learnTiles(tiles) {
  for (const tile of tiles) names.set(tile.code, tile);
}

export function tileName(code) {
  const tile = names.get(code);
  if (!tile) return code;
  return lang() === "zh" ? tile.name_zh : tile.name_en;
}

/** The names of a tile in both languages, to search by. */
export const tileNames = (code) => [names.get(code)?.name_en, names.get(code)?.name_zh].filter(Boolean);

export const tileUrl = (code) => `/v1/tiles/${code === "?" ? "back" : code}.svg`;

export function tileImage(code) {
  return h("img", { src: tileUrl(code), alt: "", draggable: "false", width: "60", height: "82" });
}

/** A tile to look at. */
export function tileView(code, className = "") {
  return h("span", { class: `tile ${code === "?" ? "back " : ""}${className}`, role: "img", "aria-label": tileName(code) }, tileImage(code));
}

/** The rows of the keypad. */
export const KEYPAD = [
  ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m"],
  ["1p", "2p", "3p", "4p", "5p", "6p", "7p", "8p", "9p"],
  ["1s", "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s"],
  ["E", "S", "W", "N", "C", "F", "P"],
  ["1h", "2h", "3h", "4h", "5h", "6h", "7h", "8h"],
];

/** A probability as one reads it, e.g. "98%"; never "100%", as nothing is that sure. */
export const percent = (p) => (p >= 0.999 ? "> 99.9%" : `${Math.floor(p * 1000) / 10}%`);

export function certaintyText(tile) {
  if (tile.code === "?") return t("unknownFace");
  if (tile.edited) return t("editedNote");
  if (tile.inferred) return t("inferred");
  return t("sure", { p: percent(tile.confidence) });
}
