// What a person marks on the photo: tiles that were not found, and what is no tile. Pure functions.
//
// Marks are {added: [{id, tile, quad}], noTiles: [id]}; a quad is [[x, y] * 4], pixels of the upright photo.

const FIRST_ID = 5000; // far above the ids of any reading
const NEIGHBOURS = 3;

export const NO_MARKS = Object.freeze({ added: [], noTiles: [] });

/** The corrections that hold: without those that a later one went back behind. */
function standing(corrections) {
  const held = [[]];
  for (const { change } of corrections ?? []) {
    const to = change.back_to ?? null;
    held.push(to === null ? [...held[held.length - 1], change] : held[to]);
  }
  return held[held.length - 1];
}

/** A stored hand whose reading has the tiles that were added since, and not those that were struck out. */
export function marked(stored) {
  if (!stored.reading) return stored;
  const reading = standing(stored.corrections).reduce(
    (known, change) => withMarks(known, { added: change.added_tiles ?? [], noTiles: change.no_tiles ?? [] }), stored.reading);
  return reading === stored.reading ? stored : { ...stored, reading };
}

/** A reading with marks applied. */
export function withMarks(reading, { added, noTiles }) {
  if (!added.length && !noTiles.length) return reading;
  const gone = new Set(noTiles);
  const groups = reading.groups.map((group) => ({ ...group, tiles: group.tiles.filter((id) => !gone.has(id)) })).filter((group) => group.tiles.length);
  return { ...reading, groups, tiles: [...reading.tiles.filter((tile) => !gone.has(tile.id)), ...added.map(asRead)] };
}

/** An added tile as the reading would hold it: on the table, part of no group. */
export function asRead({ id, tile, quad }) {
  const xs = quad.map(([x]) => x);
  const ys = quad.map(([, y]) => y);
  return {
    id, tile, quad, box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)],
    confidence: 1, alternatives: [], sideways: false, red: false, in_hand: false, group: null, inferred: false,
  };
}

/** An id that no tile of the reading has. */
export const freshId = (reading) => Math.max(FIRST_ID - 1, ...reading.tiles.map((tile) => tile.id)) + 1;

/** The corners of a tile around a point, shaped as its nearest neighbours lie; null without any. */
export function proposedQuad(reading, [x, y]) {
  const middle = (quad) => [0, 1].map((axis) => quad.reduce((sum, corner) => sum + corner[axis], 0) / 4);
  const away = (tile) => Math.hypot(...middle(tile.quad).map((value, axis) => value - [x, y][axis]));
  const near = reading.tiles.filter((tile) => tile.quad && !(tile.photo > 0)).sort((a, b) => away(a) - away(b)).slice(0, NEIGHBOURS);
  if (!near.length) return null;
  const model = near.find((tile) => !tile.sideways) ?? near[0];
  const long = (quad) => Math.hypot(quad[2][0] - quad[1][0], quad[2][1] - quad[1][1]);
  const scale = near.map((tile) => long(tile.quad)).sort((a, b) => a - b)[Math.floor(near.length / 2)] / (long(model.quad) || 1);
  const [cx, cy] = middle(model.quad);
  const size = Number.isFinite(scale) && !near.some((tile) => tile.sideways) ? scale : 1;
  return model.quad.map(([px, py]) => [x + (px - cx) * size, y + (py - cy) * size].map((value) => Math.round(value * 10) / 10));
}
