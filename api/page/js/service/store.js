// The hands of this device, in IndexedDB; in memory where the browser keeps nothing (private windows).
//
// An entry is {id, at, key, photos: [{blob, width, height, name}], thumbnail, rules, values, reading, hand, answer,
// server: {id, share, …} | null, pending: [change] (both: changes.js), passed: [key of a question left open],
// waiting: "photo" | "changes" | null, behind: whether `answer` is not yet that of `hand` and `values`, problem: {title, detail, advice} | null}.
// What is `waiting` has not reached the service yet; `key` is sent with it, so that sending twice keeps one hand.

const MOST = 40;
const memory = new Map();
let broken = false;

function open() {
  return new Promise((done, failed) => {
    const request = indexedDB.open("hupai", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("hands", { keyPath: "id" });
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function inStore(mode, act) {
  const database = await open();
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction("hands", mode);
      const request = act(transaction.objectStore("hands"));
      transaction.oncomplete = () => done(request?.result);
      transaction.onabort = () => failed(transaction.error);
      transaction.onerror = () => failed(transaction.error);
    });
  } finally {
    database.close();
  }
}

async function kept(mode, act, instead) {
  if (broken) return instead();
  try {
    return await inStore(mode, act);
  } catch (error) {
    console.warn("kept in this tab only:", error);
    broken = true;
    return instead();
  }
}

/** All entries, newest first. */
export async function entries() {
  const all = await kept("readonly", (hands) => hands.getAll(), () => [...memory.values()]);
  return all.map((entry) => ({ at: entry.id, photos: [], server: null, waiting: null, ...entry })).sort((a, b) => b.at - a.at);
}

/** Keep an entry. Of more than forty the oldest go, but none that still waits to be sent. */
export async function keep(entry) {
  await kept("readwrite", (hands) => hands.put(entry), () => memory.set(entry.id, entry));
  for (const old of (await entries()).slice(MOST)) if (!old.waiting) await remove(old.id);
}

export const remove = (id) => kept("readwrite", (hands) => hands.delete(id), () => memory.delete(id));

export const waiting = async () => (await entries()).filter((entry) => entry.waiting).reverse();

/** Ask the browser not to clear this device's hands when space is short; it may refuse. */
export function askToStay() {
  navigator.storage?.persist?.().catch(() => {});
}
