// The states of the connection: how the banner shows each, and which are read out.

import { N_ } from "../core/i18n.js";

export const CONNECTION = {
  connecting: { kind: "note", sign: "ui-hourglass", text: N_("Connecting …") },
  offline: {
    kind: "bad",
    sign: "ui-hourglass",
    text: N_("No network: this device is offline. What you did is kept here and sent when it is back."),
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
    text: N_("The server is restarting. Your seat is kept."),
    isReadOut: true,
  },
  unstored: {
    kind: "note",
    sign: "ui-hourglass",
    text: N_("The server cannot save just now. What you did is kept here and sent again until it is safe."),
  },
  resumed: { kind: "good", sign: "ui-done", text: N_("Back again.") },
  reload: {
    kind: "bad",
    sign: "ui-undo",
    text: N_("There is a new version of the game. Load the page again."),
    reload: "main",
  },
  signed_out: { kind: "bad", sign: "ui-flag", text: N_("You have been signed out on this device."), reload: "main" },
  stopped: { kind: "bad", sign: "ui-flag", text: N_("The table has closed this connection."), reload: "plain" },
};

/** The state after what the socket says: coming back after a cut is said for a moment. */
export function connectionAfter(before, status) {
  const wasAway = ["lost", "offline", "restarting"].includes(before);
  return status === "stored" || (status === "open" && wasAway) ? "resumed" : status;
}
