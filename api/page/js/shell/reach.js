// Whether the service answers. A request that got no answer calls lost(); from then on the service is asked until it does.

const WAITS = [1, 2, 4, 8, 15];
const listeners = new Set();
let reachable = true;
let tries = 0;
let timer = null;

export const isReachable = () => reachable;

/** `act(reachable)` is called whenever that changes. */
export const onReach = (act) => listeners.add(act);

function tell(now) {
  if (now === reachable) return;
  reachable = now;
  for (const act of listeners) act(now);
}

export function lost() {
  tell(false);
  if (timer === null) plan();
}

export function found() {
  clearTimeout(timer);
  timer = null;
  tries = 0;
  tell(true);
}

function plan() {
  timer = setTimeout(ask, 1000 * WAITS[Math.min(tries, WAITS.length - 1)]);
  tries += 1;
}

async function ask() {
  clearTimeout(timer);
  timer = null;
  try {
    const response = await fetch("/healthz", { cache: "no-store" });
    if (response.ok) {
      found();
      return;
    }
  } catch {
    // still gone
  }
  lost();
}

/** Begin to watch the device's own connection; a page that comes back into view asks at once. */
export function watchReach() {
  addEventListener("offline", lost);
  addEventListener("online", ask);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && !reachable) ask(); });
  if (!navigator.onLine) lost();
}
