// The regions of the table page, in reading order.

import { el, find, svg } from "../core/dom.js";
import { t } from "../core/i18n.js";

/**
 * @param {"div" | "section" | "header"} tag
 * @param {string} cls
 * @param {string} [label]
 */
const region = (tag, cls, label) => el(tag, { class: cls, ...(label ? { "aria-label": label } : {}) });

/** @param {"polite" | "alert"} kind */
const liveRegion = (kind) =>
  el("div", {
    id: `live-${kind}`,
    class: "hidden",
    role: kind === "alert" ? "alert" : "status",
    "aria-live": kind === "alert" ? "assertive" : "polite",
    // Screen readers read only what is added.
    "aria-atomic": "false",
  });

/**
 * Replace the content of the page by empty regions and return them.
 * @param {HTMLElement} root
 */
export function buildRegions(root) {
  const box = {
    banners: region("div", "banners"),
    flash: region("div", "flash"),
    status: region("header", "status"),
    seating: region("section", "seating", t("Before the game")),
    seats: region("section", "seats", t("Players")),
    map: region("section", "map", t("The board")),
    supply: region("section", "supply", t("The supply")),
    ending: region("section", "ending", t("The end")),
    owed: region("section", "owed", t("Make your choice")),
    tray: el("section", { class: "tray", "aria-label": t("What you can do"), tabindex: "-1" }),
    hand: region("section", "hand", t("Your hand")),
    talk: region("section", "talk", t("Log and chat")),
  };
  for (const region of [box.ending, box.owed]) region.hidden = true;
  const drawing = svg("svg");
  box.map.append(drawing);
  const bench = el("div", { class: "bench" }, box.ending, box.owed, box.tray, box.hand);
  // Drawn anew with each state; notes of other modules are beside it.
  const bannerRows = el("div", { class: "banner-rows" });
  box.banners.append(bannerRows);
  const notes = el("div", { class: "notes" });
  const side = el("div", { class: "table-side" }, box.seats, box.supply, notes, box.talk);
  const main = el(
    "div",
    { class: "table-main" },
    box.banners,
    box.flash,
    box.status,
    box.seating,
    box.map,
    bench,
  );
  const reserved = find(".reserved", root);
  root.replaceChildren(liveRegion("polite"), liveRegion("alert"), reserved, main, side);
  return { ...box, bannerRows, drawing, bench, main, side, reserved };
}
