// One step of a replay in words: what its events tell, and no more.
import { t } from "../i18n.js";

export function stepWords(view, step, seats) {
  return t("Moves") + step.events.length + seats.length + view.board.length;
}
