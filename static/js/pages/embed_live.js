// The live game in an embed: an anonymous socket, and a delay before frames are shown.

/** @import {Frame, Room, EmbedChange, StatusDetail, Table} from "../core/types.d.ts" */

import { DelayQueue } from "../core/delay_queue.js";
import { t } from "../core/i18n.js";
import { connect } from "../core/socket.js";
import { emptyRoom, receive } from "../table/room_state.js";

/** Return the notice for a table that may not be shown. Locked and missing tables get the same one. */
export const notAdmittedText = () =>
  t("This table can only be watched on its own page, or it does not exist.");

/**
 * LiveGame(room, delay, {onShow(state, {events, before, by}), onClosed(words)}) -> {state, now(), stop()}
 * Frames are applied when they are shown, so that the state never runs ahead of the delay.
 * @param {string} room
 * @param {number} delay
 * @param {{ onShow: (state: Room & { table: Table }, by: EmbedChange) => void, onClosed: (words: string) => void }} options
 */
export function LiveGame(room, delay, { onShow, onClosed }) {
  let state = emptyRoom();
  // The seq of the last frame that arrived, shown or not.
  /** @type {number | null} */
  let receivedSeq = null;
  let isStopped = false;

  const queue = DelayQueue(delay, (frame) => {
    if (isStopped) return;
    const { room: next, events, before, by, resync } = receive(state, frame);
    if (resync) {
      requestResync();
      return;
    }
    const isShown = next !== state;
    state = next;
    const { table } = next;
    if (isShown && table && ["state", "events", "table"].includes(frame.t))
      onShow({ ...next, table }, { events, before, by });
  });

  /** Request the whole state after a missing frame. It is delayed like everything else. */
  function requestResync() {
    receivedSeq = null;
    queue.clear();
    socket.resync();
  }

  const socket = connect(`/ws/embed/${encodeURIComponent(room)}`, {
    hello: () => (receivedSeq === null ? {} : { seq: receivedSeq }),
    /** @param {Frame} frame */
    onFrame(frame) {
      // Embeds show no chat.
      if (frame.t !== "state" && frame.t !== "events" && frame.t !== "table") return;
      receivedSeq = frame.seq;
      queue.add(frame);
    },
    /**
     * @param {string} kind
     * @param {StatusDetail} detail
     */
    onStatus(kind, detail) {
      if (isStopped) return;
      if (kind === "not_admitted") onClosed(notAdmittedText());
      if (kind === "reload") onClosed(t("This page is older than the server. Reload it."));
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
