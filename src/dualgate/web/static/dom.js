/** Make and update elements. Every text becomes a text node, so no text of a session is read as markup. */

const HANDLERS = Symbol("handlers");
const VARIABLES = Symbol("variables");
const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("p", {class: "quiet", on: {click: act}}, "text", child)`. The properties may be left out. */
export function h(tag, ...rest) {
  return filled(document.createElement(tag), rest);
}

/** An element of a drawing. */
export function s(tag, ...rest) {
  return filled(document.createElementNS(SVG, tag), rest);
}

function filled(node, rest) {
  const [first, ...others] = rest;
  const hasProperties = first !== null && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  if (hasProperties) setProperties(node, first);
  append(node, hasProperties ? others : rest);
  return node;
}

function setProperties(node, { on = {}, vars = {}, ...attributes }) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  setHandlers(node, on);
  setVariables(node, vars);
}

function setHandlers(node, on) {
  for (const name of Object.keys(node[HANDLERS] ?? {})) node[`on${name}`] = null;
  node[HANDLERS] = on;
  for (const [name, handler] of Object.entries(on)) node[`on${name}`] = handler;
}

/** Custom properties for the style sheet: the policy of the page refuses style attributes. */
function setVariables(node, vars) {
  node[VARIABLES] = vars;
  for (const [name, value] of Object.entries(vars)) node.style.setProperty(name, value);
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replace the content of a node, keeping every element that is the same: focus, scroll and open parts stay. */
export function fill(node, ...children) {
  const fresh = document.createDocumentFragment();
  append(fresh, children);
  updateChildren(node, [...fresh.childNodes]);
  return node;
}

/** Make `old` equal to `fresh` in place where both are the same kind of element; return the one in the page. */
export function update(old, fresh) {
  if (!isSame(old, fresh)) {
    old.replaceWith(fresh);
    return fresh;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return old;
  }
  updateAttributes(old, fresh);
  updateChildren(old, [...fresh.childNodes]);
  return old;
}

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-key") : null);
const isSame = (old, fresh) => old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);
/** A person opens and closes these parts; the class of a moved row is set while it is marked. */
const isKept = (node, name) => name === "style" || (name === "open" && node.nodeName === "DETAILS");

function updateAttributes(old, fresh) {
  for (const { name, value } of [...fresh.attributes]) {
    if (!isKept(old, name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!isKept(old, name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  setHandlers(old, fresh[HANDLERS] ?? {});
  setVariables(old, fresh[VARIABLES] ?? {});
}

function updateChildren(parent, fresh) {
  const keyed = new Map([...parent.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  let place = parent.firstChild;
  for (const child of fresh) {
    const known = keyOf(child) ? keyed.get(keyOf(child)) : place;
    if (!known || !isSame(known, child)) {
      parent.insertBefore(child, place);
      continue;
    }
    if (known === place) place = place.nextSibling;
    else parent.insertBefore(known, place);
    update(known, child);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** Put the children of a parent into an order, moving as few as possible, and keep the focus. */
export function arrange(parent, nodes) {
  const focused = document.activeElement;
  const wanted = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!wanted.has(node)) node.remove();
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) {
      place = place.nextSibling;
    } else if (place && place.nextSibling === node) {
      parent.append(place); // one row moved down: the others stay where they are
      place = node.nextSibling;
    } else {
      parent.insertBefore(node, place);
    }
  }
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

export const byId = (id) => document.getElementById(id);
