// Pointer, wheel and keyboard input on the board.

const TAP_TOLERANCE = 6; // pixels a finger may move during a tap
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Adds the listeners to a board. */
export function listen(board) {
  listenToPointers(board);
  board.element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const box = board.element.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015));
      board.viewport.zoom(factor, event.clientX - box.left, event.clientY - box.top);
      board.updateView();
    },
    { passive: false },
  );
  board.element.addEventListener("keydown", (event) => pressed(board, event));
}

function pressed(board, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) {
    board.viewport.pan(-arrow[0] * board.viewport.scale, -arrow[1] * board.viewport.scale);
    board.updateView();
  } else if (arrow) board.moveCursor(...arrow);
  else if (event.key === "+" || event.key === "=") zoom(board, 1.25);
  else if (event.key === "-") zoom(board, 0.8);
  else if (event.key === "0") board.fit();
  else if (event.key === "Enter" || event.key === " ") board.handlers.cell({ ...board.cursor });
  else return;
  event.preventDefault();
}

function zoom(board, factor) {
  board.viewport.zoom(factor);
  board.updateView();
}

function listenToPointers(board) {
  const { element } = board;
  const down = new Map();
  let moved = false;

  element.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    const cell = board.cellAt(event.clientX, event.clientY);
    if (down.size === 0) {
      moved = false;
      if (cell && board.handlers.startDrag(cell, event)) return;
    }
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, {
      x: event.clientX,
      y: event.clientY,
      fromX: event.clientX,
      fromY: event.clientY,
    });
  });

  element.addEventListener("pointermove", (event) => {
    const finger = down.get(event.pointerId);
    if (!finger) return;
    const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
    const far = Math.hypot(event.clientX - finger.fromX, event.clientY - finger.fromY);
    if (down.size === 1 && !moved && far < TAP_TOLERANCE) return;
    moved = true;
    if (down.size === 1) board.viewport.pan(dx, dy);
    else pinch(board, finger, event, [...down].find(([id]) => id !== event.pointerId)[1]);
    finger.x = event.clientX;
    finger.y = event.clientY;
    board.updateView();
  });

  const lift = (event) => {
    if (!down.delete(event.pointerId) || event.type === "pointercancel") return;
    if (moved || down.size) return;
    const cell = board.handlers.target(event.clientX, event.clientY);
    if (!cell) return;
    board.cursor = cell;
    board.handlers.cell(cell);
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
}

/** Two fingers: their distance zooms, their midpoint pans. */
function pinch(board, finger, event, other) {
  const before = Math.hypot(finger.x - other.x, finger.y - other.y);
  const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
  const box = board.element.getBoundingClientRect();
  const [px, py] = [
    (event.clientX + other.x) / 2 - box.left,
    (event.clientY + other.y) / 2 - box.top,
  ];
  if (before > 0) board.viewport.zoom(after / before, px, py);
  board.viewport.pan((event.clientX - finger.x) / 2, (event.clientY - finger.y) / 2);
}
