// The log, and who may do what.
import { h } from "/page/js/shell/dom.js";
import { t, when } from "/page/js/shell/i18n.js";
import { nameOf } from "./words.js";

const ACTS = ["propose", "claim", "object", "add_photo", "note", "place", "decide", "rule", "close", "reopen", "export"];
const PLAYERS = new Set(["propose", "claim", "object", "add_photo", "note", "place"]);

export function whoMayCard(found) {
  const mark = (allowed) => h("td", { class: allowed ? "good-text" : "bad-text" }, t(allowed ? "yes" : "no"));
  return h("section", { class: "card", id: "who-may" }, h("h2", {}, t("whoMay")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("whoMay") }, h("table", { class: "grid" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("act")), ["player", "referee"].map((name) => h("th", { scope: "col" }, t(name))), h("th", { scope: "col" }, `${t("you")} (${t(found.you.role)})`))),
      h("tbody", {}, ACTS.map((name) => h("tr", { data: { may: name } }, h("td", {}, t(`may_${name}`)), mark(PLAYERS.has(name)), mark(true), mark(found.may[name])))))),
    found.state === "closed" ? h("p", { class: "hint" }, t("closedNow")) : null);
}

export function logCard(found) {
  return h("section", { class: "card", id: "log" }, h("h2", {}, t("log")), h("p", { class: "hint" }, t("logHint")), printed(found),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("log") }, h("table", { class: "grid" }, h("tbody", {}, found.events.map((event) => h("tr", { data: { kind: event.kind } },
      h("td", {}, String(event.seq)), h("td", {}, t(`kind_${event.kind}`), h("div", { class: "hint" }, `${nameOf(event.author)}, ${when(event.time, "medium")}`)), h("td", { class: "hash" }, event.hash)))))),
    h("p", { class: "hint" }, t("fingerprint")), found.signers.map((one) => h("p", { class: "hash" }, one.fingerprint, one.holder ? ` ${one.holder}` : "", one.from_entry ? ` (${one.from_entry})` : "")),
    h("p", { class: "hint" }, h("a", { href: "/check" }, t("checkPage"))));
}

/** The code on a report leads here with the hash of the last entry it was printed from. */
function printed(found) {
  const hash = location.hash.slice(1).toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash)) return null;
  const at = found.events.find((event) => event.hash === hash);
  if (!at) return h("div", { class: "message error", role: "alert", data: { printed: "unknown" } }, t("printedUnknown"));
  const more = found.events.length - 1 - at.seq;
  return h("div", { class: "message note", data: { printed: String(more) } }, more ? t("printedOlder", { n: at.seq, more }) : t("printedHere"));
}
