// Where the seats lie on the camera's picture: quads whose corners are dragged.
import { s } from "/page/js/shell/dom.js";
import { h } from "./draw.js";
import { ask, key } from "./remote.js";
import { w } from "./words.js";

const W = 1600;
const H = 900;

const seatOf = (state, name) => state.seats.find(({ seat }) => seat === name);

async function picture(table) {
  const answer = await fetch(`/v1/tables/${table}/picture?side=1600`, { headers: key() ? { Authorization: `Bearer ${key()}` } : {} });
  return answer.ok ? URL.createObjectURL(await answer.blob()) : null;
}

/**
 * Open the dialog for a table. What is not changed here is saved as it is by then, as somebody else may change it meanwhile.
 * `current()` gives the table's state; `failed(error)` is told what went wrong.
 */
export async function openPlaces(current, failed) {
  const state = current();
  const dialog = document.getElementById("places");
  const seats = state.seats.map(({ seat, region }) => ({ was: seat, seat, region: region.map((corner) => [...corner]) }));
  const address = await picture(state.table.id);
  const stage = h("div", { class: "stage" });
  const names = h("div", { class: "actions" });
  const field = (label, control) => h("label", { class: "field" }, h("span", {}, w(label)), control);
  const select = (id, options, value) => h("select", { id }, options.map((option) => h("option", { value: option, selected: option === value }, option)));
  const theme = select("theme-choice", ["jade", "paper", "night"], state.table.theme);
  const language = select("language-choice", ["both", "zh", "en"], state.table.language);
  const source = h("input", { id: "source-choice", size: "36", placeholder: state.table.source, autocomplete: "off" });

  function draw() {
    const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none" });
    for (const seat of seats) {
      const at = seat.region.map(([x, y]) => [x * W, y * H]);
      const outline = s("polygon", { points: at.map((point) => point.join(",")).join(" ") });
      drag(svg, outline, (dx, dy) => {
        const fits = seat.region.every(([x, y]) => x + dx >= 0 && x + dx <= 1 && y + dy >= 0 && y + dy <= 1);
        if (fits) seat.region = seat.region.map(([x, y]) => [x + dx, y + dy]);
      });
      const [, , c, d] = at;
      const label = s("text", { x: (at[0][0] + at[2][0]) / 2, y: (at[0][1] + at[2][1]) / 2, "text-anchor": "middle" });
      label.textContent = seatOf(state, seat.was)?.player || seat.seat;
      svg.append(outline, s("line", { class: "near-edge", x1: c[0], y1: c[1], x2: d[0], y2: d[1] }), label);
      seat.region.forEach((corner, n) => {
        const handle = s("circle", { cx: corner[0] * W, cy: corner[1] * H, r: 15, "data-seat": seat.seat, "data-corner": n });
        drag(svg, handle, (dx, dy) => {
          corner[0] = Math.min(1, Math.max(0, corner[0] + dx));
          corner[1] = Math.min(1, Math.max(0, corner[1] + dy));
        });
        svg.append(handle);
      });
    }
    stage.replaceChildren(...(address ? [h("img", { src: address, alt: "" })] : [h("p", { class: "note" }, w("noPicture"))]), svg);
    names.replaceChildren(
      ...seats.map((seat, n) =>
        h("span", { class: "field" },
          h("input", { value: seat.seat, size: "8", "aria-label": w("seatName"), pattern: "[a-z0-9][a-z0-9\\-]*", onchange: (event) => { seat.seat = event.target.value; draw(); } }),
          h("button", { type: "button", class: "button small", onclick: () => { seat.region.push(seat.region.shift()); draw(); } }, w("turn")),
          seats.length > 1 && h("button", { type: "button", class: "button small danger", onclick: () => { seats.splice(n, 1); draw(); } }, w("takeOut")),
        ),
      ),
      seats.length < 8 && h("button", { type: "button", class: "button small", onclick: add }, w("addSeat")),
    );
  }

  function drag(svg, element, move) {
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      let [x, y] = [event.clientX, event.clientY];
      const follow = (next) => {
        move((next.clientX - x) / box.width, (next.clientY - y) / box.height);
        [x, y] = [next.clientX, next.clientY];
        draw();
      };
      const end = () => {
        removeEventListener("pointermove", follow);
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
      };
      addEventListener("pointermove", follow);
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
    });
  }

  function add() {
    let n = seats.length + 1;
    while (seats.some((seat) => seat.seat === String(n))) n++;
    seats.push({ was: null, seat: String(n), region: [[0.3, 0.3], [0.7, 0.3], [0.7, 0.7], [0.3, 0.7]] });
    draw();
  }

  async function save() {
    try {
      const now = current();
      const kept = seats.map(({ was, seat, region }) => {
        const { player = "", circumstances = {}, region: latest } = seatOf(now, was) ?? {};
        const drawn = JSON.stringify(region) !== JSON.stringify(seatOf(state, was)?.region);
        return { seat, player, circumstances, region: drawn || !latest ? region : latest };
      });
      const chosen = Object.entries({ theme: theme.value, language: language.value }).filter(([name, value]) => value !== state.table[name]);
      const body = { seats: kept, ...Object.fromEntries(chosen), ...(source.value ? { source: source.value } : {}) };
      await ask(`/v1/tables/${state.table.id}`, { method: "PATCH", body });
      dialog.close();
    } catch (error) {
      failed(error);
    }
  }

  dialog.replaceChildren(
    h("h2", { id: "places-title" }, w("places")),
    h("p", { class: "hint" }, w("placesHint")),
    stage,
    names,
    h("div", { class: "actions" }, field("sourceLabel", source), field("theme", theme), field("overlayLanguage", language)),
    h("div", { class: "actions" },
      h("button", { type: "button", class: "button primary", id: "save-places", onclick: save }, w("save")),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, w("close")),
    ),
  );
  draw();
  dialog.addEventListener("close", () => address && URL.revokeObjectURL(address), { once: true });
  dialog.showModal();
}
