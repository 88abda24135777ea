// The hand as the page holds it: what was read, then corrected. Pure functions; each returns a new hand.
//
// A tile is {uid, id, code, confidence, alternatives, inferred, edited, sideways, red}; `id` is the reading's, null for one added by
// hand; `uid` stays the same however the tile is corrected or moved, so that focus and drags find it again.
// A hand is {concealed: [tile], melds: [{kind, tiles: [tile], claimed_from}], winning: tile | null, flowers: [tile]}.

export const EMPTY = Object.freeze({ concealed: [], melds: [], winning: null, flowers: [] });
export const isFlower = (code) => /^[1-8]h$/.test(code);
/** Whether an answer names one face, and not a whole hand. */
export const isFace = (value) => /^([1-9][mps]|[1-8]h|[ESWNCFP])$/.test(value ?? "");
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
  return { uid: `m${Date.now().toString(36)}-${made}`, id: null, code, confidence: 1, alternatives: [], inferred: false, edited: true, sideways: false, red: false };
};

/** The fives that some sets have in red too. */
export const isFive = (code) => /^5[mps]$/.test(code);

/** Tiles with those of their fives red that `red` names, one each. */
const withRed = (tiles, red = []) => {
  const left = [...red];
  return tiles.map((tile) => {
    const at = left.indexOf(tile.code);
    if (at >= 0) left.splice(at, 1);
    return at >= 0 ? { ...tile, red: true } : tile;
  });
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

/**
 * The hand of a reading: its groups, where they make the likeliest legal hand, else that hand itself. Where no legal hand is likelier
 * than any, it is shown as read.
 */
export function fromReading(reading) {
  const tiles = new Map(reading.tiles.map((tile) => [tile.id, fromRead(tile)]));
  const grouped = fromGroups(reading, tiles);
  const likely = reading.hands[0];
  const none = 1 - reading.hands.reduce((sum, one) => sum + one.probability, 0);
  return !likely || likely.probability < none || isHand(grouped, likely) ? grouped : layOut(reading, [...tiles.values()].filter((tile) => tile.in_hand), likely);
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

/** Whether a hand holds, part by part, what the service says; false where it says nothing. */
export function isHand(hand, parts) {
  if (!hand || !parts) return false;
  const sorted = (codes) => [...codes].sort().join(" ");
  const own = (tiles) => sorted(tiles.map((tile) => tile.code));
  return own(hand.concealed) === sorted(parts.concealed) && own(hand.flowers) === sorted(parts.flowers)
    && (hand.winning?.code ?? null) === parts.winning_tile && hand.melds.length === parts.melds.length
    && hand.melds.every((meld, at) => meld.kind === parts.melds[at].kind && own(meld.tiles) === sorted(parts.melds[at].tiles));
}

/**
 * The hand of `parts`, laid out with `tiles` as far as these are its own: of the same face, or, where no other is left, of one
 * that may be that face. A tile that follows from the others, such as a kong's back, has no box.
 */
function layOut(reading, tiles, parts) {
  const kinds = new Map(reading.groups.map((group) => [group.id, group.kind]));
  const free = [...tiles];
  const pick = (fits) => {
    const at = free.findIndex(fits);
    return at < 0 ? null : free.splice(at, 1)[0];
  };
  const own = (code, kind) => pick((tile) => tile.code === code && kinds.get(tile.group) === kind) ?? pick((tile) => tile.code === code) ?? code;
  const other = (code) => {
    const tile = pick((one) => one.alternatives?.some(([face]) => face === code));
    if (!tile) return { ...tileOf(code), edited: false, inferred: true };
    const [, confidence] = tile.alternatives.find(([face]) => face === code);
    const others = tile.alternatives.filter(([face]) => face !== code);
    return { ...tile, code, confidence, alternatives: [[tile.code, tile.confidence], ...others] };
  };
  const found = {
    melds: parts.melds.map((meld) => meld.tiles.map((code) => own(code, meld.kind))),
    winning: parts.winning_tile ? [own(parts.winning_tile, "winning_tile")] : [],
    flowers: parts.flowers.map((code) => own(code, "flowers")),
    concealed: parts.concealed.map((code) => own(code, "concealed")),
  };
  const whole = (places) => places.map((one) => (typeof one === "string" ? other(one) : one));
  const order = new Map(tiles.map((tile, at) => [tile.uid, at]));
  const rank = (tile) => order.get(tile.uid) ?? tiles.length;
  return {
    melds: parts.melds.map((meld, at) => ({ kind: meld.kind, claimed_from: meld.claimed_from, tiles: whole(found.melds[at]) })),
    winning: whole(found.winning)[0] ?? null,
    flowers: whole(found.flowers),
    concealed: whole(found.concealed).sort((a, b) => rank(a) - rank(b)),
  };
}

/** A kong's face-down tiles take the face that its other tiles show. */
function revealed(tiles) {
  const shown = tiles.find((tile) => tile.code !== "?");
  return shown ? tiles.map((tile) => (tile.code === "?" ? { ...tile, code: shown.code, inferred: true } : tile)) : tiles;
}

/** The hand of an answer's `hand`, every face taken as given. */
export function fromAnswer(parts) {
  return ownRed({
    concealed: parts.concealed.map(tileOf),
    melds: parts.melds.map((meld) => ({ kind: meld.kind, claimed_from: meld.claimed_from, tiles: withRed(meld.tiles.map(tileOf), meld.red_fives) })),
    winning: parts.winning_tile ? tileOf(parts.winning_tile) : null,
    flowers: parts.flowers.map(tileOf),
  }, parts.red_fives);
}

/** A hand with the red fives of its concealed tiles and its winning one. */
function ownRed(hand, red) {
  const own = withRed([...hand.concealed, ...(hand.winning ? [hand.winning] : [])], red);
  return { ...hand, concealed: own.slice(0, hand.concealed.length), winning: hand.winning ? own[own.length - 1] : null };
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

/** A concealed kong of which no tile shows its face: the service takes it as it is. */
const isHidden = (meld) => meld.kind === "concealed_kong" && meld.tiles.every((tile) => tile.code === "?");

/** The hand as POST /v1/scores wants it; null while a face is unknown. */
export function toRequest(hand) {
  const shown = { ...hand, melds: hand.melds.filter((meld) => !isHidden(meld)) };
  if (allTiles(shown).some((tile) => tile.code === "?")) return null;
  const codes = (tiles) => tiles.map((tile) => tile.code);
  const red = (tiles) => {
    const fives = codes(tiles.filter((tile) => tile.red && isFive(tile.code)));
    return fives.length ? { red_fives: fives } : {};
  };
  return {
    concealed: codes(hand.concealed),
    melds: hand.melds.map((meld) => ({ kind: meld.kind, tiles: codes(meld.tiles), claimed_from: meld.claimed_from, ...red(meld.tiles) })),
    winning_tile: hand.winning?.code ?? null,
    flowers: codes(hand.flowers),
    ...red([...hand.concealed, ...(hand.winning ? [hand.winning] : [])]),
  };
}

const NOTATION = /\d+[mpsh]|[ESWNCFP]+|[[\]()+]/g;

/** A hand, sets or flowers in notation as tile codes, with "" where the notation sets them apart; a red five is a five. */
export const codesOf = (text) => (text.replace(/,\d/g, "").replace(/\d+(?=[mps])/g, (run) => run.replaceAll("0", "5")).match(NOTATION) ?? []).flatMap((part) => {
  if (/^[[\]()+]$/.test(part)) return [""];
  return /^\d/.test(part) ? [...part.slice(0, -1)].map((rank) => rank + part.slice(-1)) : [...part];
});

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

/** The corrections that hold: without those that a later one went back behind. */
function standing(corrections) {
  const held = [[]];
  for (const { change } of corrections) {
    const to = change.back_to ?? null;
    held.push(to === null ? [...held[held.length - 1], change] : held[to]);
  }
  return held[held.length - 1];
}

/** A stored hand as it stands, each tile the reading's where the photo shows it; null where nothing was read or told. */
export function fromStored({ reading, corrections, result }) {
  const changes = standing(corrections ?? []);
  const at = changes.map((change) => Boolean(change.hand)).lastIndexOf(true);
  if (at < 0 && !reading?.tiles.length) return result ? fromAnswer(result.hand) : null;
  const hand = at < 0 ? fromReading(reading) : fromCorrected(reading, changes[at].hand, changes[at].tile_ids);
  const faces = new Map(changes.slice(at + 1).flatMap(({ answer }) => (["tile", "kong"].includes(answer?.about) ? answer.tiles.map((id) => [id, answer.value]) : [])));
  const faced = (tile) => (isFace(faces.get(tile.id)) ? { ...tile, code: faces.get(tile.id), edited: true } : tile);
  const known = {
    concealed: hand.concealed.map(faced), winning: hand.winning && faced(hand.winning), flowers: hand.flowers.map(faced),
    melds: hand.melds.map((meld) => ({ ...meld, tiles: meld.tiles.map(faced) })),
  };
  if (!result || isHand(known, result.hand)) return known;
  const held = new Set(allTiles(known).map((tile) => tile.id));
  const apart = (reading?.tiles ?? []).filter((tile) => !held.has(tile.id) && (tile.in_hand || isFlower(tile.tile))).map(fromRead);
  return layOut(reading, [...allTiles(known), ...apart], result.hand);
}

/** A corrected hand as the service keeps it, its tiles those of the reading where `ids` (as `tileIds` gives them) says so. */
export function fromCorrected(reading, parts, ids) {
  const read = new Map((reading?.tiles ?? []).map((tile) => [tile.id, fromRead(tile)]));
  const one = (code, id) => {
    const tile = read.get(id);
    read.delete(id); // a tile is one tile of the hand, whatever an old correction says
    return tile ? { ...tile, code, red: false, edited: tile.code !== code } : tileOf(code);
  };
  const all = (codes, known) => codes.map((code, at) => one(code, known?.[at] ?? null));
  return ownRed({
    concealed: all(parts.concealed, ids?.concealed),
    melds: parts.melds.map((meld, at) => ({ kind: meld.kind, claimed_from: meld.claimed_from, tiles: withRed(all(meld.tiles, ids?.melds?.[at]), meld.red_fives) })),
    winning: parts.winning_tile ? one(parts.winning_tile, ids?.winning_tile ?? null) : null,
    flowers: all(parts.flowers, ids?.flowers),
  }, parts.red_fives);
}
