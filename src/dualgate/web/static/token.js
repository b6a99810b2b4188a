/** The token of this tab: from the address into the storage of the tab, never shown again. */

const NAME = "dualgate-token";

/** Move `#token=…` out of the address, so that it is in no history entry and in no copied link. */
export function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!found) return;
  setToken(found);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export const token = () => sessionStorage.getItem(NAME) ?? "";
export const setToken = (value) => sessionStorage.setItem(NAME, value.trim());
export const forgetToken = () => sessionStorage.removeItem(NAME);
