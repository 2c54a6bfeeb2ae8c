// Banners: the connection, a refusal, and what the table must decide together (absence, pause, a bot on your seat).

import { el, keyed } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { seatName } from "../core/names.js";
import { CONNECTION } from "./connection.js";
import { list, N_, t, tn } from "../core/i18n.js";

const CLOSED = {
  host: N_("The host has closed this table."),
  empty: N_("This table has closed by itself: nobody was there any more."),
  operator: N_("This table was closed before the game began."),
};

/**
 * Banners(root, flash, {send(command), now(), onReload(), onSound(isWanted)}) -> {update(state)}
 * What the table must decide stands in `root` and takes its room; what passes lies over the table in `flash`, so that
 * nothing under a finger moves away.
 */
export function Banners(root, flash, { send, now, onReload, onSound }) {
  let state = null;

  const button = (words, onclick, main = false) =>
    el(
      "button",
      { type: "button", class: main ? "button button-small button-main" : "button button-small", onclick },
      words,
    );

  function pauseBanner({ table, you }) {
    const question = Object.keys(table.consents ?? {})[0];
    const seated = you.seat !== null;
    if (question) {
      const yes = table.consents[question];
      const who = list(yes.map((seat) => seatName(table.seats, seat)));
      const words =
        question === "pause"
          ? t("{who} would like to pause the game.", { who })
          : t("{who} would like to go on.", { who });
      const buttons =
        seated && !yes.includes(you.seat)
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
      buttons: seated ? [button(t("Go on"), () => send({ do: "consent", to: "continue", yes: true }), true)] : [],
    };
  }

  function absences({ table, you, presence }) {
    if (table.status !== "running") return [];
    const rows = [];
    table.seats.forEach((seat, at) => {
      if (!seat.absent) return;
      const name = seatName(table.seats, at);
      const votes = table.votes?.[at] ?? {};
      const vote = (choice) => () => send({ do: "vote", seat: at, choice });
      const buttons =
        you.seat === null || you.seat === at
          ? []
          : [
              ["wait", t("Wait")],
              ["bot", t("Let a bot play")],
              ["end", t("End the game")],
            ].map(([choice, words]) => {
              const node = button(words, vote(choice));
              node.setAttribute("aria-pressed", String(votes[you.seat] === choice));
              return node;
            });
      const cast = Object.keys(votes).length;
      rows.push({
        key: `absent-${at}`,
        kind: "note",
        sign: "ui-away",
        text: [
          t("{name} is absent. What shall we do?", { name }),
          cast ? tn("{n} vote so far.", "{n} votes so far.", cast) : "",
        ].join(" "),
        buttons,
      });
    });
    for (const [at, due] of Object.entries(presence.away ?? {})) {
      if (table.seats[at]?.absent) continue;
      const seconds = Math.max(0, Math.ceil((due - now()) / 1000));
      rows.push({
        key: `away-${at}`,
        kind: "note",
        sign: "ui-away",
        text: tn(
          "{name} is away; the table can decide in {n} second.",
          "{name} is away; the table can decide in {n} seconds.",
          seconds,
          { name: seatName(table.seats, Number(at)) },
        ),
      });
    }
    return rows;
  }

  function passing({ connection, isAdmitted, refusal, table, isSoundOffered }) {
    const found = [];
    // where the table was closed, that says it all
    const known = table?.status === "closed" && connection === "stopped" ? null : CONNECTION[connection];
    if (known && isAdmitted) {
      const buttons = known.reload ? [button(t("Load again"), onReload, known.reload === "main")] : [];
      found.push({ key: `connection-${connection}`, kind: known.kind, sign: known.sign, text: t(known.text), buttons });
    }
    if (refusal) found.push({ key: "refused", kind: "bad", sign: "ui-close", text: refusal.text });
    if (isSoundOffered) {
      const answers = [button(t("Yes"), () => onSound(true), true), button(t("No"), () => onSound(false))];
      found.push({ key: "sound", kind: "note", sign: "ui-sound", text: t("A bell when it is your turn?"), buttons: answers });
    }
    return found;
  }

  function standing() {
    const found = [];
    if (state?.table) {
      const { table, you } = state;
      const pause = pauseBanner(state);
      if (pause) found.push(pause);
      found.push(...absences(state));
      if (table.status === "running" && you.seat !== null && table.seats[you.seat]?.bot) {
        found.push({
          key: "bot",
          kind: "note",
          sign: "ui-bot",
          text: t("A bot plays your seat for now."),
          buttons: [button(t("Take it back"), () => send({ do: "return" }), true)],
        });
      }
      if (table.status === "closed")
        found.push({ key: "closed", kind: "bad", sign: "ui-flag", text: t(CLOSED[table.closed_why] ?? CLOSED.operator) });
      if (table.status === "open" && you.removed && you.seat === null)
        found.push({ key: "removed", kind: "note", sign: "ui-flag", text: t("The host has taken you from your seat.") });
    }
    return found;
  }

  function draw() {
    drawIn(root, standing());
    drawIn(flash, passing(state));
  }

  function drawIn(box, rows) {
    keyed(
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
        if (!node.querySelector(".banner-sign").firstElementChild)
          node.querySelector(".banner-sign").append(icon("ui", row.sign));
        const words = node.querySelector("p");
        if (words.textContent !== row.text) words.textContent = row.text;
        const buttons = node.querySelector(".banner-buttons");
        const signature = (row.buttons ?? [])
          .map((each) => each.textContent + each.getAttribute("aria-pressed"))
          .join("|");
        if (buttons.dataset.signature !== signature) {
          buttons.dataset.signature = signature;
          buttons.replaceChildren(...(row.buttons ?? []));
        }
      },
    );
  }
  setInterval(() => state && Object.keys(state.presence.away ?? {}).length && draw(), 1000);

  return {
    update(next) {
      state = next;
      draw();
    },
  };
}
