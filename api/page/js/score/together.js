// A session on several phones: the sheet that invites the others, and what another phone's change left open.
import * as api from "../service/api.js";
import { byId, h, icon } from "../shell/dom.js";
import { own, t } from "../shell/i18n.js";
import { openSheet } from "../shell/sheet.js";
import { linkToSession } from "../shell/share.js";
import * as table from "../service/table.js";

/** Whether other devices cannot open the page's address. */
const isLoopback = () => ["localhost", "[::1]"].includes(location.hostname) || location.hostname.startsWith("127.");

/** The code and the link of the session; before, the way to have the service keep it. */
export async function openInvite(message = null) {
  const one = table.current();
  if (!one.stored) {
    const share = async ({ currentTarget }) => {
      currentTarget.disabled = true;
      try {
        await openInvite(await table.share() ? null : t("goneDetail"));
      } catch (error) {
        await openInvite(error instanceof api.ServiceProblem ? error.words().detail : t("goneDetail"));
      }
    };
    openSheet(t("invite"), message ? h("p", { class: "message error", role: "alert" }, message) : null, h("p", {}, t("onlyHere")),
      h("div", { class: "sheet-actions" }, h("button", { type: "button", class: "button primary", id: "share-session", onclick: share }, icon("share"), t("togetherOn"))));
    return;
  }
  const link = linkToSession(one);
  const field = h("input", { class: "link-field", id: "session-link", readonly: true, value: link, "aria-label": t("link"), onfocus: (event) => event.target.select() });
  const copy = async () => {
    field.focus();
    const copied = await (navigator.clipboard?.writeText(link).then(() => true, () => false) ?? false);
    byId("invite-note").textContent = t(copied ? "copied" : "copyThis");
  };
  openSheet(t("invite"),
    h("p", {}, t("inviteHint")),
    isLoopback() ? h("p", { class: "message warning" }, t("loopback")) : null,
    h("div", { class: "session-code", id: "session-code" }),
    field,
    h("div", { class: "sheet-actions" }, h("button", { type: "button", class: "button small", id: "copy-session", onclick: copy }, icon("share"), t("copyLink"))),
    h("p", { class: "hint", id: "invite-note", role: "status" }));
  try {
    const url = URL.createObjectURL(await api.sessionCode(one.id, one.stored.share));
    byId("session-code")?.replaceChildren(h("img", { src: url, alt: t("codeOf"), width: "240", height: "240", onload: () => URL.revokeObjectURL(url) }));
  } catch {
    // the link is there all the same
  }
}

/** What is not counted: because another phone was faster, or because the service refused it. `again()` after each decision. */
export function heldView(again) {
  return (table.current()?.held ?? []).map(({ uid, name, args, why }) => {
    const decide = (act) => () => {
      act(uid);
      again();
    };
    return h("div", { class: "message warning held", role: "status", "data-held": uid },
      h("p", {}, why ? own(why, "detail") : t("overtaken"), " ", h("strong", {}, titleOf(name, args))),
      h("div", { class: "sheet-actions" },
        h("button", { type: "button", class: "button small", "data-uid": `still-${uid}`, onclick: decide(table.doStill) }, icon("plus"), t("addStill")),
        h("button", { type: "button", class: "button small", "data-uid": `drop-${uid}`, onclick: decide(table.letGo) }, icon("bin"), t("dropIt"))));
  });
}

/** An act in a few words. */
function titleOf(name, { hand, log, event }) {
  if (hand) {
    const from = hand.from === null ? t("ownDraw") : t("fromPlayer", { name: hand.from });
    return [hand.player, from, hand.total === null ? null : `${hand.total} ${t(`unit_${hand.unit}`)}`].filter(Boolean).join(" · ");
  }
  if (event?.type === "kong") return `${t("kind_kong")} · ${event.player}`;
  if (name === "draw") return t("noWinner");
  const player = (event ?? log).player;
  return `${t("penalty")}${player ? ` · ${player}` : ""}`;
}
