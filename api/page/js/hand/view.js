// The hand drawn as tiles on felt. What carries data-drop takes a tile that is dragged there (drag.js).
import { h, icon } from "../shell/dom.js";
import { t } from "../shell/i18n.js";
import { claimedAt } from "./corrections.js";
import { certainty, size } from "./hand.js";
import { light } from "../photo/overlay.js";
import { certaintyText, tileImage, tileName } from "./tiles.js";

/** The hand; `actions` has onTile(tile), onMeld(index), onAdd(), onSort(), onUndo() or null, onShare(), onPaper(). */
export function handView(hand, actions) {
  const rows = [
    h("div", {}, h("div", { class: "row-label" }, t("concealed")),
      h("div", { class: "tiles", "data-drop": "concealed" },
        hand.concealed.map((tile) => tileButton(tile, actions.onTile)),
        hand.winning ? [h("span", { class: "gap" }), h("span", { class: "tiles", "data-drop": "winning" }, tileButton(hand.winning, actions.onTile, { won: true }))] : null,
        h("button", { type: "button", class: "add", "aria-label": t("addTile"), title: t("addTile"), onclick: actions.onAdd }, icon("plus")))),
  ];
  if (hand.melds.length) {
    rows.push(h("div", {}, h("div", { class: "row-label" }, t("melds")),
      h("div", { class: "melds" }, hand.melds.map((meld, index) => meldView(meld, index, actions)))));
  }
  if (hand.flowers.length) {
    rows.push(h("div", {}, h("div", { class: "row-label" }, t("flowers")),
      h("div", { class: "tiles", "data-drop": "flowers" }, hand.flowers.map((tile) => tileButton(tile, actions.onTile)))));
  }
  return h("div", { class: "table" }, rows, foot(hand, actions), tray());
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

function meldView(meld, index, actions) {
  const source = meld.claimed_from ? ` · ${t(`source_${meld.claimed_from}`)}` : "";
  const label = t(`kind_${meld.kind}`) + source;
  const claimed = claimedAt(meld);
  return h("div", { role: "group", "aria-label": label, "data-drop": `meld:${index}` },
    h("button", { type: "button", class: "meld-tools", onclick: () => actions.onMeld(index), "data-meld": index, "data-uid": `meld-${index}` }, label, icon("more")),
    h("div", { class: "tiles" }, meld.tiles.map((tile, at) => tileButton(tile, actions.onTile, { claimed: at === claimed }))),
  );
}

/** A tile to tap. */
export function tileButton(tile, onTile, { won = false, claimed = false } = {}) {
  const kind = certainty(tile);
  const label = [tileName(tile.code), tile.red ? t("isRed") : "", won ? t("winningTile") : "", claimed ? t("claimedTile") : "", certaintyText(tile)].filter(Boolean).join(", ");
  const classes = ["tile", tile.code === "?" ? "back" : "", won ? "winning" : "", claimed ? "claimed" : "", tile.red ? "red" : "", kind].filter(Boolean).join(" ");
  const button = h("button",
    { type: "button", class: classes, "aria-label": label, title: label, onclick: () => onTile(tile), "data-code": tile.code, "data-uid": tile.uid },
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
