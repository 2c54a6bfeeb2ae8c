// Loads what explains the table when it is first wanted: a page that is only read does without.

/** @import {Click, GameState, StateStore, WhyFrame} from "../core/types.d.ts" */

import { t, withWholeCatalogue } from "../core/i18n.js";
import { loadOnce } from "../core/load_once.js";

const FIRST_SIGNS = ["pointerdown", "pointermove", "keydown"];
const RETRY_MS = 1000;

/**
 * HelpLoader(parts) -> {explain(clicked), explainFocused(), refuseUnreachable()}
 * @param {{ root: HTMLElement, store: StateStore, socket: Parameters<typeof import("./signs_of_presence.js").sendSigns>[1], ask: (clicked: Click) => Promise<unknown>, refuse: (text: string) => void }} parts
 */
export function HelpLoader({ root, store, socket, ask, refuse }) {
  const loadWhy = loadOnce(() =>
    withWholeCatalogue(import("./why.js")).then(({ Why }) => Why({ root, store, ask })),
  );
  const loadLessons = loadOnce(() => import("./lessons.js").then(({ Lessons }) => Lessons(root, store)));
  const loadSigns = loadOnce(() =>
    import("./signs_of_presence.js").then(({ sendSigns }) => sendSigns(store, socket)),
  );
  const loadExplanations = loadOnce((/** @type {() => Event | null} */ heldPress) =>
    import("./help.js").then(({ Explanations }) =>
      Explanations(root, (element) => store.state.view && openExplanation(element), heldPress()),
    ),
  );

  /** @param {Element} element */
  const openExplanation = (element) =>
    Promise.all([withWholeCatalogue(import("./explanations.js")), loadWhy()]).then(
      ([{ showExplanation }, { reasonFor }]) =>
        showExplanation(element, /** @type {GameState} */ (store.state), reasonFor),
      refuseUnreachable,
    );

  /** Say that a part of the page could not be loaded. */
  function refuseUnreachable() {
    refuse(t("The server cannot be reached. Check your connection and try again."));
  }

  /**
   * Load explanations, lessons and signs of presence.
   * @param {Event} event
   */
  async function load(event) {
    for (const name of FIRST_SIGNS) removeEventListener(name, load);
    // A tap may be over before the module has loaded; only a press that still lasts can become a long one.
    let isHeld = event.type === "pointerdown";
    for (const name of ["pointerup", "pointercancel"])
      addEventListener(name, () => (isHeld = false), { once: true });
    try {
      const [help] = await Promise.all([
        loadExplanations(() => (isHeld ? event : null)),
        loadSigns(),
        loadLessons(),
      ]);
      return help;
    } catch (problem) {
      setTimeout(listen, RETRY_MS);
      throw problem;
    }
  }

  function listen() {
    for (const name of FIRST_SIGNS) addEventListener(name, load, { passive: true });
  }
  listen();

  return {
    /** @param {Click} clicked */
    explain: (clicked) => loadWhy().then((why) => why.explain(clicked), refuseUnreachable),
    explainFocused: async () => (await load(new Event("focus"))).explainFocused(),
    refuseUnreachable,
  };
}
