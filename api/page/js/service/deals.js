// What changes a session: each act is a function of the session before it, so that it can be repeated on a session that somebody
// else has continued meanwhile. And the session as the service takes and gives it.

const isOpenDeal = (one, deal) => one.family === "sichuan" && Boolean(deal) && !isOver(one, deal);
const lastOf = (one) => one.deals[one.deals.length - 1];
const push = (one, deal) => ({ ...one, deals: [...one.deals, deal] });
const put = (one, deal) => ({ ...one, deals: [...one.deals.slice(0, -1), deal] });

/** A Sichuan deal is over when the wall is, or when three have won. */
function isOver(one, { log, hands }) {
  return !log.events || log.events.some((event) => event.type === "exhaust") || hands.length >= one.players.length - 1;
}

/** The deal that is being played and has events already; null where there is none. */
export const openDeal = (one) => (isOpenDeal(one, lastOf(one)) ? lastOf(one) : null);

/** Offences after which a player takes no further part in a Sichuan deal (T/TFMJ 01-2024, 11.2.7.2, 11.2.9.1, 11.2.10.3). */
const LEAVING = ["false_win", "mistaken_win", "pig_win"];
/** Offences after which a player may not win but plays on and pays (11.1 c, 11.2.10.1). */
const BARRING = ["late_pig", "barred"];

const fined = (one, offences) => (openDeal(one)?.log.events ?? []).filter((event) => offences.includes(event.type)).map((event) => event.player);

/** Who has not won in the deal that is being played: whoever left it after a fine may still be checked for readiness at its end. */
export function notWon(one) {
  const won = openDeal(one)?.hands.map((hand) => hand.player) ?? [];
  return one.players.filter((name) => !won.includes(name));
}

/** Who plays on in the deal that is being played: discards, makes kongs and pays. */
export const playingOn = (one) => notWon(one).filter((name) => !fined(one, LEAVING).includes(name));

/** Who may still win in it. */
export const mayWin = (one) => playingOn(one).filter((name) => !fined(one, BARRING).includes(name));

/** Who left the Sichuan deal that is being played after 诈和, for which 11.2.9.1 names no 查叫. */
export const falseWinners = (one) => fined(one, ["false_win"]);

/** Whether another player may have won on the same tile as the last one logged. */
export const mayShareTile = (one) => ["kc", "riichi"].includes(one.family) && Boolean(lastOf(one)?.hands.length) && Boolean(lastOf(one)?.log.from);

/** The acts by name: (session, what it needs) => session. */
const ACTS = {
  /** A win as its family logs it; `hand` is kept beside it. */
  win(one, { win, hand, together, riichi }) {
    const last = lastOf(one);
    if (openDeal(one)) return put(one, { hands: [...last.hands, hand], log: { events: [...last.log.events, win] } });
    if (one.family === "sichuan") return push(one, { log: { events: [win] }, hands: [hand] });
    if (together && mayShareTile(one)) {
      const { type, from, player, winners, riichi: sticks, ...worth } = last.log;
      const { type: same, from: theirs, ...claim } = win;
      return put(one, { hands: [...last.hands, hand], log: { type, from, ...(sticks ? { riichi: sticks } : {}), winners: [...(winners ?? [{ player, ...worth }]), claim] } });
    }
    return push(one, { log: { ...win, ...(riichi?.length ? { riichi } : {}) }, hands: [hand] });
  },
  /** The end of the wall, or a draw. */
  draw(one, { log }) {
    if (one.family !== "sichuan") return push(one, { log: { type: one.family === "riichi" ? "draw" : "exhaust", ...log }, hands: [] });
    return ACTS.event(one, { event: { type: "exhaust", ...log } });
  },
  /** A deal that ended without a win, as its family logs it. */
  deal: (one, { log }) => push(one, { log, hands: [] }),
  /** A penalty under MCR, in the deal that is being played. */
  penalty: (one, { log }) => ({ ...one, penalties: [...one.penalties, { deal: one.deals.length, log }] }),
  /** An event of a Sichuan deal. */
  event(one, { event }) {
    const last = openDeal(one);
    return last ? put(one, { ...last, log: { events: [...last.log.events, event] } }) : push(one, { log: { events: [event] }, hands: [] });
  },
  /** The last win, draw, kong or penalty is taken back. */
  back(one) {
    const { penalties, deals } = one;
    if (penalties.length && penalties[penalties.length - 1].deal === deals.length) return { ...one, penalties: penalties.slice(0, -1) };
    const last = lastOf(one);
    if (!last) return one;
    const { events, winners } = last.log;
    if (events?.length > 1) {
      const gone = events[events.length - 1];
      return put(one, { log: { events: events.slice(0, -1) }, hands: gone.type === "win" ? last.hands.slice(0, -1) : last.hands });
    }
    if (winners?.length > 1) return put(one, { hands: last.hands.slice(0, -1), log: { ...last.log, winners: winners.slice(0, -1) } });
    return { ...one, deals: deals.slice(0, -1) };
  },
};

/** The session after acts [{name, args}]. */
export const after = (one, acts) => acts.reduce((so, { name, args }) => ACTS[name](so, args), one);

/** The log as the service takes it. */
export function logOf({ rules, players, deals, penalties }) {
  const of = (at) => penalties.filter((one) => one.deal === at).map((one) => one.log);
  const logs = deals.map((deal, at) => (of(at).length ? { ...deal.log, penalties: of(at) } : deal.log));
  const pending = of(deals.length); // of the deal that is being played
  return { rules, players, deals: logs, ...(pending.length ? { penalties: pending } : {}) };
}

/** The hands of each deal as the service keeps them. */
export const handsOf = ({ deals }) => deals.map((deal) => deal.hands.map(({ player, from, total, unit, tiles, entry, hand }) =>
  ({ player, from, total, unit, tiles, entry: entry ?? null, hand: hand ?? null })));

/** Rules, players, deals and penalties of a session that the service gave. */
export function fromLog({ log, hands }) {
  const penalties = [];
  const take = (deal, list = []) => penalties.push(...list.map((one) => ({ deal, log: one })));
  const deals = log.deals.map(({ penalties: fines, ...deal }, at) => {
    take(at, fines);
    return { log: deal, hands: hands[at] ?? [] };
  });
  take(deals.length, log.penalties);
  return { rules: log.rules, players: log.players, deals, penalties };
}
