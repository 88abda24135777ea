// Boxes over the photo, coloured by certainty, and the view that shows only the hand.
import { byId, s } from "./dom.js";
import { t } from "./i18n.js";
import { allTiles, certainty } from "./hand.js";
import { certaintyText, tileName } from "./tiles.js";

/** Draw the photo, its boxes and the groups of the reading. `onTile(tile)` is called for a tile of the hand. */
export function drawOverlay({ photo, reading, hand, zoomed, onTile }) {
  const stage = byId("stage");
  const svg = byId("overlay");
  const image = byId("photo");
  if (image.getAttribute("src") !== photo.url) image.src = photo.url;
  image.alt = t("photo");
  const size = reading ? reading.photo : photo;
  const view = zoomed && reading ? handArea(reading, size) : { x: 0, y: 0, width: size.width, height: size.height };
  place(stage, image, size, view);
  svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  svg.setAttribute("aria-label", t("hand"));
  svg.replaceChildren();
  if (!reading) return;
  const unit = view.width / Math.max(stage.clientWidth, 1);
  const current = new Map(allTiles(hand).filter((tile) => tile.id !== null).map((tile) => [tile.id, tile]));
  for (const group of reading.groups) {
    const boxes = reading.tiles.filter((tile) => group.tiles.includes(tile.id)).map((tile) => tile.box);
    if (boxes.length > 1 || group.kind === "winning_tile") svg.append(outline(boxes, group.kind, 6 * unit, unit));
  }
  for (const tile of reading.tiles) svg.append(box(tile, current.get(tile.id), unit, onTile));
}

/** No photo. */
export function clearStage() {
  byId("overlay").replaceChildren();
  byId("photo").removeAttribute("src");
}

function outline(boxes, kind, margin, unit) {
  const x0 = Math.min(...boxes.map((b) => b[0])) - margin;
  const y0 = Math.min(...boxes.map((b) => b[1])) - margin;
  const x1 = Math.max(...boxes.map((b) => b[2])) + margin;
  const y1 = Math.max(...boxes.map((b) => b[3])) + margin;
  return s("rect", { class: `group ${kind}`, x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: 6 * unit, "stroke-width": 1.5 * unit });
}

function box(read, tile, unit, onTile) {
  const [x0, y0, x1, y1] = read.box;
  const inHand = Boolean(tile);
  const kind = inHand ? certainty(tile) : "outside";
  const shape = s("rect", {
    class: `box ${kind}${tile?.inferred && !tile.edited ? " inferred" : ""}`,
    x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: 3 * unit, "stroke-width": (kind === "sure" || !inHand ? 1.8 : 2.8) * unit,
    "data-id": read.id,
  });
  if (!inHand) {
    shape.setAttribute("aria-hidden", "true");
    return shape;
  }
  shape.setAttribute("tabindex", "0");
  shape.setAttribute("role", "button");
  shape.setAttribute("aria-label", `${tileName(tile.code)}, ${certaintyText(tile)}`);
  shape.append(s("title", {}, `${tileName(tile.code)} · ${certaintyText(tile)}`));
  shape.addEventListener("click", () => onTile(tile));
  shape.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onTile(tile);
    }
  });
  for (const [event, on] of [["pointerenter", true], ["pointerleave", false]]) {
    shape.addEventListener(event, () => light(read.id, on));
  }
  return shape;
}

/** Light up a tile in the photo and in the hand. */
export function light(id, on) {
  for (const element of document.querySelectorAll(`[data-id="${id}"]`)) element.classList.toggle("lit", on);
}

/** The hand with a margin, at least as high as a third of its width, within the photo. */
function handArea(reading, size) {
  const boxes = reading.tiles.filter((tile) => tile.in_hand).map((tile) => tile.box);
  if (!boxes.length) return { x: 0, y: 0, width: size.width, height: size.height };
  const x0 = Math.min(...boxes.map((b) => b[0]));
  const y0 = Math.min(...boxes.map((b) => b[1]));
  const x1 = Math.max(...boxes.map((b) => b[2]));
  const y1 = Math.max(...boxes.map((b) => b[3]));
  const margin = 0.05 * Math.max(x1 - x0, y1 - y0);
  const width = Math.min(size.width, x1 - x0 + 2 * margin);
  const height = Math.min(size.height, Math.max(y1 - y0 + 2 * margin, width / 2.4));
  const x = Math.min(Math.max(0, (x0 + x1 - width) / 2), size.width - width);
  const y = Math.min(Math.max(0, (y0 + y1 - height) / 2), size.height - height);
  return { x, y, width, height };
}

/** Size the stage to the view's shape and lay the picture so that the view fills it. */
function place(stage, image, size, view) {
  const tallest = Math.min(innerHeight * 0.62, 640);
  const ratio = Math.max(view.height / view.width, 0.2);
  const width = stage.parentElement.clientWidth || innerWidth;
  const stageWidth = Math.min(width, tallest / ratio);
  stage.style.height = `${stageWidth * ratio}px`;
  stage.style.width = `${stageWidth}px`;
  stage.style.margin = "0 auto";
  const scale = stageWidth / view.width;
  image.style.width = `${size.width * scale}px`;
  image.style.height = `${size.height * scale}px`;
  image.style.transform = `translate(${-view.x * scale}px, ${-view.y * scale}px)`;
}
