// From photo to score: reads the photos, keeps what was read, scores each correction, sends what waits when it can.
import * as api from "./api.js";
import { isKept, keepChanges, scoreRequest, take } from "./changes.js";
import * as model from "../hand/hand.js";
import { newId } from "./ids.js";
import { own, t } from "../shell/i18n.js";
import { LONGEST_SIDE, prepare, rotated, thumbnail } from "../photo/photo.js";
import { answered } from "../score/questions.js";
import { lastShown, rememberShown } from "./shown.js";
import { changed, state } from "./state.js";
import * as store from "./store.js";
import * as table from "./table.js";
import { chosenSet } from "./tileset.js";

const MOST_UNDO = 30;
let takingNow = 0;
let readingNow = null;
let scoringNow = null;

/** Return a function that says whether nothing else was begun since. A late answer must not replace what the user has begun. */
export function stillHere() {
  const turn = takingNow;
  return () => turn === takingNow;
}

// Photos

/** Photos of one hand, of which nothing is known yet but `won` {rules, circumstances}, where that is given. */
export async function takeFiles(files, name, won = null) {
  startOver();
  if (won) state.won.show(won.rules, { ...won.circumstances });
  else atTable();
  await add(files, name);
}

/** A new hand, under the rules of the session that runs, with what is known of the table; who won is not known yet. */
export function atTable() {
  const { won } = state;
  if (table.current() && won.rules.id !== table.current().rules) won.show(table.current().rules);
  won.begin();
  if (!table.current()) return;
  const kept = Object.entries(won.values).filter(([name]) => !table.FOLLOWING.includes(name));
  won.tell(Object.fromEntries(kept));
  won.tell(won.answers(table.following(null)));
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

let turning = Promise.resolve();

/** The photo shown, turned a quarter, and read anew; a second tap turns it further. */
export async function rotate() {
  const here = stillHere();
  const turned = turning.then(async () => {
    if (!here()) return false;
    const { shown } = state;
    const photos = [...state.photos];
    photos[shown] = await rotated(photos[shown]);
    if (here()) setPhotos(photos, shown);
    return here();
  });
  turning = turned.catch(() => {});
  if (await turned) await readPhotos();
}

/** The photo read anew for the hand at `point`, pixels of the photo as it was read. */
export async function readAt(point) {
  setPhotos([...state.photos], state.shown);
  state.entry.point = point;
  await readPhotos();
}

function setPhotos(photos, shown) {
  for (const old of state.photos) if (!photos.includes(old)) URL.revokeObjectURL(old.url);
  const before = state.entry;
  scoringNow?.abort(); // what was on its way is about tiles that are read anew
  forgetHand();
  Object.assign(state, { photos, shown, entry: blank(photos) });
  rememberShown(state.entry?.id ?? null);
  if (before && !before.server?.share) discard(before);
  changed();
}

const bare = ({ blob, width, height, name }) => ({ blob, width, height, name });
const blank = (photos) => ({ id: newId(), at: Date.now(), key: newId(), photos: photos.map(bare), server: null, waiting: null, problem: null, pending: [], passed: [] });

/** An entry whose photos were turned or added to: it lives on in the new one. */
function discard(entry) {
  entry.gone = true;
  store.remove(entry.id);
  if (entry.server) api.deleteHand(entry.server.id).catch(() => {}); // it stays in the history then, no harm
}

/** Keep an entry on this device, unless it lives on in another one. */
const keep = (entry) => (entry.gone ? Promise.resolve() : store.keep({ ...entry }));

export async function readPhotos() {
  readingNow?.abort();
  const turn = new AbortController();
  readingNow = turn;
  const { entry } = state;
  setBusy({ stage: "sending" });
  Object.assign(entry, { rules: state.won.rules.id, values: state.won.values, waiting: "photo" });
  try {
    entry.thumbnail ??= await thumbnail(state.photos[0]);
    await keep(entry); // before it is sent: a photo that was taken is never lost
    show(entry, await patiently(() => readEntry(entry, setBusy, turn.signal), turn.signal));
  } catch (error) {
    if (error.name === "AbortError") {
      if (entry !== state.entry && !entry.gone) sendWaiting(); // the next hand was begun meanwhile: this one is read behind it
      return;
    }
    if (error instanceof api.ServiceProblem && !error.passing) settle(entry);
    fail(error, readPhotos);
  } finally {
    if (readingNow === turn) setBusy(null);
  }
}

async function readEntry(entry, onProgress, signal) {
  await develop(entry);
  const circumstances = state.won.requestOf(entry.rules, entry.values);
  return api.readHand({ photos: entry.photos, rules: entry.rules, circumstances, key: entry.key, tileSet: chosenSet(), point: entry.point ?? null }, onProgress, signal);
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
  const asSent = state.won.values === entry.values && state.won.rules.id === entry.rules;
  take(entry, stored);
  if (asSent) state.won.show(stored.rules, entry.values);
  Object.assign(state, { reading: entry.reading, hand: entry.hand, answer: entry.answer, undo: [], error: null });
  if (!entry.reading.tiles.length) state.error = { words: { title: t("noTiles"), detail: t("noTilesAdvice") } };
  store.keep({ ...entry });
  changed();
  if (entry.hand && !entry.answer) rescore(false); // no legal hand was read: say what is wrong with the one that lies there
  else if (!asSent) rescore(); // how it was won was told while it was read
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

/** A correction: shown at once, scored, and kept. `mark` changes what is seen on the photo, and is undone with it. */
export function correct(hand, mark = null) {
  remember();
  mark?.();
  setHand(hand);
}

/** What undo goes back to: the hand, what was seen on the photo, where the service has it, and, where a question is answered, what was `told` of the win. */
function remember(told = null) {
  const { server, pending, marks } = state.entry ?? {};
  const kept = server?.tiles && "position" in server && !pending?.length ? { position: server.position, tiles: server.tiles } : null;
  state.undo = [...state.undo, { hand: state.hand, reading: state.reading, marks, kept, told }].slice(-MOST_UNDO);
}

export function undo() {
  const [{ hand, reading, marks, kept, told }] = state.undo.slice(-1);
  state.undo = state.undo.slice(0, -1);
  if (reading !== state.reading) {
    Object.assign(state.entry, { reading, marks });
    state.reading = reading;
  }
  if (told) {
    const values = { ...state.won.values };
    for (const [name, value] of Object.entries(told)) {
      if (value === null) delete values[name];
      else values[name] = value;
    }
    state.won.tell(values);
  }
  if (kept && state.entry.server) queue({ change: { back_to: kept.position }, tiles: kept.tiles });
  setHand(hand);
}

/** A change that the service is to have before anything else. */
function queue(item) {
  state.entry.pending = [...(state.entry.pending ?? []), item];
}

/** An option of a question (questions.js) was chosen. */
export function answerQuestion(question, option) {
  const { entry, won } = state;
  if (isAnswering(entry)) return; // a second tap
  const values = question.about === "circumstance" ? won.answer(question.name, option.value) : null;
  remember(before(values ?? {}));
  if (option.raw.change && entry.server) queue({ change: option.raw.change, tiles: null });
  if (values) won.tell(values);
  setHand(answered(state.hand, question, option));
}

/** What is told of `values` now, to go back to: null where nothing was. */
function before(values) {
  const { won } = state;
  const changedNames = Object.keys(values).filter((name) => values[name] !== won.values[name]);
  return Object.fromEntries(changedNames.map((name) => [name, won.values[name] ?? null]));
}

/** How this hand was won, several circumstances at once: {name: value as the service writes it}. */
export function tellHow(told) {
  if (!isAnswering(state.entry)) tell(told);
}

/** The same while an answer is on its way too: it follows that answer. */
export function tell(told) {
  const values = state.won.answers(told);
  remember(before(values));
  state.won.tell(values);
  setHand(state.hand);
}

/** An answer is on its way. */
export const isAnswering = (entry) => Boolean(entry?.pending?.length) && entry.waiting !== "changes";

/** Questions the user does not want to answer: their keys. None: ask them all again. */
export function leaveOpen(keys) {
  state.entry.passed = keys.length ? [...(state.entry.passed ?? []), ...keys] : [];
  store.keep({ ...state.entry });
  changed();
}

/** A hand without a photo. */
export function enter(hand) {
  state.entry ??= blank([]);
  rememberShown(state.entry?.id ?? null);
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
  if (!model.toRequest(hand) && !(keeping && (entry.pending?.length || isKept(entry)))) {
    state.answer = null;
    changed();
    return;
  }
  const turn = new AbortController();
  scoringNow = turn;
  document.documentElement.dataset.scoring = "true";
  entry.behind = true;
  keep(entry); // before it is sent: neither a reload nor the next hand takes it away
  changed();
  try {
    entry.answer = entry.server && keeping ? await changeOrCopy(entry, turn.signal) : await api.score(scoreRequest(entry), turn.signal);
    if (entry.waiting === "changes") entry.waiting = null;
    entry.behind = false;
    if (entry === state.entry) showAnswer(entry);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof api.OfflineError && entry.server) entry.waiting = "changes";
    if (entry === state.entry) fail(error, rescore);
  } finally {
    if (scoringNow === turn) delete document.documentElement.dataset.scoring;
  }
  await keep(entry);
}

function showAnswer(entry) {
  if (state.won.values !== entry.values) state.won.tell(entry.values);
  Object.assign(state, { hand: entry.hand, answer: entry.answer, error: null });
  changed();
}

/** A hand that the service has no more, or that a link merely shows, is corrected as a copy of this device's own. */
async function changeOrCopy(entry, signal) {
  try {
    return await keepChanges(entry, signal);
  } catch (error) {
    if (![401, 403, 404].includes(error.problem?.status)) throw error;
    Object.assign(entry, { server: null, pending: [] });
    return api.score(scoreRequest(entry), signal);
  }
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
      entry.answer = await keepChanges(entry);
      entry.behind = false;
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
  rememberShown(state.entry?.id ?? null);
  if (entry.problem) state.error = { words: entry.problem };
  state.won.show(entry.rules, entry.values);
  changed();
  if (entry.waiting === "photo") readPhotos(); // once, however often it is sent
  else if (entry.behind) rescore();
  else if (entry.server && !entry.waiting) refresh(entry);
}

/** A hand of a session: this device's own, or the one that the service keeps; nothing where neither is there. */
export async function openTableHand({ entry: id, hand }) {
  const entry = (await store.entries()).find((one) => one.id === id);
  if (entry) openEntry(entry);
  else if (hand) await openStored(hand);
}

/** The entry as the service has it now, if it was corrected elsewhere. */
async function refresh(entry) {
  const { hand, won: { rules, values } } = state;
  const { version } = entry.server;
  try {
    const stored = await api.getHand(entry.server.id, entry.server.share);
    if (stored.version === version || state.entry !== entry) return;
    const changedHere = entry.server?.version !== version || state.hand !== hand || state.won.values !== values || state.won.rules !== rules;
    if (changedHere) return; // the answer is older than what the user sees
    entry.rules = stored.rules;
    show(entry, stored);
  } catch {
    // what this device keeps is shown all the same
  }
}

/** A hand that the service keeps, with its photos; `share` is the token of a link. */
export async function openStored(id, share = null) {
  startOver();
  const here = stillHere();
  setBusy({ stage: "fetching" });
  try {
    const known = (await store.entries()).find((one) => one.server?.id === id);
    if (known && (known.waiting || known.behind) && here()) { // the service has not all that was done here
      openEntry(known);
      return;
    }
    const stored = await api.getHand(id, share);
    const entry = { ...blank([]), id: known?.id ?? id, at: Date.parse(stored.created), server: { id, share }, rules: stored.rules };
    take(entry, stored);
    entry.photos = await Promise.all(stored.photos.map((photo, index) => fetchPhoto(id, share, stored.reading, index)));
    if (entry.photos.length) entry.thumbnail = await thumbnail(entry.photos[0]);
    if (!here()) return;
    store.keep({ ...entry });
    openEntry(entry);
    if (entry.hand && !entry.answer) rescore(false);
  } catch (error) {
    if (here()) fail(error, () => openStored(id, share));
  } finally {
    if (here()) setBusy(null);
  }
}

async function fetchPhoto(id, share, reading, index) {
  const { width, height } = reading.photos?.[index] ?? reading.photo;
  return { blob: await api.handPhoto(id, { share, index, side: LONGEST_SIDE }), width, height, name: `${id}-${index + 1}.jpg` };
}

/** A hand in notation, as a link without a stored hand names it. */
export async function openNotation({ rules, notation, values }) {
  startOver();
  const here = stillHere();
  state.won.show(rules, values);
  try {
    const answer = await api.score({ rules: state.won.rules.id, notation, circumstances: state.won.toRequest() });
    if (here()) enter(model.fromAnswer(answer.hand));
  } catch (error) {
    if (here()) fail(error, () => openNotation({ rules, notation, values }));
  }
}

// The hand shown before a reload, or before the browser closed the tab

/** The hand that was shown before the page was loaded anew; nothing where none was. */
export async function restore() {
  const id = lastShown();
  const entry = id === null ? null : (await store.entries()).find((one) => one.id === id);
  if (entry) openEntry(entry);
}

// The end of a hand

function forgetHand() {
  readingNow?.abort();
  scoringNow = null; // a correction that is on its way reaches the service all the same
  delete document.documentElement.dataset.scoring;
  Object.assign(state, { reading: null, hand: null, answer: null, error: null, undo: [] });
}

/** As at the beginning. */
export function startOver() {
  takingNow += 1;
  for (const photo of state.photos) URL.revokeObjectURL(photo.url);
  forgetHand();
  Object.assign(state, { photos: [], shown: 0, entry: null, busy: null });
  rememberShown(null);
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
