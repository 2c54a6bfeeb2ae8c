// Owed choices: take a card, share, stack or discard. Small sheets over the tray; the board stays in sight.

import { el } from "../core/dom.js";
import { cardFace } from "./cards.js";
import { byKind, cardName, seatName } from "../core/names.js";
import { t, tn } from "../core/i18n.js";

const seatsIn = (view) => view.players.map((_, seat) => seat).filter((seat) => !view.players[seat].resigned);

/** Owed(root, {onAnswer(action)}) -> {update(state)} */
export function Owed(root, { onAnswer }) {
  let shown = "";

  function sheet(title, words, body, confirm) {
    const heading = el("h2", { id: "owed-title", tabindex: "-1" }, title);
    root.replaceChildren(
      el(
        "div",
        { class: "sheet", role: "dialog", "aria-labelledby": "owed-title", "aria-describedby": "owed-words" },
        heading,
        el("p", { id: "owed-words" }, words),
        body,
        confirm,
      ),
    );
    root.hidden = false;
    root.querySelector("button, select")?.focus({ preventScroll: true });
  }

  const confirmButton = (onclick) => el("button", { type: "button", class: "button button-main", onclick });

  const cardButton = (card, onclick, label = cardName(card)) =>
    el(
      "button",
      { type: "button", class: "pick", "aria-pressed": "false", "aria-label": label, onclick },
      cardFace(card),
      el("span", { "aria-hidden": "true" }, label),
    );

  function steal({ view, table }) {
    const { from } = view.pending;
    const other = seatName(table.seats, from);
    let chosen = null;
    const confirm = confirmButton(() => chosen && onAnswer({ type: "steal", card: chosen }));
    confirm.disabled = true;
    confirm.textContent = t("Take it");
    const buttons = byKind(view.players[from].hand ?? []).map(([card, n]) => {
      const button = cardButton(
        card,
        () => {
          chosen = card;
          for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
          confirm.disabled = false;
          confirm.textContent = t("Take {card}", { card: cardName(card) });
        },
        n > 1 ? t("{n} × {card}", { n, card: cardName(card) }) : cardName(card),
      );
      return button;
    });
    sheet(
      t("The hand of {name}", { name: other }),
      t("Take one card; {name} then draws one.", { name: other }),
      el("div", { class: "picks" }, ...buttons),
      confirm,
    );
  }

  /** Always a whole, legal sharing: choosing a place for one card swaps it with the card that had that place. */
  function share({ view, table }) {
    const { cards, seat } = view.pending;
    const others = seatsIn(view).filter((each) => each !== seat);
    const keep = cards.length - others.length;
    const fate = cards.map((_, at) => (at < keep ? "keep" : String(others[at - keep])));
    const selects = [];
    const body = el(
      "div",
      { class: "picks" },
      ...cards.map((card, at) => {
        const select = el(
          "select",
          { "aria-label": t("Where does {card} go?", { card: cardName(card) }) },
          el("option", { value: "keep" }, t("I keep it")),
          ...others.map((each) => el("option", { value: each }, seatName(table.seats, each))),
        );
        select.value = fate[at];
        select.addEventListener("change", () => {
          const wanted = select.value;
          const swap = fate.findLastIndex((each, index) => each === wanted && index !== at);
          if (swap >= 0) fate[swap] = fate[at];
          fate[at] = wanted;
          selects.forEach((each, index) => (each.value = fate[index]));
        });
        selects.push(select);
        return el("div", { class: "pick" }, cardFace(card), el("span", {}, cardName(card)), select);
      }),
    );
    const confirm = confirmButton(() =>
      onAnswer({
        type: "share",
        keep: cards.filter((_, at) => fate[at] === "keep").sort(),
        give: Object.fromEntries(cards.map((card, at) => [fate[at], card]).filter(([to]) => to !== "keep")),
      }),
    );
    confirm.textContent = t("Share them out");
    sheet(
      t("Rum for everybody"),
      tn(
        "Keep {n} card and give one to each of the others.",
        "Keep {n} cards and give one to each of the others.",
        keep,
      ),
      body,
      confirm,
    );
  }

  function stack({ view }) {
    const order = [...view.pending.cards];
    const items = el("ol", { class: "stack-list" });
    const draw = (focus) => {
      items.replaceChildren(
        ...order.map((card, at) => {
          const place = at === 0 ? t("keep") : at === 1 ? t("on top of the deck") : t("{n} from the top", { n: at });
          const up = el(
            "button",
            {
              type: "button",
              class: "button button-small",
              "aria-label": t("{card}: up", { card: cardName(card) }),
              disabled: at === 0,
              onclick: () => swap(at, at - 1),
            },
            el("span", { class: "arrow", "aria-hidden": "true" }, "↑"),
          );
          const down = el(
            "button",
            {
              type: "button",
              class: "button button-small",
              "aria-label": t("{card}: down", { card: cardName(card) }),
              disabled: at === order.length - 1,
              onclick: () => swap(at, at + 1),
            },
            el("span", { class: "arrow", "aria-hidden": "true" }, "↓"),
          );
          return el(
            "li",
            {},
            cardFace(card, "small"),
            el("span", {}, cardName(card)),
            el("small", {}, place),
            up,
            down,
          );
        }),
      );
      if (focus !== undefined) items.children[focus].querySelector("button:not(:disabled)")?.focus();
    };
    const swap = (a, b) => {
      [order[a], order[b]] = [order[b], order[a]];
      draw(b);
    };
    draw();
    const confirm = confirmButton(() => onAnswer({ type: "stack", keep: order[0], back: order.slice(1) }));
    confirm.textContent = t("Put them back");
    sheet(
      t("By lantern light"),
      t("The first card is yours; the others go back on the deck in this order."),
      items,
      confirm,
    );
  }

  function discard({ view, you }) {
    const count = view.pending.owed[you.seat];
    const chosen = new Set();
    const confirm = confirmButton(() => onAnswer({ type: "discard", cards: [...chosen].map((at) => hand[at]).sort() }));
    const hand = view.players[you.seat].hand;
    const tally = () => {
      confirm.disabled = chosen.size !== count;
      confirm.textContent = t("Discard ({chosen} of {count})", { chosen: chosen.size, count });
    };
    const buttons = hand.map((card, at) => {
      const button = cardButton(card, () => {
        if (chosen.has(at)) chosen.delete(at);
        else if (chosen.size < count) chosen.add(at);
        buttons.forEach((each, index) => each.setAttribute("aria-pressed", String(chosen.has(index))));
        tally();
      });
      return button;
    });
    tally();
    sheet(
      t("Too many cards"),
      tn(
        "A dark card was played. Choose {n} card to discard.",
        "A dark card was played. Choose {n} cards to discard.",
        count,
      ),
      el("div", { class: "picks" }, ...buttons),
      confirm,
    );
  }

  const sheets = { steal, share, stack, discard };

  return {
    update(state) {
      const type = state.choices.map(({ action }) => action.type).find((each) => each in sheets);
      const key = type ? JSON.stringify([type, state.view.pending, state.view.players[state.you.seat].hand]) : "";
      if (key === shown) return;
      shown = key;
      if (type) sheets[type](state);
      else {
        const hadFocus = root.contains(document.activeElement);
        root.replaceChildren();
        root.hidden = true;
        if (hadFocus) document.querySelector('.board .place[tabindex="0"]')?.focus({ preventScroll: true });
      }
    },
  };
}
