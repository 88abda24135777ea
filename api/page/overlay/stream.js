// The line to the service: events of one table, for ever. Started before the service, or cut off by its restart, it comes back.
const SILENCE = 16000; // the service gives a sign of life every 5 s
const FIRST_WAIT = 400;
const LONGEST_WAIT = 3000;

/** The key in the page's own address, handed on with every request. */
export function withKey(path, parameters = {}) {
  const key = new URLSearchParams(location.search).get("key");
  const query = new URLSearchParams({ ...parameters, ...(key ? { key } : {}) });
  return query.size ? `${path}?${query}` : path;
}

/**
 * Follow what is on air. `on` has a function for each of snapshot, hand, hide, table, and optionally gone; `connected(bool)` tells how
 * the line is. Returns a function that ends it.
 */
export function follow(table, on, connected = () => {}) {
  let source = null;
  let last = null;
  let wait = FIRST_WAIT;
  let timer = 0;
  let silence = 0;
  let ended = false;

  const alive = () => {
    clearTimeout(silence);
    silence = setTimeout(again, SILENCE);
    wait = FIRST_WAIT;
    connected(true);
  };

  function again() {
    source?.close();
    clearTimeout(silence);
    clearTimeout(timer);
    connected(false);
    if (ended) return;
    timer = setTimeout(connect, wait);
    wait = Math.min(wait * 1.6, LONGEST_WAIT);
  }

  function connect() {
    source = new EventSource(withKey(`/v1/tables/${table}/events`, last === null ? {} : { after: last }));
    silence = setTimeout(again, SILENCE);
    source.onerror = again;
    source.addEventListener("alive", alive);
    for (const name of ["snapshot", "hand", "hide", "table"]) {
      source.addEventListener(name, (event) => {
        alive();
        last = Number(event.lastEventId);
        on[name]?.(JSON.parse(event.data));
      });
    }
    source.addEventListener("gone", () => {
      last = null;
      on.gone?.();
      again();
    });
  }

  connect();
  return () => {
    ended = true;
    again();
  };
}
