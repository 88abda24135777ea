// The operator's page: what was read at each seat, and the buttons that put it on air. Nothing else does.
import { afterPress } from "/page/js/shell/press.js";
import { h, handGroups, isTooCheap, tile } from "./draw.js";
import { draftOf, editable, notation } from "./hand.js";
import { openBoard } from "./board.js";
import { openPlaces } from "./places.js";
import { keyed, openLine } from "./remote.js";
import { has, lang, speak, w } from "./words.js";

const table = location.pathname.split("/")[2];
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const TOGGLES = ["self_drawn", "last_tile", "last_of_kind", "kong_replacement", "kong_discard", "robbing_kong"];
const WINDS = new Set(["seat_wind", "round_wind"]);
const sent = new Map(); // seat → circumstances just sent: a second change comes on top of the first, before the answer
const asked = new Map(); // rules → the circumstances that they read, once they are known
let state = null;
let status = null;
const drafts = new Map(); // seat → {number, draft}: a correction that was begun, of that proposal
const approved = new Map(); // seat → number of the proposal approved here

const note = byId("note");

/** Say what was refused: in the dialog, where one is open and covers the page. */
function tell(error) {
  const dialog = document.querySelector("dialog[open]");
  if (dialog) dialog.prepend(note);
  else document.querySelector("main").before(note);
  note.textContent = (lang() === "zh" && error.problem?.detail_zh) || error.message;
  note.hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(done, 8000);
}

/** What was refused before no longer matters. */
const done = () => (note.hidden = true);

const send = openLine(table, {
  state(next) {
    state = next;
    drawAll();
    root.dataset.ready = "true";
  },
  status(next) {
    status = next;
    drawStatus();
  },
  gone() {
    tell(new Error(w("gone")));
  },
  trouble() {
    tell(new Error(w("trouble")));
  },
  line(up) {
    root.dataset.connection = up ? "live" : "lost";
    byId("line").textContent = w(up ? "live" : "lost");
    byId("line").className = `pill${up ? "" : " bad"}`;
  },
});
const order = (command) => send(command).then(done, tell);

const drawAll = () => afterPress("all", drawState);
const drawQueue = () => afterPress("queue", drawProposals);

function drawState() {
  if (!state) return;
  byId("name").textContent = state.table.name;
  document.title = `${state.table.name} · ${w("operator")} · Hupai`;
  const auto = byId("auto");
  auto.replaceChildren(...["off", "certain", "all"].map((value) => h("option", { value, selected: value === state.table.auto }, w(`auto_${value}`))));
  if (document.activeElement !== byId("delay")) byId("delay").value = state.table.delay_seconds;
  keepTyping(() => byId("seats").replaceChildren(...state.seats.map(place)));
  drawQueue();
  drawStatus();
}

/** Draw the seats anew; a field that somebody is typing in keeps its text, its selection and the cursor. */
function keepTyping(draw) {
  const typing = document.activeElement?.closest(".place [data-field]");
  const at = typing && `.place[data-seat="${typing.closest(".place").dataset.seat}"] [data-field="${typing.dataset.field}"]`;
  const selection = typing && [typing.selectionStart, typing.selectionEnd];
  draw();
  const again = at && document.querySelector(at);
  if (!again) return;
  const [from, to] = selection;
  const all = from === 0 && to === typing.value.length;
  again.focus();
  if (typing.value !== typing.defaultValue) again.value = typing.value;
  if (all) again.select();
  else again.setSelectionRange(from, to);
}

function drawStatus() {
  const pill = byId("source");
  const fresh = status && state?.table.source;
  pill.className = `pill${!fresh || (status.connected && !status.error) ? "" : status.ended ? " wait" : " bad"}`;
  if (!state?.table.source) pill.textContent = w("noSource");
  else if (!status) pill.textContent = "";
  else if (status.ended) pill.textContent = w("ended");
  else if (!status.connected && state.table.source === "push") {
    pill.className = "pill wait";
    pill.textContent = w("noPushed");
  } else if (!status.connected) pill.textContent = w("noFrames", { error: status.error });
  else pill.textContent = status.error ? w("partly", status) : w("fps", status);
  for (const card of document.querySelectorAll(".place")) drawSight(card.querySelector(".covered"), card.dataset.seat);
}

/** The badge of a seat whose hand the camera no longer sees: for how long, and why. */
function drawSight(badge, seat) {
  const age = status?.unseen_s?.[seat] ?? 0;
  const lost = status?.lost?.[seat];
  const words = lost ? w(lost) : age >= 1 ? w(status.connected ? (status.covered.includes(seat) ? "covered" : "changed") : "unseen", { s: age.toFixed(0) }) : "";
  badge.textContent = words;
  badge.className = `pill covered ${lost ? "bad" : "wait"}`;
  badge.hidden = !words;
}

function place(seat) {
  const proposal = seat.proposal;
  const fresh = proposal && approved.get(seat.seat) !== proposal.number && !sameCard(proposal, seat.on_air);
  return h(
    "article",
    { class: `card place${fresh ? " fresh" : ""}`, data: { seat: seat.seat } },
    h(
      "div",
      { class: "place-head" },
      h("input", { value: seat.player, placeholder: w("player"), "aria-label": w("player"), maxlength: "80", data: { field: "player" }, ...onLeave(({ target }) => order({ do: "player", seat: seat.seat, player: target.value })) }),
      h("span", { class: "place-seat" }, seat.seat),
      proposal && !proposal.empty && h("span", { class: `pill${proposal.certain ? "" : " wait"}` }, w(proposal.corrected ? "corrected" : proposal.certain ? "certain" : "uncertain")),
      proposal?.seen_ms !== null && proposal?.seen_ms !== undefined && h("span", { class: "hint" }, w("seenIn", { ms: proposal.seen_ms })),
      h("span", { class: "pill covered", role: "status", hidden: true }),
    ),
    ...(proposal ? proposed(seat, proposal) : [h("div", { class: "felt" }, h("span", { class: "empty" }, w("nothingRead")))]),
    air(seat),
  );
}

/** What a field does once it is left with another text; a field that a redraw filled again knows no change event. */
const onLeave = (change) => ({
  onblur: (event) => event.target.isConnected && event.target.value !== event.target.defaultValue && change(event),
  onkeydown: (event) => event.key === "Enter" && event.target.blur(),
});

const sameCard = (proposal, card) => (proposal.empty ? card === null : card !== null && JSON.stringify(proposal.card) === JSON.stringify(card));

function proposed(seat, proposal) {
  if (proposal.empty) {
    return [
      h("div", { class: "felt" }, h("span", { class: "empty" }, w("cleared"))),
      h("div", { class: "actions" }, button("approve", "approveHide", () => approve(seat, proposal), "primary")),
    ];
  }
  const begun = drafts.get(seat.seat);
  const draft = begun?.number === proposal.number ? begun.draft : draftOf(proposal.card);
  const text = h("input", { value: begun?.number === proposal.number ? notation(draft) : (proposal.notation ?? notation(draft)), "aria-label": w("notation"), spellcheck: "false", autocomplete: "off", data: { field: `notation-${proposal.number}` } });
  const correct = (approveToo = false) => {
    drafts.delete(seat.seat);
    return order({ do: "correct", seat: seat.seat, notation: text.value, approve: approveToo });
  };
  const felt = h("div", { class: "felt" }, editable(draft, proposal.doubts, (changed) => {
    drafts.set(seat.seat, { number: proposal.number, draft: changed });
    text.value = notation(changed);
    correct();
  }));
  const told = lang() === "zh" ? proposal.problems_zh : proposal.problems;
  return [
    felt,
    facts(proposal.card),
    told.length ? h("ul", { class: "problems" }, told.map((line) => h("li", {}, line))) : null,
    circumstances(seat, proposal),
    h("form", { class: "edit", onsubmit: (event) => { event.preventDefault(); correct(); } }, text, h("button", { class: "button small" }, w("use"))),
    h(
      "div",
      { class: "actions" },
      button("approve", approved.get(seat.seat) === proposal.number ? "approved" : "approve", () => approve(seat, proposal), "primary"),
      button("reject", "reject", () => order({ do: "reject", seat: seat.seat, proposal: proposal.number })),
    ),
  ].filter(Boolean);
}

function approve(seat, proposal) {
  send({ do: "approve", seat: seat.seat, proposal: proposal.number })
    .then(() => approved.set(seat.seat, proposal.number))
    .then(drawAll)
    .then(done, tell);
}

function button(name, words, act, extra = "") {
  return h("button", { type: "button", class: `button ${extra}`, data: { do: name }, onclick: act }, w(words));
}

function facts(card) {
  const parts = [];
  if (card.score) {
    const unit = lang() === "zh" ? card.unit_zh : card.unit_en;
    parts.push(h("span", { class: "total", data: { total: card.score.total } }, w("wins", { total: card.score.total, unit })));
    if (!card.score.legal) parts.push(h("span", { class: "pill bad" }, w(!card.score.complete ? "noWin" : isTooCheap(card) ? "below" : "notAllowed")));
    const name = (fan) => `${lang() === "zh" ? fan.zh : fan.en} ${fan.points}`;
    parts.push(h("span", { class: "fans" }, card.score.fans.map(name).join(" · ")));
  } else if (card.bars?.length) {
    parts.push(h("span", { class: "pill bad" }, w("notReady")), card.bars.map((bar) => h("span", { data: { bar: bar.code } }, lang() === "zh" ? bar.zh : bar.en)));
  } else if (card.waits?.length) {
    parts.push(h("span", {}, w("waitsFor")));
    for (const wait of card.waits) parts.push(h("span", { class: "wait" }, tile(wait.tile), w("left", { n: wait.left }), ` · ${wait.least === wait.most ? wait.most : `${wait.least}–${wait.most}`}`));
  } else if (tiles(card) === 14) {
    parts.push(h("span", { class: "pill wait" }, w("whichWon")));
  }
  return h("div", { class: "facts" }, parts);
}

const tiles = (card) => card.concealed.length + 3 * card.melds.length + (card.winning_tile ? 1 : 0);

function circumstances(seat, proposal) {
  if (!proposal.card.score && !proposal.card.waits) return null;
  const now = seat.circumstances;
  const put = (changes) => {
    const next = clean({ ...(sent.get(seat.seat) ?? now), ...changes });
    const forget = () => sent.get(seat.seat) === next && sent.delete(seat.seat);
    sent.set(seat.seat, next);
    send({ do: "circumstances", seat: seat.seat, circumstances: next })
      .then(() => setTimeout(forget, 1500)) // the state that has them comes about now
      .catch((error) => { forget(); tell(error); });
  };
  const wind = (name) =>
    h("label", { class: "field" }, w(name), h("select", { onchange: (event) => put({ [name]: event.target.value || null }) },
      ["", "E", "S", "W", "N"].map((value) => h("option", { value, selected: (now[name] ?? "") === value }, value || "–"))));
  return h(
    "div",
    { class: "toggles" },
    circumstancesOf(state.table.rules).map((one) => {
      if (one.type === "boolean") {
        return proposal.card.score && h("button", { type: "button", class: "toggle", data: { flag: one.name }, "aria-pressed": String(Boolean(now[one.name])), onclick: () => put({ [one.name]: !now[one.name] }) }, label(one));
      }
      return COUNTED.has(one.name) || one.type === "tiles" ? counted(one, now, put) : null;
    }),
    wind("seat_wind"),
    wind("round_wind"),
  );
}

const COUNTED = new Set(["honba", "riichi_sticks"]);
const label = (one) => (one.label_en ? (lang() === "zh" ? one.label_zh : one.label_en) : w(one.name));

/** A field for a number, or for tiles such as the dora indicators: codes with spaces between. */
function counted(one, now, put) {
  const tiles = one.type === "tiles";
  const value = tiles ? (now[one.name] ?? []).join(" ") : now[one.name] ?? 0;
  const change = ({ target }) => {
    if (tiles) put({ [one.name]: target.value.split(/[\s,]+/).filter(Boolean) });
    else if (/^\s*\d+\s*$/.test(target.value)) put({ [one.name]: Number(target.value) });
    else target.value = target.defaultValue;
  };
  return h("label", { class: "field" }, label(one), h("input", { type: "text", inputmode: tiles ? null : "numeric", size: tiles ? "8" : "3", placeholder: tiles ? "5m E" : null, value, data: { field: one.name }, autocomplete: "off", ...onLeave(change) }));
}

/** What the rules of the table ask for; until they have been fetched, what most rules do. */
function circumstancesOf(rules) {
  if (!asked.has(rules)) {
    asked.set(rules, TOGGLES.filter(has).map((name) => ({ name, type: "boolean" })));
    fetch(keyed("/v1/rules"))
      .then((answer) => answer.json())
      .then((found) => {
        const mine = found.rules.find((one) => one.id === rules);
        if (mine) asked.set(rules, mine.circumstances.filter((one) => !WINDS.has(one.name)));
        drawAll();
      })
      .catch(() => asked.delete(rules));
  }
  return asked.get(rules);
}

const clean = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== false));

function air(seat) {
  const shown = seat.on_air;
  return h(
    "div",
    { class: "air" },
    shown ? h("span", { class: "live" }, w("onAir")) : h("span", {}, w("offAir")),
    shown && handGroups(shown).map((group) => h("span", { class: `group ${group.kind}` }, group.tiles.map((code) => tile(code)))),
    h("span", { class: "grow" }),
    h("button", { type: "button", class: "button small", data: { do: "undo" }, onclick: () => order({ do: "undo", seat: seat.seat }) }, w("undo")),
    h("button", { type: "button", class: "button small", data: { do: "freeze" }, "aria-pressed": String(seat.frozen), onclick: () => order({ do: "freeze", seat: seat.seat, frozen: !seat.frozen }) }, w(seat.frozen ? "frozen" : "freeze")),
    shown && h("button", { type: "button", class: "button small danger", data: { do: "hide" }, onclick: () => order({ do: "hide", seat: seat.seat }) }, w("hide")),
  );
}

function drawProposals() {
  const list = byId("queue");
  if (!state) return;
  const items = state.queue.map((item) => {
    const seconds = Math.max(0, (Date.parse(item.due_at) - Date.now()) / 1000);
    const player = state.seats.find((seat) => seat.seat === item.seat)?.player || item.seat;
    return h(
      "li",
      { data: { seat: item.seat } },
      h("span", {}, `${player}${item.kind === "hide" ? ` · ${w("hide")}` : ""} `, h("span", { class: "due" }, `${seconds.toFixed(0)} s`)),
      h("span", { class: "actions" },
        h("button", { type: "button", class: "button small", onclick: () => order({ do: "now", seat: item.seat }) }, w("now")),
        h("button", { type: "button", class: "button small danger", onclick: () => order({ do: "hide", seat: item.seat }) }, w("drop"))),
    );
  });
  list.replaceChildren(...(items.length ? items : [h("li", { class: "hint" }, w("queueEmpty"))]));
}

function fitProgramme() {
  const frame = byId("programme");
  frame.style.transform = `scale(${frame.parentElement.clientWidth / 1920})`;
}

byId("auto").addEventListener("change", (event) => order({ do: "settings", settings: { auto: event.target.value } }));
byId("delay").addEventListener("change", (event) => order({ do: "settings", settings: { delay_seconds: Math.max(0, Number(event.target.value) || 0) } }));
byId("board").addEventListener("click", () => state && openBoard(() => state, order));
byId("log-link").href = keyed(`/v1/tables/${table}/log`, { format: "csv", zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
byId("edl-link").href = keyed(`/v1/tables/${table}/log`, { format: "edl", zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
byId("hide-all").addEventListener("click", () => order({ do: "hide" }));
byId("setup").addEventListener("click", () => state && openPlaces(() => state, tell).catch(tell));
addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const seat = state?.seats[Number(event.key) - 1];
  if (seat?.proposal) approve(seat, seat.proposal);
  if (event.key === "Escape") order({ do: "hide" });
});
addEventListener("resize", fitProgramme);
setInterval(drawQueue, 1000);

const address = keyed(`/overlay/${table}`);
byId("programme").src = address;
byId("air-link").href = address;
byId("air-link").textContent = `/overlay/${table}`;
byId("local-link").href = `/overlay/${table}/local.html`;
speak(byId("language"), drawAll);
fitProgramme();
