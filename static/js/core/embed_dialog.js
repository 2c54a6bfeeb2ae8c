// The dialog with the HTML that embeds a table in another page. app/web/pages/embed.py writes the same HTML for oEmbed.

import { el, loadStylesheet } from "./dom.js";
import { language, t } from "./i18n.js";
import { openModal } from "./modal.js";

const IFRAME_WIDTH = 640;
const IFRAME_HEIGHT = 480;

/** @param {string} text */
const escapeHtml = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/**
 * Return the address of a table's embed page.
 * @param {string} room
 * @param {{ isReplay?: boolean }} [options]
 */
function embedUrl(room, { isReplay = false } = {}) {
  const address = new URL(`/embed/${encodeURIComponent(room)}`, location.origin);
  address.searchParams.set("lang", language());
  if (isReplay) address.searchParams.set("replay", "1");
  return address.href;
}

/**
 * Return the iframe as text, to be pasted into another page.
 * @param {string} room
 * @param {{ isReplay?: boolean }} [options]
 */
const iframeHtml = (room, { isReplay = false } = {}) =>
  `<iframe src="${escapeHtml(embedUrl(room, { isReplay }))}" title="${escapeHtml(t("A game of Cartagena"))}" ` +
  `width="${IFRAME_WIDTH}" height="${IFRAME_HEIGHT}" loading="lazy" allowfullscreen></iframe>`;

/**
 * Open a dialog with the iframe and, unless the game is over, the address for a stream. Each has a copy button.
 * @param {{ id: string, status: string }} parts
 */
export async function openEmbedDialog({ id: room, status }) {
  const isReplay = status === "finished";
  await loadStylesheet("embed_dialog");
  const overlay = new URL(embedUrl(room));
  overlay.searchParams.set("overlay", "1");
  overlay.searchParams.set("delay", "30");
  /** @type {[string, string, string]} */
  const stream = [
    t(
      "For a stream: the board without a background. With delay=30 in the address it is shown 30 seconds later.",
    ),
    overlay.href,
    t("Copy the address"),
  ];
  const dialog = el(
    "dialog",
    { class: "embed-dialog", "aria-labelledby": "embed-words" },
    el("h2", { id: "embed-words" }, t("Embed this game")),
    ...CopyField(
      t("For your own web page: paste this HTML. Hands are shown only after the game."),
      iframeHtml(room, { isReplay }),
      t("Copy the HTML"),
    ),
    ...(isReplay ? [] : CopyField(...stream)),
    el("form", { method: "dialog", class: "embed-close" }, el("button", { class: "button" }, t("Close"))),
  );
  openModal(dialog);
}

let fieldCount = 0;

/**
 * @param {string} label
 * @param {string} text
 * @param {string} buttonLabel
 */
function CopyField(label, text, buttonLabel) {
  fieldCount += 1;
  const id = `embed-field-${fieldCount}`;
  const area = el(
    "textarea",
    { id, class: "embed-code", rows: "3", readonly: true, spellcheck: "false" },
    text,
  );
  const result = el("span", { role: "status" });
  const copy = el("button", { type: "button", class: "button button-small" }, buttonLabel);
  copy.addEventListener("click", async () => {
    area.select();
    const isCopied = await (navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    ) ?? false);
    result.textContent = isCopied
      ? t("Copied.")
      : t("The text is selected: copy it with your keyboard or finger.");
  });
  return [el("label", { for: id }, label), area, el("p", { class: "embed-copy" }, copy, " ", result)];
}
