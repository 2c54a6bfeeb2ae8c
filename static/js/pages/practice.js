// The real engine on a lesson's position: the server plays, nothing is stored there.
import { postTo } from "../core/api.js";

/** The position after these actions: {before, view, events, choices, show, done}. */
export const practise = (name, actions) => postTo(`/practice/${encodeURIComponent(name)}`, { actions });
