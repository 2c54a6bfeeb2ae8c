// The QR code that leads to a seat, or to the game if all seats are taken, with its address.

/** @import {Table} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Whether the table has a seat for a new player.
 * @param {Table} table
 */
export const hasFreeSeat = ({ status, opening, seats }) =>
  status === "open" && !opening && seats.some(({ person, bot, reserved }) => !person && !bot && !reserved);

/**
 * JoinCode({root}) -> {element, update(table)}. The public address comes from the server.
 * @param {{ root: HTMLElement }} parts
 */
export function JoinCode({ root }) {
  const image = el("img", { class: "scan-code", width: 300, height: 300 });
  const words = el("figcaption", { class: "scan-words" });
  const link = el("code", { class: "scan-link" });
  const warning = el("p", { class: "scan-warning", hidden: true });
  let drawn = "";
  return {
    element: el("figure", { class: "scan" }, image, words, link, warning),
    /** @param {Table} table */
    update(table) {
      const mayPlay = hasFreeSeat(table);
      const key = `${table.id} ${mayPlay}`;
      if (key === drawn) return;
      drawn = key;
      const game = encodeURIComponent(table.id);
      // Typed, it leads to the same page as the code.
      const address = new URL(mayPlay ? `/h/${game}` : `/g/${game}`, root.dataset.address);
      image.src = `/qr/g/${game}.svg${mayPlay ? "?hand=1" : ""}`;
      image.alt = mayPlay ? t("QR code for sitting down") : t("QR code for watching");
      words.textContent = mayPlay ? t("Scan to sit down") : t("Scan to watch");
      link.textContent = `${address.host}${address.pathname}`;
      warning.hidden = !LOCAL_HOSTS.includes(address.hostname);
      warning.textContent = t(
        "Phones cannot reach this address. Open the page with the name or IP address that this computer has in your network.",
      );
    },
  };
}
