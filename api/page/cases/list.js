// The list of cases, and the form that opens one.
import { h, select } from "/page/js/shell/dom.js";
import { own, t, when } from "/page/js/shell/i18n.js";
import { get, Refused, sendForm, setStated, stated } from "./desk.js";
import { tournamentParts } from "./tournament.js";

export async function showList(main) {
  const { rules } = await get("/rules");
  const rulesName = (id) => own(rules.find((one) => one.id === id) ?? { name_en: id }, "name");
  const list = h("div", { class: "column" });
  const beside = h("div", { class: "column" }, h("section", { class: "card" }, h("h2", {}, t("openCase")), openForm(rules)));
  let query = {};
  /** Draw the cases of another choice. An answer to an earlier choice is dropped; the form keeps what was entered. */
  const draw = async (chosen) => {
    const asked = { ...query, ...chosen };
    query = asked;
    const shown = await seen(asked, rulesName, draw);
    if (query !== asked) return;
    list.replaceChildren(h("section", { class: "card" }, h("h1", {}, t("casesTitle")), shown.list));
    beside.querySelector(".figures")?.remove();
    if (shown.figures) beside.append(h("section", { class: "card figures" }, h("h2", {}, t("figures")), shown.figures));
  };
  await draw({});
  main.replaceChildren(list, beside);
}

/** Referees see the cases of everybody, those that wait first; players their own, the newest first. */
async function seen(query, rulesName, again) {
  try {
    return await tournamentParts(query, rulesName, again);
  } catch (problem) {
    if (!(problem instanceof Refused) || problem.problem.status !== 403) throw problem;
    return { list: await ownCases(rulesName) };
  }
}

async function ownCases(rulesName) {
  const { cases, next } = await get("/cases?limit=50");
  const caseLine = (one) => lineOf(one, rulesName);
  const list = h("div", { id: "cases" }, cases.map(caseLine));
  const more = h("button", { type: "button", class: "button", hidden: !next, onclick: async () => {
    const page = await get(`/cases?limit=50&before=${more.dataset.next}`);
    list.append(...page.cases.map(caseLine));
    more.dataset.next = page.next;
    more.hidden = !page.next;
  }, data: { next: next ?? "" } }, "…");
  return [cases.length ? list : h("p", { class: "hint" }, t("noCases")), more];
}

function lineOf(one, rulesName) {
  const open = one.open_proposals ? ` · ${t("proposalsOpen", { n: one.open_proposals })}` : "";
  return h("a", { class: "case-line", href: `/cases/${one.id}`, data: { case: one.id } },
    h("b", {}, one.title || one.id), h("span", { class: `state ${one.state}` }, t(`state_${one.state}`)),
    h("span", {}, `${rulesName(one.rules)} · ${one.author} · ${when(one.updated)}${open}`));
}

function openForm(rules) {
  const error = h("div", { class: "message error", role: "alert", hidden: true });
  const saved = localStorage.getItem("hupai.rules") ?? rules[0].id;
  const submit = h("button", { class: "button primary" }, t("openCase"));
  const form = h("form", { class: "form", id: "open-form", onsubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    submit.textContent = t("opening_");
    error.hidden = true;
    const body = new FormData(form);
    body.append("zone", Intl.DateTimeFormat().resolvedOptions().timeZone ?? "");
    setStated(body.get("stated"));
    try {
      location.href = `/cases/${(await sendForm("/cases", body)).id}`;
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
      submit.textContent = t("openCase");
      submit.disabled = false;
    }
  } },
  h("p", { class: "hint" }, t("openHint")),
  h("label", {}, t("chosenPhotos"), h("input", { type: "file", name: "photo", multiple: true, required: true, accept: "image/*,.heic,.heif" })),
  h("label", {}, t("ruleSet"), select({ name: "rules", label: t("ruleSet"), options: rules.map((one) => ({ value: one.id, name: own(one, "name") })), chosen: rules.some((one) => one.id === saved) ? saved : rules[0].id })),
  h("label", {}, t("caseName"), h("input", { name: "title", maxlength: 200 })),
  h("label", {}, t("yourName"), h("input", { name: "stated", value: stated(), maxlength: 200, autocomplete: "name" })),
  error, submit);
  return form;
}
