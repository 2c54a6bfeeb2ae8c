// Before the start: sit, choose a colour, be ready; invite others; the host adds bots and begins.

import { el } from "../core/dom.js";
import { icon, pirateIcon, symbolIcon } from "../core/icons.js";
import { COLOURS, SYMBOLS, colourName, letterOf, levelName, levels, personName, presetName } from "../core/names.js";
import { HostPassword } from "./host_password.js";
import { confirm } from "./menu.js";
import { optionLines } from "./option_text.js";
import { canOpen, hasOpened } from "../core/sealing.js";
import { list, N_, t, tn } from "../core/i18n.js";
import { isAlone, mayBegin, tick, waiting } from "./beginning.js";
import { scoreLine } from "./rematch.js";

const nameOf = (seat) => (seat.person ? personName(seat.name) : (seat.name ?? levelName(seat.bot)));

/** Is a kept seat kept for this person? */
const kept = (reserved, you) => reserved === you.person;

/** Why the last start came to nothing. */
const VOID = {
  late: N_("The last start came to nothing: somebody's browser did not confirm in time, and their seat is free again."),
  lost: N_("The last start came to nothing: somebody's browser no longer had what it had sealed."),
  left: N_("The last start came to nothing: the host removed a player whose browser had not confirmed."),
};

/** Seating(root, {game, send(command), sit(seat, name), giveUp(), now(), towards(person, name)}) -> {update(state)} */
export function Seating(root, { game, send, sit, giveUp, now, towards }) {
  const seats = el("ol", { class: "berths" });
  const host = el("div", { class: "host-controls" });
  const head = el("div", { class: "seating-head" });
  const terms = el("details", { class: "terms" }, el("summary", {}, t("The rules of this table")));
  const link = el("input", { type: "text", readonly: true, id: "invite-link" });
  const copied = el("span", { class: "copied", role: "status" });
  const copy = el(
    "button",
    { type: "button", class: "button button-small", onclick: copyLink },
    icon("ui", "ui-link"),
    t("Copy the link"),
  );
  const share = el(
    "button",
    {
      type: "button",
      class: "button button-small",
      hidden: !navigator.share,
      onclick: () => navigator.share({ title: document.title, url: link.value }).catch(() => {}),
    },
    t("Share"),
  );
  const qr = el("img", { class: "qr", alt: t("The link as a QR code"), width: 148, height: 148, loading: "lazy" });
  // one step for whoever comes by a link: a name if they like, and the seat
  const name = el("input", {
    id: "guest-name",
    maxlength: 24,
    autocomplete: "nickname",
    placeholder: t("A name is suggested"),
  });
  const naming = el(
    "p",
    { class: "field naming", hidden: true },
    el("label", { for: "guest-name" }, t("Your name at the table")),
    name,
  );
  const linkWords = el("label", { for: "invite-link" });
  const password = HostPassword({ game, send });
  const invite = el(
    "section",
    { class: "invite" },
    el("h3", {}, t("Invite")),
    password.element,
    linkWords,
    el("div", { class: "invite-row" }, link, copy, share, copied),
    qr,
  );
  root.append(
    head,
    el(
      "div",
      { class: "seating-body" },
      el("section", { class: "berth-list" }, naming, el("h3", {}, t("Seats")), seats, host),
      invite,
    ),
    terms,
  );
  let drawn = "";

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(link.value);
      copied.textContent = t("Copied.");
    } catch {
      link.select();
      copied.textContent = t("Press Ctrl+C to copy.");
    }
  }

  function colours(state, seat) {
    const taken = state.table.seats.map(({ colour }) => colour);
    return el(
      "div",
      { class: "colours", role: "radiogroup", "aria-label": t("Your colour") },
      ...COLOURS.map((colour, look) => {
        const mine = state.table.seats[seat].colour === colour;
        return el(
          "button",
          {
            type: "button",
            role: "radio",
            class: `swatch look-${look}`,
            "aria-checked": String(mine),
            "aria-label": colourName(look),
            title: colourName(look),
            disabled: !mine && taken.includes(colour),
            onclick: () => send({ do: "colour", colour }),
          },
          pirateIcon(look, letterOf(look)),
        );
      }),
    );
  }

  function seatRow(state, info, seat) {
    const { table, you } = state;
    const isHost = you.person !== null && table.host === you.person;
    const mine = you.seat === seat;
    const filled = info.person || info.bot;
    const look = COLOURS.indexOf(info.colour);
    const figure = el(
      "span",
      { class: "berth-figure" },
      look >= 0 ? pirateIcon(look, letterOf(look)) : icon("ui", "ui-plus"),
    );
    const item = el("li", { class: `berth ${filled ? "" : "free"} ${mine ? "mine" : ""}` }, figure);
    const words = el("span", { class: "berth-words" });
    item.append(words);
    if (filled) {
      words.append(
        info.person && you.person && !mine
          ? el("button", { type: "button", class: "person", onclick: () => towards(info.person, nameOf(info)) }, nameOf(info))
          : el("b", {}, nameOf(info)),
        mine ? el("small", {}, ` (${t("you")})`) : "",
        look >= 0 ? el("small", {}, ` ${colourName(look)}`) : "",
        info.person && info.person === table.host ? el("small", {}, ` · ${t("host")}`) : "",
      );
      words.append(
        el(
          "span",
          { class: `berth-ready ${info.ready || info.bot ? "yes" : ""}`, hidden: mine && isAlone(state) },
          info.bot ? t("bot: {level}", { level: levelName(info.bot) }) : info.ready ? t("ready") : t("not ready yet"),
        ),
      );
      if (info.person && !mine) words.append(presenceSign(state.presence.seats[seat]));
    } else if (info.reserved) words.append(el("b", {}, t("Kept for {name}", { name: personName(info.name) })));
    else words.append(el("b", {}, t("Free seat")));
    const buttons = el("span", { class: "berth-deeds" });
    const removeButton = () =>
      el(
        "button",
        { type: "button", class: "button button-small button-quiet", onclick: () => send({ do: "remove", seat }) },
        t("Remove {name}", { name: nameOf(info) }),
      );
    if (table.opening && isHost && !mine && isLate(table, seat)) {
      buttons.append(removeButton());
      item.append(buttons);
    }
    if (table.opening || table.status !== "open") return item;
    if (mine) {
      item.append(colours(state, seat));
      buttons.append(
        el(
          "button",
          {
            type: "button",
            class: info.ready ? "button button-small" : "button button-small button-main",
            hidden: isAlone(state),
            "aria-pressed": String(info.ready),
            onclick: () => send({ do: "ready", ready: !info.ready }),
          },
          info.ready ? t("Not ready after all") : t("I am ready"),
        ),
        el(
          "button",
          { type: "button", class: "button button-small button-quiet", onclick: () => send({ do: "stand" }) },
          t("Stand up"),
        ),
      );
    }
    if (!filled && (!info.reserved || kept(info.reserved, you))) {
      buttons.append(
        el(
          "button",
          {
            type: "button",
            class: you.seat === null ? "button button-small button-main" : "button button-small",
            onclick: () => sit(seat, name.value.trim()),
          },
          you.seat === null ? t("Sit here") : t("Move here"),
        ),
      );
    }
    if (isHost && filled && !mine) {
      buttons.append(removeButton());
      if (info.person && !info.bot)
        buttons.append(
          el(
            "button",
            { type: "button", class: "button button-small button-quiet", onclick: () => send({ do: "host", seat }) },
            t("Make {name} host", { name: nameOf(info) }),
          ),
        );
    }
    item.append(buttons);
    return item;
  }

  /** Whether a start waits for this seat, and the host may remove it. */
  const isLate = (table, seat) =>
    table.opening.order.includes(seat) && !hasOpened(table, seat) && (table.opening.asked || table.clock.kind === "days");

  /** Whether the person of a seat is there now. */
  const presenceSign = (isHere) =>
    el("span", { class: isHere ? "berth-here yes" : "berth-here" }, isHere ? t("here now") : t("not connected"));

  const watching = ({ presence, you }) => presence.watching - (you.seat === null ? 1 : 0); // oneself apart

  /** What somebody without a seat can do. */
  function forWatchers({ table }) {
    if (table.seats.every((seat) => seat.person || seat.bot)) return t("This table is full. You can stay and watch.");
    if (table.seats.every((seat) => seat.person || seat.bot || seat.reserved))
      return t("The free seats are kept for others. You can stay and watch.");
    return t("Sit down to play, or stay and watch.");
  }

  async function closeTable() {
    if (await confirm(t("Close this table? Everybody here is told."), t("Close the table"))) send({ do: "close" });
  }

  const closeButton = () =>
    el("button", { type: "button", class: "button button-small button-quiet close-table", onclick: closeTable }, t("Close the table"));

  const comeToNothing = ({ void_why: why }) => (why ? el("p", { class: "seating-wait" }, t(VOID[why])) : null);

  /** The start waits until every player's browser has shown what it had sealed. */
  function opening({ table, you }) {
    const waited = table.opening.order.filter((seat) => !hasOpened(table, seat));
    const others = waited.filter((seat) => seat !== you.seat).map((seat) => table.seats[seat].name);
    const lines = [el("p", { class: "seating-wait" }, el("b", {}, t("The game is about to begin.")))];
    if (waited.includes(you.seat) && !canOpen(table.id, table, you.seat))
      lines.push(
        el("p", { class: "seating-wait" }, t("Your seat was sealed by another browser or device. Open this table there and the game begins by itself.")),
        el(
          "button",
          { type: "button", class: "button button-small", onclick: giveUp },
          t("I no longer have it: seal anew"),
        ),
      );
    if (others.length)
      lines.push(el("p", { class: "seating-wait" }, t("Waiting for the browser of {names} to confirm.", { names: list(others) })));
    if (table.opening.asked) {
      const until = new Date(Date.now() + table.opening.until - now());
      const time = until.toLocaleString(undefined, table.clock.kind === "days" ? {} : { timeStyle: "medium" });
      lines.push(
        el("p", { class: "seating-wait" }, t("Whoever has not confirmed by {time} leaves the seat, and the others begin again.", { time })),
      );
    }
    return lines;
  }

  function hostControls(state) {
    const { table, you } = state;
    if (table.opening) return opening(state);
    const isHost = you.person !== null && table.host === you.person;
    if (!isHost && !mayBegin(state))
      return [
        comeToNothing(table),
        ...waiting(state, now),
        el(
          "p",
          { class: "seating-wait" },
          you.seat === null
            ? forWatchers(state)
            : table.screen
              ? t("It begins when all who sit are ready.")
              : t("The host begins the game when everybody is ready."),
        ),
      ].filter(Boolean);
    const free = table.seats.filter((seat) => !seat.person && !seat.bot && !seat.reserved).length;
    const filled = table.seats.filter((seat) => seat.person || seat.bot);
    const alone = isAlone(state);
    const ready = filled.length >= 2 && (alone || filled.every((seat) => seat.ready || seat.bot));
    const level = el(
      "select",
      { id: "bot-level", "aria-label": t("How well the bot plays") },
      ...levels.map((each) =>
        el("option", { value: each, selected: each === (table.bot_level ?? "sailor") }, levelName(each)),
      ),
    );
    const why =
      filled.length < 2
        ? t("At least two seats must be filled.")
        : ready
          ? free
            ? tn("{n} free seat closes up.", "{n} free seats close up.", free)
            : ""
          : t("Not everybody is ready.");
    return [
      comeToNothing(table),
      ...waiting(state, now),
      free && isHost
        ? el(
            "div",
            { class: "bot-row" },
            level,
            el(
              "button",
              { type: "button", class: "button button-small", onclick: () => send({ do: "bot", level: level.value }) },
              icon("ui", "ui-bot"),
              t("Add a bot"),
            ),
          )
        : null,
      mayBegin(state)
        ? el(
            "button",
            { type: "button", class: "button button-main start-game", disabled: !ready, onclick: () => begin(state) },
            icon("ui", "ui-anchor"),
            t("Begin the game"),
          )
        : null,
      el("p", { class: "seating-wait" }, mayBegin(state) ? why : t("Sit down to play, or make somebody who sits the host.")),
      closeButton(),
    ].filter(Boolean);
  }

  /** With bots alone, being ready needs no button of its own. */
  function begin({ table, you }) {
    if (!table.seats[you.seat].ready) send({ do: "ready", ready: true });
    send({ do: "start" });
  }

  setInterval(() => tick(root, now), 1000);

  return {
    update(state) {
      const { table, you } = state;
      const key = JSON.stringify([table, you, state.presence]);
      if (key === drawn) return;
      drawn = key;
      naming.hidden = you.person !== null || table.status !== "open";
      // the edition chooses the picture that a shared link is shown with; the page itself does not ask
      link.value = `${location.href.split(/[?#]/)[0]}?edition=${table.options.preset}`;
      const hadFocus = root.contains(document.activeElement) ? document.activeElement.textContent : null;
      const level = root.querySelector("#bot-level")?.value;
      head.replaceChildren(
        el("h2", { class: "seating-title" }, table.title || presetName(table.options.preset)),
        table.title ? el("p", { class: "lead" }, presetName(table.options.preset)) : "",
        scoreLine(state) ?? "",
        el("p", { class: "seating-art", "aria-hidden": "true" }, ...SYMBOLS[table.options.symbols].map((each) => symbolIcon(each))),
      );
      seats.replaceChildren(...table.seats.map((info, seat) => seatRow(state, info, seat)));
      const others = watching(state);
      host.replaceChildren(
        ...(table.status === "closed" ? [el("a", { class: "button button-main", href: "/" }, t("To the lobby"))] : hostControls(state)),
        ...(others > 0 ? [el("p", { class: "seating-wait" }, tn("{n} watching", "{n} watching", others))] : []),
      );
      linkWords.textContent = table.locked
        ? t("Whoever has this link and the password can join.")
        : t("Whoever has this link can join.");
      password.update(table.locked && you.person !== null && table.host === you.person);
      invite.hidden = table.status === "closed";
      if (level && root.querySelector("#bot-level")) root.querySelector("#bot-level").value = level;
      terms.replaceChildren(
        terms.firstElementChild,
        el("ul", {}, ...optionLines(table).map((line) => el("li", {}, line))),
        el("p", { class: "commitment" }, t("The server's sealed chance:"), " ", el("code", {}, table.commitment ?? "")),
      );
      if (!qr.src) qr.src = `/qr/g/${encodeURIComponent(table.id)}.svg`;
      if (hadFocus) [...root.querySelectorAll("button")].find((each) => each.textContent === hadFocus)?.focus();
    },
  };
}
