// What a lobby row says about a table.

/** @import {LobbyRoom} from "../core/types.d.ts" */

import { el } from "../core/dom.js";
import { N_, t, tn } from "../core/i18n.js";
import { presetName } from "../core/names.js";
import { variantNames } from "./variant_names.js";

// Keyed by the server's names.
/** @type {Record<string, string>} */
const clockNames = { turn: N_("Per turn"), bank: N_("Time bank"), days: N_("Days per turn") };

/** @param {LobbyRoom} room */
export function SeatDots(room) {
  const dots = Array.from({ length: room.seats ?? 0 }, (_, n) =>
    el(n < (room.taken ?? 0) ? "i.dot.dot-taken" : "i.dot", { "aria-hidden": "true" }),
  );
  return el(
    "span.dots",
    {},
    ...dots,
    el("span.hidden", {}, t("Seats taken: {taken} of {seats}", { ...room })),
  );
}

/** @param {LobbyRoom} room */
export function TableFacts(room) {
  const words = [room.title && presetName(room.preset), ...variantNames(room.variant ?? [])];
  if (room.rated) words.push(t("rated"));
  if (room.clock in clockNames) words.push(t(clockNames[room.clock]));
  if (room.bots) words.push(tn("{n} bot", "{n} bots", room.bots));
  if (room.watching) words.push(tn("{n} spectator", "{n} spectators", room.watching));
  if (room.locked) words.push(t("needs a password"));
  return el("p.table-facts", {}, words.filter(Boolean).join(" · "));
}
