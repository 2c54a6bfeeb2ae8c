// The seats: who plays, whose turn it is, what each holds and how far each has come.

import { el, keyed } from "../core/dom.js";
import { icon, pirateIcon } from "../core/icons.js";
import { cardFace } from "./cards.js";
import { byKind, cardCount, cardName, colourName, letterOf, levelName, lookOf, seatName } from "../core/names.js";
import { t, tn } from "../core/i18n.js";
import { offers } from "./selection.js";

const home = (player) => player.pirates.filter((place) => place === "goal").length;

/** Seats(root, {onSeat(seat), towards(person, name)}) -> {update(state), element(seat)} */
export function Seats(root, { onSeat, towards }) {
  const rows = el("ol", { class: "plates" });
  root.append(el("h2", { class: "hidden" }, t("Players")), rows);

  function make({ seat }) {
    const plate = el(
      "li",
      { class: "plate" },
      el("span", { class: "plate-figure" }),
      el("span", { class: "plate-name" }),
      el("span", { class: "plate-signs" }),
      el("span", { class: "plate-clock", role: "timer" }),
      el("span", { class: "plate-facts" }),
      el("span", { class: "plate-hand" }),
      el(
        "button",
        { type: "button", class: "button button-small plate-aim", hidden: true, onclick: () => onSeat(seat) },
        icon("symbols", "symbol-pistol"),
        el("span"),
      ),
      el("button", {
        type: "button",
        class: "plate-way",
        hidden: true,
        onclick: () => towards(plate.dataset.person, plate.dataset.name),
      }),
    );
    return plate;
  }

  /** Another person's plate is the way to what one can do about them. */
  function showWay(plate, { person }, you, mine, name) {
    const way = plate.querySelector(".plate-way");
    way.hidden = !person || !you.person || mine;
    if (way.hidden) return;
    Object.assign(plate.dataset, { person, name });
    const words = t("More about {name}", { name });
    if (way.getAttribute("aria-label") !== words) way.setAttribute("aria-label", words);
    way.title = words;
  }

  const sign = (name, words) =>
    el("span", { class: "sign", title: words }, icon("ui", name), el("span", { class: "hidden" }, words));

  function update(plate, { seat, state, targets }) {
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
    const figure = plate.querySelector(".plate-figure");
    if (figure.dataset.look !== String(look)) {
      figure.dataset.look = look;
      figure.replaceChildren(pirateIcon(look, letterOf(look)));
    }
    const name = plate.querySelector(".plate-name");
    name.replaceChildren(
      el("span", { class: "plate-who" }, seatName(table.seats, seat)),
      ...(you.seat === seat ? [" ", el("small", {}, `(${t("you")})`)] : []),
      el("span", { class: "hidden" }, `, ${colourName(look)}`),
    );
    plate
      .querySelector(".plate-clock")
      .setAttribute("aria-label", t("Time left for {name}", { name: seatName(table.seats, seat) }));
    showWay(plate, info, you, you.seat === seat, seatName(table.seats, seat));
    plate
      .querySelector(".plate-signs")
      .replaceChildren(
        ...[
          inTurn && sign("ui-compass", t("in turn")),
          view.winner === seat && sign("ui-anchor", t("has won")),
          player.resigned && sign("ui-flag", t("has given up")),
          info.bot &&
            sign("ui-bot", info.person ? t("a bot plays for now") : t("bot: {level}", { level: levelName(info.bot) })),
          info.person && info.person === table.host && sign("ui-helm", t("host")),
          info.person && !info.bot && presence.seats[seat] === false && sign("ui-away", t("not connected")),
        ].filter(Boolean),
      );
    const count = player.cards ?? player.hand.length;
    const facts = plate.querySelector(".plate-facts");
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
        el("span", { class: "fact-number", "aria-hidden": "true" }, `${home(player)}/${player.pirates.length}`),
        el(
          "span",
          { class: "hidden" },
          tn("{n} pirate of {all} has escaped", "{n} pirates of {all} have escaped", home(player), {
            all: player.pirates.length,
          }),
        ),
      ),
      won(table, seat),
    );
    showHand(plate.querySelector(".plate-hand"), player, you.seat === seat && !over);
    const aim = plate.querySelector(".plate-aim");
    aim.hidden = !targets.has(seat);
    aim.lastElementChild.textContent = t("Aim at {name}", { name: seatName(table.seats, seat) });
  }

  /** After a rematch: the games this seat has won of the series. */
  function won({ series }, seat) {
    if (!series?.wins?.some(Boolean)) return ""; // nobody has won yet
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

  function showHand(box, player, own) {
    const visible = player.hand && !own ? byKind(player.hand) : [];
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
    update(state) {
      const aims = offers(state.choices, state.selection).list.filter(({ action }) => action.type === "pistol");
      const targets = new Set(aims.map(({ action }) => action.player));
      const items = state.view.players.map((_, seat) => ({ seat, state, targets }));
      keyed(rows, items, ({ seat }) => seat, make, update);
    },
    element: (seat) => rows.children[seat] ?? null,
    clock: (seat) => rows.children[seat]?.querySelector(".plate-clock"),
  };
}
