// What every page has at the top: the switches for language and theme.
import { byId } from "./dom.js";
import { lang, setLanguage, t } from "./i18n.js";
import { currentTheme, nextTheme } from "./theme.js";

/** Connect the two buttons; `redraw()` is called when the language was changed. */
export function connectFrame(redraw) {
  const label = () => {
    byId("language-button").textContent = lang() === "zh" ? "EN" : "中文";
    byId("language-button").lang = lang() === "zh" ? "en" : "zh";
    byId("theme-button").setAttribute("aria-label", t(`theme_${currentTheme()}`));
    byId("theme-button").title = t(`theme_${currentTheme()}`);
  };
  byId("language-button").addEventListener("click", () => {
    setLanguage(lang() === "zh" ? "en" : "zh");
    label();
    redraw();
  });
  byId("theme-button").addEventListener("click", () => { nextTheme(); label(); });
  label();
}
