// A session at the table: four names, and the deals as POST /v1/sessions reads them. It lives on this device, so that neither a
// reload nor a lost connection takes anything away; the service settles it, and what it said last is kept with it.
//
// A session is {id, at, rules, family, players: [name], deals: [{log, hands: [{player, from, total, unit, tiles, entry, at}], at}],
// penalties: [{deal, log}], stale, sheet}; `penalties` are those of MCR, by the place of the deal, `stale` where the sheet lacks one.
import * as api from "./api.js";
import { newId } from "./ids.js";
import { codesOf } from "../hand/hand.js";
import { state } from "./state.js";

const KEPT = "hupai.table";
const EARLIER = "hupai.tables";
const MOST = 30; // sessions that are over and kept
const WINDS = ["E", "S", "W", "N"];
/** Circumstances that follow from who won and whose tile it was. */
export const FOLLOWING = ["self_drawn", "seat_wind", "round_wind", "dealer", "discarder_is_dealer"];

const read = (key, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
};

let table = read(KEPT, null);
let listener = () => {};

export const current = () => table;
export const earlier = () => read(EARLIER, []);
/** `act()` is called after each change. */
export const onTable = (act) => { listener = act; };

function keep() {
  if (table) localStorage.setItem(KEPT, JSON.stringify(table));
  else localStorage.removeItem(KEPT);
  listener();
}

/** The log as the service takes it. */
function logOf({ rules, players, deals, penalties = [] }) {
  const of = (at) => penalties.filter((one) => one.deal === at).map((one) => one.log);
  const logs = deals.map((deal, at) => (of(at).length ? { ...deal.log, penalties: of(at) } : deal.log));
  const pending = of(deals.length); // of the deal that is being played
  return { rules, players, deals: logs, ...(pending.length ? { penalties: pending } : {}) };
}

/** Begin a session; the service refuses names and rules that it cannot settle. */
export async function begin({ rules, family, players }) {
  const next = { id: newId(), at: Date.now(), rules, family, players, deals: [], sheet: null };
  next.sheet = await api.settleSession(logOf(next));
  shelve();
  table = next;
  keep();
}

/** Put the session away; it can be opened again. */
export function end() {
  shelve();
  table = null;
  keep();
}

function shelve() {
  if (!table?.deals.length && !table?.penalties?.length) return;
  localStorage.setItem(EARLIER, JSON.stringify([table, ...earlier().filter((one) => one.id !== table.id)].slice(0, MOST)));
}

export function reopen(id) {
  const found = earlier().find((one) => one.id === id);
  if (!found) return;
  shelve();
  table = found;
  keep();
}

/** Have the service settle what is logged. False where it is away: the deals stay, the sums follow. */
export async function settle() {
  const one = table;
  if (!one) return true;
  try {
    const sheet = await api.settleSession(logOf(one));
    if (table === one) {
      table = { ...one, sheet, stale: false };
      keep();
    }
    return true;
  } catch (error) {
    if (error instanceof api.OfflineError || error.passing) return false;
    throw error;
  }
}

/** Whether the sums are those of all that is logged. */
export const isSettled = () => !table || (!table.stale && table.sheet?.deals.length === table.deals.length);

const isOpen = (deal) => table.family === "sichuan" && Boolean(deal) && !deal.over;
const lastDeal = () => table.deals[table.deals.length - 1];

/** What comes next: {number, dealer, round}; dealer and round are null where the service has not said. */
export function nextDeal() {
  const { players, deals, sheet, family } = table;
  if (family === "mcr") return { number: deals.length + 1, dealer: players[deals.length % 4], round: Math.min(3, Math.floor(deals.length / 4)) };
  if (!isSettled()) return { number: deals.length + 1, dealer: null, round: null };
  const last = sheet.deals[sheet.deals.length - 1];
  if (isOpen(lastDeal())) return { number: deals.length, dealer: last.dealer, round: null };
  const dealer = sheet.next_dealer ?? (deals.length ? null : players[0]);
  const passed = last && dealer === players[0] && last.dealer !== players[0];
  return { number: deals.length + 1, dealer, round: last?.round ? Math.min(3, last.round - 1 + (passed ? 1 : 0)) : deals.length ? null : 0 };
}

/** The seat wind of each player in the next deal; null where the dealer is not known. */
export function windOf(player) {
  const { dealer } = nextDeal();
  return dealer === null ? null : WINDS[(table.players.indexOf(player) - table.players.indexOf(dealer) + 4) % 4];
}

/** The circumstances, as the service writes them, that follow from `choice` {winner, from}; `from` is null for a drawn tile. */
export function following(choice) {
  const told = {};
  const { dealer, round } = nextDeal();
  if (round !== null) told.round_wind = WINDS[round];
  if (choice?.winner) {
    if (windOf(choice.winner)) told.seat_wind = windOf(choice.winner);
    if (dealer) told.dealer = String(choice.winner === dealer);
  }
  if (choice && choice.from !== undefined) {
    told.self_drawn = String(choice.from === null);
    if (dealer && choice.winner !== dealer) told.discarder_is_dealer = String(choice.from === dealer);
  }
  return told;
}

/** Whether another player may have won on the same tile as the last one logged. */
export const mayShareTile = () => ["kc", "riichi"].includes(table.family) && Boolean(lastDeal()?.hands.length) && Boolean(lastDeal()?.log.from);

/** Who cannot win any more in the deal that is being played. */
export const outOfDeal = () => (isOpen(lastDeal()) ? lastDeal().hands.map((hand) => hand.player) : []);

/** What a win is worth in the log of each family, read from its score. */
const WORTH = {
  mcr: (score) => ({ fan: score.total }),
  kc: (score) => ({ multiplier: score.total }),
  sichuan: (score) => ({ base_points: score.details.base_points ?? score.total }),
  riichi: (score) => {
    const limit = score.fans.reduce((sum, fan) => sum + (fan.points >= 13 ? (fan.points * fan.count) / 13 : 0), 0);
    return limit ? { yakuman: Math.round(limit) } : { han: score.details.han, fu: score.details.fu };
  },
};

/** A win as its family logs it. */
function winOf(choice, worth, won = {}) {
  const how = { player: choice.winner, ...worth, ...(choice.from === null ? { self_drawn: true } : { from: choice.from }) };
  if (table.family === "sichuan") {
    const told = { kong_draw: won.kong_replacement, kong_discard: won.kong_discard, robbing_kong: won.robbing_kong, last_tile: won.last_tile };
    for (const [name, value] of Object.entries(told)) if (value) how[name] = true;
  } else if (won.robbing_kong && table.family === "kc") how.robbing_kong = true;
  return { type: "win", ...how };
}

/** Add a scored hand: `choice` is {winner, from, riichi, together}. The number of its deal. */
export function addHand(choice, answer, entry) {
  const won = winOf(choice, WORTH[table.family](answer.score), answer.circumstances);
  return add(choice, won, { total: answer.score.total, unit: answer.score.unit, tiles: codesOf(answer.notation), entry: entry.id });
}

/** Add a win of which only the worth is known, in the fields of its family. */
export const addWorth = (choice, worth) => add(choice, winOf(choice, worth), { total: null, unit: null, tiles: [], entry: null });

function add(choice, win, about) {
  const hand = { player: choice.winner, from: choice.from, at: Date.now(), ...about };
  const last = lastDeal();
  if (isOpen(last)) {
    const hands = [...last.hands, hand];
    put({ ...last, hands, log: { events: [...last.log.events, win] }, over: hands.length === table.players.length - 1 });
  } else if (table.family === "sichuan") {
    push({ log: { events: [win] }, hands: [hand], at: Date.now(), over: false });
  } else if (choice.together && mayShareTile()) {
    const { type, from, player, winners, riichi, ...worth } = last.log;
    const { type: same, from: theirs, ...claim } = win;
    put({ ...last, hands: [...last.hands, hand], log: { type, from, ...(riichi ? { riichi } : {}), winners: [...(winners ?? [{ player, ...worth }]), claim] } });
  } else {
    const riichi = choice.riichi?.length ? { riichi: choice.riichi } : {};
    push({ log: { ...win, ...riichi }, hands: [hand], at: Date.now() });
  }
  return table.deals.length;
}

const push = (deal) => change([...table.deals, deal]);
const put = (deal) => change([...table.deals.slice(0, -1), deal]);

function change(deals) {
  table = { ...table, deals };
  keep();
}

/** The end of the wall, or a draw: `log` as its family writes it, without the type. */
export function addDraw(log = {}) {
  if (table.family === "sichuan") {
    const last = lastDeal();
    const event = { type: "exhaust", ...log };
    if (isOpen(last)) put({ ...last, log: { events: [...last.log.events, event] }, over: true });
    else push({ log: { events: [event] }, hands: [], at: Date.now(), over: true });
  } else addDeal({ type: table.family === "riichi" ? "draw" : "exhaust", ...log });
}

/** A deal that ended without a win, as its family logs it. */
export const addDeal = (log) => push({ log, hands: [], at: Date.now() });

/** A penalty under MCR, in the deal that is being played. */
export function addPenalty(log) {
  table = { ...table, penalties: [...(table.penalties ?? []), { deal: table.deals.length, log }], stale: true };
  keep();
}

/** A kong of a Sichuan deal, which is paid at once. */
export const addKong = (kong) => addEvent({ type: "kong", ...kong });

/** An event of a Sichuan deal that does not end it. */
export function addEvent(event) {
  const last = lastDeal();
  if (isOpen(last)) put({ ...last, log: { events: [...last.log.events, event] } });
  else push({ log: { events: [event] }, hands: [], at: Date.now(), over: false });
}

/** Take the last win, draw, kong or penalty back. */
export function takeBack() {
  const { penalties = [], deals } = table;
  if (penalties.length && penalties[penalties.length - 1].deal === deals.length) {
    table = { ...table, penalties: penalties.slice(0, -1), stale: true };
    keep();
    return;
  }
  const last = lastDeal();
  if (!last) return;
  const { events, winners } = last.log;
  if (events?.length > 1) {
    const gone = events[events.length - 1];
    put({ ...last, over: false, log: { events: events.slice(0, -1) }, hands: gone.type === "win" ? last.hands.slice(0, -1) : last.hands });
  } else if (winners?.length > 1) {
    put({ ...last, hands: last.hands.slice(0, -1), log: { ...last.log, winners: winners.slice(0, -1) } });
  } else change(table.deals.slice(0, -1));
}

/** The sheet for a spreadsheet, as the service writes it. */
export const sheetFile = () => api.sessionFile(logOf(table));

/** Whether the rules of the answer are those of the session. */
export const fits = (answer) => Boolean(table) && answer?.rules === table.rules && state.won.rules.id === table.rules;
