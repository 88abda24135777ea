// Boxes over the photo, coloured by certainty, and the view that shows only the hand.
import { byId, keepingFocus, s } from "../shell/dom.js";
import { t } from "../shell/i18n.js";
import { allTiles, boxOn, certainty } from "../hand/hand.js";
import { certaintyText, tileName } from "../hand/tiles.js";
import { idsOf, inOrder } from "./order.js";
import { enlarged } from "./zoom.js";

const STRIP = 0.3; // most of a narrow window's height that the photo of a hand takes

/**
 * Draw the photo, its boxes and the groups of the hand. `onTile(tile)` is called for a tile of the hand, `onOutside(read)` for
 * one that the reading found elsewhere on the table, `onOther(hand)` for another hand of the reading, `onEmpty([x, y])` for a
 * place of the photo without a box.
 */
export function drawOverlay({ photo, index, reading, hand, zoomed, onTile, onOutside, onOther, onEmpty }) {
  const stage = byId("stage");
  const svg = byId("overlay");
  const image = byId("photo");
  if (image.getAttribute("src") !== photo.url) image.src = photo.url;
  image.alt = t("photo");
  const size = sizeOf(photo, index, reading);
  const read = (reading?.tiles ?? []).map((tile) => ({ ...tile, box: boxOn(tile, index) })).filter((tile) => tile.box);
  const others = index === 0 ? reading?.other_hands ?? [] : [];
  const apart = new Set(others.flatMap((other) => other.tiles));
  const unclear = reading?.problems?.some(({ code }) => code === "several_hands"); // which hand is meant
  const view = zoomed ? handArea(read.filter((tile) => tile.in_hand || (unclear && apart.has(tile.id))), size) : { x: 0, y: 0, width: size.width, height: size.height };
  place(stage, image, size, view);
  svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  svg.setAttribute("aria-label", t("tilesOnPhoto"));
  const unit = view.width / Math.max(stage.clientWidth, 1);
  if (!enlarged()) placeButton(byId("enlarge"), stage, read.filter((tile) => tile.in_hand).map(({ box }) => box.map((value, at) => (value - (at % 2 ? view.y : view.x)) / unit)));
  const boxOf = new Map(read.map((tile) => [tile.id, tile.box]));
  const current = new Map(allTiles(hand).filter((tile) => tile.id !== null).map((tile) => [tile.id, tile]));
  // The hand comes last, so that its boxes lie above the others; those are not reached by the Tab key.
  const [outside, ours] = [read.filter((tile) => !apart.has(tile.id) && !current.has(tile.id)), read.filter((tile) => current.has(tile.id))];
  const order = idsOf(groupsOf(hand).map(({ kind, tiles }) => ({ kind, tiles: tiles.map((tile) => tile.id) })));
  svg.onclick = (event) => {
    if ((event.target !== svg && !event.target.classList.contains("group")) || event.detail > 1) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    onEmpty([x, y]);
  };
  keepingFocus(svg, () => {
    svg.replaceChildren(
      ...groupsOf(hand).map(({ kind, tiles }) => ({ kind, boxes: tiles.map((tile) => boxOf.get(tile.id)).filter(Boolean) }))
        .filter(({ kind, boxes }) => boxes.length > 1 || (boxes.length && kind === "winning_tile"))
        .map(({ kind, boxes }) => outline(boxes, kind, 6 * unit, unit)),
      ...others.map((other) => otherArea(other, other.tiles.map((id) => boxOf.get(id)).filter(Boolean), unit, onOther)).filter(Boolean),
      ...outside.map((tile) => outsideBox(tile, unit, onOutside)),
      ...inOrder(ours, order).map((tile) => handBox(tile, current.get(tile.id), unit, onTile)),
    );
  });
}

/** Put a button into the corner of the photo where it covers the fewest of `boxes`, pixels of the stage. */
function placeButton(button, stage, boxes) {
  const [side, margin] = [44, 8];
  const [right, bottom] = [stage.parentElement.clientWidth - side - margin, stage.clientHeight - side - margin];
  const left = (stage.parentElement.clientWidth - stage.clientWidth) / 2;
  const covered = ([x, y]) => boxes.filter(([x0, y0, x1, y1]) => left + x0 < x + side && left + x1 > x && y0 < y + side && y1 > y).length;
  const corners = [[right, margin], [margin, margin], [right, bottom], [margin, bottom]];
  const [x, y] = corners.reduce((best, one) => (covered(one) < covered(best) ? one : best));
  Object.assign(button.style, { left: `${x}px`, top: `${y}px` });
}

/** The size in which the reading's boxes are given; an unseen photo has none of its own. */
function sizeOf(photo, index, reading) {
  const read = reading && (reading.photos?.[index] ?? reading.photo);
  const { width, height } = read ?? photo;
  return width ? { width, height } : { width: 640, height: 480 };
}

/** What lies together as the hand stands now, corrections included. */
const groupsOf = (hand) => [
  { kind: "concealed", tiles: hand.concealed },
  ...hand.melds,
  ...(hand.winning ? [{ kind: "winning_tile", tiles: [hand.winning] }] : []),
  { kind: "flowers", tiles: hand.flowers },
];

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

function shape(read, kind, unit, width) {
  const [x0, y0, x1, y1] = read.box;
  return s("rect", { class: `box ${kind}`, x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: 3 * unit, "stroke-width": width * unit, "data-id": read.id });
}

function handBox(read, tile, unit, onTile) {
  const kind = certainty(tile);
  const box = shape(read, `${kind}${tile.inferred && !tile.edited ? " inferred" : ""}`, unit, kind === "sure" ? 1.8 : 2.8);
  const label = `${tileName(tile.code)}, ${certaintyText(tile)}`;
  for (const [name, value] of [["tabindex", "0"], ["role", "button"], ["aria-label", label], ["data-uid", tile.uid]]) box.setAttribute(name, value);
  box.append(s("title", {}, label));
  box.addEventListener("click", () => onTile(tile));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onTile(tile);
    }
  });
  for (const [event, on] of [["pointerenter", true], ["pointerleave", false]]) box.addEventListener(event, () => light(read.id, on));
  return box;
}

/** A tile that is no part of the hand: it can be tapped; by keyboard it is offered where tiles are added. */
function outsideBox(read, unit, onOutside) {
  const box = shape(read, "outside", unit, 1.8);
  box.setAttribute("aria-hidden", "true");
  box.addEventListener("click", () => onOutside(read));
  return box;
}

/** Another hand: a tap anywhere on it reads that one. */
function otherArea(other, boxes, unit, onOther) {
  if (!boxes.length) return null;
  const area = outline(boxes, "other", 8 * unit, unit);
  for (const [name, value] of [["tabindex", "0"], ["role", "button"], ["aria-label", t("readOther")], ["data-at", other.at.join(",")]]) area.setAttribute(name, value);
  area.append(s("title", {}, t("readOther")));
  area.addEventListener("click", () => onOther(other));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onOther(other);
  });
  return area;
}

/** Light up a tile in the photo and in the hand. */
export function light(id, on) {
  for (const element of document.querySelectorAll(`[data-id="${id}"]`)) element.classList.toggle("lit", on);
}

/** The tiles of `read` with a margin, at least as high as a third of its width, within the photo. */
function handArea(read, size) {
  const boxes = read.map((tile) => tile.box);
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

/** Whether a hand is shown on a narrow page, where the score matters more than the photo. */
const isRead = () => document.documentElement.dataset.stage === "hand" && matchMedia("(max-width: 899px)").matches;

/** Size the stage to the view's shape and lay the picture so that the view fills it. */
function place(stage, image, size, view) {
  const ratio = Math.max(view.height / view.width, 0.2);
  const width = stage.parentElement.clientWidth || innerWidth;
  const tallest = enlarged() ? stage.parentElement.clientHeight : Math.min(innerHeight * (isRead() ? STRIP : 0.62), 640);
  const stageWidth = Math.min(width, tallest / ratio) * (enlarged() ?? 1);
  stage.style.height = `${stageWidth * ratio}px`;
  stage.style.width = `${stageWidth}px`;
  stage.style.margin = "0 auto";
  const scale = stageWidth / view.width;
  image.style.width = `${size.width * scale}px`;
  image.style.height = `${size.height * scale}px`;
  image.style.transform = `translate(${-view.x * scale}px, ${-view.y * scale}px)`;
}
