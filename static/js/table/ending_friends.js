// Beside the names on the end card: buttons that add the other players as friends.

/** @import {Relation, TableState} from "../core/types.d.ts" */

import { RefusedError } from "../core/api.js";
import { findAll } from "../core/dom.js";
import { FriendButton, fetchRelations } from "../core/friend_button.js";
import { personName } from "../core/names.js";

/**
 * Fill the places in the list of players. Those of friends, of people without an account and of blocked people stay empty.
 * @param {HTMLElement} list
 * @param {TableState} state
 */
export async function showEndingFriends(list, { table }) {
  const places = findAll("[data-seat]", list).map((place) => {
    const { person, name } = table.seats[Number(place.dataset.seat)];
    return { place, id: String(person), name: personName(name) };
  });
  /** @type {Record<string, { relation: Relation, can_ask: boolean }>} */
  const relations = await fetchRelations(places.map(({ id }) => id)).catch((problem) => {
    if (problem instanceof RefusedError) return {}; // the card is complete without the buttons
    throw problem;
  });
  for (const { place, id, name } of places) {
    const { relation, can_ask: canAsk } = relations[id] ?? { relation: "none", can_ask: false };
    if (canAsk && relation !== "friends") place.append(FriendButton({ id, name, relation }));
  }
}
