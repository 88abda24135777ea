// Rules and how the hand was won, drawn from GET /v1/rules and remembered for each rule set.
import { byId, h } from "./dom.js";
import { own, t } from "./i18n.js";

const read = (key, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
};

export class Circumstances {
  /** `rules` as the service lists them; `onChange()` is called at each change. */
  constructor(rules, onChange) {
    this.all = rules;
    this.onChange = onChange;
    const saved = localStorage.getItem("hupai.rules");
    this.rules = rules.find((one) => one.id === saved) ?? rules[0];
    this.values = read(`hupai.won.${this.rules.id}`, {});
  }

  /** What POST /v1/scores wants: only what differs from the default and what these rules read. */
  toRequest() {
    return this.requestOf(this.rules.id, this.values);
  }

  /** The same for a hand that was won under other rules. */
  requestOf(id, values) {
    const rules = this.all.find((one) => one.id === id) ?? this.rules;
    const told = rules.circumstances.filter((one) => (values[one.name] ?? one.default) !== one.default);
    return Object.fromEntries(told.map((one) => [one.name, values[one.name]]));
  }

  value(item) {
    return this.values[item.name] ?? item.default;
  }

  /** The user's choice of rules: remembered, with what was chosen under them before. */
  choose(id) {
    localStorage.setItem("hupai.rules", id);
    this.show(id);
    this.onChange();
  }

  /** Rules and values that come with a hand, from an example, a link or the history; not remembered. */
  show(id, values = null) {
    const next = this.all.find((one) => one.id === id);
    if (!next) return; // a link or an old entry may name rules that this service does not have
    this.rules = next;
    this.values = values ?? read(`hupai.won.${id}`, {});
    this.draw();
  }

  set(item, value) {
    this.values = { ...this.values, [item.name]: value };
    if (value === true) {
      Object.assign(this.values, item.needs);
      for (const other of this.rules.circumstances) this.dropIfBroken(other);
    } else {
      for (const other of this.rules.circumstances) if (other.name !== item.name) this.dropIfBroken(other);
    }
    localStorage.setItem(`hupai.won.${this.rules.id}`, JSON.stringify(this.values));
    this.draw(item.name);
    this.onChange();
  }

  /** A flag whose needs are no longer met goes off: a kong's replacement is self-drawn or it is none. */
  dropIfBroken(item) {
    const met = Object.entries(item.needs ?? {}).every(([name, wanted]) => Boolean(this.values[name]) === wanted);
    if (this.values[item.name] === true && !met) this.values[item.name] = false;
  }

  draw(focus = null) {
    const select = h("select", { id: "rules-select", onchange: (event) => this.choose(event.target.value) },
      this.all.map((one) => h("option", { value: one.id, selected: one === this.rules }, own(one, "name"))));
    const minimum = this.rules.minimum ? t("minimum", { n: this.rules.minimum }) : t("noMinimum");
    byId("rules").replaceChildren(
      h("div", { class: "field" }, h("label", { class: "visually-hidden", for: "rules-select" }, t("rules")), select),
      h("p", { class: "hint rules-note" }, minimum),
    );
    const of = (type) => this.rules.circumstances.filter((one) => one.type === type);
    byId("circumstances").replaceChildren(
      h("div", { class: "chips" }, of("boolean").map((one) => this.chip(one))),
      h("div", { class: "pair" }, of("choice").map((one) => this.choice(one)), of("integer").map((one) => this.stepper(one))),
    );
    byId("won-summary").textContent = this.inWords();
    if (focus) document.querySelector(`#circumstances [data-name="${focus}"]`)?.focus();
  }

  /** Rules and what was chosen in one line, for the folded card. */
  inWords() {
    const chosen = this.rules.circumstances.filter((one) => this.value(one) !== one.default).map((one) => {
      if (one.type === "boolean") return own(one, "label");
      const choice = one.choices.find((other) => other.value === this.value(one));
      return `${own(one, "label")} ${choice ? own(choice, "label") : this.value(one)}`;
    });
    return [own(this.rules, "name"), ...chosen].join(" · ");
  }

  chip(item) {
    const on = this.value(item);
    return h("button",
      { type: "button", class: "chip", "aria-pressed": String(on), title: own(item, "help"), "data-name": item.name, onclick: () => this.set(item, !on) },
      own(item, "label"));
  }

  choice(item) {
    const current = this.value(item);
    return h("div", { class: "field", role: "radiogroup", "aria-label": own(item, "label") },
      h("span", { class: "label", title: own(item, "help") }, own(item, "label")),
      h("div", { class: "segments" }, item.choices.map((one) => h("label", { class: "segment" },
        h("input", { type: "radio", name: item.name, value: one.value ?? "", checked: one.value === current, "data-name": one.value === current ? item.name : null, onclick: () => this.set(item, one.value === current && item.default === null ? null : one.value) }),
        h("span", {}, own(one, "label"))))));
  }

  stepper(item) {
    const current = this.value(item);
    const low = item.default === null ? null : item.minimum;
    const down = current === null || current <= item.minimum ? low : current - 1;
    const up = current === null ? item.minimum : Math.min(item.maximum, current + 1);
    const button = (sign, value) => h("button",
      { type: "button", "aria-label": `${own(item, "label")} ${sign}`, disabled: value === current, "data-name": sign === "+" ? item.name : null, onclick: () => this.set(item, value) }, sign);
    return h("div", { class: "field" },
      h("span", { class: "label", title: own(item, "help") }, own(item, "label")),
      h("div", { class: "stepper" }, button("−", down), h("output", { "aria-label": own(item, "label") }, current === null ? t("asSeen") : String(current)), button("+", up)));
  }
}
