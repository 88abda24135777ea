// Which hand is shown, so that a reload, or a browser that closes the tab, does not take it away.
const SHOWN = "hupai.shown";
const STILL_SHOWN_MS = 10 * 60 * 1000; // a new tab opens the hand of another one only as long as it may be its successor

/** Remember which hand is shown: its id on this device, null for none. */
export function rememberShown(id) {
  if (id === null) sessionStorage.removeItem(SHOWN);
  else sessionStorage.setItem(SHOWN, id);
  localStorage.setItem(SHOWN, JSON.stringify({ id, at: Date.now() }));
}

/** The id of the hand that was shown before the page was loaded anew; null where none was. */
export function lastShown() {
  let last = null;
  try {
    last = JSON.parse(localStorage.getItem(SHOWN) ?? "null");
  } catch {
    // written by another version
  }
  return sessionStorage.getItem(SHOWN) ?? (last && Date.now() - last.at < STILL_SHOWN_MS ? last.id : null);
}
