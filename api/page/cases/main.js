// The pages of the cases: the list at /cases, one case at /cases/{id}.
import "./words.js";
import { byId, h } from "/page/js/shell/dom.js";
import { lang, setLanguage, t, translatePage } from "/page/js/shell/i18n.js";
import { learnTiles } from "/page/js/hand/tiles.js";
import { showCase } from "./case.js";
import { get, Refused } from "./desk.js";
import { showList } from "./list.js";

const id = location.pathname.split("/")[2] ?? "";

async function draw() {
  translatePage();
  byId("language-button").textContent = lang() === "zh" ? "EN" : "中文";
  document.title = `${t(id ? "caseTitle" : "casesTitle")} · Hupai 和牌`;
  try {
    if (id) await showCase(byId("main"), id);
    else await showList(byId("main"));
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    byId("main").replaceChildren(problem.problem.status === 401 ? keyForm(problem) : h("div", { class: "message error wide", role: "alert" }, problem.message));
  }
  document.documentElement.dataset.ready = "true";
}

/** Where the service asks for a key: a field for it. */
function keyForm(problem) {
  const field = h("input", { name: "key", type: "password", autocomplete: "off", required: true });
  return h("form", { class: "card form", onsubmit: (event) => {
    event.preventDefault();
    localStorage.setItem("hupai.key", field.value.trim());
    draw();
  } }, h("h1", {}, t("keyNeeded")), h("p", {}, problem.message), h("label", {}, t("keyField"), field), h("button", { class: "button primary" }, t("send")));
}

byId("language-button").addEventListener("click", () => {
  setLanguage(lang() === "zh" ? "en" : "zh");
  draw();
});
window.addEventListener("hashchange", draw);

learnTiles((await get("/tiles")).tiles);
await draw();
