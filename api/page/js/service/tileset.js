// Which learned tile set is used when a hand is read: "auto" (the one it recognises), "none", or a name. Remembered on this device.

const KEPT = "hupai.tile_set";

export const chosenSet = () => localStorage.getItem(KEPT) ?? "auto";

export function chooseSet(value) {
  if (value === "auto") localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, value);
}
