// One seat before the start: name, colour, readiness and the buttons that the viewer may use.

/** @import {Colour, Seat, Table, TableState, You} from "../core/types.d.ts" */

/** @import {OpeningTable} from "../core/sealing.js" */
/** @import {TableAccess} from "./confirmed_commands.js" */

import { isCorrespondence } from "../core/clock_kinds.js";
import { el } from "../core/dom.js";
import { t } from "../core/i18n.js";
import { icon, pirateIcon } from "../core/icons.js";
import { COLOURS, colourName, letterOf, levelName, personName } from "../core/names.js";
import { hasOpened } from "../core/sealing.js";
import { isAloneWithBots } from "./before_start.js";
import { makeHost, removePlayer, standUpAsHost } from "./confirmed_commands.js";

/** @param {Seat} seat */
const nameOf = (seat) => (seat.person ? personName(seat.name) : (seat.name ?? levelName(String(seat.bot))));

/**
 * @param {Table} table
 * @param {number} seat
 */
const hasOtherPerson = ({ seats }, seat) => seats.some(({ person }, other) => person && other !== seat);

/**
 * Whether a reserved seat is reserved for the viewer.
 * @param {string | null} reserved
 * @param {You} you
 */
const isReservedForYou = (reserved, you) => reserved === you.person;

/**
 * SeatRow({send(command), currentSeats(), refuse(text), onSit(seat), onPerson(person, name), isBarred(state)}) -> (state, info, seat) => element
 * @param {TableAccess & { onSit: (seat: number) => void, onPerson: (person: string, name: string) => void, isBarred: (state: TableState) => boolean }} options
 */
export function SeatRow({ onSit, onPerson, isBarred, ...tableAccess }) {
  const { send } = tableAccess;

  /**
   * @param {TableState} state
   * @param {number} seat
   */
  function colours(state, seat) {
    const taken = state.table.seats.map(({ colour }) => colour);
    return el(
      "div",
      { class: "colours", role: "radiogroup", "aria-label": t("Your colour") },
      ...COLOURS.map((colour, look) => {
        const isOwn = state.table.seats[seat].colour === colour;
        return el(
          "button",
          {
            type: "button",
            role: "radio",
            class: `swatch look-${look}`,
            "aria-checked": String(isOwn),
            "aria-label": colourName(look),
            title: colourName(look),
            disabled: !isOwn && taken.includes(colour),
            onclick: () => send({ do: "colour", colour }),
          },
          pirateIcon(look, letterOf(look)),
        );
      }),
    );
  }

  /**
   * @param {TableState} state
   * @param {Seat} info
   * @param {number} seat
   */
  function seatRow(state, info, seat) {
    const { table, you } = state;
    const isHost = you.person !== null && table.host === you.person;
    const isOwn = you.seat === seat;
    const filled = info.person || info.bot;
    const look = COLOURS.indexOf(/** @type {Colour} */ (info.colour));
    const figure = el(
      "span",
      { class: "berth-figure" },
      look >= 0 ? pirateIcon(look, letterOf(look)) : icon("ui", "ui-plus"),
    );
    const item = el("li", { class: `berth ${filled ? "" : "free"} ${isOwn ? "mine" : ""}` }, figure);
    const words = el("span", { class: "berth-words" });
    item.append(words);
    if (filled) {
      words.append(
        info.person && you.person && !isOwn
          ? el(
              "button",
              { type: "button", class: "person", onclick: () => onPerson(String(info.person), nameOf(info)) },
              nameOf(info),
            )
          : el("b", {}, nameOf(info)),
        isOwn ? el("small", {}, ` (${t("you")})`) : "",
        look >= 0 ? el("small", {}, ` ${colourName(look)}`) : "",
        info.person && info.person === table.host ? el("small", {}, ` · ${t("host")}`) : "",
      );
      words.append(
        el(
          "span",
          {
            class: `berth-ready ${info.ready || info.bot ? "yes" : ""}`,
            hidden: isOwn && isAloneWithBots(state),
          },
          info.bot
            ? t("bot: {level}", { level: levelName(info.bot) })
            : info.ready
              ? t("ready")
              : t("not ready yet"),
        ),
      );
      if (info.person && !isOwn) words.append(PresenceSign(state.presence.seats[seat]));
    } else if (info.reserved)
      words.append(el("b", {}, t("Reserved for {name}", { name: personName(info.name) })));
    else words.append(el("b", {}, t("Empty seat")));
    const buttons = el("span", { class: "berth-deeds" });
    const removeButton = () =>
      el(
        "button",
        {
          type: "button",
          class: "button button-small button-quiet",
          onclick: () =>
            info.person
              ? removePlayer(tableAccess, info.person, nameOf(info), Boolean(table.opening))
              : send({ do: "remove", seat }),
        },
        t("Remove {name}", { name: nameOf(info) }),
      );
    if (table.opening && isHost && !isOwn && isLate(/** @type {OpeningTable} */ (table), seat)) {
      buttons.append(removeButton());
      item.append(buttons);
    }
    if (table.opening || table.status !== "open") return item;
    if (isOwn) {
      item.append(colours(state, seat));
      buttons.append(
        el(
          "button",
          {
            type: "button",
            class: info.ready ? "button button-small" : "button button-small button-main",
            hidden: isAloneWithBots(state),
            "aria-pressed": String(info.ready),
            onclick: () => send({ do: "ready", ready: !info.ready }),
          },
          info.ready ? t("I'm not ready after all") : t("I'm ready"),
        ),
        el(
          "button",
          {
            type: "button",
            class: "button button-small button-quiet",
            onclick: () =>
              isHost && hasOtherPerson(table, seat) ? standUpAsHost(send) : send({ do: "stand" }),
          },
          t("Stand up"),
        ),
      );
    }
    if (!filled && (!info.reserved || isReservedForYou(info.reserved, you))) {
      buttons.append(
        el(
          "button",
          {
            type: "button",
            class: you.seat === null ? "button button-small button-main" : "button button-small",
            disabled: isBarred(state),
            onclick: () => onSit(seat),
          },
          you.seat === null ? t("Sit here") : t("Move here"),
        ),
      );
    }
    if (isHost && !filled && info.reserved && !isReservedForYou(info.reserved, you))
      buttons.append(
        el(
          "button",
          {
            type: "button",
            class: "button button-small button-quiet",
            onclick: () => send({ do: "remove", seat }),
          },
          t("Free {name}'s seat", { name: personName(info.name) }),
        ),
      );
    if (isHost && filled && !isOwn) {
      buttons.append(removeButton());
      if (info.person && !info.bot)
        buttons.append(
          el(
            "button",
            {
              type: "button",
              class: "button button-small button-quiet",
              onclick: () => makeHost(tableAccess, String(info.person), nameOf(info)),
            },
            t("Make {name} the host", { name: nameOf(info) }),
          ),
        );
    }
    item.append(buttons);
    return item;
  }

  /**
   * Whether the start waits for this seat and the host may remove it.
   * @param {OpeningTable} table
   * @param {number} seat
   */
  const isLate = (table, seat) =>
    table.opening.order.includes(seat) &&
    !hasOpened(table, seat) &&
    (table.opening.asked || isCorrespondence(table.clock?.kind));

  /**
   * Create a sign that says whether the person of a seat is connected.
   * @param {boolean | null} isHere
   */
  const PresenceSign = (isHere) =>
    el("span", { class: isHere ? "berth-here yes" : "berth-here" }, isHere ? t("here now") : t("offline"));

  return seatRow;
}
