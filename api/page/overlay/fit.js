// Makes a seat's strip fit its place: waits in a row of their own, smaller tiles for a long hand, and
// "+6" for what still does not fit. Nothing is cut off without a word.
const MIN_TILE = 0.6; // share of the usual tile

/** Fit every strip into the room that the number of seats leaves it. */
export function fitAll(seats) {
  const columns = seats.dataset.layout === "columns";
  const gap = parseFloat(getComputedStyle(seats).columnGap) || 0;
  const width = columns ? (seats.clientWidth - gap) / 2 : seats.clientWidth;
  for (const strip of seats.querySelectorAll(".seat:not(.going)")) fit(strip, width, columns);
}

function fit(strip, width, columns) {
  strip.style.maxWidth = `${width}px`;
  strip.style.removeProperty("--fit");
  delete strip.dataset.waits;
  for (const item of strip.querySelectorAll("[hidden]")) item.hidden = false;
  for (const more of strip.querySelectorAll(".more")) more.remove();
  const [plate, hand, waits, fans] = [".plate", ".hand", ".waits", ".fans"].map((name) => strip.querySelector(name));
  const line = hand.scrollWidth + (columns ? 0 : plate.scrollWidth);
  if (line > width) strip.style.setProperty("--fit", Math.max(MIN_TILE, (1 - (line - width) / hand.scrollWidth) * 0.99).toFixed(3));
  if (waits) fitWaits(strip, waits, columns ? Infinity : line, width);
  if (fans) drop(fans, [...fans.children].reverse(), () => fans.scrollHeight > fans.clientHeight + 1);
}

/** Beside the hand if there is room; else below it, without what each is worth, and the last as a number. */
function fitWaits(strip, waits, line, width) {
  if (line + waits.scrollWidth <= width) return;
  strip.dataset.waits = "below";
  if (waits.scrollWidth > width) strip.dataset.waits = "short";
  drop(waits, [...waits.querySelectorAll(".wait")].reverse().sort((one, other) => worth(one) - worth(other)), () => waits.scrollWidth > waits.clientWidth + 1);
}

/** Waits of which no tile is left go first, then those below the minimum. */
const worth = (wait) => (wait.classList.contains("none") ? 0 : wait.classList.contains("short") ? 1 : 2);

/** Hide items in this order until the rest fits, and say how many are hidden. */
function drop(list, order, over) {
  if (!over()) return;
  const more = document.createElement(list.matches("ul") ? "li" : "span");
  more.className = "more";
  list.append(more);
  for (const [at, item] of order.entries()) {
    item.hidden = true;
    more.textContent = `+${at + 1}`;
    if (!over()) return;
  }
}
