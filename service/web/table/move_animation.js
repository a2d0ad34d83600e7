// Shows a move: tiles fly to their cells, lines light up, points rise to the score.

import { h, motionReduced } from "./dom.js";
import { t } from "./i18n.js";
import { play as sound, vibrate } from "./sounds.js";
import { tileSvg } from "./tiles.js";

const FLIGHT_MS = 280;
const STAGGER_MS = 90;
const LINES_MS = 280;
const RISE_MS = 420;
const QWIRKLE_MS = 900;
const EXCHANGE_MS = 450;

/** Shows an event of the queue; resolves when it is over, or at once after `skip`. */
export async function showMove(controller, event, skip) {
  if (motionReduced() || document.visibilityState !== "visible") return;
  const stage = new Stage(controller, skip);
  const own = controller.localSeats.includes(event.seat);
  if (event.type === "played") {
    await stage.follow(event);
    if (!own) await stage.fly(event);
    await stage.score(event);
  } else if (event.type === "exchanged" && !own) await stage.exchange(event);
  else await stage.wait(own ? 0 : LINES_MS);
}

class Stage {
  constructor(controller, skip) {
    Object.assign(this, { controller, skip, board: controller.board });
  }

  wait(ms) {
    return Promise.race([new Promise((go) => setTimeout(go, ms)), this.skip]);
  }

  /** Runs an animation on an element that is removed afterwards. */
  async run(element, frames, options) {
    document.body.append(element);
    const animation = element.animate(frames, options);
    this.skip.then(() => animation.finish());
    await animation.finished.catch(() => {});
    element.remove();
  }

  /** Moves the camera until the whole move is in view. */
  follow({ placements, lines }) {
    const cells = [...placements, ...lines.flatMap((line) => line.cells)];
    return Promise.race([this.board.follow(cells), this.skip]);
  }

  card(seat) {
    return document.querySelector(`.player[data-seat="${seat}"]`)?.getBoundingClientRect();
  }

  /** Tiles fly from the player's card to their cells, one after another. */
  async fly({ placements, seat }) {
    const from = this.card(seat);
    if (!from) return;
    const flights = placements.map(({ tile, x, y }, index) => {
      const to = this.board.cellBox(x, y);
      const ghost = tileSvg(tile, { class: "tile flying", width: to.width, height: to.width });
      ghost.style.left = `${to.left}px`;
      ghost.style.top = `${to.top}px`;
      const [dx, dy] = [from.left + from.width / 2 - to.left, from.bottom - to.top];
      const start = { transform: `translate(${dx}px, ${dy}px) scale(0.4)`, opacity: 0.4 };
      const delay = index * STAGGER_MS;
      setTimeout(() => sound("tile"), delay + FLIGHT_MS);
      return this.run(ghost, [start, { transform: "none", opacity: 1 }], {
        duration: FLIGHT_MS,
        delay,
        easing: "cubic-bezier(0.2, 0.8, 0.3, 1)",
        fill: "both",
      });
    });
    await Promise.all(flights);
  }

  /** Lines light up with their points, and the sum rises to the score. */
  async score(event) {
    const { lines, placements, seat, points, bonus } = event;
    this.controller.revealMove(event);
    if (lines.some((line) => line.qwirkle)) await this.qwirkle(event);
    else await this.wait(LINES_MS);
    sound("points");
    const middle = placements[Math.floor(placements.length / 2)];
    const from = this.board.cellBox(middle.x, middle.y);
    const to = this.card(seat);
    if (!to) return;
    const sum = h("p", { class: "rise", "aria-hidden": "true" }, `+${points + bonus}`);
    sum.style.left = `${from.left + from.width / 2}px`;
    sum.style.top = `${from.top}px`;
    const [dx, dy] = [to.right - 20 - from.left - from.width / 2, to.top + 12 - from.top];
    const rise = [
      { transform: "translate(-50%, 0) scale(0.6)", opacity: 0 },
      { transform: "translate(-50%, -20px) scale(1.15)", opacity: 1, offset: 0.3 },
      { transform: `translate(calc(-50% + ${dx}px), ${dy}px) scale(0.7)`, opacity: 0.5 },
    ];
    await this.run(sum, rise, { duration: RISE_MS, easing: "ease-in-out", fill: "both" });
  }

  /** A line of six is a moment: its tiles flash in order, and a banner says what it was worth. */
  async qwirkle({ lines }) {
    sound("qwirkle");
    vibrate([30, 40, 60]);
    const sixes = lines.filter((line) => line.qwirkle);
    for (const { cells } of sixes) {
      cells.forEach((cell, index) => this.board.flash(cell, index * STAGGER_MS));
    }
    const total = sixes.reduce((sum, line) => sum + line.points, 0);
    const box = this.board.element.getBoundingClientRect();
    const banner = h("p", { class: "qwirkle-banner", "aria-hidden": "true" }, `${t("sheet.qwirkle")} +${total}`);
    banner.style.left = `${box.left + box.width / 2}px`;
    banner.style.top = `${box.top + Math.min(90, box.height / 4)}px`;
    const pop = [
      { transform: "translate(-50%, -50%) scale(0.3)", opacity: 0 },
      { transform: "translate(-50%, -50%) scale(1.15)", opacity: 1, offset: 0.25 },
      { transform: "translate(-50%, -50%) scale(1)", opacity: 1, offset: 0.8 },
      { transform: "translate(-50%, -80%) scale(1)", opacity: 0 },
    ];
    await this.run(banner, pop, { duration: QWIRKLE_MS, fill: "both" });
  }

  /** Tiles go from the player's card to the bag, and as many come back. */
  async exchange({ count, seat }) {
    const bag = document.querySelector(".bag")?.getBoundingClientRect();
    const from = this.card(seat);
    if (!bag || !from) return;
    const flights = Array.from({ length: count }, (_, index) => {
      const back = h("i", { class: "flying tile-back" });
      back.style.left = `${from.left + from.width / 2}px`;
      back.style.top = `${from.bottom - 14}px`;
      const [dx, dy] = [bag.left - from.left - from.width / 2, bag.top - from.bottom + 20];
      const there = { transform: `translate(${dx}px, ${dy}px)`, opacity: 0.3, offset: 0.5 };
      return this.run(back, [{ opacity: 1 }, there, { transform: "none", opacity: 1 }], {
        duration: EXCHANGE_MS,
        delay: index * 40,
        fill: "both",
      });
    });
    await Promise.all(flights);
  }
}
