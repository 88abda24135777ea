// Where the hand was played and by whom: shown at the head of a case, and the form that says it.
import { h } from "/page/js/shell/dom.js";
import { t } from "/page/js/shell/i18n.js";
import { send, stated } from "./desk.js";
import { openForm } from "./sheet.js";

const FIELDS = ["tournament", "session", "table", "round", "hand"];
const SEATS = ["E", "S", "W", "N"];

/** One line of words; empty where nothing is known. */
export function placeLine({ place }) {
  const where = FIELDS.filter((name) => place[name]).map((name) => `${t(`place_${name}`)} ${place[name]}`);
  const who = place.players.filter((one) => one.name).map((one) => `${t(`seat_${one.seat}`)} ${one.name}${one.number ? ` (${one.number})` : ""}`);
  return [...where, ...who].join(" · ");
}

export function placeForm(found, again) {
  const { place } = found;
  const field = (name, value, label = t(`place_${name}`)) => h("label", {}, label, h("input", { name, value: value ?? "", maxlength: 200 }));
  const known = (seat) => place.players.find((one) => one.seat === seat);
  const seats = (name) => h("label", {}, t(`place_${name}`), h("select", { name }, h("option", { value: "" }, "–"),
    SEATS.map((seat) => h("option", { value: seat, selected: place[name] === seat }, t(`seat_${seat}`)))));
  openForm(t("place"), [
    field("tournament", place.tournament),
    h("div", { class: "two" }, field("session", place.session), field("table", place.table)),
    h("div", { class: "two" }, field("round", place.round), field("hand", place.hand)),
    SEATS.map((seat) => h("div", { class: "two" }, field(`name_${seat}`, known(seat)?.name, t(`seat_${seat}`)), field(`number_${seat}`, known(seat)?.number, t("place_number")))),
    h("div", { class: "two" }, seats("winner"), seats("discarder")),
  ], async (values) => {
    const players = SEATS.map((seat) => ({ seat, name: values[`name_${seat}`].trim(), number: values[`number_${seat}`].trim() })).filter((one) => one.name || one.number);
    const said = Object.fromEntries(FIELDS.map((name) => [name, values[name].trim()]));
    await send(`/cases/${found.id}/place`, { ...said, players, winner: values.winner || null, discarder: values.discarder || null, stated: stated() });
    await again();
  });
}
