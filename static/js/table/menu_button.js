// The button of the table's menu. The menu itself (menu.js, menu.css) is loaded when it is opened.

/** @import {TableState} from "../core/types.d.ts" */

import { el, loadStylesheet } from "../core/dom.js";
import { t, withWholeCatalogue } from "../core/i18n.js";
import { icon } from "../core/icons.js";

/**
 * MenuButton(root, handlers) -> {update(state)}
 * @param {HTMLElement} root
 * @param {Parameters<typeof import("./menu.js").Menu>[2]} handlers
 */
export function MenuButton(root, handlers) {
  const body = el("div", { class: "menu-body", hidden: true });
  const box = el(
    "details",
    { class: "table-menu" },
    el("summary", { class: "button button-small" }, icon("ui", "ui-menu"), el("span", {}, t("Table"))),
    body,
  );
  root.append(box);
  /** @type {TableState} Set by the first update. */
  let state;
  /** @type {ReturnType<typeof import("./menu.js").Menu> | null} */
  let menu = null;

  async function load() {
    const [{ Menu }] = await withWholeCatalogue(Promise.all([import("./menu.js"), loadStylesheet("menu")]));
    body.hidden = false;
    menu = Menu(box, body, handlers);
    menu.update(state);
  }

  let isLoading = false;
  box.addEventListener("toggle", () => {
    if (!box.open || isLoading || menu) return;
    isLoading = true;
    load()
      .catch(() => {
        box.open = false;
        handlers.refuseUnreachable();
      })
      .finally(() => (isLoading = false));
  });

  return {
    /** @param {TableState} next */
    update(next) {
      state = next;
      menu?.update(next);
    },
  };
}
