// The sheet that slides up.
import { byId, h, icon, nameOf } from "./dom.js";
import { t } from "./i18n.js";

let opener = null;

/** Open the sheet, or put other content into the open one, which keeps its place and the focus where it was. */
export function openSheet(title, ...content) {
  const sheet = byId("sheet");
  const again = sheet.open && nameOf(document.activeElement);
  const scrolled = sheet.open ? sheet.scrollTop : 0;
  if (!sheet.open) {
    const element = document.activeElement;
    opener = { element, selector: nameOf(element), within: element.closest("#hand, #overlay") ?? document };
  }
  sheet.replaceChildren(
    h("div", { class: "sheet-head" },
      h("h2", { id: "sheet-title", tabindex: "-1" }, title),
      h("button", { type: "button", class: "tool", id: "sheet-close", "aria-label": t("close"), onclick: closeSheet }, icon("close"))),
    h("div", { class: "sheet-body" }, content),
  );
  if (!sheet.open) sheet.showModal();
  sheet.scrollTop = scrolled;
  (again ? sheet.querySelector(again) ?? byId("sheet-title") : byId("sheet-title")).focus({ preventScroll: true });
}

export function closeSheet() {
  byId("sheet").close();
}

export function setUpSheet() {
  const sheet = byId("sheet");
  sheet.addEventListener("click", (event) => {
    if (event.target === sheet) closeSheet();
  });
  sheet.addEventListener("close", () => {
    if (sheet.open) return; // with something else since: the event comes some time after
    sheet.replaceChildren();
    const { element, selector, within } = opener ?? {};
    const again = element?.isConnected && element !== document.body ? element : selector && within.querySelector(selector);
    (again || byId("result")).focus({ preventScroll: true });
  });
}
