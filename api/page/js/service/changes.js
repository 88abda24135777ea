// What the service keeps of a hand: answers, corrections and circumstances reach it in the order in which they were made.
//
// An entry's `server` is {id, version, share, position, tiles, sent, settled}: how many corrections the service has, tiles and
// circumstances as it has them, and what the questions answered were about. `pending` are changes not sent yet: [{change, tiles}], answers and ways back; `tiles` is set where
// the hand after it is known.
import * as api from "./api.js";
import * as model from "../hand/hand.js";
import { state } from "./state.js";
import { marked, NO_MARKS } from "../learn/labels.js";
import * as store from "./store.js";

/** The hand of an entry as POST /v1/scores wants it. What is not told of the win is asked for, as with a photo. */
export const scoreRequest = (entry) => ({
  rules: entry.rules, hand: model.toRequest(entry.hand), circumstances: state.won.requestOf(entry.rules, entry.values), doubts: model.doubts(entry.hand), ask: true,
});

const tilesOf = (hand) => JSON.stringify({ hand: model.toRequest(hand), tile_ids: model.tileIds(hand), doubts: model.doubts(hand) });

/** Whether the service has the tiles as they are now. */
export const isKept = (entry) => Boolean(entry.server) && entry.server.tiles === tilesOf(entry.hand);

/** The circumstances that were told, not those that the service assumes. */
function told({ rules, circumstances, result }) {
  const unknown = result?.verdict?.unknown;
  const pairs = Object.entries(circumstances).filter(([, value]) => value !== null);
  return Object.fromEntries(pairs.filter(([name, value]) => (unknown ? !unknown.includes(name) : state.won.differs(rules, name, value))));
}

/** Put what the service answered into the entry. */
export function take(entry, kept) {
  const stored = marked(kept);
  entry.hand = model.fromStored(stored);
  entry.values = told(stored);
  Object.assign(entry, { reading: stored.reading, answer: stored.result, waiting: null, problem: null, pending: [], behind: false });
  if (stored.id) noteServer(entry, stored, stored.result ? tilesOf(entry.hand) : null);
  else entry.server = null;
}

function noteServer(entry, stored, tiles) {
  const sent = JSON.stringify([stored.rules, state.won.requestOf(stored.rules, told(stored))]);
  entry.server = Object.assign(entry.server ?? { share: null }, {
    id: stored.id, version: stored.version, position: stored.corrections.length, tiles, sent, settled: settledBy(stored.corrections),
  });
}

/** What the answers among corrections are about, without those that were taken back. */
function settledBy(corrections) {
  let held = [];
  for (const { position, change } of corrections) {
    if ("back_to" in change && change.back_to !== null) held = held.filter((one) => one.position <= change.back_to);
    else if (change.answer) held.push({ position, about: change.answer.about });
  }
  return held.map((one) => one.about);
}

/** The same after a change of the entry as it was `before`; what the user has changed meanwhile stays. */
function follow(entry, kept, before, tiles = null) {
  const stored = marked(kept);
  let hand = model.fromStored(stored);
  if (entry.hand === before.hand) {
    if (tiles || !hand || model.isHand(entry.hand, stored.result?.hand)) hand = entry.hand;
    else entry.hand = hand;
  }
  if (entry.values === before.values) entry.values = { ...entry.values, ...told(stored) }; // other rules may read more of what was told
  entry.answer = stored.result;
  noteServer(entry, stored, tiles ?? (stored.result && hand ? tilesOf(hand) : null));
}

const underWay = new Map();

/**
 * Have the service keep what is different about the entry now; the answer to all of it. The service keeps the change that arrives last,
 * so each waits for the one before, and none is aborted once it is sent. `signal` drops a change that is not sent yet.
 */
export async function keepChanges(entry, signal) {
  const mine = (underWay.get(entry.id) ?? Promise.resolve()).catch(() => {}).then(async () => {
    await sendPending(entry);
    return signal?.aborted ? null : change(entry);
  });
  underWay.set(entry.id, mine);
  try {
    return await mine;
  } finally {
    signal?.throwIfAborted();
  }
}

const hasMarks = ({ marks }) => Boolean(marks?.added.length || marks?.noTiles.length);

/** Answers and ways back, one after the other. They are never cut short: what was sent counts. */
async function sendPending(entry) {
  while (entry.pending?.length) {
    const [item] = entry.pending;
    const before = { hand: entry.hand, values: entry.values };
    try {
      const stored = await answerOf(entry, item.change);
      entry.pending = entry.pending.filter((one) => one !== item);
      follow(entry, stored, before, item.tiles);
    } catch (error) {
      const final = error instanceof api.ServiceProblem && !error.passing && error.problem.status !== 401;
      if (final) entry.pending = entry.pending.filter((one) => one !== item);
      throw error;
    }
    store.keep({ ...entry });
  }
}

/** What the service has once it was sent this; what it asks no more it has been told already. */
async function answerOf(entry, what) {
  try {
    return await api.changeHand(entry.server.id, what);
  } catch (error) {
    if (error.problem?.status !== 422) throw error;
    return api.getHand(entry.server.id, entry.server.share);
  }
}

const withoutSent = (marks, added, noTiles) => ({
  added: marks.added.filter((tile) => !added.includes(tile)), noTiles: marks.noTiles.filter((id) => !noTiles.includes(id)),
});

/** Where the service is before it is sent what was done since: the way back of steps that knew none, as something was on its way. */
function noteWayBack({ position, tiles }) {
  if (tiles) for (const step of state.undo) step.kept ??= { position, tiles };
}

async function change(entry) {
  const { rules, circumstances, hand, doubts } = scoreRequest(entry);
  const tiles = tilesOf(entry.hand);
  const same = tiles === entry.server.tiles;
  const sent = JSON.stringify([rules, circumstances]);
  const { added, noTiles } = entry.marks ?? NO_MARKS;
  const marks = { ...(added.length ? { added_tiles: added } : {}), ...(noTiles.length ? { no_tiles: noTiles } : {}) };
  const unmarked = !hasMarks(entry);
  if (same && unmarked && sent === entry.server.sent) return entry.answer;
  const before = { hand: entry.hand, values: entry.values };
  if (entry === state.entry) noteWayBack(entry.server);
  const parts = same && unmarked ? {} : { ...(hand ? { hand, tile_ids: model.tileIds(entry.hand), doubts } : {}), ...marks };
  const stored = await sendParts(entry, { rules, circumstances, ...parts });
  if (!unmarked) entry.marks = withoutSent(entry.marks ?? NO_MARKS, added, noTiles);
  if (same) follow(entry, stored, before);
  else noteServer(entry, stored, tiles);
  return stored.result;
}

/** Send a change. If no answer comes, the service may or may not have kept it, so the whole hand is sent next time. */
async function sendParts(entry, parts) {
  try {
    return await api.changeHand(entry.server.id, parts);
  } catch (error) {
    if (error instanceof api.OfflineError) Object.assign(entry.server, { tiles: null, sent: null });
    throw error;
  }
}
