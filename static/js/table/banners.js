// Banners: the connection, and what the table must decide together (absence, pause, a bot on your seat).

import { el, icon, keyed } from "../core/dom.js";
import { seatName } from "../core/names.js";
import { list, t, tn } from "../core/i18n.js";

/**
 * Banners(root, flash, {send(command), now()}) -> {connection(status), refused(sentence), update(state)}
 * What the table must decide stands in `root` and takes its room; what passes lies over the table in `flash`, so that
 * nothing under a finger moves away.
 */
export function Banners(root, flash, { send, now, onReload }) {
  let connection = null;
  let refusal = null;
  let refusalTimer = 0;
  let state = null;

  const button = (words, onclick, main = false) =>
    el(
      "button",
      { type: "button", class: main ? "button button-small button-main" : "button button-small", onclick },
      words,
    );

  const connections = {
    connecting: () => ({ kind: "note", sign: "ui-hourglass", text: t("Connecting …") }),
    lost: () => ({
      kind: "bad",
      sign: "ui-hourglass",
      text: t("The connection is lost. Trying again; nothing you did is lost."),
    }),
    restarting: () => ({ kind: "note", sign: "ui-hourglass", text: t("The server is restarting. Your seat is kept.") }),
    unstored: () => ({
      kind: "note",
      sign: "ui-hourglass",
      text: t("The server cannot save just now. What you did is kept here and sent again until it is safe."),
    }),
    resumed: () => ({ kind: "good", sign: "ui-done", text: t("Back again.") }),
    reload: () => ({
      kind: "bad",
      sign: "ui-undo",
      text: t("There is a new version of the game. Load the page again."),
      buttons: [button(t("Load again"), onReload, true)],
    }),
    signed_out: () => ({
      kind: "bad",
      sign: "ui-flag",
      text: t("You have been signed out on this device."),
      buttons: [button(t("Load again"), onReload, true)],
    }),
    stopped: () => ({
      kind: "bad",
      sign: "ui-flag",
      text: t("The table has closed this connection."),
      buttons: [button(t("Load again"), onReload)],
    }),
  };

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

  function passing() {
    const found = [];
    if (connection) found.push({ key: `connection-${connection}`, ...connections[connection]() });
    if (refusal) found.push({ key: "refused", kind: "bad", sign: "ui-close", text: refusal });
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
        found.push({
          key: "closed",
          kind: "bad",
          sign: "ui-flag",
          text: t("This table was closed before the game began."),
        });
    }
    return found;
  }

  function draw() {
    drawIn(root, standing());
    drawIn(flash, passing());
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
        const deeds = node.querySelector(".banner-buttons");
        const signature = (row.buttons ?? [])
          .map((each) => each.textContent + each.getAttribute("aria-pressed"))
          .join("|");
        if (deeds.dataset.signature !== signature) {
          deeds.dataset.signature = signature;
          deeds.replaceChildren(...(row.buttons ?? []));
        }
      },
    );
  }
  setInterval(() => state && Object.keys(state.presence.away ?? {}).length && draw(), 1000);

  return {
    connection(status) {
      connection = status in connections ? status : null;
      draw();
      if (status === "resumed") setTimeout(() => connection === "resumed" && this.connection(null), 2500);
    },
    refused(sentence) {
      refusal = sentence;
      draw();
      clearTimeout(refusalTimer);
      refusalTimer = setTimeout(() => {
        refusal = null;
        draw();
      }, 6000);
    },
    update(next) {
      state = next;
      draw();
    },
  };
}
