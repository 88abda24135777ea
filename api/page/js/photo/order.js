// The order in which the Tab key goes through the tiles of a photo: the hand, then the other tiles row by row.

const RANKS = { concealed: 0, flowers: 2, winning_tile: 3 };
const rank = ({ kind }) => RANKS[kind] ?? 1; // the others are melds

/** The ids of the tiles of these groups, as {kind, tiles: [id]}: concealed tiles, melds, flowers, winning tile. */
export const idsOf = (groups) => [...groups].sort((a, b) => rank(a) - rank(b)).flatMap((group) => group.tiles);

/** Tiles with a box in the order of these ids, then those without one of them row by row. */
export function inOrder(tiles, ids) {
  const places = new Map(ids.map((id, at) => [id, at]));
  const hand = tiles.filter((tile) => places.has(tile.id)).sort((a, b) => places.get(a.id) - places.get(b.id));
  return [...hand, ...byRows(tiles.filter((tile) => !places.has(tile.id)))];
}

/** From top to bottom, each row from left to right: a tile is in the row whose topmost tile reaches down to its middle. */
function byRows(tiles) {
  const middle = ({ box }) => (box[1] + box[3]) / 2;
  const rows = [];
  for (const tile of [...tiles].sort((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1);
    if (row && middle(tile) < row[0].box[3]) row.push(tile);
    else rows.push([tile]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.box[0] - b.box[0]));
}
