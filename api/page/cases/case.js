// One case: photo and reading on one side, claims, corrections and rulings on the other.
import { h } from "/page/js/shell/dom.js";
import { own, t, when } from "/page/js/shell/i18n.js";
import { actsCard, refereeCard } from "./acts.js";
import { correctionsCard } from "./corrections.js";
import { get } from "./desk.js";
import { disputeCards } from "./dispute.js";
import { falseWinCard } from "./falsewin.js";
import { logCard, whoMayCard } from "./log.js";
import { handCard, photoCard } from "./photo.js";
import { placeLine } from "./place.js";
import { nameOf } from "./words.js";

export async function showCase(main, id) {
  const [found, { rules }] = await Promise.all([get(`/cases/${id}`), get("/rules")]);
  const rulesName = (one) => own(rules.find((rule) => rule.id === one) ?? { name_en: one }, "name");
  const standing = found.standing;
  const [compared, helped] = standing?.score
    ? await Promise.all([comparison(standing), standing.score.legal ? null : get(`/cases/${id}/false-win`)])
    : [null, null];
  /** Show the case as it is after an act; where that fails the act is done all the same, and must not be offered again as if it were not. */
  const again = () => showCase(main, id).catch(() => main.prepend(h("div", { class: "message error wide", role: "alert" }, t("doneNotShown"))));
  main.replaceChildren(
    head(found, rulesName),
    h("div", { class: "column" }, await photoCard(found, again), handCard(found, again), whoMayCard(found)),
    h("div", { class: "column" }, ...disputeCards(found, compared, rulesName), helped ? falseWinCard(found, helped.rules) : null,
      correctionsCard(found, again), refereeCard(found, helped, again), actsCard(found, again), logCard(found)));
}

async function comparison(standing) {
  const { send } = await import("./desk.js");
  return (await send("/comparisons", { hand: standing.hand, circumstances: standing.circumstances })).columns;
}

function head(found, rulesName) {
  const time = when(found.opened);
  return h("div", { class: "wide case-head" },
    h("div", { class: "acts" }, h("h1", {}, found.title || t("caseTitle")), h("span", { class: `state ${found.state}`, id: "state" }, t(`state_${found.state}`))),
    h("div", { class: "case-facts" }, h("span", {}, h("b", {}, rulesName(found.rules.id))), h("span", {}, `${t("openedBy")}: ${nameOf(found.author)}, ${time}`),
      h("span", {}, `${t("you")}: `, h("b", {}, `${nameOf(found.you)}, ${t(found.you.role)}`)), h("span", { class: "hash" }, found.id)),
    placeLine(found) ? h("p", { id: "place" }, placeLine(found)) : null,
    found.photos_agree ? null : h("div", { class: "message warning" }, t("photosDisagree")));
}


