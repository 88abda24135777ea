// The cases as a head referee sees them: those that wait first, by session and table, and figures.
import { h } from "/page/js/shell/dom.js";
import { lang, t, when } from "/page/js/shell/i18n.js";
import { file, get } from "./desk.js";

const FIELDS = ["tournament", "session", "table", "state"];

/** The parts of the page; `rulesName(id)` names a rule set, `again(chosen)` draws them with that choice changed. */
export async function tournamentParts(query, rulesName, again) {
  const asked = new URLSearchParams(FIELDS.filter((name) => query[name]).map((name) => [name, query[name]]));
  const [{ cases, statistics }, all] = await Promise.all([get(`/tournament?${asked}`), get("/tournament")]);
  return { list: caseList(cases, all, query, rulesName, again), figures: figures(statistics, asked) };
}

function caseList(cases, all, query, rulesName, again) {
  const choices = (name) => [...new Set(all.cases.map((one) => one[name]).filter(Boolean))].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  const choose = (name) => {
    const values = name === "state" ? ["open", "ruled", "closed"] : choices(name);
    if (!values.length) return null;
    const select = h("select", { name, onchange: () => again({ [name]: select.value }) }, h("option", { value: "" }, t("all")),
      values.map((value) => h("option", { value, selected: query[name] === value }, name === "state" ? t(`state_${value}`) : value)));
    return h("label", {}, t(name === "state" ? "stateField" : `place_${name}`), select);
  };
  return [h("div", { class: "filters" }, FIELDS.map(choose)),
    h("div", { id: "cases" }, cases.map((one) => line(one, rulesName))), cases.length ? null : h("p", { class: "hint" }, t("noCases"))];
}

function line(one, rulesName) {
  const place = ["session", "table", "round", "hand"].filter((name) => one[name]).map((name) => `${t(`place_${name}`)} ${one[name]}`).join(" · ");
  const total = one.total === null ? "" : ` · ${one.total} ${t(`unit_${one.unit}`)}`;
  return h("a", { class: "case-line", href: `/cases/${one.id}`, data: { case: one.id } },
    h("b", {}, one.title || place || one.id), h("span", { class: `state ${one.state}` }, t(`state_${one.state}`)),
    h("span", {}, [one.title ? place : "", one.players.join(lang() === "zh" ? "、" : ", "), rulesName(one.rules) + total, when(one.updated)].filter(Boolean).join(" · ")),
    one.undecided.length ? h("span", { class: "bad-text" }, t("stillOpen", { n: one.undecided.join(", ") })) : null);
}

function figures(found, asked) {
  const row = (name, value) => h("tr", { data: { figure: name } }, h("td", {}, t(`figure_${name}`)), h("td", { class: "number" }, value));
  const groups = (name) => {
    const rows = found[`by_${name}`].filter((one) => one.name);
    return rows.length > 1 || name === "referee" && rows.length ? row(`by_${name}`, rows.map((one) => `${one.name}: ${one.cases}${one.open ? ` (${t("waitingN", { n: one.open })})` : ""}`).join(", ")) : null;
  };
  return [h("table", { class: "grid", id: "statistics" }, h("tbody", {},
    row("cases", `${found.cases} (${found.open} / ${found.ruled} / ${found.closed})`), row("waiting", String(found.waiting)), row("undecided", String(found.undecided)),
    row("rulings", `${found.rulings} (${found.wins} / ${found.false_wins} / ${found.voids})`), row("fines", `${found.fines} (${found.fine_points})`), row("corrections", `${found.accepted} / ${found.rejected}`),
    row("claims", `${found.claims_right} / ${found.claims}`), row("computed", `${found.computed_right} / ${found.rulings}`), row("certain", `${found.certain} / ${found.cases}`),
    row("minutes", found.minutes === null ? "–" : String(found.minutes)), ["session", "table", "rules", "referee"].map(groups))),
  h("div", { class: "acts" }, h("button", { type: "button", class: "button small", data: { act: "exportAll" }, onclick: () => exported(asked) }, t("exportAll")))];
}

async function exported(asked) {
  const url = URL.createObjectURL(await file(`/tournament/bundles?${asked}`));
  const link = h("a", { href: url, download: "cases.zip" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
