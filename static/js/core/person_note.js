// The reader's private note about a person: a field that saves with a button.

import { put, RefusedError } from "./api.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";

const MAX_CHARS = 500;

/**
 * Create the field in a box that is open if there is a note.
 * @param {{ id: string, text: string }} note
 */
export const NoteBox = (note) =>
  el(
    "details",
    { class: "more person-note-box", open: note.text !== "" },
    el("summary", {}, t("Your note")),
    NoteField(note),
  );

/**
 * Create the field.
 * @param {{ id: string, text: string, onSave?: (text: string) => void }} note
 */
export function NoteField({ id, text, onSave = () => {} }) {
  const said = el("span", { class: "field-said", role: "status" });
  const field = el("textarea", {
    id: `note-${id}`,
    rows: 3,
    maxlength: MAX_CHARS,
    "aria-describedby": `note-hint-${id}`,
  });
  field.value = text;
  const save = el("button", { class: "button button-small" }, t("Save the note"));

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    save.disabled = true;
    try {
      const stored = (await put(`/notes/${encodeURIComponent(id)}`, { text: field.value })).text;
      field.value = stored;
      said.className = "field-said is-good";
      said.textContent = stored ? t("Saved.") : t("The note has been deleted.");
      onSave(stored);
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      said.className = "field-said is-bad";
      said.textContent = problem.message;
    }
    save.disabled = false;
    save.focus();
  }

  return el(
    "form",
    { class: "person-note", onsubmit: submit },
    el("label", { class: "hidden", for: field.id }, t("Your note")),
    el("span", { class: "field-hint", id: `note-hint-${id}` }, t("Only you can read it.")),
    field,
    el("span", { class: "person-note-row" }, save, said),
  );
}
