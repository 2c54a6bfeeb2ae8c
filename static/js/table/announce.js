// Telling people what happens when they do not look: live regions, sounds, page title and favicon.

import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { iconUrl } from "../core/icons.js";
import { presetName, seatName } from "../core/names.js";
import { CONNECTION } from "./connection.js";
import { vibrate, withSound } from "./senses.js";
import { isMine } from "./store.js";

const KEPT = 6; // sentences: whoever reads them slowly has not lost the one before

/** Read a sentence out. Each is an element of its own: two at once are both heard, and the same one twice is heard twice. */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "live-alert" : "live-polite");
  if (!text || !region) return;
  region.append(el("p", {}, text));
  while (region.children.length > KEPT) region.firstElementChild.remove();
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

/** Sentences as one: each is a whole clause, so that it stays right in every language. */
export const inOne = (texts) => `${texts.map((text) => text.replace(/\.$/, "")).join("; ")}.`;

/**
 * Turns() -> {hear(line, events, seats), flush()}: what a person does is read out at once; what a bot does in a turn is
 * one sentence, at its end: its actions come faster than they can be heard.
 */
export function Turns(say = announce) {
  let texts = [];
  function flush() {
    if (texts.length) say(inOne(texts));
    texts = [];
  }
  return {
    flush,
    hear(line, events, seats) {
      const isBot = Boolean(line?.texts && seats[line.seat]?.bot);
      if (!isBot) {
        flush();
        say(line?.text);
        return;
      }
      texts.push(...line.texts);
      if (events.some(({ type }) => type === "turn_passed" || type === "game_won")) flush();
    },
  };
}

/** Announce what changes in the store from now on. */
export function announceChanges(store) {
  const turns = Turns();
  store.subscribe(["connection"], ({ connection }) => {
    if (CONNECTION[connection]?.isReadOut) announce(t(CONNECTION[connection].text), true);
  });
  store.subscribe(["refusal"], ({ refusal }) => {
    if (!refusal) return;
    announce(refusal.text, true);
    withSound(({ sound }) => sound("refuse"));
  });
  store.subscribe(["seq"], (state, before, { line, events = [] }) => {
    if (line?.text) turns.hear(line, events, state.table.seats);
    withSound(({ soundOf }) => soundOf(events, state.you.seat));
  });
  store.subscribe(["choices", "table"], (state, before) => {
    if (!state.table) return;
    showTurn(isMine(state), `${state.table.title || presetName(state.table.options.preset)} · Cartagena`);
    if (!isMine(state) || isMine(before)) return;
    turns.flush();
    withSound(({ sound }) => sound("turn"));
    vibrate();
    announce(state.view.pending ? t("You must choose.") : t("It is your turn."), true);
  });
  store.subscribe(["view"], ({ view, table }, before, { events = [] }) => {
    if (events.some(({ type }) => type === "game_won"))
      announce(t("{name} has won!", { name: seatName(table.seats, view.winner) }), true);
  });
}
