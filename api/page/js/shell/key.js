// The key that a service may ask for.
import { setKey } from "../service/api.js";
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { closeSheet, openSheet } from "./sheet.js";

/** Take the key of a pairing link, #key=…, and leave it out of the address from then on. */
export function takeKeyFromAddress() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  setKey(key);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Ask for it, remember it, then do `again()`. */
export function askForKey(again) {
  const field = h("input", { id: "key-field", class: "link-field", type: "password", autocomplete: "off", "aria-label": t("key") });
  const save = (event) => {
    event.preventDefault();
    setKey(field.value.trim());
    closeSheet();
    again();
  };
  openSheet(t("enterKey"), h("form", { class: "sheet-body bare", onsubmit: save }, h("p", {}, t("keyHint")), field,
    h("button", { class: "button primary", id: "save-key" }, t("done"))));
  field.focus();
}
