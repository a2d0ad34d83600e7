// The style sheets of a game, which the start page does without.

const SHEETS = ["game", "hand_panel", "moves", "score_sheet", "small_screens"];
let loading = null;

/** Loads them once; resolves when the game can be shown. */
export function loadGameStyles() {
  loading ??= Promise.all(SHEETS.map(load));
  return loading;
}

function load(name) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(`${name}.css`, import.meta.url);
  return new Promise((done) => {
    link.addEventListener("load", done);
    // Without its looks a game can still be played.
    link.addEventListener("error", done);
    document.head.append(link);
  });
}
