/** Light, dark, or as the system says: the choice stays in this browser. */

const NAME = "dualgate-theme";
const CHOICES = ["system", "light", "dark"];

const choice = () => (CHOICES.includes(localStorage.getItem(NAME)) ? localStorage.getItem(NAME) : "system");

export function startTheme(button) {
  apply(button, choice());
  button.addEventListener("click", () => nextTheme(button));
}

export function nextTheme(button) {
  const next = CHOICES[(CHOICES.indexOf(choice()) + 1) % CHOICES.length];
  localStorage.setItem(NAME, next);
  apply(button, next);
}

function apply(button, name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  button.textContent = `Theme: ${name}`;
}
