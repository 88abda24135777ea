// The hand as the page holds it: what was read, then corrected. Pure functions; each returns a new hand.
//
// A tile is {uid, id, code, confidence, alternatives, inferred, edited, sideways}; `id` is the reading's, null for one added by
// hand; `uid` stays the same however the tile is corrected or moved, so that focus and drags find it again.
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

let made = 0;
export const tileOf = (code) => {
  made += 1;
  return { uid: `m${Date.now().toString(36)}-${made}`, id: null, code, confidence: 1, alternatives: [], inferred: false, edited: true, sideways: false };
};

/** Where a photo of the hand shows a tile of the reading; null where it does not. */
export const boxOn = (read, photo) => ((read.photo ?? 0) === photo ? read.box : read.elsewhere?.find((place) => place.photo === photo)?.box ?? null);

/** A tile of a reading, as the hand holds it. */
export const fromRead = (tile) => ({ ...tile, uid: `r${tile.id}`, code: tile.tile, edited: false });

/** How sure a tile is: "sure", "unsure", "doubtful", "edited". One that was never read from a photo is simply given. */
export function certainty(tile) {
  if (tile.edited) return tile.id === null ? "sure" : "edited";
  if (tile.code === "?" || tile.confidence < DOUBTFUL_BELOW) return "doubtful";
  return tile.confidence < UNSURE_BELOW && !tile.inferred ? "unsure" : "sure";
}

/** The hand of a reading: its groups, where they make the likeliest legal hand, else that hand itself. */
export function fromReading(reading) {
  const tiles = new Map(reading.tiles.map((tile) => [tile.id, fromRead(tile)]));
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

/** Which tile of the reading each tile of the hand is, in the shape of `toRequest`; null for one added by hand. */
export function tileIds(hand) {
  const ids = (tiles) => tiles.map((tile) => tile.id);
  return {
    concealed: ids(hand.concealed), melds: hand.melds.map((meld) => ids(meld.tiles)),
    winning_tile: hand.winning?.id ?? null, flowers: ids(hand.flowers),
  };
}

/** A corrected hand as the service keeps it, its tiles those of the reading where `ids` (as `tileIds` gives them) says so. */
export function fromCorrected(reading, parts, ids) {
  const read = new Map((reading?.tiles ?? []).map((tile) => [tile.id, fromRead(tile)]));
  const one = (code, id) => {
    const tile = read.get(id);
    return tile ? { ...tile, code, edited: tile.code !== code } : tileOf(code);
  };
  const all = (codes, known) => codes.map((code, at) => one(code, known?.[at] ?? null));
  return {
    concealed: all(parts.concealed, ids?.concealed),
    melds: parts.melds.map((meld, at) => ({ ...meld, tiles: all(meld.tiles, ids?.melds?.[at]) })),
    winning: parts.winning_tile ? one(parts.winning_tile, ids?.winning_tile ?? null) : null,
    flowers: all(parts.flowers, ids?.flowers),
  };
}
