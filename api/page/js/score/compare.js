// One hand under every rule set, and what the profiles of one family count differently.
import { h } from "../shell/dom.js";
import { withTiles } from "../hand/texts.js";
import { amount, lang, message, own, sentence, t } from "../shell/i18n.js";

/** The comparison for the sheet; `rules` are the rule sets as the service lists them. */
export function comparisonView(comparison, rules) {
  const of = (id) => rules.find((one) => one.id === id);
  const name = (id) => own(of(id) ?? { name_en: id }, "name");
  const differences = comparison.differences.filter((pair) => pair.fans.length);
  return [
    h("ul", { class: "fan-list" }, comparison.columns.map((column) => columnView(column, name, of(column.rules)))),
    ...differences.map((pair) => h("div", {}, h("h3", {}, t("countDifferently", { left: name(pair.left), right: name(pair.right) })),
      h("ul", { class: "fan-list" }, pair.fans.map((fan) => differenceView(fan))))),
  ];
}

function columnView(column, name, rules) {
  const reason = column.verdict === "win" ? null : decisive(column.problems);
  return h("li", { class: "fan compared", "data-rules": column.rules },
    h("span", { class: "fan-name" }, name(column.rules)),
    h("span", { class: `fan-points${column.verdict === "win" ? "" : " void"}` }, column.complete ? `${amount(column.total, column.unit, rules?.words)}${figures(column, rules)}` : "–"),
    h("span", { class: `verdict small ${column.verdict === "win" ? "good" : "bad"}` }, t(`verdict_${column.verdict}`)),
    reason ? h("p", { class: "hint" }, withTiles(sentence(message(reason)))) : null);
}

/** What these rules put beside a total, such as han and fu. */
function figures(column, rules) {
  const named = (rules?.figures ?? []).filter((one) => column.total && column.details?.[one]).map((one) => `${column.details[one]} ${t(one, {}, rules.words)}`);
  return named.length ? ` (${named.join(" ")})` : "";
}

/** The problem that keeps the hand from winning: an error, else that it is too cheap. */
function decisive(problems) {
  return problems.find((one) => one.severity === "error") ?? problems.find((one) => one.code === "below_minimum") ?? null;
}

function differenceView(fan) {
  const worth = (pair) => (pair ? pair[0] * pair[1] : 0);
  return h("li", { class: "fan compared" },
    h("span", { class: "fan-name" }, lang() === "zh" ? fan.zh : fan.en),
    h("span", { class: "fan-points" }, `${worth(fan.left)} : ${worth(fan.right)}`), h("span"),
    h("p", { class: "hint" }, withTiles(own(fan, "reason"))));
}
