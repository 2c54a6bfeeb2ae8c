// What a page does when the server closes its socket with one of our codes (docs/protocol.md §7).

const AFTER = {
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

/** "again", "slowly", "reload", "signed_out", "stop"; undefined where the connection just broke. */
export const afterClose = (code) => AFTER[code];

/** No further attempt from this page. */
export const isFinal = (after) => after === "reload" || after === "stop" || after === "signed_out";
