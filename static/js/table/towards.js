// What one can do about another player at the table: look at their page, hide what they write, block, report. A report
// carries the table, so that the operator can look at it.

import { post, put } from "../core/api.js";
import { el } from "../core/dom.js";
import { N_, t } from "../core/i18n.js";
import { toast } from "../core/toast.js";

const REASONS = {
  insult: N_("Insults"),
  cheating: N_("Cheating"),
  name: N_("An offensive name"),
  stalling: N_("Stalling on purpose"),
  other: N_("Something else"),
};

/** openTowards({game, person, name, isMuted, onMute(person, on)}) */
export function openTowards({ game, person, name, isMuted, onMute }) {
  const told = (work, words) => work.then(() => toast(words), (problem) => toast(problem.message, "refused"));
  const close = (act) => () => {
    dialog.close();
    act();
  };
  const button = (words, act) => el("button", { type: "button", class: "button button-small", onclick: close(act) }, words);
  const reason = el("select", { id: "report-reason" }, ...Object.entries(REASONS).map(([key, words]) => el("option", { value: key }, t(words))));
  const words = el("textarea", { id: "report-words", rows: 3, maxlength: 1000 });
  const report = el(
    "details",
    { class: "report" },
    el("summary", {}, t("Report to the operator")),
    el("p", {}, t("The report names this table.")),
    el("label", { for: "report-reason" }, t("What happened?")),
    reason,
    el("label", { for: "report-words" }, t("In your own words")),
    words,
    button(t("Send"), () =>
      told(post("/reports", { player: person, room: game, reason: reason.value, words: words.value }), t("Thank you. The operator will read it.")),
    ),
  );
  const dialog = el(
    "dialog",
    { class: "confirm towards", "aria-labelledby": "towards-name" },
    el("h2", { id: "towards-name" }, name),
    el(
      "div",
      { class: "towards-ways" },
      el("a", { class: "button button-small", href: `/players/${encodeURIComponent(person)}`, target: "_blank", rel: "noopener" }, t("Profile")),
      button(isMuted ? t("Show again what {name} writes", { name }) : t("Hide what {name} writes", { name }), () => onMute(person, !isMuted)),
      button(t("Block"), () => told(put(`/blocks/${encodeURIComponent(person)}`), t("Blocked. You find the list in your account."))),
    ),
    el("p", { class: "towards-note" }, t("Whoever you block cannot sit down with you any more. They are not told.")),
    report,
    el("form", { method: "dialog", class: "confirm-buttons" }, el("button", { class: "button" }, t("Close"))),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
