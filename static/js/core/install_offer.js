// The offer to install the site as an app. It is made only after the first finished game.
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { needsInstalling } from "./push.js";

/** Return the offer for the end of a game: a button, or a sentence on an iPhone; null if the site cannot be installed. */
export function offerInstallAfterGame() {
  localStorage.setItem("finished", "1");
  return InstallOffer();
}

/** Like `offerInstallAfterGame`, for other pages; null before the first finished game. */
export const offerInstallLater = () => (localStorage.getItem("finished") ? InstallOffer() : null);

function InstallOffer() {
  if (needsInstalling())
    return el(
      "p.field-hint",
      {},
      t("To keep Cartagena on this device: share this page and choose “Add to Home Screen”."),
    );
  // Deferred by pages/shell.js.
  const prompt = globalThis.deferredInstallPrompt;
  if (!prompt) return null;
  const button = el(
    "button.button.button-small",
    {
      type: "button",
      async onclick() {
        button.remove();
        globalThis.deferredInstallPrompt = null;
        await prompt.prompt();
      },
    },
    t("Install as an app"),
  );
  return button;
}
