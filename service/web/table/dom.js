// Elements without markup: nothing that a player typed is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties, listeners (`onclick`) and children. */
export function h(tag, properties = {}, ...children) {
  return dress(document.createElement(tag), properties, children);
}

/** The same for drawings. */
export function svg(tag, properties = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), properties, children);
}

function dress(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets an attribute only where it differs, so that nothing is announced or drawn twice. */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Sets the text only where it differs. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Says something to those who listen rather than look. */
export function say(text) {
  const place = document.getElementById("said");
  // The same sentence twice is no change to a screen reader, so its node is always a new one.
  place.replaceChildren(h("p", {}, text));
}

/** A short message that goes away by itself; `urgent` ones stay longer. */
export function toast(text, { urgent = false } = {}) {
  const note = h("p", { class: urgent ? "toast urgent" : "toast" }, text);
  const place = document.getElementById("toasts");
  place.append(note);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => note.remove(), urgent ? 9000 : 4500);
}

/** Takes refusals off the screen once what was wanted has been done. */
export function hush() {
  for (const note of document.querySelectorAll(".toast.urgent")) note.remove();
}

/** A dialog that is removed when it is closed; its title names it. */
export function dialog(title, closeWord, ...children) {
  const shut = h("button", { type: "button", class: "quiet", "aria-label": closeWord }, "✕");
  const box = h(
    "dialog",
    { class: "card dialog", "aria-label": title },
    h("header", {}, h("h2", {}, title), shut),
    ...children,
  );
  shut.addEventListener("click", () => box.close());
  box.addEventListener("click", (event) => event.target === box && box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}
