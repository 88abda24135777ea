// Questions, total, payments, fan, what does not count, problems.
import { h, icon } from "./dom.js";
import { lang, message, own, t } from "./i18n.js";
import { tileName, tileView } from "./tiles.js";

/** The service's names come as en and zh without a prefix. */
const fanName = (fan) => (lang() === "zh" ? fan.zh : fan.en) || fan.zh;
const otherName = (fan) => (lang() === "zh" ? fan.en : fan.zh);
const unitOf = (score) => t(`unit_${score.unit}`);

export function questionView(question, onOption) {
  return h("div", { class: `question${question.matters ? "" : " small"}`, "data-question": question.code },
    h("h2", {}, message(question)),
    h("div", { class: "choices" }, question.options.map((option) => h("button",
      { type: "button", class: "option", "data-option": option.tile, "aria-label": `${tileName(option.tile)}: ${option.total} ${unitOf(option)}`, onclick: () => onOption(question, option) },
      tileView(option.tile), h("b", {}, option.legal || option.complete ? `${option.total} ${unitOf(option)}` : "–"),
      h("small", {}, option.legal ? option.fans.slice(0, 1).map(([zh, en]) => (lang() === "zh" ? zh : en)) : t("belowMinimum"))))));
}

/** Problems as messages; `tilesOf(problem)` gives buttons to put under one. */
export function problemList(problems, tilesOf = () => []) {
  return h("div", { class: "problems" }, problems.map((problem) => {
    const tiles = tilesOf(problem);
    return h("div", { class: `message ${problem.severity}`, role: problem.severity === "error" ? "alert" : null, "data-problem": problem.code },
      message(problem), tiles.length ? h("div", { class: "tiles" }, tiles) : null);
  }));
}

export function scoreView(score, waits, onCompare) {
  const head = waits.length
    ? h("div", { class: "total" }, h("span", { class: "verdict good" }, icon("check"), t("ready")))
    : h("div", { class: `total${score.complete ? "" : " none"}` },
        h("span", { class: "total-number", "data-total": score.total }, score.complete ? String(score.total) : "–",
          h("span", { class: "total-unit" }, unitOf(score))),
        h("span", { class: `verdict ${score.legal ? "good" : "bad"}` }, icon(score.legal ? "check" : "close"), verdictOf(score)));
  return h("div", {},
    head,
    waits.length ? waitsView(waits) : null,
    problemList(score.problems.filter((problem) => !waits.length || problem.code !== "not_won_yet")),
    score.payments.length ? payments(score) : null,
    h("button", { type: "button", class: "link compare", id: "compare", onclick: onCompare }, t("otherRules")),
  );
}

/** What a hand of 13 waits for: each tile with what it scores claimed and self-drawn. */
function waitsView(waits) {
  const best = (wait) => wait.ways.reduce((a, b) => (b.total > a.total ? b : a));
  return h("div", {}, h("p", { class: "summary" }, t("waitsFor")),
    h("div", { class: "waits" }, waits.map((wait) => {
      const low = Math.min(...wait.ways.map((way) => way.total));
      const high = best(wait).total;
      return h("span", { class: "wait" }, tileView(wait.tile), h("b", {}, low === high ? String(high) : `${low}–${high}`), t("left", { n: wait.remaining }));
    })));
}

/** The score in a few words, for a screen reader. */
export const inWords = (score) => (score.complete ? `${score.total} ${unitOf(score)}, ${verdictOf(score)}` : verdictOf(score));

/** The same, in fewer. */
export const inShort = (score) => (score.complete ? `${score.total} ${unitOf(score)}` : verdictOf(score));

function verdictOf(score) {
  if (score.legal) return t("legal");
  if (!score.complete) return t("notComplete");
  const errors = score.problems.filter((problem) => problem.severity === "error");
  return errors.length || !score.problems.some((problem) => problem.code === "below_minimum") ? t("illegal") : t("belowMinimum");
}

function payments(score) {
  return h("table", { class: "payments" },
    h("caption", {}, t("payments")),
    h("tbody", {},
      score.payments.map((payment) => h("tr", {},
        h("th", { scope: "row" }, t(`payer_${payment.payer}`) + (payment.count > 1 ? ` × ${payment.count}` : "")),
        h("td", { class: "formula" }, payment.formula), h("td", {}, String(payment.amount)))),
      h("tr", { class: "sum" }, h("th", { scope: "row" }, t("winnerReceives")), h("td", {}), h("td", {}, String(score.winner_receives)))));
}

export function fansView(score) {
  const parts = score.split.map((part) => partView(part));
  const light = (fan, on) => fan.parts.forEach((index) => parts[index]?.classList.toggle("lit", on));
  return h("div", {},
    h("div", { class: "split" }, parts),
    score.fans.length ? h("ul", { class: "fan-list" }, score.fans.map((fan) => fanView(fan, light))) : h("p", { class: "hint" }, t("noFans")),
    score.excluded.length
      ? h("details", { class: "more", id: "excluded" }, h("summary", {}, t("excluded", { n: score.excluded.length })),
          h("ul", { class: "fan-list" }, score.excluded.map((fan) => excludedView(fan, score))))
      : null,
    score.runner_up ? runnerUp(score) : null,
  );
}

function partView(part) {
  const label = t(`part_${part.kind}`) + (part.concealed && part.kind === "kong" ? ` (${t("hidden")})` : "");
  return h("div", { class: `part${part.tiles.length > 4 ? " wide" : ""}` },
    h("div", { class: "tiles" }, part.tiles.map((code) => tileView(code, "mini"))),
    h("small", {}, label, part.has_winning_tile ? ` · ${t("won")}` : ""));
}

function points(fan) {
  const each = fan.count > 1 ? h("small", {}, `${fan.points} × ${fan.count} = `) : null;
  return h("span", { class: "fan-points" }, each, String(fan.points * fan.count));
}

function title(fan) {
  return h("span", {}, h("span", { class: "fan-name" }, h("span", { lang: lang() }, fanName(fan))),
    h("span", { class: "fan-other", lang: lang() === "zh" ? "en" : "zh" }, otherName(fan)));
}

function fanView(fan, light) {
  const details = h("details", { "data-fan": fan.id },
    h("summary", {}, title(fan), points(fan)),
    h("div", { class: "fan-more" }, h("span", {}, own(fan, "why")), h("span", { class: "clause" }, fan.clause)));
  details.addEventListener("toggle", () => light(fan, details.open));
  details.addEventListener("pointerenter", () => light(fan, true));
  details.addEventListener("pointerleave", () => light(fan, details.open));
  return h("li", { class: "fan" }, details);
}

function excludedView(fan) {
  return h("li", { class: "fan excluded" }, h("details", { "data-excluded": fan.id },
    h("summary", {}, title(fan), h("span", { class: "principle" }, t(`principle_${fan.principle}`))),
    h("div", { class: "fan-more" }, h("span", {}, own(fan, "reason")), h("span", { class: "clause" }, fan.clause))));
}

function runnerUp(score) {
  const { runner_up: other } = score;
  return h("details", { class: "more" }, h("summary", {}, t("runnerUp", { n: `${other.total} ${unitOf(score)}` })),
    h("div", { class: "split" }, other.split.map((part) => partView(part))),
    h("p", { class: "hint" }, other.fans.map(([zh, count]) => (count > 1 ? `${zh}×${count}` : zh)).join("、")));
}
