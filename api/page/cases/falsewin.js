// What a hand lacked that was announced as a win, and the fines by rule set.
import { h } from "/page/js/shell/dom.js";
import { lang, message, own, t } from "/page/js/shell/i18n.js";

export function falseWinCard(found, rules) {
  return h("section", { class: "card", id: "false-win" }, h("h2", {}, t("falseWin")), rules.map((one) => h("details", { open: one.rules === found.rules.id, data: { rules: one.rules } },
    h("summary", {}, h("b", {}, own(one, "name"))), one.wins ? h("p", { class: "good-text" }, t("falseWinNone")) : missing(one))));
}

function missing(one) {
  const away = one.to_ready === null ? null : one.to_ready ? t(one.to_ready === 1 ? "away_1" : "away", { n: one.to_ready }) : t("wasReady");
  return [
    h("ul", { class: "missing" }, one.missing.map((part) => h("li", { data: { lack: part.lack } }, message(part))), away ? h("li", {}, away) : null),
    h("div", { class: "fines" }, one.choices.map((choice) => h("div", { class: `fine${choice.fits ? " fits" : ""}`, data: { offence: choice.offence } },
      h("div", {}, h("b", {}, own(choice, "name")), choice.fits ? h("span", { class: "good-text" }, ` · ${t("fitsHere")}`) : null),
      h("div", {}, choice.points === null ? t("refereeSets") : t("pointsOff", { n: choice.points }), ` · ${lang() === "zh" ? choice.clause_zh : choice.clause}`),
      choice.payments.map((paid) => h("div", {}, t("pays", { amount: paid.amount, who: t(`payee_${paid.payee}`) }), paid.count > 1 ? ` × ${paid.count}` : "", ` (${paid.formula})`)),
      h("div", { class: "hint" }, own(choice, "follows"))))),
  ];
}

/** Fines to choose from in a ruling, of the case's rules first. */
export function fineOptions(rules) {
  return rules.filter((one) => !one.wins).flatMap((one) => one.choices.map((choice) => ({
    value: `${one.rules}/${choice.offence}`,
    text: `${one.rules}: ${lang() === "zh" ? choice.name_zh : choice.name_en}${choice.points === null ? "" : ` (${choice.points})`}${choice.fits ? " ✓" : ""}`,
  })));
}
