// What people do: claim, propose, remark, add a photo; and for referees: rule, close, export.
import { h } from "/page/js/shell/dom.js";
import { t } from "/page/js/shell/i18n.js";
import { file, send, sendForm, stated } from "./desk.js";
import { fineOptions } from "./falsewin.js";
import { proposeForm } from "./photo.js";
import { placeForm } from "./place.js";
import { openForm, reasonField } from "./sheet.js";

const act = (name, onclick, look = "") => h("button", { type: "button", class: `button small ${look}`, data: { act: name }, onclick }, t(name));
const field = (name, label, options = {}) => h("label", {}, t(label), h("input", { name, ...options }));

const CONTESTED = new Set(["scored", "claimed", "correction_proposed", "correction_decided", "ruled"]);

export function actsCard(found, again) {
  if (!found.may.propose) return null;
  const path = `/cases/${found.id}`;
  const claim = () => openForm(t("claim"), [field("by", "claimWho", { required: true, maxlength: 200, value: stated() }), field("total", "claimTotal", { type: "number", min: 0, required: true }),
    field("fans", "claimFans"), h("label", {}, t("remark"), h("textarea", { name: "text" }))], async (values) => {
    const fans = values.fans.split(/[,，、]/).map((fan) => fan.trim()).filter(Boolean);
    await send(`${path}/claims`, { by: values.by, total: Number(values.total), fans, text: values.text, stated: stated() });
    await again();
  });
  const propose = () => openForm(t("proposeHand"), [field("notation", "proposeHand", { required: true, value: found.standing?.notation ?? "" }), reasonField()], async (values) => {
    await send(`${path}/corrections`, { notation: values.notation, reason: values.reason, stated: stated() });
    await again();
  }, { button: t("propose") });
  const object = () => openForm(t("object"), [field("by", "objectWho", { required: true, maxlength: 200, value: stated() }), field("what", "objectWhat", { required: true, maxlength: 200 }),
    h("label", {}, t("objectEntry"), h("select", { name: "entry" }, h("option", { value: "" }, t("objectCase")), found.events.filter((one) => CONTESTED.has(one.kind)).map((one) => h("option", { value: one.seq }, `${one.seq}: ${t(`kind_${one.kind}`)}`)))),
    reasonField()], async (values) => {
    await send(`${path}/objections`, { by: values.by, what: values.what, reason: values.reason, entry: values.entry === "" ? null : Number(values.entry), stated: stated() });
    await again();
  });
  const remark = () => openForm(t("addRemark"), [h("label", {}, t("remark"), h("textarea", { name: "text", required: true }))], async ({ text }) => {
    await send(`${path}/notes`, { text, stated: stated() });
    await again();
  });
  const photo = () => openForm(t("addPhoto"), [field("photo", "photo", { type: "file", required: true, accept: "image/*,.heic,.heif" })], async (values) => {
    const body = new FormData();
    body.append("photo", values.photo, values.photo.name);
    body.append("stated", stated());
    await sendForm(`${path}/photos`, body);
    await again();
  });
  const drawn = found.standing ? { ...found.standing.circumstances, self_drawn: !found.standing.circumstances.self_drawn } : null;
  return h("section", { class: "card", id: "acts" }, h("h2", {}, t("acts")), h("div", { class: "acts" },
    act("claim", claim, "primary"), act("object", object), act("propose", propose), drawn ? act("won_how", () => proposeForm(found, t("won_how"), { circumstances: drawn }, [], again)) : null,
    act("addPhoto", photo), act("addRemark", remark), found.may.place ? act("place", () => placeForm(found, again)) : null, act("report", () => open(found, "report", "pdf"))),
  found.notes.map(({ note, author }) => h("p", {}, h("b", {}, `${author.stated || author.name}: `), note.text)));
}

export function refereeCard(found, helped, again) {
  if (found.you.role !== "referee") return null;
  const path = `/cases/${found.id}`;
  const state = (closed) => openForm(t(closed ? "close_case" : "reopen"), [closed ? leaveOpen(found.undecided) : null, reasonField()], async ({ reason, leave_open }) => {
    await send(`${path}/state`, { closed, reason, leave_open: leave_open === "on", head: found.head, stated: stated() });
    await again();
  });
  return h("section", { class: "card", id: "referee" }, h("h2", {}, t("refereeActs")), h("div", { class: "acts" },
    found.may.rule ? act("rule", () => rulingForm(found, helped, again), "primary") : null,
    found.may.close ? act("close_case", () => state(true)) : null, found.may.reopen ? act("reopen", () => state(false)) : null,
    act("exportCase", () => open(found, "bundle", "zip")), found.may.propose ? null : act("report", () => open(found, "report", "pdf"))));
}

/** Where something is undecided: which entries, and a box to go on all the same. */
const leaveOpen = (numbers) => (numbers.length
  ? h("div", { class: "message warning" }, t("stillOpen", { n: numbers.join(", ") }), h("label", { class: "check" }, h("input", { type: "checkbox", name: "leave_open" }), t("leaveOpen"))) : null);

function rulingForm(found, helped, again) {
  const fines = helped ? fineOptions(helped.rules) : [];
  const outcomes = ["win", "false_win", "void"];
  const score = found.standing?.score;
  const chosen = score && !score.legal ? "false_win" : "win";
  openForm(t("rule"), [
    h("label", {}, t("outcome"), h("select", { name: "outcome" }, outcomes.map((one) => h("option", { value: one, selected: one === chosen }, t(`outcome_${one}`))))),
    h("div", { class: "two" }, field("total", "claimTotal", { type: "number", min: 0, value: score?.legal ? score.total : 0 }), field("clause", "clauseField", { maxlength: 200 })),
    fines.length ? h("div", { class: "two" },
      h("label", {}, t("fineField"), h("select", { name: "fine" }, h("option", { value: "" }, t("noFine")), fines.map((one) => h("option", { value: one.value }, one.text)))),
      field("points", "finePoints", { type: "number", min: 0 })) : null,
    leaveOpen(found.corrections.filter((one) => !one.decision).map((one) => one.number)),
    reasonField(),
  ], async (values) => {
    const [rules, offence] = (values.fine ?? "").split("/");
    const fine = offence ? { rules, offence, points: values.points === "" ? null : Number(values.points) } : null;
    const total = values.total === "" || values.outcome === "void" ? null : Number(values.total);
    await send(`/cases/${found.id}/rulings`, { outcome: values.outcome, total, clause: values.clause, reason: values.reason, fine, leave_open: values.leave_open === "on", head: found.head, stated: stated() });
    await again();
  }, { button: t("rule") });
}

/** Fetch a file with the key and give it to the browser. */
async function open(found, what, extension) {
  const url = URL.createObjectURL(await file(`/cases/${found.id}/${what}`));
  const link = h("a", { href: url, download: `case-${found.id}.${extension}` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
