// Why a complete hand may not win, in a word.
import { isFlower } from "../hand/hand.js";
import { state } from "../service/state.js";
import { t } from "../shell/i18n.js";

/** Of a score, whose problems tell. */
export function refusalOf(score) {
  const has = (test) => score.problems.some(test);
  const low = has((one) => one.code === "below_minimum") && !has((one) => one.severity === "error");
  return t(low ? "belowMinimum" : "illegal");
}

/** Of an outcome, of which the total alone is known: flowers, where they are in play, do not count towards the minimum. */
export function refusal(outcome) {
  const { minimum, tiles } = state.won.rules;
  const flowers = tiles.some(isFlower) ? state.hand?.flowers.length ?? 0 : 0;
  return t(outcome.total - flowers < minimum ? "belowMinimum" : "illegal");
}
