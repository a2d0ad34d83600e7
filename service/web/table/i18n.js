// All texts of the page, in the user's language.

import { settings } from "./local_storage.js";

export const LANGUAGES = ["cs", "de", "en", "fr", "hu", "it", "pl", "ro", "ru", "sk"];

let texts = {};
let plurals = new Intl.PluralRules("en");
let current = "en";

/** The current language. */
export function language() {
  return current;
}

/** The language the user chose, or else the first of the browser's that is available. */
export function preferredLanguage() {
  const chosen = settings().language;
  if (LANGUAGES.includes(chosen)) return chosen;
  const asked = navigator.languages.map((each) => each.slice(0, 2).toLowerCase());
  return asked.find((each) => LANGUAGES.includes(each)) ?? "en";
}

/** Loads the texts of a language. */
export async function loadLanguage(lang) {
  const response = await fetch(`words/${lang}.json`);
  if (!response.ok) throw new Error(`no texts: ${response.status}`);
  texts = await response.json();
  plurals = new Intl.PluralRules(lang);
  current = lang;
  document.documentElement.lang = lang;
}

/** Whether there is a text for this key. */
export function hasText(key) {
  return key in texts;
}

/** The text for a key with its {placeholders} filled in; `count` selects the plural form. */
export function t(key, values = {}) {
  let text = texts[key] ?? key;
  if (typeof text === "object") text = text[plurals.select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/** The name of a tile. */
export function tileName(tile) {
  return t(`tile.${tile}`);
}
