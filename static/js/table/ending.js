// The card at the end of a game: result, consolation, statistics and links (rematch, share, review). It appears after the
// animation on the map. A player who resigns while the others play on gets a card with a link to a new game.

/** @import {GameEvent, GameState, Table, TableState} from "../core/types.d.ts" */

import { canAnimate, finishAll } from "../board/animate.js";
import { getUrl } from "../core/api.js";
import { el, find, setChildren } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { pirateIcon } from "../core/icons.js";
import { offerInstallAfterGame } from "../core/install_offer.js";
import { letterOf, lookOf, seatName } from "../core/names.js";
import { describePoints, describeSignedPoints } from "../core/percentage_points.js";
import { passwordHeader } from "../core/room_password.js";
import { toast } from "../core/toast.js";
import { showRatingChanges } from "./ending_ratings.js";
import { statisticsOf } from "./game_statistics.js";
import { verdict } from "./verdict.js";

/** @param {TableState} state */
function Ranking({ table }) {
  const places = (table.result?.places ?? [])
    .map((place, seat) => ({ place, seat }))
    .sort((a, b) => a.place - b.place);
  return el(
    "ol",
    { class: "ranking" },
    ...places.map(({ place, seat }) => {
      const look = lookOf(table.seats, seat);
      return el(
        "li",
        { value: place },
        pirateIcon(look, letterOf(look)),
        el("span", {}, seatName(table.seats, seat)),
        table.rated && table.seats[seat].person
          ? el("span", { class: "ranking-change", "data-change": seat }, "…")
          : null,
      );
    }),
  );
}

/**
 * Create the list of statistics. Values are filled in as they arrive: first from the seen events, then from the review.
 * @param {GameState} state
 */
function Statistics({ table, view, you, password }) {
  const headers = passwordHeader(password);
  /** @param {string} url */
  // On failure the values are left out.
  const fetchOrNull = (url) => getUrl(url, headers).catch(() => null);
  const game = encodeURIComponent(table.id);
  const names = {
    turns: t("Turns"),
    drawn: t("Cards drawn"),
    jump: t("Longest jump"),
    luck: t("Luck"),
    loss: t("Given away"),
  };
  const values = Object.fromEntries(Object.keys(names).map((key) => [key, el("dd", {}, "…")]));
  const rows = Object.keys(names).map((key) =>
    el("div", {}, el("dt", {}, names[/** @type {keyof typeof names} */ (key)]), values[key]),
  );

  const note = el(
    "p",
    { class: "ending-note", hidden: true },
    t(
      "Points are percentage points of your chance to win: what lucky or unlucky cards changed, and what better turns would have added.",
    ),
  );

  const box = el("div", { class: "ending-statistics" }, el("dl", { class: "ending-figures" }, ...rows), note);

  /** @param {Record<string, string | number>} found */
  function fill(found) {
    for (const [key, value] of Object.entries(found)) values[key].textContent = String(value);
  }

  /** @param {...string} keys */
  function leaveOut(...keys) {
    for (const key of keys) values[key].parentElement?.remove();
  }

  fetchOrNull(`/g/${game}/seen`).then((seen) => {
    if (!seen) return leaveOut("turns", "drawn", "jump");
    const { turns, drawn, jump } = statisticsOf(seen.steps, you.seat, view.options);
    // Someone else resigned before the player's first turn: there is nothing to count.
    if (turns === 0) return box.remove();
    return fill({ turns, drawn, jump: tn("{n} space", "{n} spaces", jump) });
  });
  Promise.resolve(table.deal ? null : fetchOrNull(`/api/v1/games/${game}/review`)).then((review) => {
    if (!review) return leaveOut("luck", "loss");
    const seat = /** @type {number} */ (you.seat);
    note.hidden = false;
    return fill({ luck: describeSignedPoints(review.luck[seat]), loss: describePoints(review.loss[seat]) });
  });
  return box;
}

/**
 * Open the share sheet of the device, or copy the link.
 * @param {Table} table
 * @param {string} heading
 */
async function shareReplay(table, heading) {
  const url = `${location.origin}/g/${encodeURIComponent(table.id)}/replay`;
  if (navigator.share) {
    await navigator.share({ title: "Cartagena", text: heading, url }).catch((problem) => {
      if (problem.name !== "AbortError") toast(url);
    });
    return;
  }
  const isCopied = await navigator.clipboard?.writeText(url).then(
    () => true,
    () => false,
  );
  toast(isCopied ? t("The link has been copied.") : url);
}

/** @param {Table} table */
const isOver = ({ status }) => status === "finished" || status === "aborted";

/**
 * Ending(root, {rematch}) -> {update(state, events), show()}
 * @param {HTMLElement} root
 * @param {{ rematch: ReturnType<typeof import("./rematch.js").Rematch> }} options
 */
export function Ending(root, { rematch }) {
  let drawn = "";
  // Hidden until the animation on the map is over.
  let isHeld = false;

  /**
   * @param {GameState} state
   * @param {string} heading
   */
  function links(state, heading) {
    const { table, you } = state;
    const here = `/g/${encodeURIComponent(table.id)}`;
    /**
     * @param {string} href
     * @param {string} words
     * @param {string} [kind]
     */
    const link = (href, words, kind = "") => el("a", { class: `button ${kind}`, href }, words);
    const newGame = link(
      `/new?preset=${encodeURIComponent(table.options.preset)}`,
      t("Start a new game"),
      "button-main new-game",
    );
    if (!isOver(table))
      return [el("div", { class: "ending-ways" }, newGame, link("/", t("Go to the lobby")))];
    if (table.deal)
      return [
        el(
          "div",
          { class: "ending-ways" },
          link(`/deal/${table.deal}`, t("The deal of the day"), "button-main"),
          link("/", t("Go to the lobby")),
        ),
      ];
    if (table.trial?.code)
      return [
        el(
          "div",
          { class: "ending-ways" },
          link(`/analysis?p=${encodeURIComponent(table.trial.code)}`, t("Try again"), "button-main"),
        ),
      ];
    if (table.trial) {
      const at = `?step=${table.trial.step}`;
      return [
        el(
          "div",
          { class: "ending-ways" },
          link(`${here}/try${at}`, t("Try again"), "button-main"),
          link(`${here}/review${at}`, t("Back to the review")),
        ),
      ];
    }
    const gaveUp = you.seat !== null && state.view.players[you.seat].resigned;
    return [
      el(
        "div",
        { class: "ending-ways" },
        you.seat === null ? null : el("span", { class: "one-more" }, t("One more game?")),
        rematch.way,
        gaveUp ? link(String(newGame.getAttribute("href")), t("Start a new game"), "new-game") : null,
        table.result
          ? el(
              "button",
              { type: "button", class: "button share", onclick: () => shareReplay(table, heading) },
              t("Share"),
            )
          : null,
        link(`${here}/review`, t("Review")),
      ),
      el(
        "p",
        { class: "ending-more" },
        el("a", { href: `${here}/replay` }, t("Replay")),
        el("a", { href: `${here}/fairness` }, t("Check the shuffle")),
        el("a", { href: "/" }, t("Go to the lobby")),
      ),
    ];
  }

  /** @param {GameState} state */
  function draw(state) {
    const { table, you } = state;
    const { heading, words } = verdict(state);
    setChildren(
      root,
      ...[
        el("h2", { id: "ending-title", tabindex: "-1" }, heading),
        words ? el("p", { class: "ending-words", tabindex: "-1" }, words) : null,
        isOver(table) ? Ranking(state) : null,
        table.rated && isOver(table)
          ? el("p", { class: "ending-note rating-note", "data-rating-note": true, role: "status" })
          : null,
        rematch.score,
        you.seat !== null && table.result && !table.trial ? Statistics(state) : null,
        ...links(state, heading),
        you.seat !== null && table.result && !table.trial ? offerInstallAfterGame() : null,
      ],
    );
    if (table.rated && isOver(table)) showRatingChanges(root, state);
  }

  function show() {
    isHeld = false;
    root.classList.remove("held");
    removeEventListener("pointerdown", finishAll);
    removeEventListener("keydown", finishAll);
    // Not the heading: screen readers have just read who has won.
    if (!root.hidden && document.activeElement === document.body)
      find("[tabindex]:not(h2)", root)?.focus({ preventScroll: true });
  }

  /** Hide the card until the map is done. A tap or a key ends the animation. */
  function hold() {
    isHeld = true;
    root.classList.add("held");
    addEventListener("pointerdown", finishAll);
    addEventListener("keydown", finishAll);
  }

  return {
    show,
    /**
     * @param {GameState} state
     * @param {GameEvent[]} [events]
     */
    update(state, events = []) {
      const { table, view, you } = state;
      const gaveUp = table.status === "running" && you.seat !== null && view.players[you.seat].resigned;
      root.hidden = !isOver(table) && !gaveUp;
      root.classList.toggle("gave-up", gaveUp);
      if (isOver(table)) rematch.update(state);
      if (events.some(({ type }) => type === "game_won") && canAnimate() && !isHeld) hold();
      const key = JSON.stringify([table.status, table.result, you.seat, gaveUp]);
      if (root.hidden || key === drawn) return;
      drawn = key;
      draw(state);
    },
  };
}
