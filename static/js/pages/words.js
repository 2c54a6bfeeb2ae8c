// Words for things the server names by code, beyond those of the table: clocks and variants.
import { t } from "../core/i18n.js";

export function clockWords(kind) {
  const words = { none: t("No clock"), turn: t("Per turn"), bank: t("Time bank"), days: t("Days per turn") };
  return words[kind] ?? "";
}

/** What a table changed, in words; names it does not know are left out. */
export function variantWords(names) {
  const words = {
    scoundrels: t("Scoundrels"),
    black_magic: t("Black magic"),
    morgan: t("Morgan"),
    both: t("Morgan"),
    split: t("Morgan"),
    card_gain: t("Morgan"),
    changed: t("changed options"),
  };
  const known = names.map((name) => words[name]).filter(Boolean);
  if (!known.length && names.length) return [t("changed options")];
  return [...new Set(known)];
}
