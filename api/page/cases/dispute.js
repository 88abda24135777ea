// Claimed against computed, and the same hand by rule set.
import { h } from "/page/js/shell/dom.js";
import { withTiles } from "/page/js/hand/texts.js";
import { refusalOf } from "/page/js/score/refusal.js";
import { lang, message, own, sentence, t } from "/page/js/shell/i18n.js";

const unitOf = (score) => t(`unit_${score.unit}`);
const names = (fans) => fans.map((fan) => ((lang() === "zh" ? fan.zh : fan.en) || fan.zh) + (fan.count > 1 ? ` × ${fan.count}` : "")).join(lang() === "zh" ? "、" : ", ");

export function disputeCards(found, columns, rulesName) {
  return [claimedCard(found), columns ? rulesCard(found, columns, rulesName) : null];
}

function claimedCard(found) {
  const score = found.standing?.score ?? null;
  const changed = found.standing && found.computed && found.standing.notation !== found.computed.notation;
  const claims = found.claims.map(({ claim }) => side(t("claimedBy", { who: claim.by }), claim.total, t(`unit_${claim.unit}`), [claim.fans.join(lang() === "zh" ? "、" : ", "), claim.text],
    score ? (claim.total === score.total ? "agrees" : "differs") : "", { claim: claim.total }, score ? difference(claim.total, score.total) : null));
  const ruling = found.rulings.at(-1)?.ruling;
  return h("section", { class: "card", id: "claimed" }, h("h2", {}, t("claimedComputed")),
    h("div", { class: "sides" },
      claims.length ? claims : h("p", { class: "hint" }, t("noClaim")),
      result(t("computedRead"), found.computed, { computed: found.computed?.score?.total ?? "" }),
      changed || (found.standing && !found.computed) ? result(t("computedNow"), found.standing, { standing: found.standing.score?.total ?? "" }) : null,
      found.objections.map(({ number, objection, answered }) => side(t("objectedBy", { who: objection.by }), "", "",
        [objection.entry === null ? objection.what : `${objection.what} (${objection.entry})`, objection.reason, t(answered ? "answeredByRuling" : "notAnswered")], "", { objection: number })),
      ruling ? side(t("ruledNow"), ruling.total ?? "–", t(`unit_${ruling.unit}`), [t(`outcome_${ruling.outcome}`), ruling.reason, ruling.clause, fineText(found.rulings.at(-1))], "", { ruled: ruling.outcome }) : null));
}

function difference(claimed, computed) {
  if (claimed === computed) return h("span", { class: "good-text" }, t("agrees"));
  const by = claimed > computed ? t("differsMore", { n: claimed - computed }) : t("differsLess", { n: computed - claimed });
  return h("span", { class: "bad-text" }, `${t("differs")}: ${by}`);
}

function fineText({ ruling: { fine }, fine_clause_zh: clauseZh }) {
  if (!fine) return "";
  const points = fine.points === null ? "" : `, ${t("pointsOff", { n: fine.points })}`;
  return `${t("fineField")}: ${own(fine, "name")}${points} (${lang() === "zh" ? clauseZh : fine.clause})`;
}

function result(title, record, data) {
  if (!record?.score) return side(title, "–", "", [record ? t("whichWon") : t("noHandRead")], "", data);
  const { score } = record;
  const verdict = h("span", { class: score.legal ? "good-text" : "bad-text" }, score.legal ? t("legal") : score.complete ? refusalOf(score) : t("notComplete"));
  return side(title, score.total, unitOf(score), [names(score.fans)], "", data, verdict);
}

function side(title, total, unit, lines, look = "", data = {}, verdict = null) {
  return h("div", { class: `side ${look}`, data }, h("h3", {}, title), h("div", { class: "sum" }, String(total), " ", h("small", {}, unit)), verdict,
    lines.filter(Boolean).map((line) => h("div", {}, line)));
}

/** The standing hand under every rule set, beside what was claimed; the case's own rules first. */
function rulesCard(found, columns, rulesName) {
  const claims = found.claims.map(({ claim }) => claim);
  const ordered = [...columns].sort((a, b) => (b.rules === found.rules.id) - (a.rules === found.rules.id));
  const row = (column) => {
    const mine = column.rules === found.rules.id;
    const verdict = h("span", { class: column.verdict === "win" ? "good-text" : "bad-text" }, t(`verdict_${column.verdict}`));
    const reason = column.verdict === "win" ? "" : message(column.problems.find((one) => one.severity !== "note") ?? { message: "" });
    const why = [names(column.fans), names(column.fans) && reason ? h("br") : null, reason ? withTiles(sentence(reason)) : null];
    const claimed = claims.filter((claim) => claim.unit === column.unit).map((claim) => h("div", { class: claim.total === column.total ? "good-text" : "bad-text" }, `${claim.total} (${claim.by})`));
    return h("tr", { class: mine ? "own" : null, data: { rules: column.rules, total: column.total } },
      h("td", {}, rulesName(column.rules), mine ? h("div", { class: "hint" }, t("ofCase")) : null), h("td", {}, verdict),
      h("td", { class: `number${column.verdict === "win" ? "" : " void"}` }, column.complete ? `${column.total} ${unitOf(column)}` : "–"), h("td", { class: "number" }, claimed.length ? claimed : "–"), h("td", {}, why));
  };
  return h("section", { class: "card", id: "by-rules" }, h("h2", {}, t("byRules")), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("byRules") }, h("table", { class: "grid stacked" },
    h("thead", {}, h("tr", {}, ["ruleSet", "verdict", "totalColumn", "claimColumn", "fansColumn"].map((name) => h("th", { scope: "col" }, t(name))))),
    h("tbody", {}, ordered.map(row)))));
}
