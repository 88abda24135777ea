// The scoreboard: event, round, and for each seat its wind, the dealer and the running score.
import { h } from "./draw.js";
import { w } from "./words.js";

const WINDS = { "": "–", E: "东 E", S: "南 S", W: "西 W", N: "北 N" };

/** Those of the latest values whose fields were left as they were when the dialog opened. */
const unchanged = (entered, opened, latest = {}) => Object.fromEntries(Object.entries(latest).filter(([name]) => name !== "seats" && entered[name] === opened[name]));

/**
 * Open the dialog. What is not changed here is saved as it is by then, as somebody else may change it meanwhile.
 * `current()` gives the table's state; `order(command)` sends what was entered.
 */
export function openBoard(current, order) {
  const state = current();
  const dialog = document.getElementById("board-sheet");
  const board = state.table.board;
  const field = (label, control) => h("label", { class: "field" }, h("span", {}, w(label)), control);
  const winds = (value) => h("select", {}, Object.entries(WINDS).map(([wind, name]) => h("option", { value: wind, selected: wind === (value ?? "") }, name)));
  const number = (value, least) => h("input", { type: "number", step: "1", min: least, size: "6", value: value ?? "", inputmode: "numeric" });
  const title = h("input", { value: board.title, maxlength: "80", size: "30" });
  const round = winds(board.round_wind);
  const deal = number(board.deal, "1");
  const file = (value) => h("input", { value: value ?? "", size: "14", placeholder: "logo.png", pattern: "[A-Za-z0-9_\\-]{1,60}\\.(png|jpg|jpeg|webp|svg)", autocomplete: "off" });
  const logo = file(board.logo);
  const rows = state.seats.map((seat) => {
    const now = board.seats.find((one) => one.seat === seat.seat) ?? {};
    return { seat: seat.seat, name: seat.player || seat.seat, wind: winds(now.wind), dealer: h("input", { type: "radio", name: "dealer", checked: Boolean(now.dealer) }), score: number(now.score), picture: file(now.picture) };
  });
  const whole = (input) => (input.value === "" ? null : Math.round(Number(input.value)));
  const read = () => ({
    title: title.value, round_wind: round.value || null, deal: whole(deal), logo: logo.value || null,
    seats: rows.map((row) => ({ seat: row.seat, wind: row.wind.value || null, dealer: row.dealer.checked, score: whole(row.score), picture: row.picture.value || null })),
  });
  const opened = read();
  const save = (event) => {
    event.preventDefault();
    const entered = read();
    const latest = current().table.board;
    const seats = entered.seats.map((row, n) => ({ ...row, ...unchanged(row, opened.seats[n], latest.seats.find(({ seat }) => seat === row.seat)) }));
    if (entered.seats.some(({ dealer }, n) => dealer !== opened.seats[n].dealer)) seats.forEach((row, n) => { row.dealer = entered.seats[n].dealer; });
    order({ do: "settings", settings: { board: { ...entered, ...unchanged(entered, opened, latest), seats } } });
    dialog.close();
  };
  const session = h("input", { type: "file", accept: ".json,application/json", id: "session-file", onchange: async () => {
    const text = await session.files[0]?.text();
    if (!text) return;
    try {
      order({ do: "scores", session: JSON.parse(text) });
      dialog.close();
    } catch {
      session.setCustomValidity(w("noJson"));
      session.reportValidity();
    }
  } });
  dialog.replaceChildren(
    h("form", { onsubmit: save },
      h("h2", { id: "board-title" }, w("board")),
      h("div", { class: "actions" }, field("boardTitle", title), field("roundWind", round), field("deal", deal), field("logo", logo)),
      rows.map((row) => h("fieldset", { class: "actions", data: { seat: row.seat } }, h("legend", {}, row.name), field("wind", row.wind), field("dealer", row.dealer), field("score", row.score), field("picture", row.picture))),
      field("sessionFile", session),
      h("div", { class: "actions" },
        h("button", { class: "button primary" }, w("save")),
        h("button", { type: "button", class: "button", onclick: () => dialog.close() }, w("close"))),
    ),
  );
  dialog.showModal();
}
