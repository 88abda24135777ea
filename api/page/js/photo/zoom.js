// The photo as large as one likes: the stage fills the screen, two fingers, the wheel or the buttons enlarge it, a finger moves it.
import { byId, h, icon } from "../shell/dom.js";
import { t } from "../shell/i18n.js";

const STEP = 1.5;
const MOST = 8;
const TWICE_MS = 320; // two taps within this are one double tap

/** Let the photo be enlarged; `redraw()` lays the stage out anew, `scale` as `enlarged()` says. */
export function connectZoom(redraw) {
  const dialog = byId("zoomed");
  const home = byId("stage-bed");
  const pane = h("div", { class: "zoom-pane", tabindex: "0" });
  byId("enlarge").addEventListener("click", () => {
    now = 1;
    pane.replaceChildren(byId("stage"));
    dialog.replaceChildren(pane, tools(pane, redraw, dialog));
    dialog.showModal();
    redraw();
  });
  dialog.addEventListener("close", () => {
    now = null;
    home.prepend(byId("stage"));
    dialog.replaceChildren();
    redraw();
    byId("enlarge").focus({ preventScroll: true });
  });
  connectFingers(pane, redraw);
}

let now = null;

/** How much the photo is enlarged; null where it stands in the page. */
export const enlarged = () => now;

function tools(pane, redraw, dialog) {
  const by = (factor) => () => scale(pane, now * factor, pane.clientWidth / 2, pane.clientHeight / 2, redraw);
  const button = (id, name, label, act) => h("button", { type: "button", class: "tool", id, "aria-label": label, onclick: act }, icon(name));
  return h("div", { class: "zoom-tools" },
    button("zoom-out", "minus", t("smaller"), by(1 / STEP)), button("zoom-in", "plus", t("larger"), by(STEP)),
    button("zoom-close", "close", t("close"), () => dialog.close()));
}

/** Enlarge to `next`, what lies under (x, y) of the pane staying there. */
function scale(pane, next, x, y, redraw) {
  const before = now;
  now = Math.min(MOST, Math.max(1, next));
  const [left, top] = [pane.scrollLeft + x, pane.scrollTop + y];
  redraw();
  pane.scrollTo((left * now) / before - x, (top * now) / before - y);
}

function connectFingers(pane, redraw) {
  const apart = (touches) => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  let pinch = null;
  let tapped = { at: 0, x: 0, y: 0 };
  const place = (x, y) => {
    const box = pane.getBoundingClientRect();
    return [x - box.left, y - box.top];
  };
  pane.addEventListener("touchstart", (event) => {
    if (event.touches.length === 2) pinch = { apart: apart(event.touches), from: now };
  });
  pane.addEventListener("touchmove", (event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const at = place((one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
    scale(pane, (pinch.from * apart(event.touches)) / pinch.apart, ...at, redraw);
  }, { passive: false });
  pane.addEventListener("touchend", () => { pinch = null; });
  pane.addEventListener("wheel", (event) => {
    event.preventDefault();
    scale(pane, now * (event.deltaY < 0 ? 1.15 : 1 / 1.15), ...place(event.clientX, event.clientY), redraw);
  }, { passive: false });
  pane.addEventListener("pointerup", (event) => {
    if (event.target.closest(".box")) return;
    const soon = event.timeStamp - tapped.at < TWICE_MS && Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) < 30;
    tapped = { at: soon ? 0 : event.timeStamp, x: event.clientX, y: event.clientY };
    if (soon) scale(pane, now > 1 ? 1 : 3, ...place(event.clientX, event.clientY), redraw);
  });
}
