// A link that holds a hand: what comes after # stays on the device and in the link, the service never sees it.

/** The link to a scored hand. */
export function linkTo(answer) {
  const parts = new URLSearchParams({ rules: answer.rules, hand: answer.notation });
  const won = Object.entries(answer.circumstances).filter(([, value]) => value !== null && value !== false);
  if (won.length) parts.set("won", JSON.stringify(Object.fromEntries(won)));
  return `${location.origin}/#${parts}`;
}

/** The hand that the address names: {rules, notation, values}; null where it names none. */
export function fromAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (!parts.has("hand")) return null;
  let values = {};
  try {
    values = JSON.parse(parts.get("won") ?? "{}");
  } catch {
    // a link cut short by a messenger: the hand alone is still worth showing
  }
  return { rules: parts.get("rules"), notation: parts.get("hand"), values };
}
