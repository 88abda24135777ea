// Talks to the service. Errors come as ServiceProblem (the service said what is wrong) or OfflineError (it did not answer).
import { events } from "./events.js";
import { lang } from "../shell/i18n.js";
import { found, lost } from "../shell/reach.js";

export class ServiceProblem extends Error {
  constructor(problem, retryAfter) {
    super(problem.detail);
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** The problem in the page's language: {title, detail, advice}. */
  words() {
    const own = (name) => (lang() === "zh" && this.problem[`${name}_zh`]) || this.problem[name] || "";
    return { title: own("title"), detail: own("detail"), advice: own("advice") };
  }

  /** True for what may go well when it is sent again unchanged. */
  get passing() {
    return this.problem.status === 429 || this.problem.status >= 500;
  }
}

export class OfflineError extends Error {}

const KEY = "hupai.key";
const STREAM = "text/event-stream";
let key = localStorage.getItem(KEY);

/** The key sent with each request, where the service asks for one. */
export function setKey(value) {
  key = value || null;
  if (key) localStorage.setItem(KEY, key);
  else localStorage.removeItem(KEY);
}

const signed = (headers) => (key ? { ...headers, authorization: `Bearer ${key}` } : { ...headers });

async function call(path, options = {}) {
  return answered(path, { ...options, headers: signed(options.headers) });
}

async function answered(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    throw unanswered(error, path);
  }
  if (response.ok) {
    found();
    return response;
  }
  throw await refusal(response, path);
}

function unanswered(error, path) {
  if (error.name === "AbortError") return error;
  lost();
  return new OfflineError(path);
}

/** What an answer that is no success means. A gateway's own page says only that the service behind it is gone. */
async function refusal(response, path) {
  let problem;
  try {
    problem = await response.json();
  } catch {
    if ([502, 503, 504].includes(response.status)) return unanswered(new Error(response.statusText), path);
    problem = { title: `HTTP ${response.status}`, detail: response.statusText, advice: "", status: response.status };
  }
  found();
  return new ServiceProblem(problem, Number(response.headers.get("retry-after")) || 0);
}

const patience = () => AbortSignal.timeout(15_000); // where the next exchange waits for this one
const json = async (path, options) => (await call(path, options)).json();
const send = (method, path, body, signal) =>
  json(path, { method, body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal });

/** What everybody may read, asked for without the key: a key that has expired must not keep the page from starting. */
const open = async (path) => (await answered(path)).json();

export const getRules = async () => (await open("/v1/rules")).rules;
export const getTiles = async () => (await open("/v1/tiles")).tiles;
export const getExamples = async () => (await open("/examples")).examples;
export const getFile = async (path) => (await call(path)).blob();

function photoForm(photos, fields = {}) {
  const form = new FormData();
  for (const photo of photos) form.append("photo", photo.blob, photo.name);
  for (const [name, value] of Object.entries(fields)) if (value !== null) form.append(name, value);
  return form;
}

/** The photo as an upright JPEG, for formats this browser cannot show. */
export async function upright(blob, name, side) {
  const options = { method: "POST", body: photoForm([{ blob, name }]), headers: { accept: "image/jpeg" } };
  return (await call(`/v1/pictures?side=${side}`, options)).blob();
}

// Hands that the service keeps

/**
 * Have the photos of one hand read, scored and kept; `key` makes that happen once however often it is sent;
 * `point` lies on the hand that is meant, where the photo shows several.
 * `onProgress({stage, position})` is told how far it is. The stored hand.
 */
export async function readHand({ photos, rules, circumstances, key: once, tileSet, point }, onProgress, signal) {
  const body = photoForm(photos, { rules, circumstances: JSON.stringify(circumstances), tile_set: tileSet === "auto" ? null : tileSet, at: point ? point.join(",") : null });
  const headers = { accept: `${STREAM}, application/json;q=0.5`, "idempotency-key": once };
  const response = await call("/v1/hands", { method: "POST", body, headers, signal });
  if (!response.headers.get("content-type")?.startsWith(STREAM)) return response.json();
  let stored = null;
  try {
    for await (const { event, data } of events(response.body)) { // to its end, so that the connection is free again
      const told = JSON.parse(data);
      if (event === "done") stored = told;
      else if (event === "problem") throw new ServiceProblem(told, told.retry_after ?? 0);
      else onProgress(told);
    }
  } catch (error) {
    if (error instanceof ServiceProblem) throw error;
    if (!stored) throw unanswered(error, "/v1/hands");
  }
  if (!stored) throw unanswered(new Error("the stream ended early"), "/v1/hands");
  return stored;
}

const handPath = (id) => `/v1/hands/${encodeURIComponent(id)}`;
const shared = (path, share, query = "") => `${path}?${new URLSearchParams({ ...(share ? { share } : {}), ...query })}`;

export const changeHand = (id, change) => send("PATCH", handPath(id), change, patience());
export const getHand = (id, share) => json(shared(handPath(id), share));
export const consentTo = (id, given) => send("PUT", `${handPath(id)}/consent`, { given });
export const allowLearning = () => send("PUT", "/v1/learning/consent", { given: true });
export const getSuggestions = (count = 10) => json(`/v1/learning/suggestions?count=${count}`);
export const getDrift = () => json("/v1/learning/drift");
export const listHands = (cursor) => json(`/v1/hands?${new URLSearchParams({ limit: "20", ...(cursor ? { cursor } : {}) })}`);
export const deleteHand = (id) => call(handPath(id), { method: "DELETE" });
export const shareHand = async (id) => (await json(`${handPath(id)}/share`, { method: "PUT" })).token;

/** A photo of a stored hand: the photo itself, or with `side` a picture at most so many pixels long. */
export async function handPhoto(id, { share, index = 0, side } = {}) {
  const query = { index: String(index), ...(side ? { side: String(side) } : {}) };
  return (await call(shared(`${handPath(id)}/photo`, share, query))).blob();
}

// Scores of hands that are not kept

export const score = (request, signal) => send("POST", "/v1/scores", request, signal);
export const compare = (request) => send("POST", "/v1/comparisons", request);

// Sessions, which the device keeps and the service settles, and keeps too where the players want it

export const settleSession = (log) => send("POST", "/v1/sessions", log);

const sessionPath = (id) => `/v1/sessions/${encodeURIComponent(id)}`;
export const getStoredSession = (id, share) => json(shared(sessionPath(id), share), { signal: patience() });
export const sessionCode = async (id, share) => (await call(shared(`${sessionPath(id)}/code`, share))).blob();

/** A stored session after a change that was made on `version`; begun where there is none. `once` makes it happen once however often it is sent. */
export function putSession(id, session, { version, share, key: once }) {
  const headers = { "content-type": "application/json", "idempotency-key": once, ...(version ? { "if-match": `"${version}"` } : {}) };
  return json(shared(sessionPath(id), share), { method: "PUT", body: JSON.stringify(session), headers, signal: patience() });
}

/** The sheet of a stored session as CSV. */
export const storedSessionFile = async (id, share) => (await call(shared(sessionPath(id), share), { headers: { accept: "text/csv" } })).blob();

/** The sheet of a session as CSV. */
export async function sessionFile(log) {
  const options = { method: "POST", body: JSON.stringify(log), headers: { "content-type": "application/json", accept: "text/csv" } };
  return (await call("/v1/sessions", options)).blob();
}

// Tile sets

export const listTileSets = async () => (await json("/v1/tile-sets")).tile_sets;
export const removeTileSet = (name) => call(`/v1/tile-sets/${encodeURIComponent(name)}`, { method: "DELETE" });

/** Have a tile set learned from photos; `order` names the faces on each photo in reading order. */
export function addTileSet({ name, photos, order, answers, replace }) {
  const fields = { name, order: JSON.stringify(order), answers: answers?.length ? JSON.stringify(answers) : null, replace: replace ? "true" : null };
  return json("/v1/tile-sets", { method: "POST", body: photoForm(photos, fields) });
}
