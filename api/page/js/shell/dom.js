// Builds the page without HTML strings.

/** An element: h("button", {class: "chip", onclick: fn, "aria-pressed": "true"}, "text", child). */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(element.dataset, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** An icon of symbols.svg. */
export function icon(name) {
  return s("svg", { "aria-hidden": "true" }, s("use", { href: `/page/symbols.svg#${name}` }));
}

/** A labelled choice: `options` are [value, name]. */
export const choice = (id, label, options) => h("label", { class: "seat-field" }, h("span", {}, label), h("select", { id }, options.map(([value, name]) => h("option", { value }, name))));

/** A select of [{value, name}] whose chosen name is written out below what can be tapped, on as many lines as it takes. */
export function select({ id = null, name = null, label, options, chosen, onchange = () => {} }) {
  const nameOfChosen = (value) => options.find((one) => one.value === value)?.name ?? "";
  const shown = h("span", { "aria-hidden": "true" }, nameOfChosen(chosen));
  const act = (event) => {
    shown.textContent = nameOfChosen(event.target.value);
    onchange(event.target.value);
  };
  return h("div", { class: "select" }, shown, icon("more"),
    h("select", { id, name, "aria-label": label, onchange: act }, options.map((one) => h("option", { value: one.value, selected: one.value === chosen }, one.name))));
}

export const byId = (id) => document.getElementById(id);

/** Show or hide by id. */
export function show(id, visible) {
  byId(id).hidden = !visible;
}

/** Redraw inside `container` by `act()`; what had the focus there has it again afterwards, found by its data-uid or id. */
export function keepingFocus(container, act) {
  const focused = container.contains(document.activeElement) ? document.activeElement : null;
  const selector = focused && nameOf(focused);
  act();
  if (selector && !focused.isConnected) container.querySelector(selector)?.focus({ preventScroll: true });
}

/** How to find an element after a redraw. */
export function nameOf(element) {
  for (const [attribute, value] of [["data-uid", element.dataset.uid], ["data-name", element.dataset.name], ["data-fan", element.dataset.fan], ["id", element.id]]) {
    if (value) return `[${attribute}="${CSS.escape(value)}"]`;
  }
  return null;
}
