// How the board is touched, pushed, zoomed and driven by keys.

const SLIP = 6; // pixels that a tap may slip
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Makes a board answer to pointers, wheel and keys. */
export function listen(board) {
  listenToPointers(board);
  board.element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const box = board.element.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015));
      board.camera.zoom(factor, event.clientX - box.left, event.clientY - box.top);
      board.look();
    },
    { passive: false },
  );
  board.element.addEventListener("keydown", (event) => pressed(board, event));
}

function pressed(board, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) {
    board.camera.pan(-arrow[0] * board.camera.scale, -arrow[1] * board.camera.scale);
    board.look();
  } else if (arrow) board.moveCursor(...arrow);
  else if (event.key === "+" || event.key === "=") zoom(board, 1.25);
  else if (event.key === "-") zoom(board, 0.8);
  else if (event.key === "0") board.fit();
  else if (event.key === "Enter" || event.key === " ") board.act.cell({ ...board.cursor });
  else return;
  event.preventDefault();
}

function zoom(board, factor) {
  board.camera.zoom(factor);
  board.look();
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
      if (cell && board.act.lift(cell, event)) return;
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
    if (down.size === 1 && !moved && far < SLIP) return;
    moved = true;
    if (down.size === 1) board.camera.pan(dx, dy);
    else pinch(board, finger, event, [...down].find(([id]) => id !== event.pointerId)[1]);
    finger.x = event.clientX;
    finger.y = event.clientY;
    board.look();
  });

  const lift = (event) => {
    if (!down.delete(event.pointerId) || event.type === "pointercancel") return;
    if (moved || down.size) return;
    const cell = board.cellAt(event.clientX, event.clientY);
    if (!cell) return;
    board.cursor = cell;
    board.act.cell(cell);
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
}

/** Two fingers: their distance zooms, their middle pushes. */
function pinch(board, finger, event, other) {
  const before = Math.hypot(finger.x - other.x, finger.y - other.y);
  const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
  const box = board.element.getBoundingClientRect();
  const [px, py] = [
    (event.clientX + other.x) / 2 - box.left,
    (event.clientY + other.y) / 2 - box.top,
  ];
  if (before > 0) board.camera.zoom(after / before, px, py);
  board.camera.pan((event.clientX - finger.x) / 2, (event.clientY - finger.y) / 2);
}
