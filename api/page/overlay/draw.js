// Tiles and hands, for the page on air and the operator's.
import { h } from "/page/js/shell/dom.js";

export { h };

/** A tile face from the service's own drawings; a red five (0m) is a five with a red dot. */
export function tile(code, extra = "") {
  const name = code === "?" ? "back" : code.replace("0", "5");
  const kind = code === "?" ? " back" : code.startsWith("0") ? " red-five" : "";
  return h("span", { class: `tile${kind} ${extra}`.trim(), data: { code } }, h("img", { src: `/v1/tiles/${name}.svg`, alt: code }));
}

/** The groups of a card from left to right: concealed, melds, winning tile, flowers; empty ones left out. */
export function handGroups(card) {
  return [
    { kind: "concealed", tiles: card.concealed },
    ...card.melds.map((meld) => ({ kind: meld.kind, tiles: meld.tiles, sideways: meld.sideways })),
    { kind: "winning", tiles: card.winning_tile ? [card.winning_tile] : [] },
    { kind: "flowers", tiles: card.flowers },
  ].filter((group) => group.tiles.length);
}

/** Whether a complete hand that may not win is too cheap: the flowers of MCR, which counts fan, do not help to the minimum. */
export function isTooCheap({ score, flowers }) {
  return score.total - (score.unit === "fan" ? flowers.length : 0) < score.minimum;
}
