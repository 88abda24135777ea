// The hand as the page holds it: what was read, then corrected. Pure functions; each returns a new hand.
//
// A tile is {id, code, confidence, alternatives, inferred, edited}; `id` is the reading's, null for one added by hand.
// A hand is {concealed: [tile], melds: [{kind, tiles: [tile], claimed_from}], winning: tile | null, flowers: [tile]}.

export const EMPTY = Object.freeze({ concealed: [], melds: [], winning: null, flowers: [] });
export const isFlower = (code) => /^[1-8]h$/.test(code);
export const UNSURE_BELOW = 0.95;
export const DOUBTFUL_BELOW = 0.7;

const ORDER = [..."mps"].flatMap((suit) => [..."123456789"].map((rank) => rank + suit)).concat([..."ESWNCFP"]);
export const sortKey = (code) => {
  const at = ORDER.indexOf(code);
  return at < 0 ? 99 : at;
};

export const tileOf = (code) => ({ id: null, code, confidence: 1, alternatives: [], inferred: false, edited: true });

/** How sure a tile is: "sure", "unsure", "doubtful", "edited". One that was never read from a photo is simply given. */
export function certainty(tile) {
  if (tile.edited) return tile.id === null ? "sure" : "edited";
  if (tile.code === "?" || tile.confidence < DOUBTFUL_BELOW) return "doubtful";
  return tile.confidence < UNSURE_BELOW && !tile.inferred ? "unsure" : "sure";
}

/** The hand of a reading: its groups, where they make the likeliest legal hand, else that hand itself. */
export function fromReading(reading) {
  const tiles = new Map(reading.tiles.map((tile) => [tile.id, { ...tile, code: tile.tile, edited: false }]));
  const grouped = fromGroups(reading, tiles);
  const likely = reading.hands[0];
  return !likely || sameHand(grouped, likely) ? grouped : fromLikely(reading, tiles, likely);
}

function fromGroups(reading, tiles) {
  const hand = { concealed: [], melds: [], winning: null, flowers: [] };
  for (const group of reading.groups) {
    const members = group.tiles.map((id) => tiles.get(id)).filter(Boolean);
    if (group.kind === "concealed") hand.concealed.push(...members);
    else if (group.kind === "flowers") hand.flowers.push(...members);
    else if (group.kind === "winning_tile") hand.winning = members[0] ?? null;
    else hand.melds.push({ kind: group.kind, tiles: revealed(members), claimed_from: group.claimed_from });
  }
  if (!reading.groups.length) hand.concealed = [...tiles.values()].filter((tile) => tile.in_hand);
  return hand;
}

/** Whether a hand holds, part by part, what the service read. */
function sameHand(hand, likely) {
  const sorted = (codes) => [...codes].sort().join(" ");
  const own = (tiles) => sorted(tiles.map((tile) => tile.code));
  return own(hand.concealed) === sorted(likely.concealed) && own(hand.flowers) === sorted(likely.flowers)
    && (hand.winning?.code ?? null) === likely.winning_tile && hand.melds.length === likely.melds.length
    && hand.melds.every((meld, at) => meld.kind === likely.melds[at].kind && own(meld.tiles) === sorted(likely.melds[at].tiles));
}

/** The likeliest hand, each tile with its box where one was seen; one that follows from the others, such as a kong's back, has none. */
function fromLikely(reading, tiles, likely) {
  const kinds = new Map(reading.groups.map((group) => [group.id, group.kind]));
  const free = [...tiles.values()].filter((tile) => tile.in_hand);
  const take = (code, kind) => {
    const fits = (tile) => tile.code === code && kinds.get(tile.group) === kind;
    let at = free.findIndex(fits);
    if (at < 0) at = free.findIndex((tile) => tile.code === code);
    return at < 0 ? { ...tileOf(code), edited: false, inferred: true } : free.splice(at, 1)[0];
  };
  return {
    melds: likely.melds.map((meld) => ({ ...meld, tiles: meld.tiles.map((code) => take(code, meld.kind)) })),
    winning: likely.winning_tile ? take(likely.winning_tile, "winning_tile") : null,
    flowers: likely.flowers.map((code) => take(code, "flowers")),
    concealed: likely.concealed.map((code) => take(code, "concealed")),
  };
}

/** A kong's face-down tiles take the face that its other tiles show. */
function revealed(tiles) {
  const shown = tiles.find((tile) => tile.code !== "?");
  return shown ? tiles.map((tile) => (tile.code === "?" ? { ...tile, code: shown.code, inferred: true } : tile)) : tiles;
}

/** The hand of an answer's `hand`, every face taken as given. */
export function fromAnswer(parts) {
  return {
    concealed: parts.concealed.map(tileOf),
    melds: parts.melds.map((meld) => ({ ...meld, tiles: meld.tiles.map(tileOf) })),
    winning: parts.winning_tile ? tileOf(parts.winning_tile) : null,
    flowers: parts.flowers.map(tileOf),
  };
}

/** Tiles as a player counts them: a kong is three. */
export const size = (hand) => hand.concealed.length + (hand.winning ? 1 : 0) + 3 * hand.melds.length;

export const allTiles = (hand) => [
  ...hand.concealed,
  ...(hand.winning ? [hand.winning] : []),
  ...hand.melds.flatMap((meld) => meld.tiles),
  ...hand.flowers,
];

/** How many of each kind the hand holds, as Map code -> count. */
export function counts(hand) {
  const map = new Map();
  for (const tile of allTiles(hand)) map.set(tile.code, (map.get(tile.code) ?? 0) + 1);
  return map;
}

/** The hand as POST /v1/scores wants it; null while a face is unknown. */
export function toRequest(hand) {
  if (allTiles(hand).some((tile) => tile.code === "?")) return null;
  const codes = (tiles) => tiles.map((tile) => tile.code);
  return {
    concealed: codes(hand.concealed),
    melds: hand.melds.map((meld) => ({ kind: meld.kind, tiles: codes(meld.tiles), claimed_from: meld.claimed_from })),
    winning_tile: hand.winning?.code ?? null,
    flowers: codes(hand.flowers),
  };
}

/** Where each unsure tile lies, so that the service can ask about those that matter. */
export function doubts(hand) {
  const found = [];
  const add = (tile, place) => {
    if (["unsure", "doubtful"].includes(certainty(tile)) && tile.id !== null && tile.alternatives.length) {
      found.push({ id: tile.id, confidence: tile.confidence, alternatives: tile.alternatives, ...place });
    }
  };
  hand.concealed.forEach((tile, index) => add(tile, { part: "concealed", index }));
  if (hand.winning) add(hand.winning, { part: "winning_tile" });
  hand.melds.forEach((meld, index) => meld.tiles.forEach((tile, position) => add(tile, { part: "meld", index, position })));
  hand.flowers.forEach((tile, index) => add(tile, { part: "flowers", index }));
  return found.filter((doubt) => doubt.alternatives.every(([code]) => code !== "?")).slice(0, 8);
}

// Corrections

const mapTiles = (hand, change) => ({
  concealed: hand.concealed.map(change),
  winning: hand.winning && change(hand.winning),
  melds: hand.melds.map((meld) => ({ ...meld, tiles: meld.tiles.map(change) })),
  flowers: hand.flowers.map(change),
});

/** The tiles that have one face with `tile`: all of its pung or kong, else it alone. */
function alike(hand, tile) {
  const meld = hand.melds.find((one) => one.tiles.includes(tile));
  return meld && meld.kind !== "chow" ? meld.tiles : [tile];
}

/** `tile` gets another face; in a pung or kong all its tiles do. */
export function setFace(hand, tile, code) {
  const same = alike(hand, tile);
  const changed = mapTiles(hand, (one) => (same.includes(one) ? { ...one, code, edited: true } : one));
  return settleFlowers(changed);
}

/** A tile corrected to or from a flower changes its place. */
function settleFlowers(hand) {
  const concealed = hand.concealed.filter((tile) => !isFlower(tile.code));
  const flowers = hand.flowers.filter((tile) => isFlower(tile.code));
  concealed.push(...hand.flowers.filter((tile) => !isFlower(tile.code)));
  flowers.push(...hand.concealed.filter((tile) => isFlower(tile.code)));
  return { ...hand, concealed, flowers };
}

export function confirmFace(hand, tile) {
  const same = alike(hand, tile);
  return mapTiles(hand, (one) => (same.includes(one) ? { ...one, edited: true } : one));
}

export function add(hand, code) {
  const tile = tileOf(code);
  return isFlower(code) ? { ...hand, flowers: [...hand.flowers, tile] } : { ...hand, concealed: [...hand.concealed, tile] };
}

export function remove(hand, tile) {
  return {
    concealed: hand.concealed.filter((one) => one !== tile),
    winning: hand.winning === tile ? null : hand.winning,
    melds: hand.melds.map((meld) => ({ ...meld, tiles: meld.tiles.filter((one) => one !== tile) })).filter((meld) => meld.tiles.length),
    flowers: hand.flowers.filter((one) => one !== tile),
  };
}

/** `tile` of the concealed tiles won; the one that won before goes back. */
export function markWinning(hand, tile) {
  const concealed = hand.concealed.filter((one) => one !== tile);
  if (hand.winning) concealed.push(hand.winning);
  return { ...hand, concealed, winning: tile };
}

export function unmarkWinning(hand) {
  return hand.winning ? { ...hand, concealed: [...hand.concealed, hand.winning], winning: null } : hand;
}

/** The winning tile by its code, as a question's option names it. */
export function markWinningCode(hand, code) {
  const tile = hand.concealed.find((one) => one.code === code);
  return tile ? markWinning(hand, tile) : hand;
}

/** The sets that could be laid out with a concealed tile: [{kind, tiles}]. */
export function possibleSets(hand, tile) {
  const sets = [];
  const others = (code, skip) => hand.concealed.filter((one) => one.code === code && !skip.includes(one));
  const same = [tile, ...others(tile.code, [tile])];
  if (same.length >= 3) sets.push({ kind: "pung", tiles: same.slice(0, 3) });
  if (same.length >= 4) for (const kind of ["kong", "concealed_kong", "added_kong"]) sets.push({ kind, tiles: same.slice(0, 4) });
  const rank = Number(tile.code[0]);
  const suit = tile.code[1];
  if (rank && "mps".includes(suit)) {
    for (let low = Math.max(1, rank - 2); low <= Math.min(7, rank); low += 1) {
      const run = [low, low + 1, low + 2].map((n) => (n === rank ? tile : others(`${n}${suit}`, [])[0]));
      if (run.every(Boolean)) sets.push({ kind: "chow", tiles: run });
    }
  }
  return sets;
}

export function layOut(hand, { kind, tiles }) {
  return {
    ...hand,
    concealed: hand.concealed.filter((one) => !tiles.includes(one)),
    melds: [...hand.melds, { kind, tiles, claimed_from: null }],
  };
}

export function changeMeld(hand, index, change) {
  return { ...hand, melds: hand.melds.map((meld, at) => (at === index ? { ...meld, ...change } : meld)) };
}

/** A meld's kind changed; a kong gets a fourth tile, a pung loses it. */
export function changeKind(hand, index, kind) {
  let { tiles } = hand.melds[index];
  const four = kind.endsWith("kong");
  if (four && tiles.length === 3) tiles = [...tiles, { ...tileOf(tiles[0].code), inferred: true }];
  if (!four && tiles.length === 4) tiles = tiles.slice(0, 3);
  const claimed_from = kind === "concealed_kong" ? null : hand.melds[index].claimed_from;
  return changeMeld(hand, index, { kind, tiles, claimed_from });
}

export function breakUp(hand, index) {
  return {
    ...hand,
    concealed: [...hand.concealed, ...hand.melds[index].tiles],
    melds: hand.melds.filter((_, at) => at !== index),
  };
}
