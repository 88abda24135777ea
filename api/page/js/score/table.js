// The session on the page: names and sums in one line, the sheet of all deals, and how a session begins and ends.
import { byId, choice, h, icon, select } from "../shell/dom.js";
import { day, own, t } from "../shell/i18n.js";
import { afterPress } from "../shell/press.js";
import { closeSheet, openSheet } from "../shell/sheet.js";
import { state } from "../service/state.js";
import * as table from "../service/table.js";
import { tileView } from "../hand/tiles.js";
import { openTableHand } from "../service/session.js";
import { openPenalty } from "./penalties.js";
import { settleOrTakeBack } from "./players.js";
import { heldView, openInvite } from "./together.js";
import * as api from "../service/api.js";

const signed = (points) => (points > 0 ? `+${points}` : String(points).replace("-", "−"));
const button = (id, label, act, { style = "", mark = null, disabled = false } = {}) =>
  h("button", { type: "button", class: `button small ${style}`, id, disabled, onclick: act }, mark ? icon(mark) : null, label);

/** Names, winds and sums in one line, and what can be done; without a session the way to begin one. */
export function drawBoard() {
  const one = table.current();
  const box = byId("table-card");
  box.hidden = !one && document.documentElement.dataset.stage !== "empty";
  if (!one) {
    byId("board").replaceChildren(h("div", { class: "board-start" }, h("p", {}, h("strong", {}, t("session")), h("br"), h("span", { class: "hint" }, t("sessionHint"))),
      button("begin-table", t("beginSession"), () => openSetup(), { mark: "table" })));
    return;
  }
  const { number, dealer, round } = table.nextDeal();
  const said = [round === null ? "" : t(`round_${round}`), t("dealN", { n: number }), dealer ? t("dealerIs", { name: dealer }) : ""].filter(Boolean).join(" · ");
  byId("board").replaceChildren(
    h("p", { class: "hint", id: "board-next" }, table.isSettled() ? said : `${said} · ${t("sumsFollow")}`),
    h("div", { class: "board" }, one.players.map((name) => h("div", { class: `seat${name === dealer ? " dealer" : ""}` },
      h("span", { class: "name", title: name }, name),
      h("b", {}, signed(one.sheet?.totals[name] ?? 0)),
      h("small", {}, table.windOf(name) ? t(`wind_${table.windOf(name)}`) : "")))),
    ...heldView(settleOrTakeBack),
    h("div", { class: "sheet-actions" }, button("table-scores", t("tableScores"), () => openTable(), { mark: "table" }),
      button("table-draw", t("noWinner"), () => openDraw())));
}

/** Four names, east first, and the rules; what was `typed` before stays beside a `message` about it. */
export function openSetup(message = null, typed = null) {
  const names = typed?.names ?? table.current()?.players ?? table.earlier()[0]?.players ?? ["", "", "", ""];
  const fields = names.map((name, at) => h("label", { class: "seat-field" }, h("span", {}, t(`seat_${at}`)),
    h("input", { class: "link-field", id: `player-${at}`, value: name, maxlength: "24", autocomplete: "off", placeholder: t("name") })));
  const rules = select({ id: "table-rules", label: t("rules"), options: state.won.all.map((one) => ({ value: one.id, name: own(one, "name") })), chosen: typed?.rules ?? state.won.rules.id });
  const together = h("input", { type: "checkbox", id: "table-together", checked: typed?.together ?? true });
  const start = async (event) => {
    event.preventDefault();
    const form = event.target;
    byId("start-table").disabled = true; // a second tap begins no second session
    const entered = { names: fields.map((field) => field.querySelector("input").value), rules: byId("table-rules").value, together: together.checked };
    const players = fields.map((field, at) => field.querySelector("input").value.trim() || t(`seat_${at}`));
    const chosen = state.won.all.find((one) => one.id === byId("table-rules").value);
    if (new Set(players).size < 4) {
      openSetup(t("fourNames"), entered);
      return;
    }
    try {
      await table.begin({ rules: chosen.id, family: chosen.family, players, together: together.checked });
    } catch (error) {
      openSetup(error instanceof api.ServiceProblem ? error.words().detail : t("goneDetail"), entered);
      return;
    }
    if (state.won.rules.id !== chosen.id) state.won.choose(chosen.id);
    if (form.isConnected) closeSheet();
  };
  const past = table.earlier().filter((one) => one.id !== table.current()?.id);
  openSheet(t("beginSession"),
    h("form", { class: "sheet-body bare", onsubmit: start },
      message ? h("p", { class: "message error", role: "alert" }, message) : null,
      h("p", { class: "hint" }, t("namesHint")), fields, rules,
      h("label", { class: "check" }, together, h("span", {}, t("together"), h("br"), h("span", { class: "hint" }, t("togetherHint")))),
      h("button", { class: "button primary", id: "start-table" }, t("start"))),
    past.length ? h("section", { "aria-labelledby": "past-title" }, h("h3", { id: "past-title" }, t("earlierSessions")),
      h("ul", { class: "history-list" }, past.map((one) => h("li", {}, h("button", { type: "button", class: "history-item", "data-uid": `past-${one.id}`, onclick: () => { table.reopen(one.id); openTable(); settleOrTakeBack(); } },
        h("span", {}, h("strong", {}, one.players.map((name) => `${name} ${signed(one.sheet?.totals[name] ?? 0)}`).join(", ")), h("br"),
          h("span", { class: "hint" }, `${day(one.at)} · ${t(one.deals.length === 1 ? "dealsN_1" : "dealsN", { n: one.deals.length })}`))))))) : null);
}

const tapped = new Set(); // sheets that have logged something and are not drawn anew yet

/**
 * Log by `act()`, once for the sheet that is open however often it is tapped, and have the service settle it; then show the session in
 * the place of that sheet, unless the user has gone elsewhere meanwhile.
 */
async function log(act) {
  const body = document.querySelector("#sheet .sheet-body");
  const from = body ?? byId("board");
  if (tapped.has(from)) return;
  tapped.add(from);
  act();
  const settled = await settleOrTakeBack();
  tapped.delete(from);
  if (body ? !body.isConnected && !byId("scores") : byId("sheet").open) return;
  if (settled) openTable();
  else closeSheet();
}

/** The sheet of the session: a row a deal, what it changed and the sums after it. */
export function openTable() {
  const one = table.current();
  if (!one) {
    openSetup();
    return;
  }
  const rows = one.sheet?.deals ?? [];
  const places = new Map((one.sheet?.standings ?? []).map((place) => [place.player, place]));
  const problems = (one.sheet?.problems ?? []).filter((problem) => problem.severity !== "note" && problem.severity !== "info");
  const again = async (act) => {
    act();
    await settleOrTakeBack();
    if (byId("scores")) openTable();
  };
  openSheet(t("session"),
    h("p", { class: "hint" }, `${own(state.won.all.find((rules) => rules.id === one.rules) ?? { name_en: one.rules }, "name")} · ${day(one.at)}`),
    heldView(() => again(() => {})),
    table.isSettled() ? null : h("p", { class: "message warning", role: "status" }, t("sumsFollow"), " ", h("button", { type: "button", class: "link", onclick: () => again(() => {}) }, t("retry"))),
    h("div", { class: "sheet-scroll", tabindex: "0", role: "region", "aria-label": t("session") }, h("table", { class: "scores", id: "scores" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t("deal"))), one.players.map((name) => h("th", { scope: "col" }, h("span", { class: "name", title: name }, name))))),
      h("tbody", {}, one.deals.map((deal, at) => dealRows(one, deal, rows[at], at)), fineRow(one, null)),
      h("tfoot", {},
        h("tr", { class: "sum" }, h("th", { scope: "row" }, t("sum")), one.players.map((name) => h("td", { "data-sum": name }, signed(one.sheet?.totals[name] ?? 0)))),
        places.size ? h("tr", {}, h("th", { scope: "row" }, t("place")), one.players.map((name) => h("td", {}, String(places.get(name)?.rank ?? "")))) : null))),
    one.deals.length || one.penalties?.length ? null : h("p", { class: "hint" }, t("noDeals")),
    problems.map((problem) => h("p", { class: `message ${problem.severity}` }, own({ text_en: problem.message, text_zh: problem.message_zh }, "text"))),
    h("div", { class: "sheet-actions no-print" },
      button("table-undo", t("takeLastBack"), () => log(table.takeBack), { mark: "undo", disabled: !one.deals.length && !one.penalties?.length }),
      button("sheet-draw", t("noWinner"), () => openDraw()),
      button("sheet-win", t("winByHand"), () => openWin()),
      button("sheet-penalty", t("penalty"), () => openPenalty(log)),
      one.family === "sichuan" ? button("sheet-kong", t("part_kong"), () => openKong()) : null),
    h("div", { class: "sheet-actions no-print" },
      button("table-invite", t("invite"), () => openInvite(), { mark: "share" }),
      button("table-csv", "CSV", () => saveSheet(one)),
      button("table-print", t("print"), printSheet),
      button("table-end", t("endSession"), () => { table.end(); closeSheet(); }, { style: "danger" })));
}

/** The sums have come after the sheet was opened: put them on it. */
export const redrawTable = () => afterPress("table", () => {
  if (byId("sheet").open && byId("scores") && table.current() && table.isSettled()) openTable();
});

function dealRows(one, deal, row, at) {
  const about = deal.hands.length ? null : aboutDeal(deal);
  const hands = deal.hands.map((hand) => h("div", { class: "deal-hand" },
    h("span", {}, h("strong", {}, hand.player), ` ${hand.from === null ? t("ownDraw") : t("fromPlayer", { name: hand.from })}`, hand.total === null ? "" : ` · ${hand.total} ${t(`unit_${hand.unit}`)}`),
    hand.tiles.length ? h(hand.entry || hand.hand ? "button" : "span", { ...(hand.entry || hand.hand ? { type: "button", class: "deal-tiles", "data-hand": hand.entry ?? hand.hand, "aria-label": t("showHand", { name: hand.player }), onclick: () => { closeSheet(); openTableHand(hand); } } : { class: "deal-tiles" }) },
      h("span", { class: "tiles" }, hand.tiles.map((code) => (code ? tileView(code, "tiny") : h("span", { class: "gap" }))))) : null));
  return [
    h("tr", { "data-deal": at + 1 }, h("th", { scope: "row" }, String(at + 1)), one.players.map((name) => h("td", {},
      row ? [h("b", { class: row.net[name] > 0 ? "plus" : row.net[name] < 0 ? "minus" : "" }, signed(row.net[name])), h("small", {}, signed(row.running[name]))] : "…"))),
    h("tr", { class: "deal-about" }, h("td"), h("td", { colspan: String(one.players.length) }, about, hands)),
    fineRow(one, at + 1),
  ];
}

/** What a deal without a won hand is called. */
function aboutDeal({ log }) {
  if (["false_win", "chombo"].includes(log.type)) return `${t("falseWin")} · ${log.player}`;
  if (!log.events || log.events.some((event) => event.type === "exhaust")) return t("noWinner");
  return log.events.some((event) => event.type === "kong") ? t("kind_kong") : null;
}

/** The penalties of a deal; of none where `deal` is null. */
function fineRow(one, deal) {
  const fines = (one.sheet?.fines ?? []).filter((fine) => (fine.deal ?? null) === deal);
  return fines.length ? h("tr", { class: "deal-about", "data-fines": deal ?? 0 }, h("td"), h("td", { colspan: String(one.players.length) },
    fines.map((fine) => h("p", { class: "deal-fine" }, h("strong", {}, fine.player), ` ${own(fine, "reason")} · ${signed(-fine.points)}`)))) : null;
}

/** The end of a deal that nobody won; riichi and Sichuan ask who was ready. */
export function openDraw() {
  const one = table.current();
  const draw = (fields) => log(() => table.addDraw(fields));
  if (!["riichi", "sichuan"].includes(one.family)) {
    draw();
    return;
  }
  const players = table.notWon();
  if (one.family === "riichi") {
    const ready = new Set();
    const chip = (name) => h("button", { type: "button", class: "chip", "aria-pressed": "false", onclick: (event) => { if (!ready.delete(name)) ready.add(name); event.currentTarget.setAttribute("aria-pressed", String(ready.has(name))); } }, name);
    openSheet(t("noWinner"), h("p", {}, t("whoReady")), h("div", { class: "chips" }, players.map(chip)), h("div", { class: "sheet-actions" }, button("log-draw", t("done"), () => draw({ tenpai: [...ready] }), { style: "primary" })));
    return;
  }
  const left = table.falseWinners();
  const rows = players.map((name) => readyRow(name, left.includes(name)));
  const done = () => {
    const worth = rows.filter((row) => row.isListed()).map(({ name, field }) => [name, Number(field.value)]);
    draw({ ready: Object.fromEntries(worth.filter(([, points]) => points > 0)), not_ready: worth.filter(([, points]) => !(points > 0)).map(([name]) => name) });
  };
  openSheet(t("noWinner"), h("p", { class: "hint" }, t("readyPoints")), rows.map((row) => row.parts), h("div", { class: "sheet-actions" }, button("log-draw", t("done"), done, { style: "primary" })));
}

/** What a player's best hand is worth at the end of a Sichuan deal: {name, field, parts, isListed()}; one who `left` is not listed unless the referee says so. */
function readyRow(name, left) {
  const field = h("input", { class: "link-field", type: "number", inputmode: "numeric", min: "0", max: "999", value: "0", id: `ready-${name}` });
  const row = h("label", { class: "seat-field", hidden: left }, h("span", {}, name), field);
  const list = left && h("label", { class: "check" },
    h("input", { type: "checkbox", id: `list-${name}`, onchange: (event) => { row.hidden = !event.target.checked; } }),
    h("span", {}, t("listPlayer", { name }), h("br"), h("span", { class: "hint" }, t("leftAfterFalseWin"))));
  return { name, field, parts: left ? [list, row] : row, isListed: () => !row.hidden };
}

const FIELDS = { mcr: ["fan"], kc: ["multiplier"], sichuan: ["base_points"], riichi: ["han", "fu"] };
/** What the label of a field does not say: the least value of a win (KC, 3.2.2), and what it includes. */
const ABOUT = { multiplier: { least: "2", hint: "worth_multiplier_hint" } };

/** A field for what a win is worth: {name, field, parts}. */
function worthField(name) {
  const { least, hint } = ABOUT[name] ?? { least: "1" };
  const field = h("input", { class: "link-field", type: "number", inputmode: "numeric", min: least, id: `win-${name}`, required: true, "aria-describedby": hint ? `about-${name}` : null });
  return { name, field, parts: [
    h("label", { class: "seat-field" }, h("span", {}, t(`worth_${name}`)), field),
    hint ? h("p", { class: "hint", id: `about-${name}` }, t(hint)) : null,
  ] };
}

const named = (players) => players.map((name) => [name, name]);

/** A win of which there is no photo. */
function openWin() {
  const one = table.current();
  const who = choice("win-player", t("whoWon"), named(table.mayWin()));
  const from = choice("win-from", t("whoseTile"), [["", t("ownDraw")], ...named(table.playingOn())]);
  const worth = FIELDS[one.family].map(worthField);
  const save = (event) => {
    event.preventDefault();
    const winner = who.querySelector("select").value;
    const source = from.querySelector("select").value || null;
    if (winner === source) {
      from.querySelector("select").focus();
      return;
    }
    log(() => table.addWorth({ winner, from: source }, Object.fromEntries(worth.map(({ name, field }) => [name, Number(field.value)]))));
  };
  openSheet(t("winByHand"), h("form", { class: "sheet-body bare", onsubmit: save }, who, from,
    worth.map(({ parts }) => parts),
    h("button", { class: "button primary", id: "log-win" }, t("done"))));
}

/** A kong of a Sichuan deal. */
function openKong() {
  const players = named(table.playingOn());
  const who = choice("kong-player", t("whoKong"), players);
  const kind = choice("kong-kind", t("setKind"), [["concealed", t("kind_concealed_kong")], ["from_discard", t("kind_kong")], ["added", t("kind_added_kong")]]);
  const from = choice("kong-from", t("whoseTile"), players);
  from.hidden = true;
  kind.querySelector("select").addEventListener("change", (event) => { from.hidden = event.target.value !== "from_discard"; });
  const save = (event) => {
    event.preventDefault();
    const kong = kind.querySelector("select").value;
    const player = who.querySelector("select").value;
    const source = from.querySelector("select").value;
    if (kong === "from_discard" && source === player) return;
    log(() => table.addKong({ player, kong, ...(kong === "from_discard" ? { from: source } : {}) }));
  };
  openSheet(t("kind_kong"), h("form", { class: "sheet-body bare", onsubmit: save }, who, kind, from, h("button", { class: "button primary", id: "log-kong" }, t("done"))));
}

async function saveSheet(one) {
  try {
    const url = URL.createObjectURL(await table.sheetFile());
    h("a", { href: url, download: `hupai-${new Date(one.at).toISOString().slice(0, 10)}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    openSheet("CSV", h("p", { role: "alert" }, error instanceof api.ServiceProblem ? error.words().detail : t("goneDetail")));
  }
}

/** Print the sheet alone. */
function printSheet() {
  document.documentElement.dataset.print = "sheet";
  addEventListener("afterprint", () => { delete document.documentElement.dataset.print; }, { once: true });
  print();
}
