/** Dialogs: a question with its answer, the token, and the keys. */

import { fill, h } from "./dom.js";
import { post } from "./api.js";
import { forgetToken, setToken, token } from "./token.js";

/** Show a dialog until it is closed; the focus returns to where it was. */
export function openDialog(title, content, className = "") {
  const before = document.activeElement;
  const head = h("h2", { id: "dialog-title" }, title);
  const dialog = h("dialog", { class: `dialog ${className}`, "aria-labelledby": "dialog-title" }, head, content);
  const closed = new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus?.({ preventScroll: true });
      resolve();
    });
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, closed, close: () => dialog.close() };
}

export const problemBox = (problem) =>
  h("div", { class: "box bad", role: "alert" }, h("p", problem.message), problem.nextStep ? h("p", problem.nextStep) : null);

/** Ask for the token, check it with the server, and say whether there is one now. */
export async function askToken(reason) {
  const input = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  const told = h("div");
  let isGiven = false;
  const form = h(
    "form",
    { class: "form", method: "dialog" },
    h("p", reason),
    h("p", { class: "quiet" }, "The token stands behind #token= in the address that dualgate dashboard printed."),
    h("label", { for: "token" }, "Token"),
    input,
    told,
    h("div", { class: "buttons" }, h("button", { class: "primary" }, "Use this token"), cancelButton()),
  );
  const opened = openDialog("A token is needed", form);
  form.onsubmit = async (event) => {
    event.preventDefault();
    setToken(input.value);
    try {
      await post("/api/login");
      isGiven = true;
      opened.close();
    } catch (problem) {
      forgetToken();
      fill(told, problemBox(problem));
    }
  };
  await opened.closed;
  return isGiven;
}

/** Let the server set the cookie for reading, if a token came with the address. */
export async function login() {
  if (token()) await post("/api/login").catch(() => {});
}

export const cancelButton = (text = "Cancel") =>
  h("button", { type: "button", on: { click: (event) => event.target.closest("dialog").close() } }, text);
