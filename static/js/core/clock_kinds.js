// What the pages know about each kind of clock. The kinds are defined in app/play/log/clocks.py.

/**
 * Whether players are usually away and are notified of their turns.
 * @param {string | undefined} kind
 */
export const isCorrespondence = (kind) => kind === "days";
