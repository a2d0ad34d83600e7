// The menu, loaded when it is opened.

import { qwirkle } from "./api.js";
import { dialog, h, toast } from "./dom.js";
import { apiKey, changeSettings, forgetGame, settings, savedGame } from "./local_storage.js";
import { language, LANGUAGES, t } from "./i18n.js";

/** Language, theme, letters, and leaving the game. */
export function openMenu(app, applySettings, restart) {
  const { theme = "auto", letters = false } = settings();
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
  const marks = h("input", { type: "checkbox", id: "letters", checked: letters });
  marks.addEventListener("change", () => {
    changeSettings({ letters: marks.checked });
    applySettings();
  });
  const box = dialog(
    t("menu.title"),
    t("menu.close"),
    h("div", { class: "field" }, h("label", { for: "language" }, t("menu.language")), languages),
    h("div", { class: "field" }, h("label", { for: "theme" }, t("menu.theme")), themes),
    h("label", { class: "check" }, marks, t("menu.letters")),
    ...gameItems(app, () => box.close()),
    h(
      "p",
      { class: "small" },
      h("a", { href: "docs" }, t("nav.docs")),
      " · ",
      h("a", { href: "openapi.yaml" }, "openapi.yaml"),
    ),
  );
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
          onclick: async () => {
            if (!confirm(t("menu.leave_sure"))) return;
            close();
            const left = await controller.act((game) => game.resign());
            if (left && left.game.status === "waiting") {
              if (!savedGame(controller.id).host) forgetGame(controller.id);
              app.go("");
            }
          },
        },
        t("menu.leave"),
      ),
    );
  }
  return [h("div", { class: "choices" }, ...items)];
}

async function copyWatchLink(controller) {
  const link = `${location.origin}${location.pathname}#game=${controller.id}`;
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
