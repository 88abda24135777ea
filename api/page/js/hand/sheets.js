// What the sheet shows: a tile to correct, a set to change, tiles to add.
import { byId, h, icon } from "../shell/dom.js";
import { t } from "../shell/i18n.js";
import * as fix from "./corrections.js";
import * as model from "./hand.js";
import { crop } from "../photo/photo.js";
import { closeSheet, openSheet } from "../shell/sheet.js";
import { KEYPAD, certaintyText, percent, tileImage, tileName, tileView } from "./tiles.js";

/** A keypad of the tiles in play; `chosen` is marked; tiles of which the hand already holds four are off. Two flowers can be exchanged. */
export function keypad(inPlay, hand, chosen, onKey) {
  const held = model.counts(hand);
  const most = (code) => (!model.isFlower(code) ? 4 : chosen && model.isFlower(chosen) ? Infinity : 1);
  const full = (code) => (held.get(code) ?? 0) >= most(code) && code !== chosen;
  const rows = KEYPAD.map((codes) => codes.filter((code) => inPlay.has(code))).filter((codes) => codes.length);
  return h("div", { class: "keypad", role: "group", "aria-label": t("setTo") },
    rows.map((codes) => h("div", { class: "keypad-row" },
      codes.map((code) => h("button",
        { type: "button", class: "key", "aria-label": tileName(code), title: tileName(code), "aria-pressed": chosen ? String(code === chosen) : null, disabled: full(code), "data-key": code, "data-uid": `key-${code}`, onclick: () => onKey(code) },
        tileImage(code))))));
}

const field = (label, ...content) => h("div", { class: "field", role: "group", "aria-label": label }, h("span", { class: "label" }, label), content);
const action = (label, act, { id = null, style = "", mark = null } = {}) =>
  h("button", { type: "button", class: `button small ${style}`, id, onclick: act }, mark ? icon(mark) : null, label);

/** The picture of a tile as it was photographed, beside what it is taken for. */
function seen(box, tile) {
  const canvas = box && h("canvas", { role: "img", "aria-label": t("asPhotographed") });
  if (canvas) crop(byId("photo"), box, canvas);
  return h("div", { class: "seen" }, canvas, tileView(tile.code, tile.red ? "red" : ""), h("span", { class: "hint" }, certaintyText(tile)));
}

/** Correct one tile. `change(hand)` takes the new hand; `boxShown(read)` is where the photo shown has that tile. */
export function tileSheet({ hand, tile, inPlay, redFives, reading, boxShown, change, strike = null }) {
  const apply = (next) => {
    change(next);
    closeSheet();
  };
  const read = reading?.tiles.find((one) => one.id === tile.id);
  const alternatives = (tile.alternatives ?? []).filter(([code]) => code !== "?" && code !== tile.code);
  const inMeld = hand.melds.findIndex((meld) => meld.tiles.includes(tile));
  const sets = hand.concealed.includes(tile) ? fix.possibleSets(hand, tile) : [];
  const claimable = inMeld >= 0 && hand.melds[inMeld].kind !== "concealed_kong";
  openSheet(tileName(tile.code),
    seen(read && boxShown(read), tile),
    alternatives.length
      ? field(t("maybe"), h("div", { class: "choices" }, alternatives.map(([code, p]) => h("button",
          { type: "button", class: "choice", "data-alternative": code, onclick: () => apply(fix.setFace(hand, tile, code)) },
          tileView(code, "mini"), `${tileName(code)} ${percent(p)}`))))
      : null,
    h("div", { class: "sheet-actions" },
      hand.concealed.includes(tile) ? action(t("thisWon"), () => apply(fix.move(hand, tile, { part: "winning" })), { id: "mark-winning", style: "primary" }) : null,
      hand.winning === tile ? action(t("notWon"), () => apply(fix.move(hand, tile, { part: "concealed" })), { id: "not-winning" }) : null,
      claimable ? action(t("thisClaimed"), () => apply(fix.markClaimed(hand, inMeld, hand.melds[inMeld].tiles.indexOf(tile))), { id: "mark-claimed" }) : null,
      model.isFive(tile.code) && (redFives || tile.red) ? action(t(tile.red ? "notRed" : "isRed"), () => apply(fix.setRed(hand, tile, !tile.red)), { id: "mark-red" }) : null,
      !tile.edited && model.certainty(tile) !== "sure" && tile.code !== "?"
        ? action(t("isRight"), () => apply(fix.confirmFace(hand, tile)), { mark: "check" }) : null,
      action(t(tile.id === null ? "removeTile" : "notOfHand"), () => apply(fix.remove(hand, tile)), { id: "remove-tile", style: "danger" }),
      read && strike ? action(t("noTile"), () => { strike(tile); closeSheet(); }, { id: "no-tile", style: "danger" }) : null),
    field(t("setTo"), keypad(inPlay, hand, tile.code, (code) => apply(fix.setFace(hand, tile, code)))),
    placesField(hand, tile, (to) => apply(fix.move(hand, tile, to))),
    sets.length
      ? field(t("layOutAs"), h("div", { class: "sets" }, sets.map((set) => h("button",
          { type: "button", class: "set-choice", "data-set": set.kind, onclick: () => apply(fix.layOut(hand, set)) },
          h("span", { class: "tiles" }, set.tiles.map((one) => tileView(one.code, "tiny"))), t(`kind_${set.kind}`)))))
      : null,
  );
}

/** Where the tile may go: what dragging does, by tapping or with the keyboard. */
function placesField(hand, tile, go) {
  const places = fix.destinations(hand, tile).filter((to) => to.part !== "winning" || !hand.concealed.includes(tile));
  if (!places.length) return null;
  return field(t("moveTo"), h("div", { class: "sets" }, places.map((to) => h("button",
    { type: "button", class: "set-choice", "data-to": to.index === undefined ? to.part : `${to.part}:${to.index}`, onclick: () => go(to) },
    to.part === "meld" ? h("span", { class: "tiles" }, hand.melds[to.index].tiles.map((one) => tileView(one.code, "tiny"))) : null,
    t(`to_${to.part}`)))));
}

/** A tile of the photo that is no part of the hand so far; one read as face down is given its face first. */
export function outsideSheet({ hand, read, inPlay, boxShown, change, strike = null }) {
  const tile = model.fromRead(read);
  const apply = (next) => {
    change(next);
    closeSheet();
  };
  openSheet(tileName(tile.code),
    seen(boxShown(read), tile),
    h("p", { class: "hint" }, t("outside")),
    tile.code === "?" ? field(t("setTo"), keypad(inPlay, fix.shown(hand), null, (code) => apply(fix.seenToo(hand, { ...tile, code, edited: true })))) : placesField(hand, tile, (to) => apply(fix.move(hand, tile, to))),
    strike ? h("div", { class: "sheet-actions" }, action(t("noTile"), () => { strike(tile); closeSheet(); }, { id: "no-tile", style: "danger" })) : null);
}

/** Change one set. */
export function meldSheet({ hand, index, change }) {
  const meld = hand.melds[index];
  const apply = (next) => {
    change(next);
    meldSheet({ hand: next, index, change });
  };
  const kinds = meld.kind === "chow" ? [] : ["pung", "kong", "added_kong", "concealed_kong"];
  const open = meld.kind !== "concealed_kong";
  const sources = [null, "left", ...(meld.kind === "chow" ? [] : ["across", "right"])];
  const claimed = fix.claimedAt(meld);
  openSheet(t(`kind_${meld.kind}`),
    open ? h("p", { class: "hint", id: "claim-hint" }, t("tapClaimed")) : null,
    h("div", { class: "tiles set-tiles" }, meld.tiles.map((tile, at) => (open
      ? h("button", { type: "button", class: `tile${at === claimed ? " claimed" : ""}`, "aria-pressed": String(at === claimed), "aria-label": `${tileName(tile.code)}, ${t("claimedTile")}`, "data-claim": at, "data-uid": `claim-${at}`, onclick: () => apply(fix.markClaimed(hand, index, at)) }, tileImage(tile.code))
      : tileView(tile.code)))),
    open ? field(t("claimedFrom"), h("div", { class: "chips" }, sources.map((source) => chip(t(`source_${source ?? "none"}`), source === (meld.claimed_from ?? null),
      { "data-source": source ?? "none", "data-uid": `source-${source}` }, () => apply(fix.setSource(hand, index, source)))))) : null,
    kinds.length ? field(t("setKind"), h("div", { class: "chips" }, kinds.map((kind) => chip(t(`kind_${kind}`), kind === meld.kind,
      { "data-kind": kind, "data-uid": `kind-${kind}` }, () => apply(fix.changeKind(hand, index, kind)))))) : null,
    h("div", { class: "sheet-actions" },
      action(t("breakUp"), () => { change(fix.breakUp(hand, index)); closeSheet(); }, { id: "break-up" }),
      action(t("done"), closeSheet, { style: "primary" })),
  );
}

const chip = (label, on, attributes, act) => h("button", { type: "button", class: "chip", "aria-pressed": String(on), ...attributes, onclick: act }, label);

/** Add tiles one after the other; the sheet stays. What else lies on the photo is offered first. */
export function addSheet({ hand, inPlay, reading, change }) {
  const apply = (next) => {
    change(next);
    addSheet({ hand: next, inPlay, reading, change });
  };
  const held = new Set(model.allTiles(hand).map((tile) => tile.id));
  const others = (reading?.tiles ?? []).filter((read) => !held.has(read.id) && read.tile !== "?");
  openSheet(t("addTiles"),
    h("div", { class: "entered" },
      h("div", { class: "tiles", role: "group", "aria-label": t("hand") }, model.allTiles(hand).map((tile) => tileView(tile.code, "tiny"))),
      h("div", { class: "sheet-actions" },
        h("span", { class: "hint grow", role: "status" }, t("tileCount", { n: model.size(hand) })),
        h("button", { type: "button", class: "button small icon-only", id: "remove-last", disabled: !hand.concealed.length, onclick: () => apply(fix.remove(hand, hand.concealed.at(-1))) }, icon("undo"), h("span", {}, t("removeLast"))),
        action(t("done"), closeSheet, { style: "primary" }))),
    keypad(inPlay, hand, null, (code) => apply(fix.add(hand, code))),
    others.length
      ? field(t("onTable"), h("div", { class: "tiles" }, others.map((read) => h("button",
          { type: "button", class: "tile mini", "aria-label": tileName(read.tile), "data-outside": read.id, "data-uid": `outside-${read.id}`, onclick: () => apply(fix.move(hand, model.fromRead(read), { part: "concealed" })) },
          tileImage(read.tile)))))
      : null,
  );
}
