// Names of the modules of a table, for lists of tables and games.
import { N_, t } from "../core/i18n.js";

// Keyed by the server's name up to the colon.
/** @type {Record<string, string>} */
const VARIANT_NAMES = {
  scoundrels: N_("Scoundrels"),
  black_magic: N_("Black magic"),
  card_gain: N_("Morgan"),
};

/**
 * Return translated names. Unknown names are left out if any is known.
 * @param {string[]} [names]
 */
export function variantNames(names = []) {
  const knownNames = names.map((name) => VARIANT_NAMES[name.split(":")[0]]).filter(Boolean);
  const sources = knownNames.length || !names.length ? knownNames : [N_("changed options")];
  return [...new Set(sources)].map((source) => t(source));
}
