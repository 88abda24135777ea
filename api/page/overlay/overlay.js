// The page on air: one strip a seat, drawn anew only where something changed.
import { handGroups, isTooCheap, tile, h } from "./draw.js";
import { fitAll } from "./fit.js";
import { follow, withKey } from "./stream.js";

const parameters = new URLSearchParams(location.search);
const table = location.pathname.split("/")[2];
const root = document.documentElement;
const seats = document.getElementById("seats");
const only = parameters.get("seats")?.split(",") ?? null;
const cards = new Map();
const order = [];
const hidden = new Set((parameters.get("hide") ?? "").split(",").filter(Boolean)); // waits, fans, score, board, winds, scores
let board = { seats: [] };
let players = {};

const number = (name, least, most) => Math.min(most, Math.max(least, Number(parameters.get(name))));
if (parameters.has("scale")) root.style.setProperty("--scale", number("scale", 0.4, 2));
if (parameters.has("safe")) root.style.setProperty("--safe", `${number("safe", 0, 20)}`);
if (["top", "bottom", "left"].includes(parameters.get("place"))) seats.dataset.place = parameters.get("place");

function dress({ theme, language, name, ...rest }) {
  board = rest.board ?? board;
  players = rest.players ?? players;
  drawBoard();
  for (const strip of seats.querySelectorAll(".seat:not(.going)")) strip.querySelector(".plate")?.replaceWith(plate(cards.get(strip.dataset.seat)));
  const chosen = parameters.get("theme") ?? theme;
  const link = document.getElementById("theme");
  const address = `/overlay/themes/${/^[a-z0-9-]+$/.test(chosen) ? chosen : "jade"}.css`;
  if (link.getAttribute("href") !== address) link.setAttribute("href", address);
  root.dataset.language = parameters.get("language") ?? language;
  document.title = `${name} · Hupai`;
}

/** Both languages side by side; CSS hides the one that is not wanted. */
const both = (zh, en) => [h("span", { class: "zh", lang: "zh" }, zh), h("span", { class: "zh en" }, " "), h("span", { class: "en", lang: "en" }, en)];

/** Where there is no room for both: Chinese, unless English alone is wanted. */
const either = (zh, en) => [h("span", { class: "zh", lang: "zh" }, zh), h("span", { class: "en alone", lang: "en" }, en)];

function mood(card) {
  if (card.score) return card.score.self_drawn ? both("自摸", "self-drawn") : both("和牌", "wins");
  if (card.bars?.length) return both("未听牌", "not ready");
  if (card.waits?.length) return both("听牌", "ready");
  return [];
}

const WINDS = { E: ["东", "East"], S: ["南", "South"], W: ["西", "West"], N: ["北", "North"] };
const signed = (score) => (score > 0 ? `+${score}` : String(score).replace("-", "−"));

/** The name of a seat, with its wind, the dealer's mark and the running score where the operator gave them. */
function plate(card) {
  const place = board.seats.find((one) => one.seat === card.seat) ?? {};
  return h(
    "header",
    { class: `plate${place.dealer ? " dealer" : ""}` },
    h("span", { class: "who" },
      place.picture && h("img", { class: "picture", src: `/overlay/media/${place.picture}`, alt: "" }),
      place.wind && !hidden.has("winds") && h("span", { class: "wind" }, either(WINDS[place.wind][0], place.wind)),
      h("span", { class: "player" }, players[card.seat] ?? card.player)),
    h("span", { class: "mood" },
      mood(card),
      place.score !== undefined && place.score !== null && !hidden.has("scores") && h("span", { class: "running" }, signed(place.score))),
  );
}

function roundWords() {
  const wind = board.round_wind && WINDS[board.round_wind];
  const chinese = [wind && `${wind[0]}风圈`, board.deal && `第${board.deal}盘`];
  const english = [wind && `${wind[1]} round`, board.deal && `deal ${board.deal}`];
  return [chinese, english].map((parts) => parts.filter(Boolean).join(" · "));
}

/** Title, round and standings, where there are any. */
function drawBoard() {
  const strip = document.getElementById("board");
  const ranked = board.seats.filter((one) => one.score !== undefined && one.score !== null).sort((one, other) => other.score - one.score);
  const round = board.round_wind || board.deal;
  strip.hidden = hidden.has("board") || !(board.title || board.logo || round) || (only && parameters.get("board") === null);
  strip.replaceChildren(
    ...[
      board.logo && h("img", { class: "logo", src: `/overlay/media/${board.logo}`, alt: "" }),
      board.title && h("strong", { class: "board-title" }, board.title),
      round && h("span", { class: "board-round" }, both(...roundWords())),
      parameters.has("standings") && ranked.length > 0 && h("ol", { class: "standings" }, ranked.map((one) => h("li", {}, h("span", { class: "standings-name" }, players[one.seat] || one.seat), h("span", { class: "running" }, signed(one.score))))),
    ].filter(Boolean),
  );
}

function hand(card, before) {
  // A tile is fresh when the seat showed fewer of its face before.
  const known = new Map();
  if (before) for (const code of handGroups(before).flatMap((group) => group.tiles)) known.set(code, (known.get(code) ?? 0) + 1);
  return h(
    "div",
    { class: "hand" },
    handGroups(card).map((group) =>
      h(
        "div",
        { class: `group ${group.kind}` },
        group.tiles.map((code, at) => {
          const left = known.get(code) ?? 0;
          known.set(code, left - 1);
          const turned = group.sideways === at ? " sideways" : "";
          const won = group.kind === "winning" ? " won" : "";
          return tile(code, `${left > 0 ? "" : "fresh"}${turned}${won}`);
        }),
      ),
    ),
  );
}

function waits(card, before) {
  if (!card.waits?.length) return null;
  const range = (wait) => (wait.least === wait.most ? `${wait.most}` : `${wait.least}–${wait.most}`);
  return h(
    "aside",
    { class: `waits${before?.waits?.length ? "" : " fresh"}` },
    h("span", { class: "waits-title zh", lang: "zh" }, "听"),
    card.waits.map((wait) =>
      h(
        "div",
        { class: `wait${wait.left ? "" : " none"}${wait.legal ? "" : " short"}`, data: { tile: wait.tile, left: wait.left } },
        tile(wait.tile),
        h("span", { class: "wait-left" }, `×${wait.left}`),
        h("span", { class: "wait-worth" }, wait.legal ? [`${range(wait)} `, either(card.unit_zh, card.unit_en)] : both("不够起和", "too few")),
      ),
    ),
  );
}

/** Why a hand that some tile completes is not ready. */
function bars(card) {
  if (!card.bars?.length) return null;
  return h("aside", { class: "bars" }, card.bars.map((bar) => h("span", { class: "refused", data: { bar: bar.code } }, both(bar.zh, bar.en))));
}

function score(card, before) {
  const found = card.score;
  if (!found) return null;
  const fresh = before?.score?.total !== found.total;
  const number = h("span", { class: "number" }, String(found.total));
  if (fresh) countUp(number, found.total);
  return h(
    "section",
    { class: `score${fresh ? " fresh" : ""}`, data: { total: found.total, legal: String(found.legal) } },
    h("div", { class: "total" }, number, h("span", { class: "unit" }, both(card.unit_zh, card.unit_en)), found.figures_zh ? h("span", { class: "unit figures" }, both(found.figures_zh, found.figures_en)) : null),
    h(
      "ul",
      { class: "fans" },
      (hidden.has("fans") ? [] : found.fans).map((fan, n) => {
        const count = fan.count > 1 ? ` ×${fan.count}` : "";
        const item = h(
          "li",
          { class: "fan", data: { fan: fan.id } },
          h("span", { class: "fan-zh zh", lang: "zh" }, fan.zh + count),
          h("span", { class: "fan-en en", lang: "en" }, fan.en + count),
          h("span", { class: "fan-points" }, String(fan.points)),
        );
        item.style.setProperty("--n", n);
        return item;
      }),
    ),
    found.legal ? null : h("span", { class: "refused" }, refusal(card)),
  );
}

function refusal(card) {
  if (!card.score.complete) return both("未成和", "not a winning hand");
  return isTooCheap(card) ? both("不够起和", "below the minimum") : both("不能和", "not allowed");
}

function countUp(element, total) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || total < 2) return;
  const start = performance.now();
  const step = (time) => {
    const share = Math.min(1, (time - start) / 700);
    element.textContent = String(Math.round(total * (1 - (1 - share) ** 3)));
    if (share < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function draw(card) {
  if (players[card.seat] !== undefined) players[card.seat] = card.player || players[card.seat];
  if (only && !only.includes(card.seat)) return;
  const before = cards.get(card.seat);
  const existing = seats.querySelector(`.seat[data-seat="${card.seat}"]:not(.going)`);
  const content = [
    plate(card),
    hand(card, before),
    hidden.has("waits") ? null : bars(card) ?? waits(card, before),
    hidden.has("score") ? null : score(card, before),
  ].filter(Boolean);
  cards.set(card.seat, card);
  if (existing) {
    existing.replaceChildren(...content);
  } else {
    if (!order.includes(card.seat)) order.push(card.seat);
    const strip = h("article", { class: "seat", data: { seat: card.seat } }, content);
    const next = order.slice(order.indexOf(card.seat) + 1).map((seat) => seats.querySelector(`.seat[data-seat="${seat}"]`)).find(Boolean);
    seats.insertBefore(strip, next ?? null);
  }
  count();
}

function hide(seat) {
  cards.delete(seat);
  const strip = seats.querySelector(`.seat[data-seat="${seat}"]:not(.going)`);
  if (!strip) return;
  strip.classList.add("going");
  setTimeout(() => {
    strip.remove();
    count();
  }, 280);
}

function count() {
  const number = seats.querySelectorAll(".seat:not(.going)").length;
  seats.dataset.count = number;
  seats.dataset.layout = number > 2 ? "columns" : "lines";
  fitAll(seats);
}

function showVideo() {
  const video = document.getElementById("video");
  const load = () => (video.src = withKey(`/v1/tables/${table}/video`, { side: 1920, n: Date.now() }));
  video.hidden = false;
  video.onerror = () => setTimeout(load, 1000);
  load();
}

addEventListener("resize", () => fitAll(seats));
document.fonts.addEventListener("loadingdone", () => fitAll(seats));
if (parameters.has("video")) showVideo();
follow(
  table,
  {
    snapshot(event) {
      dress(event);
      const there = new Set(event.on_air.map((card) => card.seat));
      for (const seat of [...cards.keys()]) if (!there.has(seat)) hide(seat);
      event.on_air.forEach(draw);
      root.dataset.number = event.number;
    },
    hand(event) {
      draw(event.card);
      root.dataset.number = event.number;
    },
    hide(event) {
      hide(event.seat);
      root.dataset.number = event.number;
    },
    table(event) {
      dress(event);
      fitAll(seats);
    },
    gone() {
      for (const seat of [...cards.keys()]) hide(seat);
    },
  },
  (up) => (root.dataset.connection = up ? "live" : "lost"),
);
