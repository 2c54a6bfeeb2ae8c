// The dialog about another player: profile, mute, block, report. A report names the table for the operator.

import { post, put } from "../core/api.js";
import { el } from "../core/dom.js";
import { N_, t } from "../core/i18n.js";
import { openModal } from "../core/modal.js";
import { toast } from "../core/toast.js";

const REASONS = {
  insult: N_("Insults"),
  cheating: N_("Cheating"),
  name: N_("An offensive name"),
  stalling: N_("Stalling on purpose"),
  other: N_("Something else"),
};

/**
 * Open the dialog.
 * @param {{ game: string, person: string, name: string, isMuted: boolean, onMute: (person: string, on: boolean) => void }} parts
 */
export function openPlayerDialog({ game, person, name, isMuted, onMute }) {
  /**
   * @param {Promise<unknown>} work
   * @param {string} words
   */
  const toastResult = (work, words) =>
    work.then(
      () => toast(words),
      (problem) => toast(problem.message, "refused"),
    );
  /** @param {() => void} act */
  const close = (act) => () => {
    dialog.close();
    act();
  };
  /**
   * @param {string} words
   * @param {() => void} act
   */
  const button = (words, act) =>
    el("button", { type: "button", class: "button button-small", onclick: close(act) }, words);
  const reason = el(
    "select",
    { id: "report-reason" },
    ...Object.entries(REASONS).map(([key, words]) => el("option", { value: key }, t(words))),
  );
  const words = el("textarea", { id: "report-words", rows: 3, maxlength: 1000 });
  const report = el(
    "details",
    { class: "report" },
    el("summary", {}, t("Report to the operator")),
    el("p", {}, t("The report mentions this table.")),
    el("label", { for: "report-reason" }, t("What happened?")),
    reason,
    el("label", { for: "report-words" }, t("In your own words")),
    words,
    button(t("Send"), () =>
      toastResult(
        post("/reports", { player: person, room: game, reason: reason.value, words: words.value }),
        t("Thank you. The operator will read it."),
      ),
    ),
  );
  const dialog = el(
    "dialog",
    { class: "confirm towards", "aria-labelledby": "towards-name" },
    el("h2", { id: "towards-name" }, name),
    el(
      "div",
      { class: "towards-ways" },
      el(
        "a",
        {
          class: "button button-small",
          href: `/players/${encodeURIComponent(person)}`,
          target: "_blank",
          rel: "noopener",
        },
        t("Profile"),
      ),
      button(
        isMuted ? t("Show messages from {name} again", { name }) : t("Hide messages from {name}", { name }),
        () => onMute(person, !isMuted),
      ),
      button(t("Block"), () =>
        toastResult(
          put(`/blocks/${encodeURIComponent(person)}`),
          t("This player is blocked. You can see the list in your account."),
        ),
      ),
    ),
    el(
      "p",
      { class: "towards-note" },
      t("A player you block can no longer sit down with you. They are not told."),
    ),
    report,
    el("form", { method: "dialog", class: "confirm-buttons" }, el("button", { class: "button" }, t("Close"))),
  );
  openModal(dialog);
}
