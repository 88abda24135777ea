// Corrections of the hand. Pure functions; each takes a hand as hand.js describes it and returns a new one.
import { allTiles, isFlower, sortKey, tileOf } from "./hand.js";

const mapTiles = (hand, change) => ({
  concealed: hand.concealed.map(change),
  winning: hand.winning && change(hand.winning),
  melds: hand.melds.map((meld) => ({ ...meld, tiles: meld.tiles.map(change) })),
  flowers: hand.flowers.map(change),
});

// Faces

/** The tiles that have one face with `tile`: all of its pung or kong, else it alone. */
function alike(hand, tile) {
  const meld = hand.melds.find((one) => one.tiles.includes(tile));
  const same = meld && meld.kind !== "chow" && meld.tiles.every((one) => one.code === tile.code || one.code === "?");
  return same ? meld.tiles : [tile];
}

/** `tile` gets another face; in a pung or kong all its tiles do. A flower of that face gets the one that `tile` had. */
export function setFace(hand, tile, code) {
  const same = alike(hand, tile);
  const other = isFlower(code) && isFlower(tile.code) ? hand.flowers.find((one) => one.code === code) : null;
  return settleFlowers(mapTiles(hand, (one) => {
    if (same.includes(one)) return { ...one, code, red: false, edited: true };
    return one === other ? { ...one, code: tile.code, edited: true } : one;
  }));
}

/** Mark a five as red or not. */
export function setRed(hand, tile, red) {
  return mapTiles(hand, (one) => (one === tile ? { ...one, red, edited: true } : one));
}

export function confirmFace(hand, tile) {
  const same = alike(hand, tile);
  return mapTiles(hand, (one) => (same.includes(one) ? { ...one, edited: true } : one));
}

/** Every face that is shown is right. */
export const settled = (hand) => mapTiles(hand, (tile) => (tile.id === null || tile.code === "?" ? tile : { ...tile, edited: true }));

/** A tile corrected to or from a flower changes its place. */
function settleFlowers(hand) {
  const concealed = hand.concealed.filter((tile) => !isFlower(tile.code));
  const flowers = hand.flowers.filter((tile) => isFlower(tile.code));
  concealed.push(...hand.flowers.filter((tile) => !isFlower(tile.code)));
  flowers.push(...hand.concealed.filter((tile) => isFlower(tile.code)));
  return { ...hand, concealed, flowers };
}

// Tiles more and less

export function add(hand, code) {
  const tile = tileOf(code);
  return isFlower(code) ? { ...hand, flowers: [...hand.flowers, tile] } : { ...hand, concealed: [...hand.concealed, tile] };
}

/** The hand without the tiles that no photo shows. */
export const shown = (hand) => {
  const kept = (tiles) => tiles.filter((tile) => tile.id !== null);
  return {
    concealed: kept(hand.concealed),
    winning: hand.winning?.id == null ? null : hand.winning,
    melds: hand.melds.map((meld) => ({ ...meld, tiles: kept(meld.tiles) })),
    flowers: kept(hand.flowers),
  };
};

/** `seen` is in the hand: as one of its face that no photo showed so far, else as one more. */
export function seenToo(hand, seen) {
  const known = allTiles(hand).find((tile) => tile.id === null && tile.code === seen.code);
  if (known) return mapTiles(hand, (tile) => (tile === known ? { ...seen, uid: known.uid } : tile));
  return move(hand, seen, { part: isFlower(seen.code) ? "flowers" : "concealed" });
}

export const remove = (hand, tile) => move(hand, tile, { part: "away" });

/** The winning tile by its code, as a question's option names it. */
export function markWinningCode(hand, code) {
  const tile = hand.concealed.find((one) => one.code === code);
  return tile ? move(hand, tile, { part: "winning" }) : hand;
}

export const sorted = (hand) => ({ ...hand, concealed: [...hand.concealed].sort((a, b) => sortKey(a.code) - sortKey(b.code)) });

// Moves: where a tile lies

/**
 * `tile` laid elsewhere; one that was no part of the hand comes in. `to` is {part, index?, at?}: "concealed" (before its tile
 * `at`), "winning", "flowers", "meld" (the one at `index`), "new" (a set of its own), or "away" (no part of the hand).
 */
export function move(hand, tile, to) {
  const rest = takeOut(hand, tile);
  const put = {
    concealed: () => ({ ...rest, concealed: insert(rest.concealed, tile, placeOf(hand, tile, to.at)) }),
    winning: () => ({ ...rest, concealed: rest.winning ? [...rest.concealed, rest.winning] : rest.concealed, winning: tile }),
    flowers: () => ({ ...rest, flowers: [...rest.flowers, tile] }),
    meld: () => ({ ...rest, melds: rest.melds.map((meld, at) => (at === to.index ? reshaped(meld, [...meld.tiles, tile]) : meld)) }),
    new: () => ({ ...rest, melds: [...rest.melds, reshaped({ kind: "chow", claimed_from: null }, [tile])] }),
    away: () => rest,
  };
  const moved = settleFlowers(put[to.part]());
  return { ...moved, melds: moved.melds.filter((meld) => meld.tiles.length) };
}

/** The hand without `tile`; an emptied meld stays until the move is done, so that the others keep their index. */
function takeOut(hand, tile) {
  const without = (tiles) => tiles.filter((one) => one !== tile);
  return {
    concealed: without(hand.concealed),
    winning: hand.winning === tile ? null : hand.winning,
    melds: hand.melds.map((meld) => (meld.tiles.includes(tile) ? reshaped(meld, without(meld.tiles)) : meld)),
    flowers: without(hand.flowers),
  };
}

/** Where among the remaining tiles "before the tile `at`" is, now that `tile` is gone. */
function placeOf(hand, tile, at = hand.concealed.length) {
  const from = hand.concealed.indexOf(tile);
  return from >= 0 && from < at ? at - 1 : at;
}

const insert = (tiles, tile, at) => [...tiles.slice(0, at), tile, ...tiles.slice(at)];

/** A meld with other tiles, of the kind that these make. */
function reshaped(meld, tiles) {
  const same = tiles.every((tile) => tile.code === tiles[0].code);
  let kind = same ? "pung" : "chow";
  if (tiles.length === 4) kind = meld.kind.endsWith("kong") ? meld.kind : "kong";
  return { ...meld, kind, tiles, claimed_from: kind === "concealed_kong" ? null : meld.claimed_from };
}

/** Whether a meld has room for `tile`: a fourth one like its three, or a set that is not whole yet. */
export function hasRoom(meld, tile) {
  if (meld.tiles.includes(tile)) return false;
  return meld.tiles.length < 3 || (meld.tiles.length === 3 && meld.tiles.every((one) => one.code === tile.code));
}

/** The places a tile may go to, in the order in which they are offered: [{part, index?}]. */
export function destinations(hand, tile) {
  const inside = hand.concealed.includes(tile);
  const places = [];
  if (isFlower(tile.code)) {
    if (!hand.flowers.includes(tile)) places.push({ part: "flowers" });
  } else {
    if (!inside) places.push({ part: "concealed" });
    if (hand.winning !== tile) places.push({ part: "winning" });
    hand.melds.forEach((meld, index) => { if (hasRoom(meld, tile)) places.push({ part: "meld", index }); });
    if (!hand.melds.some((meld) => meld.tiles.length === 1 && meld.tiles[0] === tile)) places.push({ part: "new" });
  }
  return places;
}

// Sets

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

const changeMeld = (hand, index, change) => ({ ...hand, melds: hand.melds.map((meld, at) => (at === index ? { ...meld, ...change } : meld)) });

/** A meld's kind changed; a kong gets a fourth tile, a pung loses it. */
export function changeKind(hand, index, kind) {
  let { tiles } = hand.melds[index];
  const four = kind.endsWith("kong");
  if (four && tiles.length === 3) tiles = [...tiles, { ...tileOf(tiles[0].code), inferred: true }];
  if (!four && tiles.length === 4) tiles = tiles.slice(0, 3);
  if (kind === "concealed_kong") tiles = tiles.map((tile) => ({ ...tile, sideways: false }));
  const claimed_from = kind === "concealed_kong" ? null : hand.melds[index].claimed_from;
  return changeMeld(hand, index, { kind, tiles, claimed_from });
}

export function breakUp(hand, index) {
  const tiles = hand.melds[index].tiles.map((tile) => ({ ...tile, sideways: false }));
  return { ...hand, concealed: [...hand.concealed, ...tiles], melds: hand.melds.filter((_, at) => at !== index) };
}

// The claimed tile: where it lies in its set says from whom it came, and the other way round.

const SOURCES = { 3: ["left", "across", "right"], 4: ["left", "across", "across", "right"] };

/** The position of the tile drawn sideways, -1 for none. A chow's may lie anywhere, always from the left. */
export function claimedAt(meld) {
  if (!meld.claimed_from || meld.kind === "concealed_kong") return -1;
  const marked = meld.tiles.findIndex((tile) => tile.sideways);
  if (meld.kind === "chow") return Math.max(0, marked);
  const sources = SOURCES[meld.tiles.length] ?? ["left"];
  return marked >= 0 && sources[marked] === meld.claimed_from ? marked : sources.indexOf(meld.claimed_from);
}

/** The tile at `position` of a meld is the claimed one. */
export function markClaimed(hand, index, position) {
  const meld = hand.melds[index];
  const claimed_from = meld.kind === "chow" ? "left" : (SOURCES[meld.tiles.length] ?? ["left"])[position];
  return changeMeld(hand, index, { claimed_from, tiles: meld.tiles.map((tile, at) => ({ ...tile, sideways: at === position })) });
}

/** The set came from `source`, one of left, across, right, or null where that is not known. */
export function setSource(hand, index, source) {
  const { tiles } = hand.melds[index];
  return changeMeld(hand, index, { claimed_from: source, tiles: tiles.map((tile) => ({ ...tile, sideways: false })) });
}
