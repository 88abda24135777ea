// Redraws wait while something is pressed: an element that is replaced between press and release gets no click.

const LONGEST_PRESS = 5000; // ms; a press may end unseen, outside the window
const CLICK_AFTER = 300; // ms; the click of a finger comes some time after it is lifted
const NOT_TAPPED = "select, input, textarea"; // they act before the release, or are typed in

let pressed = -Infinity;
let timer = null;
const pending = new Map();

const isPressed = () => performance.now() - pressed < LONGEST_PRESS;

/** Call `draw()` now, or once nothing is pressed any more. While something is, only the last call of each `name` is kept. */
export function afterPress(name, draw) {
  if (!isPressed()) {
    pending.delete(name);
    draw();
    return;
  }
  pending.set(name, draw);
  schedule(pressed + LONGEST_PRESS - performance.now());
}

/** The press is over, or it is no tap. */
export function release() {
  pressed = -Infinity;
  if (pending.size) schedule(0); // after the listeners of the click
}

function schedule(delay) {
  clearTimeout(timer);
  timer = setTimeout(flush, delay);
}

function flush() {
  for (const [name, draw] of [...pending]) afterPress(name, draw);
}

function press({ target }) {
  if (!target.closest?.(NOT_TAPPED)) pressed = performance.now();
}

/** The press has ended; if no click follows soon, there will be none. */
function lift() {
  const begun = pressed;
  if (isPressed()) setTimeout(() => { if (pressed === begun) release(); }, CLICK_AFTER);
}

addEventListener("pointerdown", press, { capture: true });
addEventListener("keydown", (event) => { if (event.key === " " && !event.repeat) press(event); }, { capture: true });
for (const up of ["pointerup", "keyup"]) addEventListener(up, lift, { capture: true });
for (const end of ["click", "pointercancel"]) addEventListener(end, release, { capture: true }); // before the listeners of the click, which draw
