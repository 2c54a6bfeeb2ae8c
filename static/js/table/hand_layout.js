// The layout of a phone beside a big screen: one's own cards and choices large, the map small. And the ways there.

import { el, style } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { t } from "../core/i18n.js";
import { pref, setPref } from "./preferences.js";

const MOST = 20; // tables that this browser remembers it for

let styled = null;

export const isOn = () => document.body.classList.contains("hand-layout");

export function keep(game, isWanted) {
  const others = pref("hands").filter((each) => each !== game);
  setPref("hands", isWanted ? [...others, game].slice(-MOST) : others);
}

async function lay(game, isWanted) {
  keep(game, isWanted);
  styled ??= isWanted ? style("hand_layout") : null;
  await styled;
  document.body.classList.toggle("hand-layout", isWanted);
  dispatchEvent(new Event("resize")); // the map measures its room
}

/** Lay the table out so from now on. */
export function handLayout(game) {
  const address = new URL(location.href);
  address.searchParams.delete("hand"); // kept from here on, so that switching it off lasts
  history.replaceState(history.state, "", address);
  return lay(game, true);
}

/** For the table's menu: the page for a television, and on small screens the switch of this layout. */
export function screenWays(game, item) {
  const screen = el(
    "a",
    { class: "menu-item", href: `/g/${encodeURIComponent(game)}/screen`, target: "_blank", rel: "noopener" },
    icon("ui", "ui-eye"),
    el("span", {}, t("Board on a big screen")),
  );
  const words = () => (isOn() ? t("The usual layout") : t("Large cards, small map"));
  const layout = item("ui-cards", words(), async () => {
    await lay(game, !isOn());
    layout.querySelector("span").textContent = words();
  });
  layout.hidden = !matchMedia("(max-width: 61.99rem)").matches; // on a desk there is room for both
  return [screen, layout];
}
