// The states of the connection: the banner of each, and whether it is announced.

import { N_ } from "../core/i18n.js";

/** @type {Record<string, { kind: string, sign: string, text: string, isReadOut?: boolean, reload?: "main" | "plain" }>} */
export const CONNECTION_STATES = {
  connecting: { kind: "note", sign: "ui-hourglass", text: N_("Connecting …") },
  offline: {
    kind: "bad",
    sign: "ui-hourglass",
    text: N_(
      "No network: this device is offline. What you did is kept here and will be sent when the network is back.",
    ),
    isReadOut: true,
  },
  lost: {
    kind: "bad",
    sign: "ui-hourglass",
    text: N_("No connection: the server cannot be reached. Trying again; nothing you did is lost."),
    isReadOut: true,
  },
  restarting: {
    kind: "note",
    sign: "ui-hourglass",
    text: N_("The server is restarting. Nothing at this table is lost."),
    isReadOut: true,
  },
  unstored: {
    kind: "note",
    sign: "ui-hourglass",
    text: N_(
      "The server cannot save anything at the moment. What you did is kept here and will be sent again until it is saved.",
    ),
  },
  resumed: { kind: "good", sign: "ui-done", text: N_("Connected again.") },
  reload: {
    kind: "bad",
    sign: "ui-undo",
    text: N_("There is a new version of the game. Reload the page."),
    reload: "main",
  },
  signed_out: {
    kind: "bad",
    sign: "ui-flag",
    text: N_("You are no longer logged in on this device."),
    reload: "main",
  },
  stopped: {
    kind: "bad",
    sign: "ui-flag",
    text: N_("The table has closed this connection."),
    reload: "plain",
  },
};

/**
 * Return the state after a status of the socket. A restored connection is "resumed" first.
 * @param {string} before
 * @param {string} status
 */
export function nextConnectionState(before, status) {
  const wasAway = ["lost", "offline", "restarting"].includes(before);
  return status === "stored" || (status === "open" && wasAway) ? "resumed" : status;
}
