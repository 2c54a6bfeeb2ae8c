// A table's socket as a stranger's, and the delay between what comes in and what is shown of it.

import { Delayed } from "../core/delayed.js";
import { t } from "../core/i18n.js";
import { connect } from "../core/socket.js";
import { emptyRoom, receive } from "../table/room.js";

/** What a frame says of a table that it may not show: the same words whether it is locked or was never there. */
export const closedDoor = () => t("This table can only be watched on its own page, or it does not exist.");

/**
 * Live(room, delay, {onShow(state, {events, before, by}), onClosed(words)}) -> {state, now(), stop()}
 * Frames are folded when they are shown, so that nothing of them is known to the page before.
 */
export function Live(room, delay, { onShow, onClosed }) {
  let state = emptyRoom();
  let received = null; // the version of what has come in, shown or not
  let isStopped = false;

  const queue = Delayed(delay, (frame) => {
    if (isStopped) return;
    const { room: next, events, before, by, resync } = receive(state, frame);
    if (resync) {
      again();
      return;
    }
    const isShown = next !== state && next.table;
    state = next;
    if (isShown && ["state", "events", "table"].includes(frame.t)) onShow(state, { events, before, by });
  });

  /** A frame is missing: the whole state anew, as late as everything else. */
  function again() {
    received = null;
    queue.clear();
    socket.resync();
  }

  const socket = connect(`/ws/embed/${encodeURIComponent(room)}`, {
    hello: () => (received === null ? {} : { seq: received }),
    onFrame(frame) {
      if (!["state", "events", "table"].includes(frame.t)) return; // no chat in other sites' pages
      received = frame.seq;
      queue.add(frame);
    },
    onStatus(kind, detail) {
      if (isStopped) return;
      if (kind === "not_admitted") onClosed(closedDoor());
      if (kind === "reload") onClosed(t("This page is older than the server. Load it again."));
      if (kind === "stopped" && detail.code !== 4003) onClosed(t("The server has closed this connection."));
    },
  });

  return {
    get state() {
      return state;
    },
    now: () => socket.now() - delay,
    stop() {
      isStopped = true;
      queue.clear();
      socket.close();
    },
  };
}
