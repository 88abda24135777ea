// Proposed corrections and the referee's decisions on them.
import { h } from "/page/js/shell/dom.js";
import { lang, t, when } from "/page/js/shell/i18n.js";
import { tileView } from "/page/js/hand/tiles.js";
import { send, stated } from "./desk.js";
import { openForm } from "./sheet.js";
import { nameOf } from "./words.js";

export function correctionsCard(found, again) {
  const list = found.corrections.map((one) => correction(found, one, again));
  return h("section", { class: "card", id: "corrections" }, h("h2", {}, t("corrections")), list.length ? list.reverse() : h("p", { class: "hint" }, t("noCorrections")));
}

const total = (result) => (result?.score ? `${result.score.total} ${t(`unit_${result.score.unit}`)}` : "–");

function correction(found, one, again) {
  const { proposal, decision } = one;
  const changes = proposal.changes.map(({ before, after }) => h("span", { class: "change" }, before ? tileView(before, "tiny") : "–", "→", after ? tileView(after, "tiny") : "–"));
  const [wonBefore, won] = [proposal.before?.hand.winning_tile, proposal.after.hand.winning_tile];
  if (!changes.length && won !== wonBefore) {
    changes.push(h("span", { class: "change" }, t("winningTile"), wonBefore ? tileView(wonBefore, "tiny") : "–", "→", won ? tileView(won, "tiny") : "–"));
  }
  return h("div", { class: "correction", data: { number: one.number } },
    h("div", { class: "acts" }, changes, h("b", {}, `${total(proposal.before)} → ${total(proposal.after)}`)),
    one.differences.length ? h("ul", { class: "differences" }, one.differences.map((part) => h("li", {}, part[lang()] ?? part.en))) : null,
    h("div", {}, proposal.reason), h("div", { class: "hash" }, proposal.after.notation),
    h("div", { class: "who" }, `${nameOf(one.author)} · ${when(one.time)}`), decisionView(found, one, decision, again));
}

function decisionView(found, one, decision, again) {
  if (decision) {
    const who = nameOf(one.decided_by);
    return h("div", { class: decision.accepted ? "good-text" : "bad-text" }, t(decision.accepted ? "accepted" : "rejected", { who }), decision.reason ? `: ${decision.reason}` : "");
  }
  if (!found.may.decide) return h("div", { class: "hint" }, t("undecided"));
  const decide = (accepted) => openForm(t(accepted ? "accept" : "reject"), [h("label", {}, t("decisionReason"), h("textarea", { name: "reason" }))], async ({ reason }) => {
    await send(`/cases/${found.id}/corrections/${one.number}/decision`, { accepted, reason, head: found.head, stated: stated() });
    await again();
  });
  return h("div", { class: "acts" },
    h("button", { type: "button", class: "button small primary", data: { act: "accept" }, onclick: () => decide(true) }, t("accept")),
    h("button", { type: "button", class: "button small", data: { act: "reject" }, onclick: () => decide(false) }, t("reject")));
}
