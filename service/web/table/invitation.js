// How a host invites: a code, a link, the system's share sheet, a QR code.

import { h, toast } from "./dom.js";
import { t } from "./i18n.js";
import { qrSvg } from "./qr_code.js";

/**
 * The link that invites to a game, or to watch it without a code. Browsers never send the part
 * after the #, so the join code stays out of server logs.
 */
export function gameLink(id, code) {
  const end = code ? `#code=${encodeURIComponent(code)}` : "";
  return `${new URL(`g/${id}`, location.origin + location.pathname)}${end}`;
}

/** The invitation to a game. */
export function invitation(id, code) {
  const link = gameLink(id, code);
  const field = h("input", { id: "invite", readonly: true, value: link, "aria-label": t("invite.link") });
  field.addEventListener("focus", () => field.select());
  const copy = h("button", { type: "button", onclick: () => copyLink(field) }, t("waiting.copy"));
  const share = h(
    "button",
    { type: "button", class: "primary wide", id: "share", onclick: () => shareLink(link) },
    t("invite.share"),
  );
  return h(
    "div",
    { class: "invitation" },
    code
      ? h("p", { class: "join-code" }, h("span", {}, t("invite.code")), h("b", { id: "shown-code" }, code))
      : null,
    navigator.share ? share : null,
    h("div", { class: "pair" }, field, copy),
    qrSvg(link, t("invite.qr")),
    h("p", { class: "small" }, t("invite.scan")),
  );
}

async function shareLink(url) {
  try {
    await navigator.share({ title: t("page.title"), text: t("invite.text"), url });
  } catch (error) {
    // The user has closed the share sheet.
    if (error.name !== "AbortError") toast(t("waiting.copy_by_hand"));
  }
}

async function copyLink(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    toast(t("waiting.copied"));
  } catch {
    toast(t("waiting.copy_by_hand"));
  }
}
