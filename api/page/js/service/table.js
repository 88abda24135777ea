// A session at the table: four names, and the deals as POST /v1/sessions reads them. This device keeps it, so that neither a reload nor
// a lost connection takes anything away; the service settles it, and where the players want it keeps it too, for every phone at the table.
//
// A session is {id, at, rules, family, players: [name], deals: [{log, hands: [{player, from, total, unit, tiles, entry, hand}]}],
// penalties: [{deal, log}], stale, sheet, stored, held}. `penalties` are those of MCR, by the place of the deal; `stale` where the sheet
// lacks what was done last. `stored` is {version, share, base, waiting} of a session that the service keeps: `base` is what it has,
// `waiting` the acts of this device that it has not. Where another phone was faster they go to `held`, and the player decides.
import * as api from "./api.js";
import * as log from "./deals.js";
import { after, fromLog, handsOf, logOf, openDeal } from "./deals.js";
import { newId } from "./ids.js";
import { codesOf } from "../hand/hand.js";
import { state } from "./state.js";

const KEPT = "hupai.table";
const EARLIER = "hupai.tables";
const MOST = 30; // sessions that are over and kept
const TRIES = 5; // how often an act is repeated on what others have done meanwhile
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

const whole = (one) => one && { penalties: [], held: [], ...one };
let table = whole(read(KEPT, null));
let listener = () => {};

export const current = () => table;
export const earlier = () => read(EARLIER, []).map(whole);
/** `act()` is called after each change. */
export const onTable = (act) => { listener = act; };

addEventListener("storage", ({ key }) => { // another tab of this device
  if (key !== KEPT) return;
  table = whole(read(KEPT, null));
  listener();
});

function keep() {
  if (table) localStorage.setItem(KEPT, JSON.stringify(table));
  else localStorage.removeItem(KEPT);
  listener();
}

const parts = ({ deals, penalties, sheet }) => ({ deals, penalties, sheet });

/** Begin a session, `together` on the service where that has room; it refuses names and rules that it cannot settle. */
export async function begin({ rules, family, players, together }) {
  const next = { id: newId(), at: Date.now(), rules, family, players, deals: [], penalties: [], held: [], sheet: null, stored: null };
  const begun = together ? await store(next) : { ...next, sheet: await api.settleSession(logOf(next)) };
  shelve();
  table = begun;
  keep();
}

/** The session, kept by the service; as it is where that has no storage. */
async function store(one) {
  try {
    return asStored(one, await api.putSession(one.id, { log: logOf(one), hands: handsOf(one) }, { key: one.id }));
  } catch (error) {
    if (![503, 507].includes(error.problem?.status)) throw error;
    return { ...one, sheet: await api.settleSession(logOf(one)) };
  }
}

/** `one` as the service has it. */
function asStored(one, { version, share, sheet, ...session }) {
  const base = { ...parts({ ...fromLog(session), sheet }) };
  return { ...one, ...base, stale: false, stored: { version, share, base, waiting: [] } };
}

let sharing = null; // acts of this device since the session was sent to be shared: the service does not have them yet

/** Have the service keep the session that runs; false where it cannot. */
export async function share() {
  const since = [];
  sharing = since;
  try {
    const kept = await store(table);
    if (table?.id === kept.id && kept.stored) {
      table = { ...after(kept, since), stale: since.length > 0, stored: { ...kept.stored, waiting: since } };
      keep();
    }
    return Boolean(kept.stored);
  } finally {
    sharing = null;
    if (since.length) settle().catch(() => {}); // what it refuses is held when the page next asks for news
  }
}

/** Take part in the session of a link. */
export async function join(id, token) {
  if (table?.id !== id && earlier().some((one) => one.id === id && one.stored)) reopen(id); // with what this device did and has not sent
  if (table?.id === id) {
    await settle();
    return;
  }
  const session = await api.getStoredSession(id, token);
  const family = state.won.all.find((one) => one.id === session.log.rules)?.family;
  shelve();
  table = asStored({ id, at: Date.parse(session.created), held: [], family, rules: session.log.rules, players: session.log.players }, session);
  keep();
}

/** Put the session away; it can be opened again. */
export function end() {
  shelve();
  table = null;
  keep();
}

function shelve() {
  if (!table || !(table.deals.length || table.penalties.length || table.held.length || table.stored)) return;
  localStorage.setItem(EARLIER, JSON.stringify([table, ...earlier().filter((one) => one.id !== table.id)].slice(0, MOST)));
}

export function reopen(id) {
  const found = earlier().find((one) => one.id === id);
  if (!found) return;
  shelve();
  table = found;
  keep();
}

// What the service settles and keeps

let turn = Promise.resolve();
let settling = 0;

/** Bring session and sums to what the service says, one time after the other. False where it is away: what was done stays, the sums follow. */
export function settle() {
  settling += 1;
  const next = turn.then(() => (table?.stored ? exchange() : settleHere())).finally(() => { settling -= 1; });
  turn = next.then(sendShelved, sendShelved).catch(() => {});
  return next;
}

/** Whether a `settle` has not come to its end. */
export const isSettling = () => settling > 0;

async function settleHere() {
  const one = table;
  if (!one) return true;
  const last = unsettled[unsettled.length - 1];
  try {
    const sheet = await api.settleSession(logOf(one));
    if (table === one) {
      table = { ...one, sheet, stale: false };
      unsettled = [];
      keep();
    }
    return true;
  } catch (error) {
    if (table?.id !== one.id) return true; // put away meanwhile
    refused = last?.done.uid;
    return awayOr(error);
  }
}

const isAway = (error) => error instanceof api.OfflineError || error.passing;

function awayOr(error) {
  if (isAway(error)) return false;
  throw error;
}

/** Send what waits, or ask what others have done. */
async function exchange() {
  const { id } = table;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { stored } = table;
    const last = stored.waiting[stored.waiting.length - 1];
    try {
      if (!last) {
        adopt(await api.getStoredSession(id, stored.share));
        return true; // what was done meanwhile is sent by a `settle` of its own, which says whether the service takes it
      }
      adopt(await send(table), last);
    } catch (error) {
      if (table?.id !== id) return true; // put away meanwhile
      if (error.problem?.session) adopt(error.problem.session);
      else if (error.problem?.status === 404) {
        table = { ...table, stored: null };
        keep();
        return settleHere();
      } else return awayOr(error);
    }
    if (table?.id !== id || !table.stored?.waiting.length) return true;
  }
  return false;
}

/** Have the service keep what waits in `one`. */
function send(one) {
  const { version, share, waiting } = one.stored;
  return api.putSession(one.id, { log: logOf(one), hands: handsOf(one) }, { version, share, key: waiting[waiting.length - 1].uid });
}

const unsent = () => earlier().filter((one) => one.id !== table?.id && one.stored?.waiting.length);
/** Whether a session that was put away has acts that the service has not. */
export const hasUnsent = () => unsent().length > 0;

/** Send what waits in the sessions that were put away. What is not taken is held there until the session is opened again. */
async function sendShelved() {
  for (const one of unsent()) {
    const change = await answerTo(one);
    if (!change) return;
    const now = earlier().find(({ id }) => id === one.id);
    if (table?.id === one.id || !now?.stored) continue; // opened again meanwhile
    const next = change(now);
    localStorage.setItem(EARLIER, JSON.stringify(earlier().map((was) => (was.id === next.id ? next : was))));
  }
}

/** What the answer of the service makes of a session that was put away: session => session; null where the service is away. */
async function answerTo(one) {
  const { waiting } = one.stored;
  try {
    const session = await send(one);
    return (now) => adopted(now, session, waiting[waiting.length - 1]);
  } catch (error) {
    if (isAway(error)) return null;
    if (error.problem?.session) return (now) => adopted(now, error.problem.session);
    if (error.problem?.status === 404) return (now) => ({ ...now, stored: null });
    return (now) => withHeld(now, reasonOf(error));
  }
}

/** The session that runs, after what the service has. */
function adopt(session, sent = null) {
  if (table?.id !== session.id || !table.stored) return;
  const next = adopted(table, session, sent);
  if (next === table) return;
  table = next;
  keep();
}

/**
 * `one` with what the service has, and what this device did that it has not: done again, or held where somebody else was faster.
 * `sent`: the last act that it has taken just now.
 */
function adopted(one, session, sent = null) {
  const { stored, held } = one;
  if (session.version === stored.version && !stored.waiting.length) return one;
  const made = new Set(session.changes.map((change) => change.key));
  const mine = new Set(stored.waiting.map((act) => act.uid));
  const arrived = stored.waiting.findLastIndex((act) => act.uid === sent?.uid || made.has(act.uid));
  const rest = stored.waiting.slice(arrived + 1);
  const others = session.changes.some((change) => change.version > stored.version && !mine.has(change.key));
  const next = asStored(one, session);
  if (rest.length && others) return { ...next, held: [...held, ...toHold(rest, null)] };
  return { ...after(next, rest), stale: rest.length > 0, stored: { ...next.stored, waiting: rest } };
}

const toHold = (acts, why) => acts.filter((act) => act.name !== "back").map((act) => ({ ...act, why }));

/** `one` as the service has it; what waits is held, with the reason. */
function withHeld(one, why) {
  const { base, waiting } = one.stored;
  return { ...one, ...base, stale: false, stored: { ...one.stored, waiting: [] }, held: [...one.held, ...toHold(waiting, why)] };
}

/** Why the service refused, to be kept: {detail_en, detail_zh}. */
export const reasonOf = (error) => ({ detail_en: error.problem?.detail ?? error.message, detail_zh: error.problem?.detail_zh ?? error.message });

/** Do an act that was held after all. */
export function doStill(uid) {
  const found = table.held.find((act) => act.uid === uid);
  letGo(uid);
  if (found) act(found.name, found.args);
}

/** Forget an act that was held. */
export function letGo(uid) {
  table = { ...table, held: table.held.filter((act) => act.uid !== uid) };
  keep();
}

/** Several acts of which the service refuses one are held with its reason; false where one alone waits. The session is what the service has. */
export function holdRefused(why, least = 2) {
  const { waiting } = table?.stored ?? {};
  if (!waiting || waiting.length < least) return false;
  table = withHeld(table, why);
  keep();
  return true;
}

/** Whether the sums are those of all that is logged. */
export const isSettled = () => !table || (!table.stale && table.sheet?.deals.length === table.deals.length);

/** What comes next: {number, dealer, round}; dealer and round are null where the service has not said. */
export function nextDeal() {
  const { players, deals, sheet, family } = table;
  if (family === "mcr") return { number: deals.length + 1, dealer: players[deals.length % 4], round: Math.min(3, Math.floor(deals.length / 4)) };
  if (!isSettled()) return { number: deals.length + 1, dealer: null, round: null };
  const last = sheet.deals[sheet.deals.length - 1];
  if (openDeal(table)) return { number: deals.length, dealer: last.dealer, round: null };
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
export const mayShareTile = () => log.mayShareTile(table);

// Of the deal that is being played: who has not won, who plays on, who may still win, who left it after a false win
export const notWon = () => log.notWon(table);
export const playingOn = () => log.playingOn(table);
export const mayWin = () => log.mayWin(table);
export const falseWinners = () => log.falseWinners(table);

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

let unsettled = []; // what was done since the service last settled a session that it does not keep: {done, before}
let refused = null; // the uid of the last of them in the request that the service refused

/** Do an act here; `settle` has it settled. */
function act(name, args = {}) {
  const done = { uid: newId(), name, args };
  sharing?.push(done);
  if (!table.stored) unsettled.push({ done, before: table });
  table = { ...after(table, [done]), stale: true, ...(table.stored ? { stored: { ...table.stored, waiting: [...table.stored.waiting, done] } } : {}) };
  keep();
}

/** Withdraw the act that the service refused. */
export function withdraw() {
  if (!table) return;
  if (!table.stored) withdrawHere();
  else {
    const { base, waiting } = table.stored;
    const rest = waiting.slice(0, -1);
    table = { ...after({ ...table, ...base }, rest), stale: rest.length > 0, stored: { ...table.stored, waiting: rest } };
  }
  keep();
}

/** What was done after the refused act stays. */
function withdrawHere() {
  const at = unsettled.findIndex(({ done, before }) => done.uid === refused && before.id === table.id);
  if (at < 0) { // done before the page was loaded
    table = { ...after(table, [{ name: "back" }]), stale: false };
    return;
  }
  const [{ before }] = unsettled.splice(at, 1);
  if (sharing?.some((act) => act.uid === refused)) sharing.splice(sharing.findIndex((act) => act.uid === refused), 1);
  const later = unsettled.slice(at).filter((one) => one.before.id === table.id);
  unsettled.splice(at);
  table = before;
  for (const { done } of later) {
    unsettled.push({ done, before: table });
    table = after(table, [done]);
  }
  table = { ...table, stale: later.length > 0 };
}

/** Add a scored hand: `choice` is {winner, from, riichi, together}. */
export function addHand(choice, answer, entry) {
  const won = winOf(choice, WORTH[table.family](answer.score), answer.circumstances);
  add(choice, won, { total: answer.score.total, unit: answer.score.unit, tiles: codesOf(answer.notation), entry: entry.id, hand: entry.server?.id ?? null });
}

/** Add a win of which only the worth is known, in the fields of its family. */
export const addWorth = (choice, worth) => add(choice, winOf(choice, worth), { total: null, unit: null, tiles: [], entry: null, hand: null });

const add = (choice, win, about) => act("win", { win, together: Boolean(choice.together), riichi: choice.riichi, hand: { player: choice.winner, from: choice.from, ...about } });

/** The end of the wall, or a draw: `log` as its family writes it, without the type. */
export const addDraw = (log = {}) => act("draw", { log });
/** A deal that ended without a win, as its family logs it. */
export const addDeal = (log) => act("deal", { log });
/** A penalty under MCR, in the deal that is being played. */
export const addPenalty = (log) => act("penalty", { log });
/** A kong of a Sichuan deal, which is paid at once. */
export const addKong = (kong) => addEvent({ type: "kong", ...kong });
/** An event of a Sichuan deal that does not end it. */
export const addEvent = (event) => act("event", { event });
/** Take the last win, draw, kong or penalty back. */
export const takeBack = () => act("back");

/** The sheet for a spreadsheet, as the service writes it. */
export const sheetFile = () => (table.stored && !table.stored.waiting.length ? api.storedSessionFile(table.id, table.stored.share) : api.sessionFile(logOf(table)));

/** Whether the rules of the answer are those of the session. */
export const fits = (answer) => Boolean(table) && answer?.rules === table.rules && state.won.rules.id === table.rules;
