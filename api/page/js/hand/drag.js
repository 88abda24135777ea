// Tiles of the hand dragged to where they belong, by pointer; with the arrow keys from tile to tile, and with Alt to move a tile.
// On a touch screen a drag begins sideways or after a short hold, so that the page still scrolls under a thumb.
import { release } from "../shell/press.js";

const HOLD_MS = 220;
const SLIP = 7; // pixels that a tap may slip
const EDGE = 70; // pixels from the upper and lower edge in which the page scrolls along
const SPEED = 9; // pixels a frame

/**
 * Let the tiles inside `container` be dragged. `find(uid)` gives the tile of the hand, `accepts(tile, to)` says whether it may go
 * there, `move(tile, to)` does it, `onEnd()` comes after a drag without a move; `to` as in corrections.js.
 */
export function makeDraggable(container, { find, accepts, move, onEnd }) {
  let drag = null;

  const begin = () => {
    if (!drag || drag.ghost) return;
    clearTimeout(drag.timer);
    drag.ghost = drag.source.cloneNode(true);
    drag.ghost.removeAttribute("data-uid");
    drag.ghost.removeAttribute("data-id");
    drag.ghost.classList.add("ghost");
    document.body.append(drag.ghost);
    drag.source.classList.add("dragged");
    container.classList.add("dragging");
    release(); // a drag is no tap
    for (const zone of container.querySelectorAll("[data-drop]")) zone.classList.toggle("open", accepts(drag.tile, target(zone)));
    if (drag.source.isConnected) drag.source.setPointerCapture(drag.id);
    follow();
    scrollAlong();
  };

  /** Scroll while the tile is held near an edge; the tray covers the lower one. */
  const scrollAlong = () => {
    if (!drag?.ghost) return;
    const lower = container.querySelector(".tray").getBoundingClientRect().top;
    const by = drag.y < EDGE ? -SPEED : drag.y > lower - EDGE && drag.y < lower ? SPEED : 0;
    if (by) {
      scrollBy(0, by);
      follow();
    }
    requestAnimationFrame(scrollAlong);
  };

  const follow = () => {
    drag.ghost.style.transform = `translate(${drag.x - drag.ghost.offsetWidth / 2}px, ${drag.y - drag.ghost.offsetHeight * 0.8}px)`;
    const zone = document.elementFromPoint(drag.x, drag.y)?.closest?.("[data-drop].open") ?? null;
    if (zone === drag.zone) return;
    drag.zone?.classList.remove("over");
    zone?.classList.add("over");
    drag.zone = zone;
  };

  const end = (drop, released = true) => {
    if (!drag) return;
    const { ghost, source, zone, tile, timer, x, y } = drag;
    clearTimeout(timer);
    drag = null;
    if (!ghost) return;
    ghost.remove();
    source.classList.remove("dragged");
    container.classList.remove("dragging");
    for (const one of container.querySelectorAll(".open")) one.classList.remove("open", "over");
    addEventListener("click", swallow, { capture: true });
    const forget = () => setTimeout(() => removeEventListener("click", swallow, { capture: true }), 0); // the click, if any, comes first
    if (released) forget();
    else addEventListener("pointerup", forget, { once: true });
    if (!drop || !zone) onEnd();
    else move(tile, { ...target(zone), ...(zone.dataset.drop === "concealed" ? { at: placeIn(zone, x, y) } : {}) });
  };

  container.addEventListener("pointerdown", (event) => {
    const source = event.target.closest("[data-uid].tile");
    const tile = source && event.isPrimary && event.button === 0 ? find(source.dataset.uid) : null;
    if (!tile) return;
    const touch = event.pointerType !== "mouse";
    drag = { id: event.pointerId, source, tile, x: event.clientX, y: event.clientY, x0: event.clientX, y0: event.clientY, touch, zone: null, ghost: null };
    if (touch) drag.timer = setTimeout(begin, HOLD_MS);
  });
  container.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    Object.assign(drag, { x: event.clientX, y: event.clientY });
    if (drag.ghost) {
      follow();
      return;
    }
    const [dx, dy] = [Math.abs(drag.x - drag.x0), Math.abs(drag.y - drag.y0)];
    if (Math.max(dx, dy) <= SLIP) return;
    if (!drag.touch || dx > dy) begin();
    else end(false); // the page is being scrolled
  });
  container.addEventListener("pointerup", () => end(true));
  container.addEventListener("pointercancel", () => end(false));
  container.addEventListener("touchmove", (event) => { if (drag?.ghost && event.cancelable) event.preventDefault(); }, { passive: false });
  container.addEventListener("contextmenu", (event) => { if (drag?.touch) event.preventDefault(); });
  addEventListener("keydown", (event) => { if (event.key === "Escape") end(false, false); });
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}

function target(zone) {
  const [part, index] = zone.dataset.drop.split(":");
  return index === undefined ? { part } : { part, index: Number(index) };
}

/** Before which tile of the hand a point in its row lies; undefined (at the end) outside the row's tiles. */
function placeIn(row, x, y) {
  const tile = [...row.querySelectorAll(".tile[data-at]")].find((one) => {
    const box = one.getBoundingClientRect();
    return y < box.bottom && x < (box.left + box.right) / 2;
  });
  return tile ? Number(tile.dataset.at) : undefined;
}

/** Arrow keys go from tile to tile; Alt and an arrow, left or right, moves a concealed tile: `shift(uid, by)`. */
export function makeNavigable(container, shift) {
  container.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const source = event.target.closest(".tile[data-uid]");
    if (!by || !source) return;
    event.preventDefault();
    if (event.altKey) {
      shift(source.dataset.uid, by);
      return;
    }
    const tiles = [...container.querySelectorAll(".tile[data-uid]")];
    tiles[tiles.indexOf(source) + by]?.focus();
  });
}
