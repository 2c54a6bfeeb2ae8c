// The piece of HTML that shows a table in another page; app/web/pages/embed.py writes the same for oEmbed.

import { el, style } from "./dom.js";
import { language, t } from "./i18n.js";

const WIDTH = 640;
const HEIGHT = 480;

const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** The address of a table's frame. */
export function embedAddress(room, { isReplay = false } = {}) {
  const address = new URL(`/embed/${encodeURIComponent(room)}`, location.origin);
  address.searchParams.set("lang", language());
  if (isReplay) address.searchParams.set("replay", "1");
  return address.href;
}

/** The iframe as text, to be pasted into another page. */
export const embedSnippet = (room, { isReplay = false } = {}) =>
  `<iframe src="${escaped(embedAddress(room, { isReplay }))}" title="${escaped(t("A game of Cartagena"))}" ` +
  `width="${WIDTH}" height="${HEIGHT}" loading="lazy" allowfullscreen></iframe>`;

/** A dialog with the snippet and the address for a stream, each with a button that copies it. */
export async function openEmbed({ id: room, status }) {
  const isReplay = status === "finished";
  await style("embed_dialog");
  const overlay = new URL(embedAddress(room));
  overlay.searchParams.set("overlay", "1");
  overlay.searchParams.set("delay", "30");
  const stream = [t("For a stream: the map without a background; delay=30 in its address shows it 30 seconds later."), overlay.href, t("Copy the address")];
  const dialog = el(
    "dialog",
    { class: "embed-dialog", "aria-labelledby": "embed-words" },
    el("h2", { id: "embed-words" }, t("Show this game elsewhere")),
    ...field(t("For a page of your own: paste this HTML. Hands are shown only after the end."), embedSnippet(room, { isReplay }), t("Copy the HTML")),
    ...(isReplay ? [] : field(...stream)),
    el("form", { method: "dialog", class: "embed-close" }, el("button", { class: "button" }, t("Close"))),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

let fields = 0;

function field(words, text, action) {
  fields += 1;
  const id = `embed-field-${fields}`;
  const area = el("textarea", { id, class: "embed-code", rows: "3", readonly: true, spellcheck: "false" }, text);
  const said = el("span", { role: "status" });
  const copy = el("button", { type: "button", class: "button button-small" }, action);
  copy.addEventListener("click", async () => {
    area.select();
    const isCopied = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false);
    said.textContent = isCopied ? t("Copied.") : t("It is selected: copy it with your keyboard or finger.");
  });
  return [el("label", { for: id }, words), area, el("p", { class: "embed-copy" }, copy, " ", said)];
}
