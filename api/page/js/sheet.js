// The sheet that slides up: correct a tile, change a set, add tiles, history.
import { byId, h, icon } from "./dom.js";
import { t } from "./i18n.js";
import * as model from "./hand.js";
import { crop } from "./photo.js";
import { KEYPAD, certaintyText, percent, tileImage, tileName, tileView } from "./tiles.js";

let opener = null;

export function openSheet(title, ...content) {
  const sheet = byId("sheet");
  if (!sheet.open) opener = document.activeElement;
  sheet.replaceChildren(
    h("div", { class: "sheet-head" },
      h("h2", { id: "sheet-title" }, title),
      h("button", { type: "button", class: "tool", "aria-label": t("close"), onclick: closeSheet }, icon("close"))),
    h("div", { class: "sheet-body" }, content),
  );
  if (!sheet.open) sheet.showModal();
  sheet.scrollTop = 0;
}

export function closeSheet() {
  byId("sheet").close();
}

export function setUpSheet() {
  const sheet = byId("sheet");
  sheet.addEventListener("click", (event) => {
    if (event.target === sheet) closeSheet();
  });
  sheet.addEventListener("close", () => {
    const id = opener?.dataset?.id;
    const again = opener?.isConnected ? opener : id && document.querySelector(`button[data-id="${id}"]`);
    (again || byId("result")).focus({ preventScroll: true });
  });
}

/** A keypad of the tiles in play; `chosen` is marked; tiles of which the hand already holds four are off. */
function keypad(inPlay, hand, chosen, onKey) {
  const held = model.counts(hand);
  const full = (code) => (held.get(code) ?? 0) >= (model.isFlower(code) ? 1 : 4) && code !== chosen;
  const rows = KEYPAD.map((codes) => codes.filter((code) => inPlay.has(code))).filter((codes) => codes.length);
  return h("div", { class: "keypad", role: "group", "aria-label": t("setTo") },
    rows.map((codes) => h("div", { class: "keypad-row" },
      codes.map((code) => h("button",
        { type: "button", class: "key", "aria-label": tileName(code), title: tileName(code), "aria-pressed": String(code === chosen), disabled: full(code), "data-key": code, onclick: () => onKey(code) },
        tileImage(code))))));
}

/** Correct one tile. `change(hand)` takes the new hand. */
export function tileSheet({ hand, tile, inPlay, reading, change }) {
  const apply = (next) => {
    change(next);
    closeSheet();
  };
  const concealed = hand.concealed.includes(tile);
  const read = reading?.tiles.find((one) => one.id === tile.id);
  const canvas = read && h("canvas", { role: "img", "aria-label": t("photo") });
  if (canvas) crop(byId("photo"), read.box, canvas);
  const alternatives = (tile.alternatives ?? []).filter(([code]) => code !== "?" && code !== tile.code);
  const sets = concealed ? model.possibleSets(hand, tile) : [];
  openSheet(t("tileSheet", { tile: tileName(tile.code) }),
    h("div", { class: "seen" }, canvas, tileView(tile.code), h("span", { class: "hint" }, certaintyText(tile))),
    alternatives.length
      ? h("div", { class: "field" }, h("span", { class: "label" }, t("maybe")),
          h("div", { class: "choices" }, alternatives.map(([code, p]) => h("button",
            { type: "button", class: "choice", "data-alternative": code, onclick: () => apply(model.setFace(hand, tile, code)) },
            tileView(code, "mini"), `${tileName(code)} ${percent(p)}`))))
      : null,
    h("div", { class: "sheet-actions" },
      concealed ? h("button", { type: "button", class: "button small primary", id: "mark-winning", onclick: () => apply(model.markWinning(hand, tile)) }, t("thisWon")) : null,
      hand.winning === tile ? h("button", { type: "button", class: "button small", onclick: () => apply(model.unmarkWinning(hand)) }, t("notWon")) : null,
      !tile.edited && model.certainty(tile) !== "sure" && tile.code !== "?"
        ? h("button", { type: "button", class: "button small", onclick: () => apply(model.confirmFace(hand, tile)) }, icon("check"), t("isRight")) : null,
      h("button", { type: "button", class: "button small danger", onclick: () => apply(model.remove(hand, tile)) }, t("removeTile"))),
    h("div", { class: "field" }, h("span", { class: "label" }, t("setTo")),
      keypad(inPlay, hand, tile.code, (code) => apply(model.setFace(hand, tile, code)))),
    sets.length
      ? h("div", { class: "field" }, h("span", { class: "label" }, t("layOutAs")),
          h("div", { class: "sets" }, sets.map((set) => h("button",
            { type: "button", class: "set-choice", "data-set": set.kind, onclick: () => apply(model.layOut(hand, set)) },
            h("span", { class: "tiles" }, set.tiles.map((one) => tileView(one.code, "tiny"))), t(`kind_${set.kind}`)))))
      : null,
  );
}

/** Change one set. */
export function meldSheet({ hand, index, change }) {
  const meld = hand.melds[index];
  const apply = (next) => {
    change(next);
    meldSheet({ hand: next, index, change });
  };
  const kinds = meld.kind === "chow" ? ["chow"] : ["pung", "kong", "added_kong", "concealed_kong"];
  const sources = meld.kind === "concealed_kong" ? [] : [null, "left", ...(meld.kind === "chow" ? [] : ["across", "right"])];
  openSheet(t(`kind_${meld.kind}`),
    h("div", { class: "tiles" }, meld.tiles.map((tile) => tileView(tile.code))),
    kinds.length > 1 ? h("div", { class: "field" }, h("span", { class: "label" }, t("setKind")),
      h("div", { class: "chips" }, kinds.map((kind) => h("button",
        { type: "button", class: "chip", "aria-pressed": String(kind === meld.kind), "data-kind": kind, onclick: () => apply(model.changeKind(hand, index, kind)) },
        t(`kind_${kind}`))))) : null,
    sources.length ? h("div", { class: "field" }, h("span", { class: "label" }, t("claimedFrom")),
      h("div", { class: "chips" }, sources.map((source) => h("button",
        { type: "button", class: "chip", "aria-pressed": String(source === (meld.claimed_from ?? null)), onclick: () => apply(model.changeMeld(hand, index, { claimed_from: source })) },
        t(`source_${source ?? "none"}`))))) : null,
    h("div", { class: "sheet-actions" },
      h("button", { type: "button", class: "button small", onclick: () => { change(model.breakUp(hand, index)); closeSheet(); } }, t("breakUp")),
      h("button", { type: "button", class: "button small primary", onclick: closeSheet }, t("done"))),
  );
}

/** Add tiles one after the other; the sheet stays. */
export function addSheet({ hand, inPlay, change }) {
  const apply = (code) => {
    const next = model.add(hand, code);
    change(next);
    addSheet({ hand: next, inPlay, change });
    document.querySelector(`#sheet [data-key="${code}"]`)?.focus();
  };
  openSheet(t("addTiles"),
    h("div", { class: "tiles", "aria-live": "polite" }, model.allTiles(hand).map((tile) => tileView(tile.code, "tiny"))),
    h("span", { class: "hint" }, t("tileCount", { n: model.size(hand) })),
    keypad(inPlay, hand, null, apply),
    h("div", { class: "sheet-actions" }, h("button", { type: "button", class: "button primary", onclick: closeSheet }, t("done"))),
  );
}
