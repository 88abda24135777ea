// Hands that were read, kept in this browser: newest first, at most forty.
import { h } from "./dom.js";
import { own, t } from "./i18n.js";

const MOST = 40;

function open() {
  return new Promise((done, failed) => {
    const request = indexedDB.open("hupai", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("hands", { keyPath: "id" });
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function store(mode, act) {
  const database = await open();
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction("hands", mode);
      const request = act(transaction.objectStore("hands"));
      transaction.oncomplete = () => done(request?.result);
      transaction.onerror = () => failed(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** All entries, newest first; none where the browser keeps nothing (private windows). */
export async function entries() {
  try {
    return (await store("readonly", (hands) => hands.getAll())).sort((a, b) => b.id - a.id);
  } catch {
    return [];
  }
}

/** Keep an entry {id, thumbnail, hand, reading?, rules, values, answer}; the oldest beyond forty go. */
export async function keep(entry) {
  try {
    await store("readwrite", (hands) => hands.put(entry));
    for (const old of (await entries()).slice(MOST)) await store("readwrite", (hands) => hands.delete(old.id));
  } catch (error) {
    console.warn("history is not kept:", error);
  }
}

export const forget = () => store("readwrite", (hands) => hands.clear());

/** The list for the sheet. */
export function historyView(list, rules, { onOpen, onForget }) {
  if (!list.length) return [h("p", { class: "hint" }, t("historyEmpty"))];
  return [
    h("ul", { class: "history-list" }, list.map((entry) => {
      const { score } = entry.answer;
      const rule = rules.find((one) => one.id === entry.rules);
      return h("li", {}, h("button", { type: "button", class: "history-item", onclick: () => onOpen(entry) },
        h("img", { src: entry.thumbnail ?? "/page/icon.svg", alt: "" }),
        h("span", {}, h("strong", {}, score?.complete ? `${score.total} ${t(`unit_${score.unit}`)}` : t("noScore")), h("br"),
          h("span", { class: "hint" }, `${rule ? own(rule, "name") : entry.rules} · ${new Date(entry.id).toLocaleString()}`))));
    })),
    h("button", { type: "button", class: "button small danger", onclick: onForget }, t("historyClear")),
  ];
}
