// Banners: the connection, refusals, and decisions of the table (absence, pause, a bot on the player's seat).

/** @import {Send, State, Table, TableState, You} from "../core/types.d.ts" */

import { el, find, updateKeyed } from "../core/dom.js";
import { formatList, N_, t, tn, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";
import { seatName } from "../core/names.js";
import { CONNECTION_STATES } from "./connection.js";

/**
 * @typedef {object} Banner
 * @property {string} key
 * @property {string} kind
 * @property {string} sign
 * @property {string} text
 * @property {HTMLElement[]} [buttons]
 */

/** @type {Record<string, string>} */
const CLOSED_REASONS = {
  host: N_("The host has closed this table."),
  empty: N_("This table was closed automatically: everyone had left."),
  operator: N_("This table was closed before the game started."),
};

/**
 * Return the sentence about a player who counts as absent: a question to those who decide, a fact for the others.
 * @param {number | null} viewer
 * @param {number} seat
 * @param {string} name
 */
export function absenceText(viewer, seat, name) {
  if (viewer === seat) return t("You count as absent. Play on to show that you are back.");
  return viewer === null
    ? t("{name} is absent. The other players can decide how to go on.", { name })
    : t("{name} is absent. What should we do?", { name });
}

/**
 * Return the countdown until a player counts as absent.
 * @param {number | null} viewer
 * @param {number} seat
 * @param {string} name
 * @param {number} seconds
 */
export const awayText = (viewer, seat, name, seconds) =>
  viewer === seat
    ? tn(
        "Are you still there? In {n} second the others can decide how to go on.",
        "Are you still there? In {n} seconds the others can decide how to go on.",
        seconds,
      )
    : tn(
        "{name} is away; the table can decide in {n} second.",
        "{name} is away; the table can decide in {n} seconds.",
        seconds,
        { name },
      );

/**
 * Return until when the viewer, whom the host has removed, can't sit down; 0 if they can. The table's time is that of the
 * last player who was removed; servers of earlier releases send no other.
 * @param {{ table: Table, you: You }} state
 */
export const ownRemovalEnds = ({ table, you }) =>
  table.removed_until === undefined ? 0 : (you.removed_until ?? table.removed_until);

/**
 * Banners(root, flash, {send(command), now(), onReload(), onSound(isWanted), refuseUnreachable()}) -> {update(state)}
 * Decisions of the table are part of the layout, in `root`. Transient banners lie over the table, in `flash`, so that
 * nothing moves under the player's finger.
 * @param {HTMLElement} root
 * @param {HTMLElement} flash
 * @param {{ send: Send, now: () => number, onReload: () => void, onSound: (isWanted: boolean) => void, refuseUnreachable?: () => void }} options
 */
export function Banners(root, flash, { send, now, onReload, onSound, refuseUnreachable }) {
  /** @type {State} Set by the first update. */
  let state;

  /**
   * @param {string} words
   * @param {(event: never) => unknown} onclick
   * @param {boolean} [main]
   */
  const button = (words, onclick, main = false) =>
    el(
      "button",
      { type: "button", class: main ? "button button-small button-main" : "button button-small", onclick },
      words,
    );

  /** @param {TableState} state */
  function pauseBanner({ table, you }) {
    const question = Object.keys(table.consents ?? {})[0];
    const seated = you.seat !== null;
    if (question) {
      const yes = table.consents[question];
      const who = formatList(yes.map((seat) => seatName(table.seats, seat)));
      const words =
        question === "pause"
          ? tn("{who} wants to pause the game.", "{who} want to pause the game.", yes.length, { who })
          : tn("{who} wants to continue.", "{who} want to continue.", yes.length, { who });
      const buttons =
        seated && !yes.includes(/** @type {number} */ (you.seat))
          ? [
              button(t("Agree"), () => send({ do: "consent", to: question, yes: true }), true),
              button(t("No"), () => send({ do: "consent", to: question, yes: false })),
            ]
          : [];
      return { key: "consent", kind: "note", sign: "ui-pause", text: words, buttons };
    }
    if (!table.paused) return null;
    return {
      key: "paused",
      kind: "note",
      sign: "ui-pause",
      text: t("The game is paused."),
      buttons: seated
        ? [button(t("Continue"), () => send({ do: "consent", to: "continue", yes: true }), true)]
        : [],
    };
  }

  /** @param {TableState} state */
  function absenceBanners({ table, you, presence }) {
    if (table.status !== "running") return [];
    /** @type {Banner[]} */
    const rows = [];
    table.seats.forEach((seat, at) => {
      if (!seat.absent) return;
      const name = seatName(table.seats, at);
      const votes = table.votes?.[at] ?? {};
      /** @param {string} choice */
      const vote = (choice) => () =>
        choice === "end"
          ? withWholeCatalogue(import("./confirmed_commands.js")).then(
              ({ voteToEnd }) => voteToEnd(send, at),
              refuseUnreachable,
            )
          : send({ do: "vote", seat: at, choice });
      const buttons =
        you.seat === null || you.seat === at
          ? []
          : [
              ["wait", t("Wait")],
              ["bot", t("Let a bot play")],
              ["end", t("End the game")],
            ].map(([choice, words]) => {
              const node = button(words, vote(choice));
              node.setAttribute("aria-pressed", String(votes[Number(you.seat)] === choice));
              return node;
            });
      const cast = Object.keys(votes).length;
      rows.push({
        key: `absent-${at}`,
        kind: "note",
        sign: "ui-away",
        text: [
          absenceText(you.seat, at, name),
          cast ? tn("{n} vote so far.", "{n} votes so far.", cast) : "",
        ].join(" "),
        buttons,
      });
    });
    for (const [at, due] of Object.entries(presence.away ?? {})) {
      if (table.seats[Number(at)]?.absent) continue;
      const seconds = Math.max(0, Math.ceil((due - now()) / 1000));
      if (Number(at) === you.seat) {
        // Any click or key answers this.
        rows.push({
          key: `away-${at}`,
          kind: "note",
          sign: "ui-hourglass",
          text: awayText(you.seat, Number(at), "", seconds),
          buttons: [button(t("I'm here"), () => {}, true)],
        });
        continue;
      }
      rows.push({
        key: `away-${at}`,
        kind: "note",
        sign: "ui-away",
        text: awayText(you.seat, Number(at), seatName(table.seats, Number(at)), seconds),
      });
    }
    return rows;
  }

  /** @param {State} state */
  function transientBanners({ connection, isAdmitted, refusal, table, isSoundOffered }) {
    /** @type {Banner[]} */
    const banners = [];
    // The banner of a closed table replaces the one of the connection.
    const connectionState =
      table?.status === "closed" && connection === "stopped" ? null : CONNECTION_STATES[connection];
    if (connectionState && isAdmitted) {
      const buttons = connectionState.reload
        ? [button(t("Reload"), onReload, connectionState.reload === "main")]
        : [];
      banners.push({
        key: `connection-${connection}`,
        kind: connectionState.kind,
        sign: connectionState.sign,
        text: t(connectionState.text),
        buttons,
      });
    }
    if (refusal) banners.push({ key: "refused", kind: "bad", sign: "ui-close", text: refusal.text });
    if (isSoundOffered) {
      const answers = [button(t("Yes"), () => onSound(true), true), button(t("No"), () => onSound(false))];
      banners.push({
        key: "sound",
        kind: "note",
        sign: "ui-sound",
        text: t("Ring a bell when it is your turn?"),
        buttons: answers,
      });
    }
    return banners;
  }

  function lastingBanners() {
    /** @type {Banner[]} */
    const banners = [];
    if (state?.table) {
      const tableState = /** @type {TableState} */ (state);
      const { table, you } = tableState;
      const pause = pauseBanner(tableState);
      if (pause) banners.push(pause);
      banners.push(...absenceBanners(tableState));
      if (table.status === "running" && you.seat !== null && table.seats[you.seat]?.bot) {
        banners.push({
          key: "bot",
          kind: "note",
          sign: "ui-bot",
          text: t("A bot is playing for you."),
          buttons: [button(t("Take my seat back"), () => send({ do: "return" }), true)],
        });
      }
      if (table.status === "closed")
        banners.push({
          key: "closed",
          kind: "bad",
          sign: "ui-flag",
          text: t(CLOSED_REASONS[String(table.closed_why)] ?? CLOSED_REASONS.operator),
        });
      if (table.status === "open" && you.removed && you.seat === null)
        banners.push({
          key: "removed",
          kind: "note",
          sign: "ui-flag",
          text:
            ownRemovalEnds(tableState) > now()
              ? t(
                  "The host has removed you from your seat. You can sit down again after ten minutes, or when the host lets you.",
                )
              : t("The host has removed you from your seat."),
        });
    }
    return banners;
  }

  function draw() {
    drawBanners(root, lastingBanners());
    drawBanners(flash, transientBanners(state));
  }

  /**
   * @param {HTMLElement} box
   * @param {Banner[]} rows
   */
  function drawBanners(box, rows) {
    updateKeyed(
      box,
      rows,
      ({ key }) => key,
      () =>
        el(
          "div",
          { class: "banner" },
          el("span", { class: "banner-sign" }),
          el("p", {}),
          el("span", { class: "banner-buttons" }),
        ),
      (node, row) => {
        node.className = `banner banner-${row.kind}`;
        const sign = find(".banner-sign", node);
        if (!sign.firstElementChild) sign.append(icon("ui", row.sign));
        const words = find("p", node);
        if (words.textContent !== row.text) words.textContent = row.text;
        const buttons = find(".banner-buttons", node);
        const signature = (row.buttons ?? [])
          .map((button) => button.textContent + button.getAttribute("aria-pressed"))
          .join("|");
        if (buttons.dataset.signature !== signature) {
          buttons.dataset.signature = signature;
          buttons.replaceChildren(...(row.buttons ?? []));
        }
      },
    );
  }
  // Two texts change with time.
  setInterval(
    () => state && (Object.keys(state.presence.away ?? {}).length || state.you.removed) && draw(),
    1000,
  );

  return {
    /** @param {State} next */
    update(next) {
      state = next;
      draw();
    },
  };
}
