// The sidebar: the score sheet with the lines of every turn, and the unseen tiles.

import { h } from "./dom.js";
import { COLOURS, shapeSvg, SHAPES, tileSvg } from "./tiles.js";
import { t, tileName } from "./i18n.js";

/** The score sheet with all turns; only very long games have more than one page. */
async function wholeScore(game, options) {
  let sheet = await game.score({}, options);
  while (sheet.next !== null) {
    const more = await game.score({ after: sheet.next }, options);
    sheet = { ...more, turns: [...sheet.turns, ...more.turns] };
  }
  return sheet;
}

export class ScoreSheet {
  constructor(controller, element) {
    this.controller = controller;
    this.sheet = h("section", { class: "sheet", "aria-labelledby": "sheet-title" });
    this.unseen = h("section", { class: "unseen", "aria-labelledby": "unseen-title" });
    this.closer = h("button", {
      type: "button",
      class: "sidebar-close",
      onclick: () => this.open(false),
    });
    this.element = element;
    element.replaceChildren(
      this.closer,
      h("div", { class: "sidebar-body" }, this.unseen, this.sheet),
    );
    this.done = "";
  }

  close() {
    this.closed = true;
  }

  /** Opens or closes the sidebar, which is a sheet on small screens. */
  open(on) {
    this.element.classList.toggle("open", on);
    this.closer.textContent = t("side.close");
    if (on) this.closer.focus();
  }

  toggle() {
    this.open(!this.element.classList.contains("open"));
  }

  /** Loads and shows the sidebar if the game has changed. */
  async show() {
    const { game, viewer, closing } = this.controller;
    const stand = [game.version, viewer, document.documentElement.lang].join();
    if (stand === this.done) return;
    this.done = stand;
    this.closer.textContent = t("side.close");
    try {
      const [score, unseen] = await Promise.all([
        wholeScore(this.controller.as(null), { signal: closing.signal }),
        this.controller.as(viewer).unseen({ signal: closing.signal }),
      ]);
      if (this.closed || stand !== this.done) return;
      this.showSheet(score);
      this.showUnseen(unseen);
    } catch {
      this.done = "";
    }
  }

  showSheet(score) {
    const tiles = new Map(
      this.controller.game.board.map((each) => [`${each.x},${each.y}`, each.tile]),
    );
    const turns = [...score.turns].reverse().map((turn) => this.turn(turn, tiles));
    this.sheet.replaceChildren(
      h("h2", { id: "sheet-title" }, t("sheet.title")),
      turns.length
        ? h("ol", { class: "turns" }, ...turns)
        : h("p", { class: "small" }, t("sheet.empty")),
    );
  }

  turn(turn, tiles) {
    const { controller } = this;
    const name = controller.isYou(turn.seat) ? t("players.you") : controller.name(turn.seat);
    const sum = turn.points + turn.bonus;
    const lines = turn.lines.map((line) =>
      h(
        "li",
        { class: line.qwirkle ? "mini qwirkle" : "mini" },
        ...line.cells
          .map(({ x, y }) => tiles.get(`${x},${y}`))
          .filter(Boolean)
          .map((tile) => tileSvg(tile, { named: true, width: 18, height: 18 })),
        h("b", {}, String(line.points)),
        line.qwirkle ? h("span", { class: "tag" }, t("sheet.qwirkle")) : null,
      ),
    );
    if (turn.bonus)
      lines.push(h("li", { class: "mini" }, t("sheet.bonus"), h("b", {}, String(turn.bonus))));
    const what = turn.type === "played" ? `+${sum}` : t(`sheet.${turn.type}`);
    const item = h(
      "li",
      { class: "entry" },
      h(
        "p",
        {},
        h("span", { class: "number" }, String(turn.number)),
        h("span", { class: "who" }, name),
        h("b", { class: "sum" }, what),
      ),
      lines.length ? h("ul", {}, ...lines) : null,
    );
    item.addEventListener("pointerenter", () => this.highlight(turn.lines));
    item.addEventListener("pointerleave", () => this.highlight(null));
    return item;
  }

  highlight(lines) {
    this.controller.highlightedLines = lines;
    this.controller.render();
  }

  showUnseen({ total, tiles }) {
    const corner = h("td", {});
    const head = h(
      "tr",
      {},
      corner,
      ...SHAPES.map((shape) => h("th", { scope: "col" }, shapeSvg(shape, t(`shape.${shape}`)))),
    );
    const rows = COLOURS.map((colour) =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("span", { class: `swatch ${colour}` }),
          h("span", { class: "visually-hidden" }, t(`colour.${colour}`)),
        ),
        ...SHAPES.map((shape) => {
          const count = tiles[`${colour}-${shape}`];
          return h(
            "td",
            { class: `left${count}`, title: tileName(`${colour}-${shape}`) },
            String(count),
          );
        }),
      ),
    );
    this.unseen.replaceChildren(
      h("h2", { id: "unseen-title" }, t("unseen.title", { count: total })),
      h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)),
      h("p", { class: "small" }, t("unseen.help")),
    );
  }
}
