// The page: takes a photo, has it read, lets it be corrected, shows the score.
import * as api from "./api.js";
import { Circumstances } from "./circumstances.js";
import { comparisonView } from "./compare.js";
import { byId, h, show } from "./dom.js";
import * as model from "./hand.js";
import { handView } from "./handview.js";
import * as history from "./history.js";
import { lang, message, own, setLanguage, t, translatePage } from "./i18n.js";
import { clearStage, drawOverlay } from "./overlay.js";
import { fromAddress, linkTo } from "./share.js";
import { prepare, rotated, thumbnail } from "./photo.js";
import { fansView, inWords, problemList, questionView, scoreView } from "./scoreview.js";
import { addSheet, closeSheet, meldSheet, openSheet, setUpSheet, tileSheet } from "./sheet.js";
import { currentTheme, nextTheme } from "./theme.js";
import { learnTiles, tileView } from "./tiles.js";

const state = { photo: null, reading: null, hand: null, answer: null, error: null, zoomed: true, entry: null, won: null };
const WELCOME = ["1m", "9m", "1p", "9p", "1s", "9s", "E", "S", "W", "N", "C", "F", "P", "P"];
let takingNow = 0;
let readingNow = null;
let scoringNow = null;

// Reading

async function takeFile(file, name) {
  startOver();
  takingNow += 1;
  const turn = takingNow;
  clearStage();
  progress(t("opening"));
  show("photo-empty", false);
  show("photo-view", true);
  try {
    const photo = await prepare(file, name);
    if (turn !== takingNow) return; // another photo was chosen meanwhile
    setPhoto(photo);
    await readPhoto();
  } catch (error) {
    if (turn !== takingNow) return;
    fail(error, () => takeFile(file, name));
    if (!state.photo) startOver(state.error);
  }
}

/** On a narrow page the score is more urgent than the choice of rules, which stays in one line. */
function foldOnPhone() {
  if (matchMedia("(max-width: 899px)").matches) byId("won").open = false;
}

function setPhoto(photo) {
  if (state.photo) URL.revokeObjectURL(state.photo.url);
  state.photo = photo;
  state.entry = { id: Date.now() };
  thumbnail(photo).then((picture) => { if (state.photo === photo && state.entry) state.entry.thumbnail = picture; });
  draw();
}

async function readPhoto() {
  readingNow?.abort();
  const turn = new AbortController();
  readingNow = turn;
  forgetHand();
  progress(t("reading"));
  try {
    const reading = await patiently(() => api.recognise(state.photo.blob, state.photo.name, state.won.rules.id, turn.signal));
    state.reading = reading;
    if (!reading.tiles.length) {
      state.error = { words: { title: t("noTiles"), detail: t("noTilesAdvice") } };
      draw();
      return;
    }
    foldOnPhone();
    setHand(model.fromReading(reading));
  } catch (error) {
    if (error.name !== "AbortError") fail(error, readPhoto);
  } finally {
    if (readingNow === turn) progress(null);
  }
}

/** Try again, as often as three times, when the service says that it is busy. */
async function patiently(act) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (error.problem?.status !== 429 || attempt === 3) throw error;
      const seconds = Math.max(1, error.retryAfter);
      progress(t("waiting", { n: seconds }));
      await new Promise((done) => setTimeout(done, 1000 * seconds));
    }
  }
}

// Scoring

function setHand(hand) {
  state.hand = hand;
  draw();
  rescore();
}

async function rescore() {
  if (!state.hand || !model.allTiles(state.hand).length) return;
  const hand = model.toRequest(state.hand);
  if (!hand) {
    state.answer = null;
    draw();
    return;
  }
  scoringNow?.abort();
  const turn = new AbortController();
  scoringNow = turn;
  byId("score-card").classList.add("busy");
  const request = { rules: state.won.rules.id, hand, circumstances: state.won.toRequest(), doubts: model.doubts(state.hand) };
  try {
    state.answer = await api.score(request, turn.signal);
    state.error = null;
    draw();
    remember();
  } catch (error) {
    if (error.name !== "AbortError") fail(error, rescore);
  } finally {
    if (scoringNow === turn) byId("score-card").classList.remove("busy");
  }
}

function answerQuestion(question, option) {
  if (question.code === "which_winning_tile") {
    setHand(model.markWinningCode(state.hand, option.tile));
    return;
  }
  const tile = model.allTiles(state.hand).find((one) => question.tiles.includes(one.id));
  if (tile) setHand(tile.code === option.tile ? model.confirmFace(state.hand, tile) : model.setFace(state.hand, tile, option.tile));
}

function remember() {
  state.entry ??= { id: Date.now() };
  Object.assign(state.entry, { hand: state.hand, rules: state.won.rules.id, values: state.won.values, answer: state.answer });
  history.keep({ ...state.entry });
}

// Showing

const inPlay = () => new Set(state.won.rules.tiles);
const onTile = (tile) => tileSheet({ hand: state.hand, tile, inPlay: inPlay(), reading: state.reading, change: setHand });

function draw() {
  show("photo-empty", !state.photo);
  show("photo-view", Boolean(state.photo));
  byId("photo-empty").classList.toggle("compact", Boolean(state.hand));
  show("welcome", !state.hand);
  show("examples-card", !state.photo && !state.hand && Number(byId("examples-card").dataset.count) > 0);
  drawPhoto();
  drawError();
  drawHand();
  drawScore();
}

function drawPhoto() {
  byId("zoom").setAttribute("aria-pressed", String(state.zoomed));
  if (!state.photo) return;
  drawOverlay({ photo: state.photo, reading: state.reading, hand: state.hand ?? model.EMPTY, zoomed: state.zoomed, onTile });
  const { reading } = state;
  byId("legend").replaceChildren(...legend());
  byId("reading-info").textContent = reading
    ? t("readIn", { n: reading.tiles.length, s: (reading.timing_ms.total / 1000).toFixed(1) }) + (reading.certain ? ` · ${t("certain")}` : "")
    : "";
}

/** What the colours of the boxes mean, once there is more than one. */
function legend() {
  const kinds = new Set(model.allTiles(state.hand ?? model.EMPTY).map((tile) => model.certainty(tile)));
  const items = kinds.size > 1 ? ["sure", "unsure", "doubtful", "edited"].filter((kind) => kinds.has(kind)) : [];
  return items.map((kind) => h("span", {}, h("i", { class: `dot ${kind}` }), t(`legend_${kind}`)));
}

function drawHand() {
  show("hand-card", Boolean(state.hand));
  if (!state.hand) return;
  const edited = model.allTiles(state.hand).some((tile) => tile.edited);
  const problems = edited ? [] : (state.reading?.problems ?? []).filter((problem) => problem.code !== "winning_tile_unknown");
  byId("hand").replaceChildren(
    handView(state.hand, {
      onTile,
      onMeld: (index) => meldSheet({ hand: state.hand, index, change: setHand }),
      onAdd: () => addSheet({ hand: state.hand, inPlay: inPlay(), change: setHand }),
      onSort: () => setHand({ ...state.hand, concealed: [...state.hand.concealed].sort((a, b) => model.sortKey(a.code) - model.sortKey(b.code)) }),
      onCopy: copyLink,
    }),
    problemList(problems),
  );
}

/** The questions worth asking: an answer that changes nothing is not. The tile stays marked all the same. */
const openQuestions = () => (state.answer?.questions ?? []).filter((one) => one.matters || one.code === "which_winning_tile");

function drawScore() {
  const { answer } = state;
  const open = openQuestions();
  byId("announce").textContent = [...open.map(message), answer?.score ? inWords(answer.score) : ""].join(" ");
  byId("questions").replaceChildren(...open.map((question) => questionView(question, answerQuestion)));
  show("score-card", Boolean(answer?.score));
  const fans = Boolean(answer?.score?.complete);
  show("fans-card", fans);
  if (answer?.score) byId("score").replaceChildren(scoreView(answer.score, answer.waits, openComparison));
  if (fans) byId("fans").replaceChildren(fansView(answer.score));
}

async function openComparison() {
  try {
    const comparison = await api.compare({ hand: state.answer.hand, circumstances: state.answer.circumstances });
    openSheet(t("otherRules"), comparisonView(comparison, state.won.all));
  } catch (error) {
    fail(error, openComparison);
  }
}

async function copyLink() {
  if (!state.answer) return;
  const link = linkTo(state.answer);
  if (navigator.share && matchMedia("(pointer: coarse)").matches) {
    await navigator.share({ title: "Hupai", text: state.answer.notation, url: link }).catch(() => {}); // the user may change their mind
    return;
  }
  if (navigator.clipboard) await navigator.clipboard.writeText(link);
  else window.history.replaceState(null, "", link); // no clipboard without HTTPS
  byId("copy").textContent = t(navigator.clipboard ? "copied" : "linkInAddress");
}

/** Show the hand of a link. */
async function openLink() {
  const shared = fromAddress();
  if (!shared) return;
  state.won.show(shared.rules, shared.values);
  try {
    const request = { rules: state.won.rules.id, notation: shared.notation, circumstances: state.won.toRequest() };
    foldOnPhone();
    setHand(model.fromAnswer((await api.score(request)).hand));
  } catch (error) {
    fail(error, openLink);
  }
}

function progress(text) {
  byId("progress-text").textContent = text ?? "";
  show("progress", Boolean(text));
}

function fail(error, again) {
  progress(null);
  state.error = { error, again };
  drawError();
}

function drawError() {
  const box = byId("photo-error");
  box.hidden = !state.error;
  if (!state.error) return;
  const { error, again } = state.error;
  const words = state.error.words ?? errorWords(error);
  const repeatable = error && (error instanceof api.OfflineError || (error.problem?.status ?? 500) >= 429);
  box.replaceChildren(
    h("h3", {}, words.title), h("p", {}, words.detail), words.advice ? h("p", { class: "hint" }, words.advice) : "",
    repeatable ? h("button", { type: "button", class: "button small", onclick: () => { state.error = null; drawError(); again(); } }, t("retry")) : "",
  );
}

function errorWords(error) {
  if (error instanceof api.ServiceProblem) return error.words();
  if (error instanceof api.OfflineError) return { title: t("offlineTitle"), detail: t("offlineDetail") };
  console.error(error);
  return { title: error.name, detail: error.message };
}

function forgetHand() {
  scoringNow?.abort();
  Object.assign(state, { reading: null, hand: null, answer: null, error: null });
  draw();
}

/** As at the beginning, but for an error that is still to be shown. */
function startOver(error = null) {
  readingNow?.abort();
  if (state.photo) URL.revokeObjectURL(state.photo.url);
  forgetHand();
  Object.assign(state, { photo: null, entry: null, error });
  draw();
}

// Ways in

async function openExample(example) {
  if (example.rules) state.won.show(example.rules, { ...example.circumstances });
  scrollTo({ top: 0, behavior: "smooth" });
  try {
    await takeFile(await api.getFile(example.url), example.name);
  } catch (error) {
    fail(error, () => openExample(example));
  }
}

async function openHistory() {
  const list = await history.entries();
  openSheet(t("history"), history.historyView(list, state.won.all, {
    onOpen: (entry) => { closeSheet(); openEntry(entry); },
    onForget: async () => { await history.forget(); closeSheet(); },
  }));
}

function openEntry(entry) {
  startOver();
  Object.assign(state, { entry, hand: entry.hand, answer: entry.answer });
  state.won.show(entry.rules, entry.values);
  draw();
}

function drawExamples(examples) {
  byId("examples-card").dataset.count = examples.length;
  byId("examples").replaceChildren(...examples.map((example) => h("button",
    { type: "button", class: "example", "data-example": example.name, onclick: () => openExample(example) },
    h("img", { src: example.url, alt: "", loading: "lazy" }), h("span", {}, own(example, "title")))));
}

function connectPhotoInputs() {
  for (const [button, input] of [["take", "camera"], ["choose", "file"], ["again", "file"]]) {
    byId(button).addEventListener("click", () => byId(input).click());
    byId(input).addEventListener("change", (event) => {
      const [file] = event.target.files;
      event.target.value = "";
      if (file) takeFile(file);
    });
  }
  byId("by-hand").addEventListener("click", () => {
    foldOnPhone();
    setHand({ ...model.EMPTY });
    addSheet({ hand: state.hand, inPlay: inPlay(), change: setHand });
  });
  byId("rotate").addEventListener("click", async () => {
    setPhoto(await rotated(state.photo));
    readPhoto();
  });
  byId("zoom").addEventListener("click", () => {
    state.zoomed = !state.zoomed;
    drawPhoto();
  });
  const zone = byId("photo-empty");
  addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", () => zone.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const [file] = event.dataTransfer.files;
    if (file) takeFile(file);
  });
  addEventListener("paste", (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find((one) => one.type.startsWith("image/"));
    if (file) takeFile(file);
  });
}

function connectTools(examples) {
  const label = () => {
    byId("language-button").textContent = lang() === "zh" ? "EN" : "中文";
    byId("language-button").setAttribute("aria-label", lang() === "zh" ? "English" : "中文");
    byId("theme-button").setAttribute("aria-label", t(`theme_${currentTheme()}`));
    byId("theme-button").title = t(`theme_${currentTheme()}`);
  };
  byId("language-button").addEventListener("click", () => {
    setLanguage(lang() === "zh" ? "en" : "zh");
    label();
    state.won.draw();
    drawExamples(examples);
    draw();
    notice();
  });
  byId("theme-button").addEventListener("click", () => { nextTheme(); label(); });
  byId("history-button").addEventListener("click", openHistory);
  label();
}

function notice() {
  const box = byId("notice");
  box.hidden = navigator.onLine;
  box.textContent = navigator.onLine ? "" : t("offlineNotice");
}

async function main() {
  translatePage();
  setUpSheet();
  const [rules, tiles, examples] = await Promise.all([api.getRules(), api.getTiles(), api.getExamples().catch(() => [])]);
  learnTiles(tiles);
  byId("welcome-tiles").replaceChildren(...WELCOME.map((code) => tileView(code)));
  state.won = new Circumstances(rules, rescore);
  state.won.draw();
  drawExamples(examples);
  draw();
  connectPhotoInputs();
  connectTools(examples);
  for (const event of ["online", "offline"]) addEventListener(event, notice);
  addEventListener("resize", drawPhoto);
  addEventListener("hashchange", openLink);
  openLink();
  notice();
  document.documentElement.dataset.ready = "true";
  navigator.serviceWorker?.register("/sw.js").catch((error) => console.warn("no offline use:", error));
}

main().catch((error) => fail(error, () => location.reload()));
