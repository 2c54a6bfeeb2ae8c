// Telling people what happens when they do not look: live regions, sounds, page title and favicon.

import { t } from "../core/i18n.js";
import { iconUrl } from "../core/icons.js";
import { presetName, seatName } from "../core/names.js";
import { CONNECTION } from "./connection.js";
import { sound, soundOf } from "./sound.js";
import { isMine } from "./store.js";

let count = 0;

/** Read a sentence out. Two regions in turn, so that the same sentence twice is heard twice. */
export function announce(text, urgent = false) {
  if (!text) return;
  const kind = urgent ? "alert" : "polite";
  count += 1;
  const region = document.getElementById(`live-${kind}-${count % 2}`);
  const other = document.getElementById(`live-${kind}-${(count + 1) % 2}`);
  if (other) other.textContent = "";
  if (region) region.textContent = text;
}

let plainIcon = null;

/** The tab says whether it is your turn; seen also by those who hear the title. */
function showTurn(isTurn, title) {
  const wanted = isTurn ? t("Your turn – {title}", { title }) : title;
  if (document.title !== wanted) document.title = wanted;
  const link = document.querySelector('link[rel="icon"]');
  if (!link) return;
  plainIcon ??= link.href;
  const href = isTurn ? iconUrl("favicon-turn.svg") : plainIcon;
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
}

/** Announce what changes in the store from now on. */
export function announceChanges(store) {
  store.subscribe(["connection"], ({ connection }) => {
    if (CONNECTION[connection]?.isReadOut) announce(t(CONNECTION[connection].text), true);
  });
  store.subscribe(["refusal"], ({ refusal }) => {
    if (!refusal) return;
    announce(refusal.text, true);
    sound("refuse");
  });
  store.subscribe(["seq"], (state, before, { line, events = [] }) => {
    announce(line?.text);
    soundOf(events, state.you.seat);
  });
  store.subscribe(["choices", "table"], (state, before) => {
    if (!state.table) return;
    showTurn(isMine(state), `${state.table.title || presetName(state.table.options.preset)} · Cartagena`);
    if (!isMine(state) || isMine(before)) return;
    sound("turn");
    announce(state.view.pending ? t("You must choose.") : t("It is your turn."), true);
  });
  store.subscribe(["view"], ({ view, table }, before, { events = [] }) => {
    if (events.some(({ type }) => type === "game_won"))
      announce(t("{name} has won!", { name: seatName(table.seats, view.winner) }), true);
  });
}
