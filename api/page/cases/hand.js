// Hands in JSON: how they are drawn, and how one tile becomes another.
import { h } from "/page/js/shell/dom.js";
import { t } from "/page/js/shell/i18n.js";
import { tileView } from "/page/js/hand/tiles.js";

const MELDS = new Set(["chow", "pung", "kong", "concealed_kong", "added_kong"]);

const order = "mps";
const rank = (code) => (code.length === 2 && order.includes(code[1]) ? order.indexOf(code[1]) * 10 + Number(code[0]) : 40 + "ESWNCFP".indexOf(code[0]));
export const sorted = (codes) => [...codes].sort((a, b) => rank(a) - rank(b));

/** The parts of a hand as rows of tiles with their names. `onTile(code)` makes them buttons. */
export function handView(hand, onTile = null, marked = new Set()) {
  const draw = (code) => {
    const view = tileView(code, marked.has(code) ? "edited" : "");
    if (!onTile) return view;
    return h("button", { type: "button", class: `${view.className}`, "aria-label": view.getAttribute("aria-label"), data: { code }, onclick: () => onTile(code) }, ...view.childNodes);
  };
  const part = (name, codes) => h("div", {}, h("div", { class: "row-label" }, name), h("div", { class: "tiles" }, codes.map(draw)));
  return h("div", { class: "table tiles-small" }, h("div", { class: "melds" },
    hand.concealed.length ? part(t("concealed"), sorted(hand.concealed)) : null,
    hand.melds.map((meld) => part(t(`kind_${meld.kind}`), meld.tiles)),
    hand.winning_tile ? part(t("winningTile"), [hand.winning_tile]) : null,
    hand.flowers?.length ? part(t("flowers"), hand.flowers) : null));
}

/** The hand with one tile become another. `place` is the kind of the tile's group and, for melds, its index; null: wherever it lies. */
export function replaced(hand, before, after, place = null) {
  const copy = structuredClone(hand);
  const put = (codes) => {
    const at = codes.indexOf(before);
    if (at < 0) return false;
    codes[at] = after;
    return true;
  };
  const putMeld = (meld) => {
    if (!meld.tiles.includes(before)) return false;
    const same = new Set(meld.tiles).size === 1;
    if (same) meld.tiles = meld.tiles.map(() => after);
    else {
      put(meld.tiles);
      meld.tiles = sorted(meld.tiles);
    }
    return true;
  };
  const won = () => copy.winning_tile === before && ((copy.winning_tile = after), true);
  const ways = { winning_tile: won, flowers: () => put(copy.flowers), concealed: () => put(copy.concealed), meld: () => place.index < copy.melds.length && putMeld(copy.melds[place.index]) };
  if (place && ways[place.kind]?.()) return copy;
  return won() || put(copy.concealed) || copy.melds.some(putMeld) || put(copy.flowers) ? copy : null;
}

/** Where a tile of the reading lies in the hand, by its group. */
export function placeOf(reading, tile) {
  let melds = 0;
  for (const group of reading.groups) {
    const isMeld = MELDS.has(group.kind);
    if (group.id === tile.group) return isMeld ? { kind: "meld", index: melds } : { kind: group.kind };
    if (isMeld) melds += 1;
  }
  return null;
}
