// The code to scan: to sit down while there are seats, to watch afterwards; and the address for whoever types it.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";

const ONLY_HERE = ["localhost", "127.0.0.1", "[::1]"];

/** Whether somebody who scans the code can sit down. */
export const hasFreeSeat = ({ status, opening, seats }) =>
  status === "open" && !opening && seats.some(({ person, bot, reserved }) => !person && !bot && !reserved);

/** Scan({root}) -> {element, update(table)}; the address comes from the server, which knows its public name. */
export function Scan({ root }) {
  const image = el("img", { class: "scan-code", width: 300, height: 300 });
  const words = el("figcaption", { class: "scan-words" });
  const link = el("code", { class: "scan-link" });
  const warning = el("p", { class: "scan-warning", hidden: true });
  let drawn = "";
  return {
    element: el("figure", { class: "scan" }, image, words, link, warning),
    update(table) {
      const mayPlay = hasFreeSeat(table);
      const key = `${table.id} ${mayPlay}`;
      if (key === drawn) return;
      drawn = key;
      const game = encodeURIComponent(table.id);
      const address = new URL(`/g/${game}`, root.dataset.address);
      image.src = `/qr/g/${game}.svg${mayPlay ? "?hand=1" : ""}`;
      image.alt = mayPlay ? t("The way to a seat, as a QR code") : t("The way to watch, as a QR code");
      words.textContent = mayPlay ? t("Scan to sit down") : t("Scan to watch");
      link.textContent = `${address.host}${address.pathname}`;
      warning.hidden = !ONLY_HERE.includes(address.hostname);
      warning.textContent = t("Phones cannot reach this address. Open the page by the name or number that this computer has in your network.");
    },
  };
}
