// The players' plates: name, turn, clock, number of cards and progress.

/** @import {Card, GameState, Player, Seat, Table, You} from "../core/types.d.ts" */

import { el, find, setChildren, targetOf, updateKeyed } from "../core/dom.js";
import { t, tn } from "../core/i18n.js";
import { icon, pirateIcon } from "../core/icons.js";
import {
  cardCount,
  cardName,
  colourName,
  countByKind,
  letterOf,
  levelName,
  lookOf,
  seatName,
} from "../core/names.js";
import { cardFace } from "./cards.js";
import { offers } from "./selection.js";

/** @param {Player} player */
const countHome = (player) => player.pirates.filter((place) => place === "goal").length;

/**
 * PlayerPlates(root, {onSeat(seat), onPerson(person, name)}) -> {update(state), element(seat), clock(seat)}
 * @param {HTMLElement} root
 * @param {{ onSeat: (seat: number) => void, onPerson: (person: string, name: string) => void }} options
 */
export function PlayerPlates(root, { onSeat, onPerson }) {
  const rows = el("ol", { class: "plates" });
  // Whether a pistol is selected, so that a click on a plate aims at its player.
  let isAiming = false;
  root.append(el("h2", { class: "hidden" }, t("Players")), rows);

  /** @param {{ seat: number }} parts */
  function createPlate({ seat }) {
    /** @type {HTMLLIElement} */
    const plate = el(
      "li",
      { class: "plate" },
      el("span", { class: "plate-figure" }),
      el("span", { class: "plate-name" }),
      el("span", { class: "plate-signs" }),
      el("span", { class: "plate-clock", role: "timer" }),
      el("span", { class: "plate-facts" }),
      el("span", { class: "plate-hand" }),
      el("button", {
        type: "button",
        class: "plate-way",
        hidden: true,
        onclick: () => onPerson(String(plate.dataset.person), String(plate.dataset.name)),
      }),
    );
    plate.addEventListener(
      "click",
      (event) => isAiming && !targetOf(event).closest("button") && onSeat(seat),
    );
    return plate;
  }

  /**
   * Show the button that opens the dialog about another person.
   * @param {HTMLElement} plate
   * @param {Partial<Seat>} options
   * @param {You} you
   * @param {boolean} mine
   * @param {string} name
   */
  function showPersonButton(plate, { person }, you, mine, name) {
    const button = find(".plate-way", plate);
    button.hidden = !person || !you.person || mine;
    if (button.hidden) return;
    Object.assign(plate.dataset, { person, name });
    const words = t("More about {name}", { name });
    if (button.getAttribute("aria-label") !== words) button.setAttribute("aria-label", words);
    button.title = words;
  }

  /**
   * @param {string} name
   * @param {string} words
   */
  const sign = (name, words) =>
    el("span", { class: "sign", title: words }, icon("ui", name), el("span", { class: "hidden" }, words));

  /**
   * @param {HTMLElement} plate
   * @param {{ seat: number, state: GameState, targets: Set<number | undefined> }} options
   */
  function updatePlate(plate, { seat, state, targets }) {
    const { table, view, you, presence } = state;
    const info = table.seats[seat] ?? {};
    const player = view.players[seat];
    const look = lookOf(table.seats, seat);
    const over = view.winner !== null || table.status !== "running";
    const inTurn = !over && view.turn.seat === seat;
    plate.className = `plate look-${look}`;
    plate.classList.toggle("in-turn", inTurn);
    plate.classList.toggle("own", you.seat === seat);
    plate.classList.toggle("resigned", player.resigned);
    plate.classList.toggle("winner", view.winner === seat);
    const figure = find(".plate-figure", plate);
    if (figure.dataset.look !== String(look)) {
      figure.dataset.look = String(look);
      figure.replaceChildren(pirateIcon(look, letterOf(look)));
    }
    const name = find(".plate-name", plate);
    name.replaceChildren(
      el("span", { class: "plate-who" }, seatName(table.seats, seat)),
      ...(you.seat === seat ? [" ", el("small", {}, `(${t("you")})`)] : []),
      el("span", { class: "hidden" }, `, ${colourName(look)}`),
    );
    find(".plate-clock", plate).setAttribute(
      "aria-label",
      t("Time left for {name}", { name: seatName(table.seats, seat) }),
    );
    showPersonButton(plate, info, you, you.seat === seat, seatName(table.seats, seat));
    setChildren(
      find(".plate-signs", plate),
      ...[
        inTurn && sign("ui-compass", t("this player's turn")),
        view.winner === seat && sign("ui-anchor", t("has won")),
        player.resigned && sign("ui-flag", t("has resigned")),
        info.bot &&
          sign(
            "ui-bot",
            info.person ? t("a bot is playing for now") : t("bot: {level}", { level: levelName(info.bot) }),
          ),
        info.person && info.person === table.host && sign("ui-helm", t("host")),
        info.person && !info.bot && presence.seats[seat] === false && sign("ui-away", t("offline")),
      ].map((sign) => sign || null),
    );
    const count = player.cards ?? /** @type {Card[]} */ (player.hand).length;
    const facts = find(".plate-facts", plate);
    facts.replaceChildren(
      el(
        "span",
        { class: "fact" },
        icon("ui", "ui-cards"),
        el("span", { class: "fact-number", "aria-hidden": "true" }, String(count)),
        el("span", { class: "hidden" }, cardCount(count)),
      ),
      el(
        "span",
        { class: "fact" },
        icon("ui", "ui-anchor"),
        el(
          "span",
          { class: "fact-number", "aria-hidden": "true" },
          `${countHome(player)}/${player.pirates.length}`,
        ),
        el(
          "span",
          { class: "hidden" },
          t("Pirates at the goal: {n} of {all}", { n: countHome(player), all: player.pirates.length }),
        ),
      ),
      winsFact(table, seat),
      ratingFact(state, seat),
    );
    showHand(find(".plate-hand", plate), player, you.seat === seat && !over);
    plate.classList.toggle("aimed", targets.has(seat));
  }

  /**
   * Create the number of games that this seat has won in the series.
   * @param {Table} table
   * @param {number} seat
   */
  function winsFact({ series }, seat) {
    // No game has been won yet.
    if (!series?.wins?.some(Boolean)) return "";
    const n = series.wins[seat];
    const words = tn("{n} game won", "{n} games won", n);
    return el(
      "span",
      { class: "fact fact-won", title: words },
      icon("ui", "ui-cup"),
      el("span", { class: "fact-number", "aria-hidden": "true" }, String(n)),
      el("span", { class: "hidden" }, words),
    );
  }

  /**
   * Create the rating of a person at a rated table. Its place is kept free until it is known.
   * @param {GameState} state
   * @param {number} seat
   */
  function ratingFact({ table, plateRatings }, seat) {
    if (!table.rated || !table.seats[seat]?.person) return "";
    const rating = plateRatings?.[seat];
    if (!rating) return el("span", { class: "fact fact-rating", "aria-hidden": "true" }, "\u00a0");
    return el(
      "span",
      { class: "fact fact-rating", title: rating.words },
      el("span", { class: "fact-number", "aria-hidden": "true" }, rating.text),
      el("span", { class: "hidden" }, rating.words),
    );
  }

  /**
   * @param {HTMLElement} box
   * @param {Player} player
   * @param {boolean} own
   */
  function showHand(box, player, own) {
    const visible = player.hand && !own ? countByKind(player.hand) : [];
    box.hidden = visible.length === 0;
    box.replaceChildren(
      ...visible.map(([card, n]) =>
        el(
          "span",
          { class: "plate-card" },
          cardFace(card, "tiny"),
          n > 1 ? el("span", { "aria-hidden": "true" }, String(n)) : null,
          el("span", { class: "hidden" }, `${n} × ${cardName(card)}`),
        ),
      ),
    );
  }

  return {
    /** @param {GameState} state */
    update(state) {
      const aims = offers(state.choices, state.selection).list.filter(
        ({ action }) => action.type === "pistol",
      );
      const { card } = state.selection;
      isAiming = state.view.options.black_magic && card?.replace("*", "") === "pistol";
      const targets = new Set(aims.map(({ action }) => action.player));
      const items = state.view.players.map((_, seat) => ({ seat, state, targets }));
      updateKeyed(rows, items, ({ seat }) => seat, createPlate, updatePlate);
      rows.classList.toggle("open-hands", state.view.options.hands === "open");
    },
    /** @param {number} seat */
    element: (seat) => rows.children[seat] ?? null,
    /** @param {number} seat */
    clock: (seat) => rows.children[seat] && find(".plate-clock", rows.children[seat]),
  };
}
