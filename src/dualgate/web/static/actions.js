/** Steer a session: buttons for what fits its state, each with a sentence to confirm. */

import { post, sessionPath } from "./api.js";
import { announce } from "./announce.js";
import { askToken, cancelButton, openDialog, problemBox } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { mayControl } from "./store.js";
import { token } from "./token.js";

const NEEDS_TOKEN = 401;

export class ActionBar {
  /** `acted` is called after each action, so that the page shows its effect. */
  constructor(id, acted) {
    this.id = id;
    this.acted = acted;
    this.node = h("div", { class: "actions", role: "group", "aria-label": "Actions" });
  }

  update(actions) {
    const shown = mayControl() ? (actions ?? []) : [];
    this.node.hidden = shown.length === 0;
    fill(
      this.node,
      shown.map((action) =>
        h("button", { type: "button", class: action.danger ? "danger" : "", "data-key": action.name, "data-action": action.name, on: { click: () => this.ask(action) } }, action.label),
      ),
    );
  }

  async ask(action) {
    if (!token() && !(await askToken("Acting on a session needs the token of this dashboard."))) return;
    const fields = inputs(action);
    const told = h("div");
    const confirm = h("button", { class: action.danger ? "danger primary" : "primary" }, action.label);
    const buttons = h("div", { class: "buttons" }, confirm, cancelButton());
    const form = h("form", { class: "form", method: "dialog" }, h("p", action.confirm), fields.nodes, told, buttons);
    const opened = openDialog(action.label, form, "confirm");
    form.onsubmit = async (event) => {
      event.preventDefault();
      confirm.disabled = true;
      const isDone = await this.act(action, fields.values(), told);
      confirm.disabled = false;
      if (isDone) fill(buttons, cancelButton("Close"));
    };
    await opened.closed;
  }

  /** Send the action; show its result or why it was refused. */
  async act(action, values, told) {
    try {
      const found = await post(`${sessionPath(this.id)}/control`, { action: action.name, ...values });
      fill(told, h("div", { class: `box ${found.done ? "good" : "warn"}`, role: "status" }, h("p", found.message)));
      announce(found.message);
      await this.acted();
      return found.done;
    } catch (problem) {
      fill(told, problemBox(problem));
      if (problem.status === NEEDS_TOKEN) await askToken("The server does not accept the token of this tab.");
      return false;
    }
  }
}

function inputs(action) {
  const hasText = action.needs_text || action.text_label;
  const text = hasText ? h("textarea", { id: "action-text", rows: "4", required: action.needs_text, maxlength: "8000" }) : null;
  const options = (action.values ?? []).map((value) => h("option", { value }, value));
  const choice = options.length ? h("select", { id: "action-value" }, options) : null;
  return {
    nodes: [
      choice ? [h("label", { for: "action-value" }, "Choice"), choice] : null,
      text ? [h("label", { for: "action-text" }, action.text_label || "Text"), text] : null,
    ],
    values: () => ({ ...(text?.value ? { text: text.value } : {}), ...(choice ? { value: choice.value } : {}) }),
  };
}
