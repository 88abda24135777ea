// From photo to score: reads the photos, keeps what was read, scores each correction, sends what waits when it can.
import * as api from "./api.js";
import * as model from "./hand.js";
import { markWinningCode, confirmFace, setFace } from "./corrections.js";
import { newId } from "./ids.js";
import { own, t } from "./i18n.js";
import { LONGEST_SIDE, prepare, rotated, thumbnail } from "./photo.js";
import { changed, state } from "./state.js";
import * as store from "./store.js";
import { chosenSet } from "./tileset.js";

const MOST_UNDO = 30;
let takingNow = 0;
let readingNow = null;
let scoringNow = null;

// Photos

/** Photos of one hand, of which nothing is known yet. */
export async function takeFiles(files, name) {
  startOver();
  await add(files, name);
}

/** More photos of the hand that is shown. */
export const addFiles = (files) => add(files);

async function add(files, name) {
  takingNow += 1;
  const turn = takingNow;
  setBusy({ stage: "opening" });
  try {
    const photos = [];
    for (const file of files) photos.push(await prepare(file, name));
    if (turn !== takingNow) return; // another photo was chosen meanwhile
    setPhotos([...state.photos, ...photos], state.photos.length);
    await readPhotos();
  } catch (error) {
    if (turn !== takingNow) return;
    fail(error, () => add(files, name));
  }
}

/** The photo shown, turned a quarter, and read anew. */
export async function rotate() {
  const photos = [...state.photos];
  photos[state.shown] = await rotated(photos[state.shown]);
  setPhotos(photos, state.shown);
  await readPhotos();
}

/** The photo shown is no part of the hand after all. */
export async function dropPhoto() {
  setPhotos(state.photos.filter((_, at) => at !== state.shown), 0);
  await readPhotos();
}

function setPhotos(photos, shown) {
  for (const old of state.photos) if (!photos.includes(old)) URL.revokeObjectURL(old.url);
  const before = state.entry;
  forgetHand();
  Object.assign(state, { photos, shown, entry: blank(photos) });
  if (before && !before.server?.share) discard(before);
  changed();
}

const bare = ({ blob, width, height, name }) => ({ blob, width, height, name });
const blank = (photos) => ({ id: newId(), at: Date.now(), key: newId(), photos: photos.map(bare), server: null, waiting: null, problem: null });

/** An entry whose photos were turned or added to: it lives on in the new one. */
function discard(entry) {
  store.remove(entry.id);
  if (entry.server) api.deleteHand(entry.server.id).catch(() => {}); // it stays in the history then, no harm
}

export async function readPhotos() {
  readingNow?.abort();
  const turn = new AbortController();
  readingNow = turn;
  const { entry } = state;
  setBusy({ stage: "sending" });
  Object.assign(entry, { rules: state.won.rules.id, values: state.won.values, waiting: "photo" });
  try {
    entry.thumbnail ??= await thumbnail(state.photos[0]);
    await store.keep({ ...entry }); // before it is sent: a photo that was taken is never lost
    show(entry, await patiently(() => readEntry(entry, setBusy, turn.signal), turn.signal));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof api.ServiceProblem && !error.passing) settle(entry);
    fail(error, readPhotos);
  } finally {
    if (readingNow === turn) setBusy(null);
  }
}

async function readEntry(entry, onProgress, signal) {
  await develop(entry);
  const circumstances = state.won.requestOf(entry.rules, entry.values);
  return api.readHand({ photos: entry.photos, rules: entry.rules, circumstances, key: entry.key, tileSet: chosenSet() }, onProgress, signal);
}

/** Make photos visible that could not be opened while the service was away. */
async function develop(entry) {
  if (entry.photos.every((photo) => photo.width)) return;
  const photos = await Promise.all(entry.photos.map((photo) => (photo.width ? photo : prepare(photo.blob, photo.name, true))));
  entry.photos = photos.map(bare);
  entry.thumbnail = await thumbnail(photos[0]);
  if (entry === state.entry) Object.assign(state, { photos });
}

/** Show what the service read and keeps. */
function show(entry, stored) {
  take(entry, stored);
  Object.assign(state, { reading: entry.reading, hand: entry.hand, answer: entry.answer, undo: [], error: null });
  if (!entry.reading.tiles.length) state.error = { words: { title: t("noTiles"), detail: t("noTilesAdvice") } };
  store.keep({ ...entry });
  changed();
  if (entry.hand && !entry.answer) rescore(false); // no legal hand was read: say what is wrong with the one that lies there
}

/** Put what the service answered into the entry. */
function take(entry, stored) {
  const { reading } = stored;
  const change = [...(stored.corrections ?? [])].reverse().map((one) => one.change).find((one) => one?.hand);
  let hand = null;
  if (change) hand = model.fromCorrected(reading, change.hand, change.tile_ids);
  else if (reading?.tiles.length) hand = model.fromReading(reading);
  Object.assign(entry, {
    reading, hand, answer: stored.result, waiting: null, problem: null,
    server: stored.id ? { id: stored.id, version: stored.version, share: entry.server?.share ?? null } : null,
  });
}

/** The service has said all that it will say: nothing waits any more. */
function settle(entry, problem = null) {
  Object.assign(entry, { waiting: null, problem });
  store.keep({ ...entry });
}

/** Try again, as often as three times, when the service says that it is busy. */
async function patiently(act, signal) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (error.problem?.status !== 429 || attempt === 3) throw error;
      const seconds = Math.max(1, error.retryAfter);
      setBusy({ stage: "waiting", seconds });
      await new Promise((done) => setTimeout(done, 1000 * seconds));
      signal.throwIfAborted();
    }
  }
}

function setBusy(busy) {
  state.busy = busy;
  changed();
}

// The hand

/** A correction: shown at once, scored, and kept. */
export function correct(hand) {
  state.undo = [...state.undo, state.hand].slice(-MOST_UNDO);
  setHand(hand);
}

export function undo() {
  const [hand] = state.undo.slice(-1);
  state.undo = state.undo.slice(0, -1);
  setHand(hand);
}

/** A hand without a photo. */
export function enter(hand) {
  state.entry ??= blank([]);
  setHand(hand);
}

function setHand(hand) {
  state.hand = hand;
  changed();
  rescore();
}

/** Rules or circumstances were changed. */
export async function rescore(keeping = true) {
  const { hand, entry } = state;
  if (!hand || !model.allTiles(hand).length) return;
  scoringNow?.abort();
  Object.assign(entry, { hand, rules: state.won.rules.id, values: state.won.values });
  if (!model.toRequest(hand)) {
    state.answer = null;
    changed();
    return;
  }
  const turn = new AbortController();
  scoringNow = turn;
  document.documentElement.dataset.scoring = "true";
  try {
    entry.answer = entry.server && keeping ? await changeOrCopy(entry, turn.signal) : await api.score(scoreRequest(entry), turn.signal);
    if (entry.waiting === "changes") entry.waiting = null;
    Object.assign(state, { answer: entry.answer, error: null });
    changed();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof api.OfflineError && entry.server) entry.waiting = "changes";
    fail(error, rescore);
  } finally {
    if (scoringNow === turn) delete document.documentElement.dataset.scoring;
  }
  await store.keep({ ...entry });
}

const scoreRequest = (entry) => ({
  rules: entry.rules, hand: model.toRequest(entry.hand), circumstances: state.won.requestOf(entry.rules, entry.values), doubts: model.doubts(entry.hand),
});

/** A hand that the service has no more, or that a link merely shows, is corrected as a copy of this device's own. */
async function changeOrCopy(entry, signal) {
  try {
    return await change(entry, signal);
  } catch (error) {
    if (![401, 403, 404].includes(error.problem?.status)) throw error;
    entry.server = null;
    return api.score(scoreRequest(entry), signal);
  }
}

/** Have the service keep what is different about the entry now; the answer to it. */
async function change(entry, signal) {
  const { rules, circumstances, hand, doubts } = scoreRequest(entry);
  const tiles = { hand, tile_ids: model.tileIds(entry.hand), doubts };
  const same = JSON.stringify(tiles) === entry.server.tiles;
  const stored = await api.changeHand(entry.server.id, { rules, circumstances, ...(same ? {} : tiles) }, signal);
  Object.assign(entry.server, { version: stored.version, tiles: JSON.stringify(tiles) });
  return stored.result;
}

export function answerQuestion(question, option) {
  if (question.code === "which_winning_tile") {
    correct(markWinningCode(state.hand, option.tile));
    return;
  }
  const tile = model.allTiles(state.hand).find((one) => question.tiles.includes(one.id));
  if (tile) correct(tile.code === option.tile ? confirmFace(state.hand, tile) : setFace(state.hand, tile, option.tile));
}

// What waits

/** Send what could not be sent, oldest first; `onSent(entry)` after each. Only one tab does so at a time. */
export async function sendWaiting() {
  const alone = navigator.locks ? (act) => navigator.locks.request("hupai.sending", { ifAvailable: true }, (lock) => lock && act()) : (act) => act();
  await alone(async () => {
    for (const kept of await store.waiting()) {
      if (kept.id === state.entry?.id) {
        if (readingNow === null || !state.busy) await (kept.waiting === "photo" ? readPhotos() : rescore());
      } else if (!(await sendLater(kept))) return;
    }
  });
  changed();
}

/** Send one entry that is not shown. False when the service is gone again. */
async function sendLater(entry) {
  try {
    if (entry.waiting === "photo") {
      take(entry, await readEntry(entry, () => {}, undefined));
    } else {
      entry.answer = await change(entry);
    }
    settle(entry);
    return true;
  } catch (error) {
    if (error instanceof api.OfflineError || error.passing) return false;
    settle(entry, error instanceof api.ServiceProblem ? error.words() : { title: error.name, detail: error.message, advice: "" });
    return true;
  }
}

// Hands from elsewhere

/** An entry of this device's history. */
export function openEntry(entry) {
  startOver();
  const photos = entry.photos.map((photo) => ({ ...photo, url: URL.createObjectURL(photo.blob) }));
  Object.assign(state, { entry, photos, reading: entry.reading ?? null, hand: entry.hand ?? null, answer: entry.answer ?? null });
  if (entry.problem) state.error = { words: entry.problem };
  state.won.show(entry.rules, entry.values);
  changed();
  if (entry.server && !entry.waiting) refresh(entry);
}

/** The entry as the service has it now, if it was corrected elsewhere. */
async function refresh(entry) {
  try {
    const stored = await api.getHand(entry.server.id, entry.server.share);
    if (stored.version === entry.server.version || state.entry !== entry || state.undo.length) return;
    Object.assign(entry, { rules: stored.rules, values: stored.circumstances });
    state.won.show(entry.rules, entry.values);
    show(entry, stored);
  } catch {
    // what this device keeps is shown all the same
  }
}

/** A hand that the service keeps, with its photos; `share` is the token of a link. */
export async function openStored(id, share = null) {
  startOver();
  setBusy({ stage: "fetching" });
  try {
    const stored = await api.getHand(id, share);
    const known = (await store.entries()).find((one) => one.server?.id === id);
    const entry = { ...blank([]), id: known?.id ?? id, at: Date.parse(stored.created), server: { id, share }, rules: stored.rules, values: stored.circumstances };
    take(entry, stored);
    entry.photos = await Promise.all(stored.photos.map((photo, index) => fetchPhoto(id, share, stored.reading, index)));
    if (entry.photos.length) entry.thumbnail = await thumbnail(entry.photos[0]);
    store.keep({ ...entry });
    openEntry(entry);
    if (entry.hand && !entry.answer) rescore(false);
  } catch (error) {
    fail(error, () => openStored(id, share));
  } finally {
    setBusy(null);
  }
}

async function fetchPhoto(id, share, reading, index) {
  const { width, height } = reading.photos?.[index] ?? reading.photo;
  return { blob: await api.handPhoto(id, { share, index, side: LONGEST_SIDE }), width, height, name: `${id}-${index + 1}.jpg` };
}

/** A hand in notation, as a link without a stored hand names it. */
export async function openNotation({ rules, notation, values }) {
  startOver();
  state.won.show(rules, values);
  try {
    const answer = await api.score({ rules: state.won.rules.id, notation, circumstances: state.won.toRequest() });
    enter(model.fromAnswer(answer.hand));
  } catch (error) {
    fail(error, () => openNotation({ rules, notation, values }));
  }
}

// The end of a hand

function forgetHand() {
  readingNow?.abort();
  scoringNow?.abort();
  Object.assign(state, { reading: null, hand: null, answer: null, error: null, undo: [] });
}

/** As at the beginning. */
export function startOver() {
  takingNow += 1;
  for (const photo of state.photos) URL.revokeObjectURL(photo.url);
  forgetHand();
  Object.assign(state, { photos: [], shown: 0, entry: null, busy: null });
  changed();
}

/** Say what went wrong; `again` is offered where it may help. */
export function fail(error, again) {
  state.error = { error, again };
  state.busy = null;
  changed();
}

/** The names of a rule set in the page's language. */
export const rulesName = (id) => {
  const rules = state.won.all.find((one) => one.id === id);
  return rules ? own(rules, "name") : id;
};
