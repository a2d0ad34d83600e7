// Small icons, drawn in the colour of their text.

import { h, svg } from "./dom.js";

const PATHS = {
  hint: "M9 18h6M10 21h4M8.5 14.5A6 6 0 1 1 15.5 14.5C14.8 15.2 15 16 15 16H9s.2-.8-.5-1.5z",
  sort: "M4 7h16M4 12h11M4 17h6",
  sheet: "M6 3h12v18H6zM9 8h6M9 12h6M9 16h4",
  overview: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  arrow: "M5 12h13M13 6l6 6-6 6",
};

/** A round button with an icon and a name. */
export function iconButton(icon, properties = {}) {
  const lines = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round" };
  const drawing = { viewBox: "0 0 24 24", width: 22, height: 22, "aria-hidden": "true", ...lines };
  return h(
    "button",
    { type: "button", class: "icon", ...properties },
    svg("svg", { ...drawing, "stroke-linejoin": "round" }, svg("path", { d: PATHS[icon] })),
  );
}

/** Names an icon button in the current language. */
export function nameButton(button, name) {
  button.setAttribute("aria-label", name);
  button.title = name;
}
