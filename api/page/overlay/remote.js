// Requests and the operator's line. The key comes from the page's address, or from where the main page keeps it.
export const key = () => new URLSearchParams(location.search).get("key") ?? localStorage.getItem("hupai.key");

/** An answer as JSON; throws an Error with the problem's words. */
export async function ask(path, { method = "GET", body } = {}) {
  const headers = { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...(key() ? { Authorization: `Bearer ${key()}` } : {}) };
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.status === 204) return null;
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(content.detail ?? answer.statusText), { problem: content });
  return content;
}

/** The address with the key, for what cannot send headers. */
export function keyed(path, parameters = {}) {
  const query = new URLSearchParams({ ...parameters, ...(key() ? { key: key() } : {}) });
  return query.size ? `${path}?${query}` : path;
}

/** The operator's WebSocket: opens again by itself. `on` has state, status, gone, trouble and line(bool); `send` gives a promise. */
export function openLine(table, on) {
  let socket = null;
  let wait = 400;
  let next = 1;
  let over = false;
  const pending = new Map();

  function connect() {
    socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${keyed(`/v1/tables/${table}/operator`)}`);
    socket.onopen = () => {
      wait = 400;
      on.line(true);
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "done" || message.type === "problem") {
        const { done, failed } = pending.get(message.id) ?? {};
        pending.delete(message.id);
        message.type === "done" ? done?.() : failed?.(Object.assign(new Error(message.detail), { problem: message }));
        return;
      }
      if (message.type === "gone") over = true;
      on[message.type]?.(message.state ?? message.status);
    };
    socket.onclose = () => {
      on.line(false);
      // What was not answered was perhaps not done: whoever asked is told, and sees the state when the line is back.
      for (const { failed } of pending.values()) failed(new Error("connection lost"));
      pending.clear();
      if (over) return;
      setTimeout(connect, wait);
      wait = Math.min(wait * 1.6, 3000);
    };
  }

  connect();
  return (command) =>
    new Promise((done, failed) => {
      if (socket.readyState !== WebSocket.OPEN) {
        failed(new Error("connection lost"));
        return;
      }
      pending.set(next, { done, failed });
      socket.send(JSON.stringify({ id: next++, command }));
    });
}
