// All broadcast tables, and a form for a new one.
import { h } from "./draw.js";
import { ask, keyed } from "./remote.js";
import { lang, speak, w } from "./words.js";

const byId = (id) => document.getElementById(id);
let tables = [];
let rules = [];

const inWords = (one) => (lang() === "zh" ? one.name_zh : one.name_en);
const nameOf = (id) => inWords(rules.find((one) => one.id === id) ?? { name_zh: id, name_en: id });

function tell(error) {
  byId("note").textContent = (lang() === "zh" && error.problem?.detail_zh) || error.message;
  byId("note").hidden = false;
}

async function remove(table) {
  if (!confirm(w("reallyRemove", { id: table.id }))) return;
  await ask(`/v1/tables/${table.id}`, { method: "DELETE" });
  await load();
}

function draw() {
  byId("tables").replaceChildren(
    ...tables.map((table) =>
      h("article", { class: "card table-row", data: { table: table.id } },
        h("h2", {}, table.name),
        h("span", { class: "hint" }, `${table.source || w("noSource")} · ${nameOf(table.rules)} · ${table.seats.map((seat) => seat.player || seat.seat).join(", ")}`),
        h("div", { class: "actions" },
          h("a", { class: "button small", href: keyed(`/overlay/${table.id}/operator`) }, w("operator")),
          h("a", { class: "button small", href: keyed(`/overlay/${table.id}`) }, w("overlay")),
          h("button", { type: "button", class: "button small danger", onclick: () => remove(table).catch(tell) }, w("remove"))),
      ),
    ),
    tables.length ? "" : h("p", { class: "hint" }, w("noTables")),
  );
}

async function load() {
  tables = (await ask("/v1/tables")).tables;
  draw();
}

async function start() {
  ({ rules } = await ask("/v1/rules"));
  byId("new").elements.rules.replaceChildren(...rules.map((one) => h("option", { value: one.id }, inWords(one))));
  await load();
  document.documentElement.dataset.ready = "true";
}

byId("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const values = Object.fromEntries(new FormData(event.target));
  const names = values.seats.toLowerCase().split(/\s+/).filter(Boolean);
  try {
    await ask("/v1/tables", {
      method: "POST",
      body: { id: values.id, name: values.id, source: values.source, rules: values.rules, seats: names.map((seat) => ({ seat })) },
    });
    location.href = keyed(`/overlay/${values.id}/operator`);
  } catch (error) {
    tell(error);
  }
});
const drawAll = () => {
  for (const [name, words] of [["id", "tableId"], ["seats", "seatNames"]]) byId("new").elements[name].title = w(words);
  draw();
};
drawAll();
speak(byId("language"), drawAll);
start().catch(tell);
