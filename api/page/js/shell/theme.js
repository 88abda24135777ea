// Light, dark, or as the system has it; remembered.
const ORDER = ["auto", "light", "dark"];

export function currentTheme() {
  const saved = localStorage.getItem("hupai.theme");
  return ORDER.includes(saved) ? saved : "auto";
}

export function applyTheme(theme = currentTheme()) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function nextTheme() {
  const theme = ORDER[(ORDER.indexOf(currentTheme()) + 1) % ORDER.length];
  localStorage.setItem("hupai.theme", theme);
  applyTheme(theme);
  return theme;
}

applyTheme();

// On pages without other words for it the button says what it does in both languages.
document.querySelector("#theme-button[data-own]")?.addEventListener("click", nextTheme);
