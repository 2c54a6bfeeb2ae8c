// The button that asks another person to be friends, or accepts their request, with the answer beside it.

/** @import {Relation} from "./types.d.ts" */

import { get, put, RefusedError } from "./api.js";
import { el, setChildren } from "./dom.js";
import { N_, t } from "./i18n.js";

const BUTTON_WORDS = { none: N_("Add friend"), asks_you: N_("Accept friend request") };
const STATE_WORDS = { asked: N_("Friend request sent."), friends: N_("You are friends.") };

/**
 * Fetch the reader's relations to these people, by id; {} for a reader without a name.
 * @param {string[]} people
 * @returns {Promise<Record<string, { relation: Relation, can_ask: boolean }>>}
 */
export async function fetchRelations(people) {
  if (!people.length) return {};
  const query = people.map((person) => `player=${encodeURIComponent(person)}`).join("&");
  return (await get(`/friends/relations?${query}`)).relations;
}

/**
 * Create the button. A refusal is shown below it; for a guest, with a link to the account page.
 * @param {{ id: string, name: string, relation: Relation, onChange?: (relation: Relation) => void }} person
 */
export function FriendButton({ id, name, relation, onChange = () => {} }) {
  const answer = el("span", { class: "friend-answer", role: "status" });
  const place = el("span", { class: "friend-place" });

  /** @param {HTMLButtonElement} button */
  async function ask(button) {
    button.disabled = true;
    try {
      ({ relation } = await put(`/friends/${encodeURIComponent(id)}`));
      show();
      place.querySelector("button")?.focus();
      onChange(relation);
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      button.disabled = false;
      button.focus();
      const link =
        problem.code === "friends_need_account"
          ? el("a", { href: "/account" }, t("Go to your account"))
          : null;
      setChildren(answer, problem.message, link && " ", link);
    }
  }

  function show() {
    const words = relation in BUTTON_WORDS ? t(BUTTON_WORDS[/** @type {"none"} */ (relation)]) : "";
    const state = relation in STATE_WORDS ? t(STATE_WORDS[/** @type {"asked"} */ (relation)]) : "";
    answer.textContent = state;
    setChildren(
      place,
      words
        ? el(
            "button",
            {
              type: "button",
              class: "button button-small",
              "aria-label": `${words}: ${name}`,
              onclick: (/** @type {MouseEvent} */ event) =>
                ask(/** @type {HTMLButtonElement} */ (event.currentTarget)),
            },
            words,
          )
        : null,
    );
  }

  show();
  return el("span", { class: "friend-way" }, place, answer);
}
