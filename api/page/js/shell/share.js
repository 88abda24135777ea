// Links to a hand. What comes after # stays on the device and in the link.
import * as api from "../service/api.js";

/** The link to a hand that the service keeps: it shows photo, reading and corrections to whoever has it. */
export async function linkToStored(server) {
  server.share ??= await api.shareHand(server.id);
  return `${location.origin}/#${new URLSearchParams({ h: server.id, share: server.share })}`;
}

/** The link that holds the scored hand itself, without a photo; `told` are the circumstances that the user has told. */
export function linkToHand(answer, told) {
  const parts = new URLSearchParams({ rules: answer.rules, hand: answer.notation });
  const won = Object.entries(answer.circumstances).filter(([name, value]) => name in told && value !== null);
  if (won.length) parts.set("won", JSON.stringify(Object.fromEntries(won)));
  return `${location.origin}/#${parts}`;
}

/** The link to a session that the service keeps: whoever has it sees the scores and may add hands. */
export const linkToSession = ({ id, stored }) => `${location.origin}/#${new URLSearchParams({ session: id, share: stored.share })}`;

/** What the address names: {session, share}, a hand as {id, share} or {rules, notation, values}; null where it names nothing. */
export function fromAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (parts.has("session")) return { session: parts.get("session"), share: parts.get("share") };
  if (parts.has("h")) return { id: parts.get("h"), share: parts.get("share") };
  if (!parts.has("hand")) return null;
  let values = {};
  try {
    values = JSON.parse(parts.get("won") ?? "{}");
  } catch {
    // a link cut short by a messenger: the hand alone is still worth showing
  }
  return { rules: parts.get("rules"), notation: parts.get("hand"), values };
}
