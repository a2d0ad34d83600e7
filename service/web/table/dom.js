// Builds elements without HTML strings, so nothing a player types is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties, listeners (`onclick`) and children. */
export function h(tag, properties = {}, ...children) {
  return build(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function svg(tag, properties = {}, ...children) {
  return build(document.createElementNS(SVG, tag), properties, children);
}

function build(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets an attribute only if it changes, so that nothing is announced or drawn twice. */
export function setAttr(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Sets the text only if it changes. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Announces a text to screen readers. */
export function announce(text) {
  const place = document.getElementById("announcements");
  // Screen readers ignore an unchanged text, so the node is always new.
  place.replaceChildren(h("p", {}, text));
}

/** A short message that disappears by itself; `urgent` ones stay longer. */
export function toast(text, { urgent = false } = {}) {
  const note = h("p", { class: urgent ? "toast urgent" : "toast" }, text);
  const place = document.getElementById("toasts");
  place.append(note);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => note.remove(), urgent ? 9000 : 4500);
}

/** Removes error messages after a successful action. */
export function clearErrors() {
  for (const note of document.querySelectorAll(".toast.urgent")) note.remove();
}

/** A dialog that is removed when it closes. */
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

/** Whether the user wants nothing to move. */
export function motionReduced() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
