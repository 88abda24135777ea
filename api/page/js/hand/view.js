// The hand drawn as tiles on felt. What carries data-drop takes a tile that is dragged there (drag.js).
import { h, icon } from "../shell/dom.js";
import { t } from "../shell/i18n.js";
import { claimedAt } from "./corrections.js";
import { certainty, size, sortKey } from "./hand.js";
import { light } from "../photo/overlay.js";
import { certaintyText, tileImage, tileName } from "./tiles.js";

/**
 * The hand, its concealed tiles in the sets of the score where `sets` has them. `actions` has onTile(tile), onMeld(index), onAdd(),
 * onSort(), onUndo() or null, onShare(); with `anyWon` the score is the same whichever tile won.
 */
export function handView(hand, sets, actions, anyWon = false) {
  const { concealed, melds } = partsOf(hand, sets);
  const rows = [
    h("div", {}, h("div", { class: "row-label" }, t("concealed")),
      h("div", { class: `tiles${concealed ? " in-sets" : ""}`, "data-drop": "concealed" },
        concealed ? concealed.map((part) => setView(part, hand, actions)) : loose(hand, actions),
        h("button", { type: "button", class: "add", "aria-label": t("addTile"), title: t("addTile"), onclick: actions.onAdd }, icon("plus")))),
  ];
  if (hand.melds.length) {
    rows.push(h("div", {}, h("div", { class: "row-label" }, t("melds")),
      h("div", { class: "melds" }, hand.melds.map((meld, index) => meldView(meld, index, melds?.[index], actions)))));
  }
  if (hand.flowers.length) {
    rows.push(h("div", {}, h("div", { class: "row-label" }, t("flowers")),
      h("div", { class: "tiles", "data-drop": "flowers" }, hand.flowers.map((tile) => tileButton(tile, actions.onTile)))));
  }
  const note = anyWon ? h("p", { class: "any-won" }, t("anyWon")) : null;
  return h("div", { class: "table" }, rows, note, foot(hand, actions), tray());
}

/** The sets of the concealed tiles, [{index, kind, tiles}] in the order of their first tiles, and the index of each meld's set. */
function partsOf(hand, sets) {
  const none = { concealed: null, melds: null };
  if (!sets) return none;
  const key = (codes) => [...codes].sort().join(" ");
  const free = sets.map((part, index) => ({ ...part, index }));
  const melds = hand.melds.map((meld) => {
    const at = free.findIndex((part) => part.melded && key(part.tiles) === key(meld.tiles.map((tile) => tile.code)));
    return at < 0 ? null : free.splice(at, 1)[0].index;
  });
  const left = [...hand.concealed];
  const pick = (code) => {
    const at = left.findIndex((tile) => tile.code === code);
    return at < 0 ? null : left.splice(at, 1)[0];
  };
  const concealed = free.filter((part) => !part.melded).map((part) => {
    const own = hand.winning && part.has_winning_tile ? part.tiles.indexOf(hand.winning.code) : -1;
    return { ...part, tiles: part.tiles.map((code, at) => (at === own ? hand.winning : pick(code))) };
  });
  if (left.length || !concealed.every((part) => part.tiles.every(Boolean))) return none;
  const place = (tile) => hand.concealed.indexOf(tile);
  const first = (part) => Math.min(...part.tiles.filter((tile) => tile !== hand.winning).map(place));
  for (const part of concealed) part.tiles = inOrder(part.tiles, hand.winning, place);
  return { concealed: concealed.sort((a, b) => first(a) - first(b)), melds };
}

/** Tiles of a set as they lie in the hand, the winning one where it belongs among them. */
function inOrder(tiles, won, place) {
  const others = tiles.filter((tile) => tile !== won).sort((a, b) => place(a) - place(b));
  if (!tiles.includes(won)) return others;
  const after = others.findIndex((tile) => sortKey(tile.code) > sortKey(won.code));
  return after < 0 ? [...others, won] : [...others.slice(0, after), won, ...others.slice(after)];
}

const wonTile = (hand, actions) => h("span", { class: "tiles", "data-drop": "winning" }, tileButton(hand.winning, actions.onTile, { won: true }));
const held = (hand, tile, actions) => tileButton(tile, actions.onTile, { at: hand.concealed.indexOf(tile) });

/** The concealed tiles as they lie, and the winning one beside them. */
const loose = (hand, actions) => [
  hand.concealed.map((tile) => held(hand, tile, actions)),
  hand.winning ? [h("span", { class: "gap" }), wonTile(hand, actions)] : null,
];

function setView(part, hand, actions) {
  return h("span", { class: `part-tiles${part.tiles.length > 4 ? " wide" : ""}`, role: "group", "aria-label": t(`part_${part.kind}`), "data-part": part.index },
    part.tiles.map((tile) => (tile === hand.winning ? wonTile(hand, actions) : held(hand, tile, actions))));
}

function foot(hand, actions) {
  return h("div", { class: "table-foot" },
    h("span", {}, t("tileCount", { n: size(hand) })),
    h("span", { class: "choices" },
      h("button", { type: "button", id: "undo", disabled: !actions.onUndo, onclick: actions.onUndo }, icon("undo"), t("undo")),
      h("button", { type: "button", id: "sort", onclick: actions.onSort }, t("sort")),
      h("button", { type: "button", id: "share", onclick: actions.onShare }, icon("share"), t("share"))));
}

/** Where a dragged tile can go that is not drawn yet. */
function tray() {
  const places = [["new", "placeNew"], ["winning", "placeWinning"], ["concealed", "placeConcealed"], ["away", "placeAway"]];
  return h("div", { class: "tray", "aria-hidden": "true" }, places.map(([drop, key]) => h("span", { "data-drop": drop }, t(key))));
}

function meldView(meld, index, part, actions) {
  const source = meld.claimed_from ? ` · ${t(`source_${meld.claimed_from}`)}` : "";
  const label = t(`kind_${meld.kind}`) + source;
  const claimed = claimedAt(meld);
  return h("div", { role: "group", "aria-label": label, "data-drop": `meld:${index}`, "data-part": part ?? null },
    h("button", { type: "button", class: "meld-tools", onclick: () => actions.onMeld(index), "data-meld": index, "data-uid": `meld-${index}` }, label, icon("more")),
    h("div", { class: "tiles" }, meld.tiles.map((tile, at) => tileButton(tile, actions.onTile, { claimed: at === claimed }))),
  );
}

/** A tile to tap. */
export function tileButton(tile, onTile, { won = false, claimed = false, at = null } = {}) {
  const kind = certainty(tile);
  const label = [tileName(tile.code), tile.red ? t("isRed") : "", won ? t("winningTile") : "", claimed ? t("claimedTile") : "", certaintyText(tile)].filter(Boolean).join(", ");
  const classes = ["tile", tile.code === "?" ? "back" : "", won ? "winning" : "", claimed ? "claimed" : "", tile.red ? "red" : "", kind].filter(Boolean).join(" ");
  const button = h("button",
    { type: "button", class: classes, "aria-label": label, title: label, onclick: () => onTile(tile), "data-code": tile.code, "data-uid": tile.uid, "data-at": at },
    tileImage(tile.code),
    won ? h("span", { class: "mark won", "aria-hidden": "true" }, t("won")) : null,
    !won && (kind === "unsure" || kind === "doubtful") ? h("span", { class: "mark", "aria-hidden": "true" }, "?") : null,
  );
  if (tile.id !== null) {
    button.dataset.id = tile.id;
    button.addEventListener("pointerenter", () => light(tile.id, true));
    button.addEventListener("pointerleave", () => light(tile.id, false));
  }
  return button;
}
