// The modules a table plays with, in words, for lists of tables and games.
import { N_, t } from "../core/i18n.js";

// keyed by what the server calls them; what stands behind a colon says more than a list needs
const NAMES = { scoundrels: N_("Scoundrels"), black_magic: N_("Black magic"), card_gain: N_("Morgan") };

/** Names this page does not know are left out beside those it does. */
export function variants(names = []) {
  const known = names.map((name) => NAMES[name.split(":")[0]]).filter(Boolean);
  const sources = known.length || !names.length ? known : [N_("changed options")];
  return [...new Set(sources)].map((source) => t(source));
}
