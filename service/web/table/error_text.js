// Errors as the user reads them.

import { NoAnswer } from "./client/index.js";
import { toast } from "./dom.js";
import { hasText, t, tileName } from "./i18n.js";

/** What went wrong, in words for the user. */
export function errorText(error) {
  const lost = error instanceof NoAnswer || error instanceof TypeError;
  return lost ? t("error.no_answer") : withTileNames(error.message);
}

/** A text of the service, which calls tiles `red-circle`, with their names in the user's language. */
export function withTileNames(text) {
  return text.replace(/\b[a-z]+-[a-z]+\b/g, (word) => (hasText(`tile.${word}`) ? tileName(word) : word));
}

/** Shows an error for some seconds. */
export function showError(error) {
  toast(errorText(error), { urgent: true });
}
