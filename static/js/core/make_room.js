// Creating a table at the limit of unfinished tables: after a confirmation, the oldest one without other people ends.

/** @import {RefusedError} from "./api.js" */

import { confirmAction } from "./confirm_dialog.js";
import { createOnce } from "./create_once.js";
import { t } from "./i18n.js";

/**
 * Create a table. Rejects with the refusal if the person is at the limit and wants to keep all their tables.
 * @param {unknown} body
 */
export async function createOrMakeRoom(body) {
  try {
    return await createOnce("/games", body);
  } catch (problem) {
    if (/** @type {RefusedError} */ (problem).code !== "too_many_rooms") throw problem;
    const question = t(
      "You already have as many tables as you are allowed. End your oldest unfinished game without other players? You can't come back to it.",
    );
    if (!(await confirmAction(question, t("End it and make room")))) throw problem;
    return createOnce("/games?make_room=true", body);
  }
}
