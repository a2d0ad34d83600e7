// Every text that the page shows, in the reader's language.

import { settings } from "./local_storage.js";

export const LANGUAGES = ["cs", "de", "en", "fr", "hu", "it", "pl", "ro", "ru", "sk"];

let words = {};
let plurals = new Intl.PluralRules("en");
let current = "en";

/** The language of all texts. */
export function language() {
  return current;
}

/** What the browser asks for or the reader chose, among what there is. */
export function wanted() {
  const chosen = settings().language;
  if (LANGUAGES.includes(chosen)) return chosen;
  const asked = navigator.languages.map((each) => each.slice(0, 2).toLowerCase());
  return asked.find((each) => LANGUAGES.includes(each)) ?? "en";
}

/** Loads the texts of a language. */
export async function learn(lang) {
  const answer = await fetch(`words/${lang}.json`);
  if (!answer.ok) throw new Error(`no words: ${answer.status}`);
  words = await answer.json();
  plurals = new Intl.PluralRules(lang);
  current = lang;
  document.documentElement.lang = lang;
}

/** Whether there is a text of this key. */
export function known(key) {
  return key in words;
}

/** The text of a key, with what stands in braces filled in; plurals go by `count`. */
export function t(key, values = {}) {
  let text = words[key] ?? key;
  if (typeof text === "object") text = text[plurals.select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/** A tile's name. */
export function tileName(tile) {
  return t(`tile.${tile}`);
}
