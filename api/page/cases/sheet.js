// A dialog with a form, and the keypad of tiles.
import { byId, h } from "/page/js/shell/dom.js";
import { t } from "/page/js/shell/i18n.js";
import { KEYPAD, tileImage, tileName } from "/page/js/hand/tiles.js";
import { setStated, stated } from "./desk.js";

/** Open a dialog; `onSend(values)` gets the named fields and may throw, its words are shown in the dialog. */
export function openForm(title, fields, onSend, { button = t("send"), name = true } = {}) {
  const sheet = byId("sheet");
  const error = h("div", { class: "message error", role: "alert", hidden: true });
  const submit = h("button", { class: "button primary", type: "submit" }, button);
  const who = name ? h("label", {}, t("yourName"), h("input", { name: "stated", value: stated(), autocomplete: "name", maxlength: 200 })) : null;
  const form = h("form", { class: "sheet-body form", onsubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    error.hidden = true;
    const values = Object.fromEntries(new FormData(form));
    if (name) setStated(values.stated ?? "");
    try {
      await onSend(values);
      if (form.isConnected) sheet.close(); // else another form was opened meanwhile
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
    }
    submit.disabled = false;
  } }, fields, who, error, h("div", { class: "sheet-actions" }, submit, h("button", { type: "button", class: "button", onclick: () => sheet.close() }, t("cancel"))));
  sheet.replaceChildren(h("div", { class: "sheet-head" }, h("h2", { id: "sheet-title" }, title)), form);
  if (!sheet.open) sheet.showModal();
}

/** Ask for a tile. */
export function askTile(title, onTile) {
  const sheet = byId("sheet");
  const rows = KEYPAD.map((row) => h("div", { class: "keypad-row" }, row.map((code) => h("button",
    { type: "button", class: "key", data: { code }, "aria-label": tileName(code), onclick: () => onTile(code) }, tileImage(code)))));
  sheet.replaceChildren(
    h("div", { class: "sheet-head" }, h("h2", { id: "sheet-title" }, title), h("button", { type: "button", class: "button small", onclick: () => sheet.close() }, t("cancel"))),
    h("div", { class: "sheet-body" }, h("div", { class: "keypad" }, rows)));
  if (!sheet.open) sheet.showModal();
}

export const reasonField = (required = true) => h("label", {}, t("reason"), h("textarea", { name: "reason", required, maxlength: 4000 }));
