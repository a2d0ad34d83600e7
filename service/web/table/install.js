// Registers the service worker, which keeps the page's files for times without a network.

const SCRIPT = "sw.js";

/** Registers it where browsers can; the page works without. */
export function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  // The policy lets this one script pass and nothing else.
  const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => SCRIPT });
  navigator.serviceWorker.register(policy?.createScriptURL(SCRIPT) ?? SCRIPT).catch(() => {
    // Private windows refuse service workers.
  });
}
