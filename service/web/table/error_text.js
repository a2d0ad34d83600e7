// Errors as the user reads them.

import { NoAnswer } from "./client/index.js";
import { toast } from "./dom.js";
import { t } from "./i18n.js";

/** What went wrong, in words for the user. */
export function errorText(error) {
  const lost = error instanceof NoAnswer || error instanceof TypeError;
  return lost ? t("error.no_answer") : error.message;
}

/** Shows an error for some seconds. */
export function showError(error) {
  toast(errorText(error), { urgent: true });
}
