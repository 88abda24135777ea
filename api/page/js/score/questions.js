// The open questions of a hand and the probabilities of its score, read from the service's answer; draws nothing.
//
// Every answer has a verdict: one question that decides most and further ones, each option with what the hand then comes to. They become
// {key, about, name, text, tiles, options: [{value, label, outcomes, likely, raw}], raw}.
import { changeKind, confirmFace, markWinningCode, setFace } from "../hand/corrections.js";
import { allTiles, codesOf, isFace } from "../hand/hand.js";
import { amount, message, own, t } from "../shell/i18n.js";
import { refusal } from "./refusal.js";

const MOSTLY = 0.8; // an answer that likely comes to one thing is said to come to that
const SELDOM = 0.05;
const SETTLED = 0.98; // a total as likely as this about which the service asks nothing is shown as it is

const keyOf = (question) => JSON.stringify([question.about, question.name, question.tiles]);

/** What to ask now, most deciding first, without what the user left open (`passed`, by key). */
export function openQuestions(answer, passed = []) {
  const verdict = answer?.verdict;
  const open = verdict?.question ? [verdict.question, ...verdict.further].map(asQuestion) : [];
  return open.filter((one) => !passed.includes(one.key));
}

const asQuestion = (question) => ({
  key: keyOf(question), about: question.about, name: question.name, text: message(question), tiles: question.tiles, raw: question,
  options: question.options.map((option) => ({
    value: option.value, label: own(option, "label"), outcomes: option.outcomes, raw: option,
    likely: question.about === "tile" ? option.probability : null, // of the others only the usual share is known
  })),
});

/** The hand with the faces of a whole hand in notation: those that it lacks go to the tiles in question. */
function withTilesOf(hand, question, notation) {
  const missing = codesOf(notation).filter(Boolean);
  const extra = allTiles(hand).map((tile) => tile.code).filter((code) => {
    const at = missing.indexOf(code);
    if (at >= 0) missing.splice(at, 1);
    return at < 0;
  });
  return missing.reduce((before, code) => {
    const may = (tile) => question.tiles.includes(tile.id) && extra.includes(tile.code) && tile.alternatives.some(([other]) => other === code);
    const tile = allTiles(before).find(may);
    if (!tile) return before;
    extra.splice(extra.indexOf(tile.code), 1);
    return setFace(before, tile, code);
  }, hand);
}

/** The hand as an answer leaves it, as far as the page can tell without the service; the service's own hand follows. */
export function answered(hand, question, option) {
  if (["tile", "kong"].includes(question.about)) {
    if (!isFace(option.value)) return withTilesOf(hand, question, option.value);
    const hidden = question.about === "kong" ? hand.melds.find((meld) => meld.tiles.every((tile) => tile.code === "?")) : null;
    const about = question.tiles.length ? allTiles(hand).filter((tile) => question.tiles.includes(tile.id)) : hidden?.tiles ?? [];
    const face = (before, { uid }) => {
      const tile = allTiles(before).find((one) => one.uid === uid);
      return tile.code === option.value ? confirmFace(before, tile) : setFace(before, tile, option.value);
    };
    return about.reduce(face, hand);
  }
  if (question.about === "winning_tile") return hand.winning ? hand : markWinningCode(hand, option.value);
  const kongs = hand.melds.map((meld, at) => ({ meld, at })).filter(({ meld }) => meld.kind.endsWith("kong"));
  if (question.about === "melds" && option.value.endsWith("kong") && kongs.length === 1) return changeKind(hand, kongs[0].at, option.value);
  return hand;
}

// What a hand comes to

/** What a player reads of an outcome, where it matters what a hand waits for; what may not win is one thing. */
const worthOf = (one) => (one.legal ? `${one.total}` : JSON.stringify([one.complete, one.waits]));

/** Outcomes by what a player reads of them, `nameOf(outcome)`: [{total, legal, complete, waits, receives, share}], likeliest first. */
function totals(outcomes, nameOf = worthOf) {
  const found = new Map();
  for (const one of outcomes) {
    const name = nameOf(one);
    const before = found.get(name);
    if (before) before.share += one.probability;
    else found.set(name, { ...one, receives: one.winner_receives, share: one.probability });
  }
  return [...found.values()].sort((a, b) => b.share - a.share);
}

const range = (numbers) => {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low === high ? String(low) : `${low}–${high}`;
};

/** A probability as one reads it. */
export const percent = (share) => (share > 0.995 ? "> 99%" : `${Math.max(1, Math.round(100 * share))}%`);

/** What an answer would score, `unit` as the service names it: {number, text, note, waits}; `number` is `text` without the unit. */
export function worth(option, unit) {
  const found = totals(option.outcomes);
  const [top] = found;
  const worded = (text, note = "", waits = []) => ({ number: text, text, note, waits });
  const scored = (number, note) => ({ number: String(number), text: amount(number, unit), note, waits: [] });
  if (!top) return worded("–");
  if (top.waits?.length) return worded(t("ready"), "", top.waits.map(([code]) => code));
  const wins = found.filter((one) => one.legal && one.share >= SELDOM);
  if (top.share >= MOSTLY || !wins.length) {
    const note = top.legal ? "" : top.complete ? refusal(top) : t("notComplete");
    return top.complete ? scored(top.total, note) : worded("–", note);
  }
  const sure = found.every((one) => one.legal || one.share < SELDOM);
  return scored(range(wins.map((one) => one.total)), sure ? "" : t("winInDoubt"));
}

/** What the winner receives with each answer, or the range of it, where that is what the answers differ in; null else. */
export function received(options, unit) {
  const texts = new Set(options.map((option) => worth(option, unit).text));
  const amounts = options.map(({ outcomes }) => {
    const likely = outcomes.filter((one, at) => at === 0 || one.probability >= SELDOM);
    return likely.length ? range(likely.map((one) => one.winner_receives)) : "–";
  });
  return texts.size === 1 && new Set(amounts).size > 1 ? amounts : null;
}

/**
 * How open the total is: null where it is sure, else {figure, text, legal, doubt}. `figure` is the range of what is likely, "–" where
 * no win is; `legal` is null where even that is open, and `doubt` then says how much.
 */
export function openTotal(verdict, unit) {
  if (!verdict || verdict.agreed || !verdict.outcomes.length) return null;
  const name = (one) => (one.legal ? amount(one.total, unit) : t(one.complete ? "noValidWin" : one.waits?.length ? "notYetWon" : "noWinningHand"));
  const found = totals(verdict.outcomes, name);
  const [top, ...others] = found;
  if (!verdict.question && top.share >= SETTLED) return null;
  const likely = found.filter((one) => one.legal && (one === top || one.share >= SELDOM)).map((one) => one.total);
  const figure = likely.length ? range(likely) : "–";
  const won = {
    legal: found.every((one) => one.legal === top.legal) ? top.legal : null,
    doubt: t(found.every((one) => one.legal || one.share < SELDOM) ? "winLikely" : likely.length ? "winInDoubt" : "winUnlikely"),
  };
  if (!others.length) return { figure, text: t(top.waits?.length ? "openWaits" : "openPayment", { total: name(top) }), ...won };
  const listed = (some) => {
    const numbers = some.filter((one) => one.legal).map((one) => one.total);
    return [numbers.length ? amount(range(numbers), unit) : "", ...new Set(some.filter((one) => !one.legal).map(name))].filter(Boolean).join(t("or"));
  };
  const inFigure = (one) => one.legal && one.total >= Math.min(...likely) && one.total <= Math.max(...likely);
  const outside = found.filter((one) => !inFigure(one));
  const p = percent(top.share);
  if (likely.length < 2 || !outside.length) return { figure, text: t("openTotal", { total: name(top), p, others: listed(others) }), ...won };
  const shares = { figure, within: percent(found.filter(inFigure).reduce((sum, one) => sum + one.share, 0)) };
  return { figure, text: t("openRange", { total: name(top), p, ...shares, others: listed(outside) }), ...won };
}

/** That doubtful tiles do not matter, where the hand may be another and comes to the same. */
export function agreement(verdict) {
  return verdict?.agreed && verdict.outcomes[0]?.complete && verdict.hands.length > 1 ? t("eitherWay") : "";
}
