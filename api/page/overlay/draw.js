// Tiles and hands, for the page on air and the operator's.
import { h } from "/page/js/shell/dom.js";

export { h };

/** Unit of a score in Chinese and English. */

/** A tile face from the service's own drawings. */
export function tile(code, extra = "") {
  const name = code === "?" ? "back" : code;
  return h("span", { class: `tile${code === "?" ? " back" : ""} ${extra}`.trim(), data: { code } }, h("img", { src: `/v1/tiles/${name}.svg`, alt: code }));
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
