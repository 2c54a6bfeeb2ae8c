// The first note for a seated player: about a deal of the day, or the offer of notifications in a correspondence game.

/** @import {StateStore} from "../core/types.d.ts" */

import { isCorrespondence } from "../core/clock_kinds.js";
import { withWholeCatalogue } from "../core/i18n.js";

/**
 * Show the note once the player has a seat.
 * @param {{ store: StateStore, game: string, root: HTMLElement, now: () => number, refuse: (text: string) => void }} parts
 */
export function showFirstNote({ store, game, root, now, refuse }) {
  let isShown = false;
  store.subscribe(["table", "you"], ({ table, you }) => {
    if (isShown || you.seat === null || !(table?.deal || isCorrespondence(table?.clock?.kind))) return;
    isShown = true;
    if (table.deal)
      return void withWholeCatalogue(import("./deal_note.js")).then(({ showDealNote }) =>
        showDealNote({ game, root, table, store, now }),
      );
    withWholeCatalogue(import("./notification_offer.js")).then(({ offerTurnNotices }) =>
      offerTurnNotices({ game, root, refuse }),
    );
  });
}
