// How a page reacts when the server closes its socket with an application code (docs/protocol.md §7).

/** @type {Record<number, string>} */
const REACTIONS = {
  4000: "again",
  4001: "reload",
  4002: "stop",
  4003: "stop",
  4005: "slowly",
  4006: "slowly",
  4008: "signed_out",
  4009: "slowly",
  4010: "stop",
};

/**
 * Return "again", "slowly", "reload", "signed_out" or "stop"; undefined if the connection broke without such a code.
 * @param {number} code
 */
export const reactionToClose = (code) => REACTIONS[code];

/**
 * Whether this page must not reconnect by itself.
 * @param {string | undefined} reaction
 */
export const isFinal = (reaction) =>
  reaction === "reload" || reaction === "stop" || reaction === "signed_out";
