// The menu, loaded when it is opened.

import { qwirkle } from "./api.js";
import { dialog, h, toast } from "./dom.js";
import { apiKey, changeSettings, forgetGame, settings, savedGame } from "./local_storage.js";
import { language, LANGUAGES, t } from "./i18n.js";

/** Language, theme, letters, and leaving the game. */
export function openMenu(app, applySettings, restart) {
  const { theme = "auto" } = settings();
  const languages = h(
    "select",
    { id: "language" },
    ...LANGUAGES.map((each) => h("option", { value: each, lang: each }, ownName(each))),
  );
  languages.value = language();
  languages.addEventListener("change", () => {
    changeSettings({ language: languages.value });
    box.close();
    restart().catch((error) => toast(error.message));
  });
  const themes = h(
    "select",
    { id: "theme" },
    ...["auto", "light", "dark"].map((each) => h("option", { value: each }, t(`theme.${each}`))),
  );
  themes.value = theme;
  themes.addEventListener("change", () => {
    changeSettings({ theme: themes.value });
    applySettings();
  });
  const box = dialog(
    t("menu.title"),
    t("menu.close"),
    h("div", { class: "field" }, h("label", { for: "language" }, t("menu.language")), languages),
    h("div", { class: "field" }, h("label", { for: "theme" }, t("menu.theme")), themes),
    switchFor("letters", false, applySettings),
    switchFor("sound", true),
    "vibrate" in navigator ? switchFor("vibration", true) : null,
    globalThis.Notification?.permission === "granted" ? switchFor("notify", false) : null,
    ...gameItems(app, () => box.close()),
    h("button", { type: "button", class: "wide", onclick: showHelp }, t("help.title")),
  );
  async function showHelp() {
    box.close();
    (await import("./help.js")).openHelp();
  }
}

/** A setting that is on or off. */
function switchFor(name, usually, changed = () => {}) {
  const box = h("input", { type: "checkbox", id: name, checked: settings()[name] ?? usually });
  box.addEventListener("change", () => {
    changeSettings({ [name]: box.checked });
    changed();
  });
  return h("label", { class: "check" }, box, t(`menu.${name}`));
}

function gameItems(app, close) {
  const controller = app.controller();
  if (!controller?.game) return [];
  const items = [
    h("button", { type: "button", onclick: () => copyWatchLink(controller) }, t("menu.watch_link")),
  ];
  const mayLeave = controller.viewer !== null && controller.game.status !== "finished";
  if (mayLeave) {
    items.push(
      h(
        "button",
        {
          type: "button",
          class: "danger",
          onclick: () => {
            close();
            confirmLeaving(app, controller);
          },
        },
        t("menu.leave"),
      ),
    );
  }
  return [h("div", { class: "choices" }, ...items)];
}

/** Asks before the player leaves for good. */
function confirmLeaving(app, controller) {
  const leave = async () => {
    box.close();
    const left = await controller.act((game) => game.resign());
    if (left?.game?.status !== "waiting") return;
    if (!savedGame(controller.id).host) forgetGame(controller.id);
    app.go("");
  };
  const box = dialog(
    t("menu.leave"),
    t("menu.close"),
    h("p", {}, t("menu.leave_sure")),
    h(
      "div",
      { class: "choices" },
      h("button", { type: "button", onclick: () => box.close() }, t("act.cancel")),
      h("button", { type: "button", class: "danger", id: "leave", onclick: leave }, t("menu.leave_yes")),
    ),
  );
}

async function copyWatchLink(controller) {
  const { gameLink } = await import("./invitation.js");
  const link = gameLink(controller.id, null);
  try {
    await navigator.clipboard.writeText(link);
    toast(t("waiting.copied"));
  } catch {
    toast(link);
  }
}

function ownName(code) {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code);
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

/** Asks for the API key that this service requires to create games. */
export function askKey() {
  const key = h("input", { id: "key", type: "password", required: true, autocomplete: "off" });
  function save(event) {
    event.preventDefault();
    qwirkle.apiKey = key.value.trim();
    apiKey.save(qwirkle.apiKey);
    box.close();
  }
  const form = h(
    "form",
    { onsubmit: save, class: "joining" },
    h("label", { for: "key" }, t("key.text")),
    key,
    h("button", { class: "primary" }, t("key.keep")),
  );
  const box = dialog(t("key.title"), t("menu.close"), form);
}
