// Calls the player back when it is their turn: sound, vibration, badge, notification.

import { t } from "./i18n.js";
import { settings } from "./local_storage.js";
import { play, vibrate } from "./sounds.js";

let shown = null;

/** Shows whether it is the user's turn; `turn` names the turn, null means somebody else's. */
export function showTurn(turn) {
  if (turn === shown) return;
  const first = shown === null && turn === null;
  shown = turn;
  if (first) return;
  if (turn === null) return void navigator.clearAppBadge?.().catch(() => {});
  play("turn");
  vibrate(40);
  if (document.visibilityState === "visible") return;
  navigator.setAppBadge?.(1).catch(() => {});
  notify();
}

async function notify() {
  if (!settings().notify || globalThis.Notification?.permission !== "granted") return;
  const worker = await navigator.serviceWorker?.getRegistration();
  const about = { body: t("status.your_turn"), tag: "turn", icon: "docs/assets/icon.svg" };
  if (worker) worker.showNotification("Qwirkle", about);
}

/** Whether the browser can notify and the user has not decided yet. */
export function mayAskToNotify() {
  return globalThis.Notification?.permission === "default" && "serviceWorker" in navigator;
}
