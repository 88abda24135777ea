// Rules and how the hand was won, drawn from GET /v1/rules. What is chosen here is remembered for each rule set, what was answered to
// a question is of its hand alone. `values` holds what was told, false included; what is not in it is not known.
import { byId, h, select } from "../shell/dom.js";
import { EMPTY } from "../hand/hand.js";
import { keypad } from "../hand/sheets.js";
import { tileImage, tileName } from "../hand/tiles.js";
import { amount, own, speakLike, t } from "../shell/i18n.js";
import { afterPress } from "../shell/press.js";
import { openSheet } from "../shell/sheet.js";
import { state } from "../service/state.js";

/** Whether a value is the one that holds where nothing is told. */
const isDefault = (item, value) => (item.type === "tiles" ? !value?.length : value === item.default);

const read = (key, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
};

const typed = (item, value) => ({ boolean: () => value === "true", integer: () => Number(value) }[item.type] ?? (() => value))();

export class Circumstances {
  /** `rules` as the service lists them; `onChange()` is called at each change. */
  constructor(rules, onChange) {
    this.all = rules;
    this.onChange = onChange;
    const saved = localStorage.getItem("hupai.rules");
    this.rules = rules.find((one) => one.id === saved) ?? rules[0];
    this.begin();
  }

  /** A new hand: of what was chosen before, what can be seen to be chosen. */
  begin() {
    const remembered = Object.entries(read(`hupai.won.${this.rules.id}`, {}));
    this.values = Object.fromEntries(remembered.filter(([name, value]) => value !== null && this.differs(this.rules.id, name, value)));
    this.draw();
  }

  /** Whether a value is not the one that a rule set takes where nothing is told; false for what it does not read. */
  differs(id, name, value) {
    const item = this.all.find((one) => one.id === id)?.circumstances.find((one) => one.name === name);
    return Boolean(item) && item.type !== "tiles" && !isDefault(item, value);
  }

  /** Whether the rules in play read a circumstance. */
  reads(name) {
    return this.rules.circumstances.some((one) => one.name === name);
  }

  /** What POST /v1/scores wants: what was told and these rules read. */
  toRequest() {
    return this.requestOf(this.rules.id, this.values);
  }

  /** The same for a hand that was won under other rules. */
  requestOf(id, values) {
    const rules = this.all.find((one) => one.id === id) ?? this.rules;
    const told = rules.circumstances.filter((one) => (values[one.name] ?? null) !== null);
    return Object.fromEntries(told.map((one) => [one.name, values[one.name]]));
  }

  value(item) {
    return this.values[item.name] ?? item.default;
  }

  /** The user's choice of rules: remembered, with what was chosen under them before. What was told of the hand alone stays true. */
  choose(id) {
    localStorage.setItem("hupai.rules", id);
    const remembered = read(`hupai.won.${this.rules.id}`, {});
    const ofHand = Object.fromEntries(Object.entries(this.values).filter(([name, value]) => remembered[name] !== value));
    this.show(id);
    this.tell({ ...this.values, ...ofHand });
    this.onChange();
  }

  /** Rules and values that come with a hand, from an example, a link or the history; not remembered. */
  show(id, values = null) {
    const next = this.all.find((one) => one.id === id);
    if (!next) return; // a link or an old entry may name rules that this service does not have
    const same = this.rules === next;
    this.rules = next;
    if (!values) this.begin();
    else this.tell(values);
    if (values && !same) this.draw();
  }

  /** What is told of the hand that is shown. */
  tell(values) {
    const written = (pairs) => JSON.stringify(Object.entries(pairs).sort());
    const same = written(values) === written(this.values);
    this.values = values;
    if (!same) this.draw();
  }

  set(item, value) {
    const before = this.values;
    this.values = this.after(item, value);
    const remembered = read(`hupai.won.${this.rules.id}`, {});
    for (const name of new Set([...Object.keys(before), ...Object.keys(this.values)])) {
      if (before[name] !== this.values[name] && !Array.isArray(this.values[name] ?? before[name])) remembered[name] = this.values[name] ?? null;
    }
    localStorage.setItem(`hupai.won.${this.rules.id}`, JSON.stringify(remembered));
    this.draw(item.name);
    this.onChange();
  }

  /** The values once a circumstance has this one: what it needs is told with it, what needs another is not so. */
  after(item, value, before = this.values) {
    const values = { ...before, [item.name]: value };
    if (value === null) delete values[item.name];
    if (value === true) Object.assign(values, item.needs);
    for (const other of this.rules.circumstances) {
      const met = Object.entries(other.needs ?? {}).every(([name, wanted]) => !(name in values) || values[name] === wanted);
      if (values[other.name] === true && !met) values[other.name] = false;
    }
    return values;
  }

  /** The values once a question about one is answered, `value` as the service writes it; null where these rules do not read it. */
  answer(name, value) {
    const item = this.rules.circumstances.find((one) => one.name === name);
    if (!item) return null;
    return this.after(item, typed(item, value));
  }

  /** The values once several are told at once: {name: value as the service writes it}. */
  answers(told) {
    const known = this.rules.circumstances.filter((one) => one.name in told);
    return known.reduce((values, item) => this.after(item, typed(item, told[item.name]), values), this.values);
  }

  draw(focus = null) {
    afterPress("circumstances", () => this.drawAll(focus));
  }

  drawAll(focus) {
    speakLike(this.rules);
    for (const element of document.querySelectorAll("[data-i18n]")) element.textContent = t(element.dataset.i18n);
    const minimum = this.rules.minimum ? t("minimum", { n: amount(this.rules.minimum, this.rules.unit) }) : t("noMinimum");
    byId("rules").replaceChildren(
      select({ id: "rules-select", label: t("rules"), options: this.all.map((one) => ({ value: one.id, name: own(one, "name") })), chosen: this.rules.id, onchange: (id) => this.choose(id) }),
      h("p", { class: "hint rules-note" }, minimum),
    );
    const of = (type) => this.rules.circumstances.filter((one) => one.type === type);
    byId("circumstances").replaceChildren(
      h("div", { class: "chips" }, of("boolean").map((one) => this.chip(one))),
      h("div", { class: "pair" }, of("choice").map((one) => this.choice(one)), of("tiles").map((one) => this.row(one)), of("integer").map((one) => this.stepper(one))),
    );
    byId("won-summary").textContent = this.inWords();
    if (focus) document.querySelector(`#circumstances [data-name="${focus}"]`)?.focus();
  }

  /** Rules and what was chosen in one line, for the folded card. */
  inWords() {
    const chosen = this.rules.circumstances.filter((one) => !isDefault(one, this.value(one))).map((one) => {
      if (one.type === "boolean") return own(one, "label");
      if (one.type === "tiles") return `${own(one, "label")} ${this.value(one).map(tileName).join(" ")}`;
      const choice = one.choices.find((other) => other.value === this.value(one));
      return `${own(one, "label")} ${choice ? own(choice, "label") : this.value(one)}`;
    });
    return [own(this.rules, "name"), ...chosen].join(" · ");
  }

  chip(item) {
    const on = this.value(item);
    const no = this.values[item.name] === false;
    return h("button",
      { type: "button", class: no ? "chip no" : "chip", "aria-pressed": String(on), title: own(item, "help"), "data-name": item.name, onclick: () => this.set(item, !on) },
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

  /** Tiles that lie beside the hand: a tap takes one away, + offers those of the photo and all others. */
  row(item) {
    const current = this.value(item);
    const without = (at) => current.filter((_, other) => other !== at);
    return h("div", { class: "field", role: "group", "aria-label": own(item, "label") },
      h("span", { class: "label", title: own(item, "help") }, own(item, "label")),
      h("div", { class: "tiles" },
        current.map((code, at) => h("button", { type: "button", class: "tile mini", "aria-label": `${tileName(code)}, ${t("removeTile")}`, title: t("removeTile"), "data-indicator": code, onclick: () => this.set(item, without(at)) }, tileImage(code))),
        current.length < item.maximum
          ? h("button", { type: "button", class: "chip", "aria-label": `${own(item, "label")} +`, "data-name": item.name, onclick: () => this.pick(item) }, "+") : null));
  }

  /** Offer tiles to add to a row; what else lies on the photo comes first. */
  pick(item) {
    const add = (code) => {
      this.set(item, [...this.value(item), code]);
      if (this.value(item).length < item.maximum) this.pick(item);
      else byId("sheet").close();
    };
    const beside = (state.reading?.tiles ?? []).filter((read) => !read.in_hand && read.tile !== "?" && !/h$/.test(read.tile));
    openSheet(own(item, "label"),
      h("p", { class: "hint" }, own(item, "help")),
      h("div", { class: "tiles", role: "group", "aria-label": own(item, "label") }, this.value(item).map((code) => h("span", { class: "tile tiny" }, tileImage(code)))),
      beside.length
        ? h("div", { class: "field", role: "group", "aria-label": t("onTable") }, h("span", { class: "label" }, t("onTable")), h("div", { class: "tiles" },
            beside.map((read) => h("button", { type: "button", class: "tile mini", "aria-label": tileName(read.tile), "data-beside": read.id, onclick: () => add(read.tile) }, tileImage(read.tile)))))
        : null,
      keypad(new Set(this.rules.tiles), EMPTY, null, add),
      h("div", { class: "sheet-actions" }, h("button", { type: "button", class: "button small primary", onclick: () => byId("sheet").close() }, t("done"))));
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
