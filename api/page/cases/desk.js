// Asks the service about cases. What it refuses comes as Refused with the words to show.
import { lang } from "/page/js/shell/i18n.js";

export class Refused extends Error {
  constructor(problem) {
    super((lang() === "zh" && problem.detail_zh) || problem.detail);
    this.problem = problem;
  }
}

async function call(path, options = {}) {
  const key = localStorage.getItem("hupai.key");
  const headers = { ...options.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const response = await fetch(`/v1${path}`, { ...options, headers });
  if (response.ok) return response;
  const fallback = { status: response.status, detail: `HTTP ${response.status}` };
  throw new Refused(await response.json().catch(() => fallback));
}

export const get = async (path) => (await call(path)).json();
export const file = async (path) => (await call(path)).blob();
export const sendForm = async (path, body) => (await call(path, { method: "POST", body })).json();
export const send = async (path, body) =>
  (await call(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })).json();

/** The name that stands in the log beside the key's. */
export const stated = () => localStorage.getItem("hupai.name") ?? "";
export const setStated = (name) => localStorage.setItem("hupai.name", name.trim());
