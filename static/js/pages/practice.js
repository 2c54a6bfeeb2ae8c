// Positions of lessons and examples, played by the server's engine. The server stores nothing.

/** @import {Action} from "../core/types.d.ts" */

import { postUrl } from "../core/api.js";

/**
 * Return the position after these actions: {before, view, events, choices, show, then, done}.
 * @param {string} name
 * @param {Action[]} actions
 */
export const playPractice = (name, actions) => postUrl(`/practice/${encodeURIComponent(name)}`, { actions });
