// Talks to the service. Errors come as ServiceProblem (the service said what is wrong) or OfflineError (it did not answer).
import { lang } from "./i18n.js";

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
}

export class OfflineError extends Error {}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new OfflineError(path);
  }
  if (response.ok) return response;
  let problem;
  try {
    problem = await response.json();
  } catch {
    problem = { title: `HTTP ${response.status}`, detail: response.statusText, advice: "" };
  }
  throw new ServiceProblem(problem, Number(response.headers.get("retry-after")) || 0);
}

const json = async (path, options) => (await call(path, options)).json();

function photoForm(blob, name) {
  const form = new FormData();
  form.append("photo", blob, name);
  return form;
}

export const getRules = async () => (await json("/v1/rules")).rules;
export const getTiles = async () => (await json("/v1/tiles")).tiles;
export const getExamples = async () => (await json("/examples")).examples;
export const getFile = async (path) => (await call(path)).blob();

export function recognise(blob, name, rules, signal) {
  const body = photoForm(blob, name);
  body.append("rules", rules);
  return json("/v1/recognitions", { method: "POST", body, headers: { accept: "application/json" }, signal });
}

/** The photo as an upright JPEG, for formats this browser cannot show. */
export async function upright(blob, name, side) {
  const options = { method: "POST", body: photoForm(blob, name), headers: { accept: "image/jpeg" } };
  return (await call(`/v1/pictures?side=${side}`, options)).blob();
}

const send = (path, request, signal) =>
  json(path, { method: "POST", body: JSON.stringify(request), headers: { "content-type": "application/json" }, signal });

export const score = (request, signal) => send("/v1/scores", request, signal);
export const compare = (request) => send("/v1/comparisons", request);
