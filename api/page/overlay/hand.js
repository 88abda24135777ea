// A hand that is being corrected: tiles to tap, and its notation for the service.
import { h, tile } from "./draw.js";
import { w } from "./words.js";

const RED_FIVES = ["0m", "0p", "0s"];
const KEYPAD = [
  ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m"],
  ["1p", "2p", "3p", "4p", "5p", "6p", "7p", "8p", "9p"],
  ["1s", "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s"],
  ["E", "S", "W", "N", "C", "F", "P"],
  ["1h", "2h", "3h", "4h", "5h", "6h", "7h", "8h"],
];

/** A copy of a card that may be changed. */
export const draftOf = (card) => structuredClone({ concealed: card.concealed, melds: card.melds, winning_tile: card.winning_tile, flowers: card.flowers });

const face = (meld) => meld.tiles.find((code) => code !== "?");

function source(meld) {
  if (meld.sideways === null || meld.sideways === undefined) return "";
  if (meld.kind === "chow") return ",1";
  return `,${meld.sideways === 0 ? 1 : meld.sideways === meld.tiles.length - 1 ? 3 : 2}`;
}

/** The notation of a draft. */
export function notation(draft) {
  const melds = draft.melds.map((meld) => {
    if (meld.kind === "concealed_kong") return `(${face(meld).repeat(4)})`;
    return `[${meld.tiles.join("")}${meld.kind === "added_kong" ? "+" : ""}${source(meld)}]`;
  });
  const won = draft.winning_tile ? ` +${draft.winning_tile}` : "";
  return [draft.concealed.filter((code) => code !== "?").join(""), ...melds, draft.flowers.join("")].filter(Boolean).join(" ") + won;
}

function setMeld(meld, code) {
  if (meld.kind === "chow") {
    const first = Math.min(Number(code[0]) || 5, 7);
    meld.tiles = [0, 1, 2].map((step) => `${first + step}${code[1]}`);
  } else if (meld.kind === "concealed_kong") {
    meld.tiles = ["?", code, code, "?"];
  } else {
    meld.tiles = meld.tiles.map(() => code);
  }
}

/** The hand as buttons; a tap opens the keypad, and `changed(draft)` is called with every change. */
export function editable(draft, doubts, changed) {
  const unsure = [...doubts];
  const button = (code, extra, choose) => {
    const at = unsure.indexOf(code.replace("0", "5"));
    if (at >= 0) unsure.splice(at, 1);
    const shown = tile(code, `${extra}${at >= 0 ? " doubt" : ""}`);
    return h("button", { type: "button", class: shown.className, data: { code }, "aria-label": code, onclick: choose }, ...shown.childNodes);
  };
  const groups = [
    h("div", { class: "group concealed" }, draft.concealed.map((code, at) => button(code, "", () => pad(draft, { part: "concealed", at, code }, changed)))),
    ...draft.melds.map((meld, index) =>
      h("div", { class: `group ${meld.kind}` }, meld.tiles.map((code, at) =>
        button(code, meld.sideways === at ? " sideways" : "", () => pad(draft, { part: "meld", index, code: face(meld) }, changed)))),
    ),
    draft.winning_tile && h("div", { class: "group winning" }, button(draft.winning_tile, "", () => pad(draft, { part: "winning", code: draft.winning_tile }, changed))),
    draft.flowers.length && h("div", { class: "group flowers" }, draft.flowers.map((code, at) => button(code, "", () => pad(draft, { part: "flowers", at, code }, changed)))),
  ];
  return groups.filter((group) => group && group.childNodes.length);
}

function pad(draft, where, changed) {
  const dialog = document.getElementById("pad");
  const act = (change) => () => {
    dialog.close();
    change();
    changed(draft);
  };
  const set = (code) => {
    if (where.part === "meld") setMeld(draft.melds[where.index], code);
    else if (where.part === "winning") draft.winning_tile = code;
    else draft[where.part][where.at] = code;
  };
  const won = () => {
    if (draft.winning_tile) draft.concealed.push(draft.winning_tile);
    draft.winning_tile = draft.concealed.splice(where.at, 1)[0];
  };
  const lost = () => {
    draft.concealed.push(draft.winning_tile);
    draft.winning_tile = null;
  };
  const out = () => {
    if (where.part === "meld") draft.melds.splice(where.index, 1);
    else if (where.part === "winning") draft.winning_tile = null;
    else draft[where.part].splice(where.at, 1);
  };
  const suited = where.part === "meld" && draft.melds[where.index].kind === "chow";
  dialog.replaceChildren(
    h("h2", { id: "pad-title" }, w("change")),
    h("div", { class: "keypad" }, [...KEYPAD.slice(0, suited ? 3 : 5), ...(where.part === "concealed" || where.part === "winning" ? [RED_FIVES] : [])].map((row) =>
      h("div", {}, row.map((code) => {
        const shown = tile(code);
        return h("button", { type: "button", class: shown.className, data: { code }, "aria-label": code, "aria-pressed": String(code === where.code), onclick: act(() => set(code)) }, ...shown.childNodes);
      })),
    )),
    h("div", { class: "actions" },
      where.part === "concealed" && h("button", { type: "button", class: "button small", id: "won", onclick: act(won) }, w("thisWon")),
      where.part === "winning" && h("button", { type: "button", class: "button small", onclick: act(lost) }, w("notWon")),
      h("button", { type: "button", class: "button small danger", onclick: act(out) }, w("takeOut")),
      h("button", { type: "button", class: "button small", onclick: () => dialog.close() }, w("close")),
    ),
  );
  dialog.showModal();
}
