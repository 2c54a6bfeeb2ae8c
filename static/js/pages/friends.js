// The page of friends: requests, invitations, friends with what they show, and what friends may see.

/** @import {Friend, FriendLists, FriendRequest, FriendTable} from "../core/types.d.ts" */

import { get, put, RefusedError, remove } from "../core/api.js";
import { confirmAction } from "../core/confirm_dialog.js";
import { el, find, setChildren, updateKeyed } from "../core/dom.js";
import { presenceText, sortByPresence } from "../core/friend_presence.js";
import { formatRelativeTime, t, tn } from "../core/i18n.js";
import { presetName } from "../core/names.js";
import { NoteField } from "../core/person_note.js";
import { toast } from "../core/toast.js";
import { openInviteDialog } from "./friend_invite.js";
import { showFriendNews } from "./friend_news.js";
import { initVisibility } from "./visibility.js";

const REFRESH_MS = 45_000;
const page = find("[data-friends]");
const isAccount = page.dataset.kind === "account";
// By friend; null for one without a common game.
/** @type {Record<string, { played: number, won: number, lost: number } | null>} */
let scores = {};

/** @param {string} name */
const section = (name) => find(`[data-section="${name}"]`, page);
/** @param {string} player */
const profilePath = (player) => `/players/${encodeURIComponent(player)}`;
/** @param {string} game */
const tablePath = (game) => `/g/${encodeURIComponent(game)}`;
/** @param {number} at */
const since = (at) => formatRelativeTime(Math.min(-60, (at - Date.now()) / 1000));

/** @param {Error} problem */
function fail(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  toast(problem.message, "refused");
}

/**
 * Create a button that changes something and then shows the lists again, unless `work` resolves to false. If its row is
 * gone then, the focus moves to the heading of the list.
 * @param {string} words
 * @param {string} about
 * @param {() => Promise<unknown>} work
 * @param {string} [kind]
 */
function Deed(words, about, work, kind = "") {
  const button = el(
    "button",
    { type: "button", class: `button button-small ${kind}`, "aria-label": about },
    words,
  );
  button.addEventListener("click", async () => {
    const heading = /** @type {HTMLElement} */ (
      find("h2", /** @type {Element} */ (button.closest("section")))
    );
    button.disabled = true;
    try {
      if ((await work()) !== false) await refresh();
    } catch (problem) {
      fail(/** @type {Error} */ (problem));
    }
    button.disabled = false;
    if (document.activeElement !== document.body) return;
    const next = button.isConnected ? button : heading.offsetParent ? heading : find("h1", page);
    next.focus({ preventScroll: true });
  });
  return button;
}

/** @param {FriendRequest} request */
const RequestRow = ({ id, name, at }) =>
  Row(
    el("a", { href: profilePath(id) }, name),
    t("asked {when}", { when: since(at) }),
    Deed(
      t("Accept"),
      t("Accept {name}'s request", { name }),
      () => put(`/friends/${encodeURIComponent(id)}`).then(() => toast(t("You are friends."))),
      "button-main",
    ),
    Deed(
      t("Decline"),
      t("Decline {name}'s request", { name }),
      () => remove(`/friends/requests/${encodeURIComponent(id)}`),
      "button-quiet",
    ),
  );

/** @param {FriendRequest} request */
const SentRow = ({ id, name, at }) =>
  Row(
    el("a", { href: profilePath(id) }, name),
    t("asked {when}", { when: since(at) }),
    Deed(
      t("Withdraw"),
      t("Withdraw the request to {name}", { name }),
      () => remove(`/friends/${encodeURIComponent(id)}`),
      "button-quiet",
    ),
  );

/** @param {FriendLists["invitations"][number]} invitation */
const InvitationRow = ({ game, preset, by, at }) =>
  Row(
    by.name
      ? t("{name} invites you: {edition}", { name: by.name, edition: presetName(preset) })
      : t("You are invited: {edition}", { edition: presetName(preset) }),
    since(at),
    el("a", { class: "button button-small button-main", href: tablePath(game) }, t("Go to the table")),
    Deed(
      t("Dismiss"),
      t("Dismiss this invitation"),
      () => remove(`/games/${encodeURIComponent(game)}/invitations`),
      "button-quiet",
    ),
  );

/**
 * @param {string | Node} name
 * @param {string} facts
 * @param {...Node} deeds
 */
const Row = (name, facts, ...deeds) =>
  el(
    "li.table-row",
    {},
    el("div.table-words", {}, el("h3.table-name", {}, name), el("p.table-facts", {}, facts)),
    el("div.table-deeds", {}, ...deeds),
  );

const WAY_WORDS = { play: () => t("Go to the table"), join: () => t("Join"), watch: () => t("Watch") };

/** @param {FriendTable} table */
const TableLine = ({ id, preset, way, seats, taken }) =>
  el(
    "li",
    {},
    el(
      "span",
      {},
      way === "join"
        ? t("waits at a table: {edition}, {taken} of {seats} seats", {
            edition: presetName(preset),
            taken,
            seats,
          })
        : t("plays {edition}", { edition: presetName(preset) }),
    ),
    el("a", { class: "button button-small", href: tablePath(id) }, WAY_WORDS[way]()),
  );

/** @param {Friend} friend */
function scoreText({ id, name }) {
  const score = scores[id];
  if (!score) return "";
  return tn(
    "You against {name}: {won} – {lost} in {n} game",
    "You against {name}: {won} – {lost} in {n} games",
    score.played,
    {
      name,
      won: score.won,
      lost: score.lost,
    },
  );
}

/**
 * Create the row of a friend. `showFriend` fills in what changes.
 * @param {Friend} friend
 */
function FriendRow({ id, name, note }) {
  const noteText = el("p", { class: "friend-note" });
  const noteButton = el(
    "button",
    { type: "button", class: "button button-small button-quiet" },
    t("Write a note"),
  );
  noteButton.setAttribute("aria-label", t("Write a note about {name}", { name }));
  noteButton.setAttribute("aria-expanded", "false");
  const notePlace = el("div", {});
  /** @param {string} text */
  const showNote = (text) => {
    noteText.textContent = text;
    noteText.hidden = !text;
  };
  noteButton.addEventListener("click", () => {
    const isOpen = notePlace.childElementCount > 0;
    noteButton.setAttribute("aria-expanded", String(!isOpen));
    noteText.hidden = !isOpen || !noteText.textContent;
    if (isOpen) return notePlace.replaceChildren();
    notePlace.append(
      NoteField({ id, text: noteText.textContent, onSave: (text) => (noteText.textContent = text) }),
    );
    return find("textarea", notePlace).focus();
  });
  showNote(note);
  const invite = el("button", { type: "button", class: "button button-small button-main" }, t("Invite"));
  invite.setAttribute("aria-label", t("Invite {name}", { name }));
  invite.addEventListener("click", () => openInviteDialog({ id, name }).catch(fail));
  return el(
    "li.table-row.friend",
    {},
    el(
      "div.table-words",
      {},
      el(
        "h3.table-name",
        {},
        el("a", { href: profilePath(id) }, name),
        " ",
        el("small", { class: "friend-presence" }),
      ),
      el("p", { class: "table-facts friend-score" }),
      noteText,
      el("ul", { class: "friend-tables" }),
    ),
    el(
      "div.table-deeds",
      {},
      invite,
      noteButton,
      Deed(
        t("Remove"),
        t("Remove {name} from your friends", { name }),
        async () => {
          const question = t("Remove {name} from your friends? They are not told.", { name });
          return (await confirmAction(question, t("Remove"))) && remove(`/friends/${encodeURIComponent(id)}`);
        },
        "button-quiet",
      ),
    ),
    notePlace,
  );
}

/**
 * @param {HTMLElement} row
 * @param {Friend} friend
 */
function showFriend(row, friend) {
  const presence = find(".friend-presence", row);
  presence.textContent = presenceText(friend);
  presence.classList.toggle("is-online", friend.online === true);
  find(".friend-score", row).textContent = scoreText(friend);
  const tables = find(".friend-tables", row);
  const key = JSON.stringify(friend.tables);
  if (tables.dataset.key === key) return;
  tables.dataset.key = key;
  setChildren(tables, ...friend.tables.map(TableLine));
}

/**
 * @template T
 * @param {string} name
 * @param {T[]} items
 * @param {(item: T) => HTMLElement} make
 */
function showList(name, items, make) {
  const place = section(name);
  place.hidden = items.length === 0;
  const key = JSON.stringify(items);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  setChildren(find("[data-rows]", place), ...items.map(make));
}

/** @param {FriendLists} lists */
function show({ friends, requests, sent, invitations }) {
  showList("requests", requests, RequestRow);
  showList("invitations", invitations, InvitationRow);
  showFriendNews(requests.length + invitations.length);
  if (!isAccount) return;
  showList("sent", sent, SentRow);
  find("[data-empty]", section("friends")).hidden = friends.length > 0;
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  updateKeyed(
    find("[data-rows]", section("friends")),
    sortByPresence(friends),
    ({ id }) => id,
    FriendRow,
    showFriend,
  );
  // A row that moves loses the focus, such as that of a note being written.
  if (focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
}

/**
 * Fetch the lists, and the scores if there is a friend without a known one; both are shown together.
 * @returns {Promise<FriendLists>}
 */
async function refresh() {
  /** @type {FriendLists} */
  const lists = await get("/friends");
  if (lists.friends.some(({ id }) => !(id in scores))) {
    const found = (await get("/friends/scores")).scores;
    scores = Object.fromEntries(lists.friends.map(({ id }) => [id, found[id] ?? null]));
  }
  show(lists);
  return lists;
}

async function load() {
  const { visibility } = await refresh();
  if (isAccount) initVisibility(page, visibility);
  // Who is online changes while the page is open. On failure the next time tries again.
  setInterval(() => document.visibilityState === "visible" && refresh().catch(() => {}), REFRESH_MS);
}

/** @param {Error} problem */
function showProblem(problem) {
  if (!(problem instanceof RefusedError)) throw problem;
  const place = find("[data-problem]", page);
  setChildren(place, `${problem.message} `, el("a", { href: "/friends" }, t("Try again")));
  place.hidden = false;
}

if (page.dataset.kind === "nobody") page.removeAttribute("data-loading");
// Everything appears at once, so that nothing moves.
else
  load()
    .catch(showProblem)
    .finally(() => page.removeAttribute("data-loading"));
