// The page's language.
import { WORDS } from "./words.js";

let language = localStorage.getItem("hupai.lang") ?? (navigator.language?.toLowerCase().startsWith("zh") ? "zh" : "en");

export const lang = () => language;

/** What the rules in play call some things themselves: key -> [English, Chinese]. */
let ownWords = {};

/** Take the words of the rules in play. */
export function speakLike(rules) {
  ownWords = rules?.words ?? {};
}

/** The words for a key in the page's language; the key itself where there are none, so that a gap shows. `own` comes first. */
export function t(key, values = {}, own = ownWords) {
  const words = own[key] ?? WORDS[key];
  const text = words ? words[language === "zh" ? 1 : 0] : key.replace(/^[a-z]+_/, "").replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** The unit of a number, or of a range such as "16–23": "point" for 1, else "points". */
export function unitWord(number, unit, own = ownWords) {
  const one = `unit_${unit}_1`;
  return t(String(number) === "1" && (own[one] ?? WORDS[one]) ? one : `unit_${unit}`, {}, own);
}

/** A number, or a range, with its unit: "1 point", "33 番". */
export const amount = (number, unit, own = ownWords) => `${number} ${unitWord(number, unit, own)}`;

/** The country's own form of the page's language, where the browser has it. */
const locale = () => navigator.languages.find((one) => one.slice(0, 2) === language) ?? (language === "zh" ? "zh-CN" : "en-GB");

/** A moment, as a date with hour and minute, or with the second too. */
export const when = (at, timeStyle = "short") => new Date(at).toLocaleString(locale(), { dateStyle: "medium", timeStyle });

/** The day of a moment. */
export const day = (at) => new Date(at).toLocaleDateString(locale(), { dateStyle: "medium" });

/** The field of an answer in the page's language: own(fan, "why") is fan.why_zh or fan.why_en. */
export function own(object, name) {
  const [first, second] = language === "zh" ? ["zh", "en"] : ["en", "zh"];
  return object[`${name}_${first}`] || object[`${name}_${second}`] || "";
}

/** A sentence with its full stop, which messages of the service may lack. */
export const sentence = (text) => (/[.!?。！？…]$/.test(text) ? text : `${text}${language === "zh" ? "。" : "."}`);

/** A problem's message; English has the plain name in the service's answers. */
export const message = (problem) => (language === "zh" && problem.message_zh) || problem.message;

export function setLanguage(next) {
  language = next;
  localStorage.setItem("hupai.lang", next);
  translatePage();
}

/** Put the words into the page's fixed texts. */
export function translatePage() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const element of document.querySelectorAll("[data-i18n]")) element.textContent = t(element.dataset.i18n);
  for (const element of document.querySelectorAll("[data-i18n-label]")) {
    element.setAttribute("aria-label", t(element.dataset.i18nLabel));
    element.title = t(element.dataset.i18nLabel);
  }
}
