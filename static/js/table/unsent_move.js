// The player's move that has no answer yet, in this tab's storage: phones discard pages in the background, and a reload
// without a connection would lose it. The server accepts it once, by its id, and only in the position it was chosen for.

/** @import {Command} from "../core/types.d.ts" */

/**
 * UnsentMove(game) -> {keep(command), drop(), read()}
 * @param {string} game
 */
export function UnsentMove(game) {
  const key = `unsent.${game}`;
  return {
    /** @param {Command} command */
    keep(command) {
      try {
        sessionStorage.setItem(key, JSON.stringify(command));
      } catch {
        // Without storage a reload loses the move.
      }
    },
    drop() {
      try {
        sessionStorage.removeItem(key);
      } catch {
        // Nothing is stored.
      }
    },
    /** @returns {Command & { id: string } | null} */
    read() {
      try {
        return JSON.parse(sessionStorage.getItem(key) ?? "null");
      } catch {
        return null;
      }
    },
  };
}
