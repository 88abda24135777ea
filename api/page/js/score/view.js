// Total, payments, fan, what does not count, problems.
import { h, icon } from "../shell/dom.js";
import { isHand } from "../hand/hand.js";
import { amount, lang, message, own, sentence, t, unitWord } from "../shell/i18n.js";
import { agreement, openTotal } from "./questions.js";
import { refusal, refusalOf } from "./refusal.js";
import { tileView } from "../hand/tiles.js";
import { withTiles } from "../hand/texts.js";
import { state } from "../service/state.js";

/** The service's names come as en and zh without a prefix. */
const fanName = (fan) => (lang() === "zh" ? fan.zh : fan.en) || fan.zh;
const otherName = (fan) => (lang() === "zh" ? fan.en : fan.zh);

/** The figures that these rules put beside a total, such as han and fu; of a score with details. */
const beside = (score) => {
  const rules = state.won?.all.find((one) => one.id === score.rules);
  const named = (rules?.figures ?? []).filter((name) => score.details?.[name]).map((name) => `${score.details[name]} ${t(name, {}, rules.words)}`);
  return score.total ? named.join(" ") : "";
};

/** The unit of an answer that may have no score yet, as the service names it. */
export const unitOfAnswer = (answer) => answer.score?.unit ?? answer.verdict?.unit ?? "fan";

const SHOWN = 3; // problems that are said at once, the others when they are asked for

/** Problems as messages, what concerns the whole photo first; `tilesOf(problem)` gives buttons to put under one. */
export function problemList(problems, tilesOf = () => []) {
  const weight = ({ code, severity }) => (["hand_unclear", "several_hands"].includes(code) ? 0 : { error: 1, warning: 2 }[severity] ?? 3);
  const sorted = [...problems].sort((a, b) => weight(a) - weight(b));
  const views = sorted.map((problem) => {
    const tiles = tilesOf(problem);
    return h("div", { class: `message ${problem.severity}`, role: problem.severity === "error" ? "alert" : null, "data-problem": problem.code },
      withTiles(sentence(message(problem))), tiles.length ? h("div", { class: "tiles" }, tiles) : null);
  });
  const rest = views.length > SHOWN + 1 ? views.splice(SHOWN) : [];
  return h("div", { class: "problems" }, views,
    rest.length ? h("details", { class: "more" }, h("summary", {}, t("moreToCheck", { n: rest.length })), h("div", { class: "problems" }, rest)) : null);
}

/**
 * The score of an answer, which has one or a verdict to take the total from. `actions` has onCompare(), and onAsk() where the user
 * left questions open; with `before` a change of the hand waits to be sent, and the score is that of the hand before it.
 */
export function scoreView(answer, actions) {
  const { score, waits, bars = [], verdict } = answer;
  const unit = unitOfAnswer(answer);
  const open = openTotal(verdict, unit);
  const ask = actions.onAsk ? h("button", { type: "button", class: "link", id: "ask-again", onclick: actions.onAsk }, t("answerOpen")) : null;
  const agreed = waits.length ? "" : agreement(verdict);
  const asked = (ending) => !ask && verdict?.unknown.some((name) => name.endsWith(ending)); // what may matter is asked for
  const said = [...bars.map(({ code }) => code), waits.length ? "not_won_yet" : "", asked("_wind") ? "wind_unknown" : "", asked("seat_wind") ? "dealer_unknown" : ""];
  const hidden = (problem) => open && problem.tiles.includes("?"); // a tile face down is asked for
  const problems = [...bars, ...(score?.problems ?? []).filter((problem) => !said.includes(problem.code) && !hidden(problem))];
  return h("div", {},
    actions.before ? h("p", { class: "message warning", id: "score-before" }, t("scoreBefore")) : null,
    waits.length ? readiness(bars) : headline(totalOf(answer), unit, open),
    score && !open && !waits.length ? cheer(score) : null,
    open ? h("p", { class: "summary", id: "open-total" }, open.text, ask && " ", ask) : ask,
    agreed ? h("p", { class: "summary", id: "agreed" }, agreed) : null,
    waits.length && !bars.length ? waitsView(waits) : null,
    problemList(problems),
    score?.payments.length && score.legal && !open ? payments(score) : null,
    actions.added,
    score ? h("button", { type: "button", class: "link compare", id: "compare", onclick: actions.onCompare }, t("otherRules")) : null,
  );
}

/** What a hand has to hold to be a great one, by the family of its rules. */
const GREAT = {
  mcr: ({ fans }) => fans.some((fan) => fan.points >= 64),
  riichi: ({ fans }) => fans.some((fan) => fan.points >= 13),
  kc: ({ total }) => total >= 32,
  sichuan: ({ details }) => (details.base_points ?? 0) >= 16,
};

let cheered = null; // the entry that was greeted already

/** A great hand is greeted by name, with tiles that fly up once; those who want no motion see the name alone. */
function cheer(score) {
  const rules = state.won?.all.find((one) => one.id === score.rules);
  if (!score.legal || !GREAT[rules?.family]?.(score)) return null;
  const best = score.fans.reduce((a, b) => (b.points > a.points ? b : a), score.fans[0]);
  const once = cheered !== state.entry?.id;
  cheered = state.entry?.id ?? null;
  const flying = once ? h("span", { class: "fly", "aria-hidden": "true" }, [...score.split.flatMap((part) => part.tiles)].slice(0, 14).map((code) => h("span", {}, tileView(code, "tiny")))) : null;
  return h("p", { class: `cheer${once ? " once" : ""}`, id: "cheer" }, h("strong", { lang: lang() }, fanName(best)), h("span", { lang: lang() === "zh" ? "en" : "zh" }, otherName(best)), flying);
}

/** Where the total stands: the score's, or the likeliest, where what is still open keeps the hand from being scored. */
function totalOf({ score, verdict }) {
  const likeliest = verdict?.outcomes[0];
  return score && (score.complete || !likeliest?.complete) ? score : likeliest;
}

const LONG = 7; // of a figure: longer ones are written smaller, so that a phone shows them in one line

/** The total, or the range of what it may be, and whether the win counts. What may not win is never shown as if it counted. */
function headline(score, unit, open) {
  const chip = open && open.legal === null
    ? h("span", { class: "verdict open" }, open.doubt)
    : h("span", { class: `verdict ${score.legal ? "good" : "bad"}` }, icon(score.legal ? "check" : "close"), verdictOf(score));
  const figure = open?.figure ?? (score.complete ? String(score.total) : "–");
  const kind = !score.complete ? " none" : open ? " open" : score.legal ? "" : " void";
  return h("div", { class: `total${kind}` },
    h("span", { class: `total-number${figure.length > LONG ? " long" : ""}`, "data-total": score.total }, h("span", { class: "figure" }, figure),
      figure === "–" ? null : h("span", { class: "total-unit" }, unitWord(figure, unit))),
    beside(score) && figure === String(score.total) ? h("span", { class: "total-unit", id: "figures" }, beside(score)) : null,
    chip);
}

/** Whether a hand of 13 that some tile completes is ready; where the tiles held bar every win, it is not. */
const readiness = (bars) => h("div", { class: "total" },
  bars.length ? h("span", { class: "verdict bad" }, icon("close"), t("notReady")) : h("span", { class: "verdict good" }, icon("check"), t("ready")));

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

/** The score in a few words, for a screen reader: of an answer that is open how open it is. */
export function inWords(answer) {
  const unit = unitOfAnswer(answer);
  const open = openTotal(answer.verdict, unit);
  const { score } = answer;
  if (answer.bars?.length) return [t("notReady"), ...answer.bars.map(message)].join(". ");
  if (open) return open.text;
  if (!score) return [amount(answer.verdict.outcomes[0].total, unit), agreement(answer.verdict)].filter(Boolean).join(". ");
  return score.complete ? `${amount(score.total, unit)}, ${verdictOf(score)}` : verdictOf(score);
}

/** The same, in fewer: {text, kind}, `kind` "" for a win that counts, "open" where that or the total is, "void" for none. */
export function inShort(answer) {
  if (answer.bars?.length) return { text: t("notReady"), kind: "void" };
  if (answer.waits?.length) return { text: t("ready"), kind: "" };
  const score = totalOf(answer);
  const unit = unitOfAnswer(answer);
  const open = openTotal(answer.verdict, unit);
  if (open) return { text: open.figure === "–" ? open.doubt : amount(open.figure, unit), kind: "open" };
  return score.complete && score.legal ? { text: amount(score.total, unit), kind: "" } : { text: verdictOf(score), kind: "void" };
}

function verdictOf(score) {
  if (score.legal) return t("legal");
  if (!score.complete) return t("notComplete");
  return score.problems ? refusalOf(score) : refusal(score);
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

/**
 * What counts, fan by fan. `shown` says that the hand is drawn in the sets of this score already, which a fan lights up there; `open` that
 * the total may still change.
 */
export function fansView(score, shown, open) {
  const parts = shown ? [] : score.split.map((part) => partView(part));
  const places = (index) => (shown ? document.querySelectorAll(`#hand [data-part="${index}"]`) : [parts[index]].filter(Boolean));
  const light = (fan, on) => fan.parts.forEach((index) => places(index).forEach((place) => place.classList.toggle("lit", on)));
  return h("div", {},
    parts.length ? h("div", { class: "split" }, parts) : null,
    open ? h("p", { class: "hint", id: "fans-so-far" }, t("fansSoFar", { total: amount(score.total, score.unit) })) : null,
    score.fans.length ? h("ul", { class: "fan-list" }, score.fans.map((fan) => fanView(fan, light))) : h("p", { class: "hint" }, t("noFans")),
    score.excluded.length
      ? h("details", { class: "more", id: "excluded" }, h("summary", {}, t("excluded", { n: score.excluded.length })),
          h("ul", { class: "fan-list" }, score.excluded.map((fan) => excludedView(fan, score))))
      : null,
    score.steps?.length ? stepsView(score) : null,
    score.runner_up ? runnerUp(score) : null,
  );
}

/** The sets of an answer where they are those of the hand that is shown; null where it has changed since, or is none. */
export const setsOf = (answer, hand) => (answer?.score?.complete && isHand(hand, answer.hand) ? answer.score.split : null);

/** From the fan to the total, step by step. */
function stepsView(score) {
  const name = (step) => (lang() === "zh" ? step.zh : step.en);
  return h("details", { class: "more", id: "steps" }, h("summary", {}, t("steps")),
    h("table", { class: "payments" }, h("tbody", {}, score.steps.map((step) => h("tr", { "data-step": step.id },
      h("th", { scope: "row" }, name(step), step.ja && step.ja !== step.zh ? h("small", { lang: "ja" }, ` ${step.ja}`) : null),
      h("td", { class: "formula" }, step.formula),
      h("td", {}, `${step.amount} ${step.unit === "points" ? "" : t(step.unit)}`))))));
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
    h("span", { class: "fan-other", lang: lang() === "zh" ? "en" : "zh" }, otherName(fan)),
    fan.ja && fan.ja !== fan.zh ? h("span", { class: "fan-other", lang: "ja" }, fan.ja) : null);
}

function fanView(fan, light) {
  const details = h("details", { "data-fan": fan.id },
    h("summary", {}, title(fan), points(fan)),
    h("div", { class: "fan-more" }, h("span", {}, withTiles(own(fan, "why"))), h("span", { class: "clause" }, clause(fan))));
  details.addEventListener("toggle", () => light(fan, details.open));
  details.addEventListener("pointerenter", () => light(fan, true));
  details.addEventListener("pointerleave", () => light(fan, details.open));
  return h("li", { class: "fan" }, details);
}

/** The fan that covers one that does not count. */
function covering(fan, score) {
  const other = score.fans.find((one) => one.id === fan.by);
  return other ? ` · ${fanName(other)}` : "";
}

/** Where the rule stands, in the page's language as far as the text has a name in it. */
function clause(fan) {
  if (lang() !== "zh") return fan.clause;
  return fan.clause.replace(/^MCR (\d{4}), fan (\d+)/, "$1 年版第 $2 番").replace(/, table (\d+), (\d+)/, "，表 $1 第 $2 项").replace(/^KC v([\d.]+), /, "KC v$1，");
}

function excludedView(fan, score) {
  return h("li", { class: "fan excluded" }, h("details", { "data-excluded": fan.id },
    h("summary", {}, title(fan), h("span", { class: "principle" }, t(`principle_${fan.principle}`), covering(fan, score))),
    h("div", { class: "fan-more" }, h("span", {}, withTiles(own(fan, "reason"))), h("span", { class: "clause" }, clause(fan)))));
}

function runnerUp(score) {
  const { runner_up: other } = score;
  const name = (zh, at) => (lang() === "zh" ? zh : (other.fans_en?.[at] ?? zh));
  const fans = other.fans.map(([zh, count], at) => (count > 1 ? `${name(zh, at)} × ${count}` : name(zh, at)));
  return h("details", { class: "more" }, h("summary", {}, t("runnerUp", { n: amount(other.total, score.unit) })),
    h("div", { class: "split" }, other.split.map((part) => partView(part))),
    h("p", { class: "hint" }, fans.join(lang() === "zh" ? "、" : ", ")));
}
