// The hand drawn as tiles on felt.
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { certainty, size } from "./hand.js";
import { light } from "./overlay.js";
import { certaintyText, tileImage, tileName } from "./tiles.js";

/** The hand; `actions` has onTile(tile), onMeld(index), onAdd(), onSort(), onCopy(). */
export function handView(hand, actions) {
  const rows = [
    row(t("concealed"), [
      ...hand.concealed.map((tile) => tileButton(tile, actions.onTile)),
      ...(hand.winning ? [h("span", { class: "gap" }), tileButton(hand.winning, actions.onTile, true)] : []),
      h("button", { type: "button", class: "add", "aria-label": t("addTile"), title: t("addTile"), onclick: actions.onAdd }, icon("plus")),
    ]),
  ];
  if (hand.melds.length) {
    rows.push(
      h("div", {}, h("div", { class: "row-label" }, t("melds")),
        h("div", { class: "melds" }, hand.melds.map((meld, index) => meldView(meld, index, actions)))),
    );
  }
  if (hand.flowers.length) rows.push(row(t("flowers"), hand.flowers.map((tile) => tileButton(tile, actions.onTile))));
  const foot = h("div", { class: "table-foot" },
    h("span", {}, t("tileCount", { n: size(hand) })),
    h("span", { class: "choices" },
      h("button", { type: "button", onclick: actions.onSort }, t("sort")),
      h("button", { type: "button", id: "copy", onclick: actions.onCopy }, t("share"))),
  );
  return h("div", { class: "table" }, rows, foot);
}

const row = (label, tiles) => h("div", {}, h("div", { class: "row-label" }, label), h("div", { class: "tiles" }, tiles));

function meldView(meld, index, actions) {
  const source = meld.claimed_from ? ` · ${t(`source_${meld.claimed_from}`)}` : "";
  const label = t(`kind_${meld.kind}`) + source;
  return h("div", { role: "group", "aria-label": label },
    h("button", { type: "button", class: "meld-tools", onclick: () => actions.onMeld(index), "data-meld": index }, `${label} ▾`),
    h("div", { class: "tiles" }, meld.tiles.map((tile) => tileButton(tile, actions.onTile))),
  );
}

/** A tile to tap. */
export function tileButton(tile, onTile, won = false) {
  const kind = certainty(tile);
  const label = [tileName(tile.code), won ? t("winningTile") : "", certaintyText(tile)].filter(Boolean).join(", ");
  const button = h("button",
    { type: "button", class: `tile ${tile.code === "?" ? "back " : ""}${won ? "winning " : ""}${kind}`, "aria-label": label, title: label, onclick: () => onTile(tile), "data-code": tile.code },
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
