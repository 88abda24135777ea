// Texts of the service with tiles in them: on the page a tile is drawn, never written as a code.
import { codesOf } from "./hand.js";
import { tileView } from "./tiles.js";
import { h } from "../shell/dom.js";

/** Tiles as codes: runs such as 123m and 5p, honours such as EEE, a win such as +5m, alternatives such as 6s/5p. */
const CODES = /(?<![A-Za-z0-9+])\+?(?:\d+[mpsh]|[ESWNCFP]{1,4})(?![A-Za-z0-9])/g;

/** A text as nodes, its tiles drawn. */
export function withTiles(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(CODES)) {
    const codes = codesOf(found[0].replace("+", "")).filter(Boolean);
    if (!codes.length) continue;
    nodes.push(text.slice(end, found.index), h("span", { class: "in-text" }, codes.map((code) => tileView(code, "tiny"))));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}
