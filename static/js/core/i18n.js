// Translation with the catalogue that the templates use. The English sentence is the key.

import { reportFailedLoad } from "./failed_loads.js";

const PLACEHOLDER = /\{(\w+)\}/g;

/**
 * The sentences of a language, keyed by the English sentence.
 * @typedef {object} Catalogue
 * @property {string} [lang]
 * @property {Record<string, string>} [singles]
 * @property {Record<string, [string, string]>} [plurals]
 * @property {Record<string, string>} [reasons]
 * @property {boolean} [zeroIsOne]
 */

/** Fetch the catalogue that a <meta> of the page names. Without one the page stays English. */
async function fetchCatalogue(name = "catalogue") {
  if (typeof document === "undefined") return {};
  /** @type {HTMLMetaElement | null} */
  const meta = document.querySelector(`meta[name="${name}"]`);
  const url = meta?.content;
  if (!url) return {};
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

let catalogue = await fetchCatalogue();

/**
 * Replace the catalogue (for tests).
 * @param {Catalogue} sentences
 */
export function setCatalogue(sentences) {
  catalogue = sentences;
}

let isWhole = false;

/** Fetch the whole catalogue once. The table page starts with the part that it usually needs. */
export async function loadWholeCatalogue() {
  if (isWhole) return;
  const whole = await fetchCatalogue("catalogue-whole");
  isWhole = Boolean(whole.lang);
  if (isWhole) catalogue = whole;
}

/**
 * Load a rarely needed module together with its sentences: withWholeCatalogue(import("…")). NON_TABLE_SCRIPTS in
 * app/web/i18n.py lists such modules.
 * @template T
 * @param {Promise<T>} loading
 * @returns {Promise<T>}
 */
export const withWholeCatalogue = (loading) =>
  Promise.all([loading, loadWholeCatalogue()]).then(
    ([module]) => module,
    (problem) => {
      reportFailedLoad(problem);
      throw problem;
    },
  );

/** The page's language, as a BCP 47 tag. */
export const language = () => catalogue.lang ?? "en";

/**
 * @param {string} text
 * @param {Record<string, unknown>} values
 */
function fillPlaceholders(text, values) {
  return text.replace(PLACEHOLDER, (hole, name) => (name in values ? String(values[name]) : hole));
}

/**
 * Translate a sentence: t("{name} joined", {name}).
 * @param {string} source
 * @param {Record<string, unknown>} [values]
 */
export function t(source, values = {}) {
  return fillPlaceholders(catalogue.singles?.[source] ?? source, values);
}

/**
 * Return the translated sentence for a reason of the rules, with {placeholders} for its parameters.
 * @param {string} why
 */
export const refusalReason = (why) => catalogue.reasons?.[why];

/**
 * Translate a sentence with a count: tn("{n} card", "{n} cards", n).
 * @param {string} one
 * @param {string} many
 * @param {number} n
 * @param {Record<string, unknown>} [values]
 */
export function tn(one, many, n, values = {}) {
  const forms = catalogue.plurals?.[one] ?? [one, many];
  const isOne = n === 1 || (n === 0 && catalogue.zeroIsOne === true);
  return fillPlaceholders(forms[isOne ? 0 : 1], { n, ...values });
}

/**
 * Mark a sentence for extraction. It is translated with t() where it is shown.
 * @param {string} source
 */
export const N_ = (source) => source;

/**
 * Join names as the language does: "red, blue and green".
 * @param {string[]} parts
 */
export function formatList(parts) {
  return new Intl.ListFormat(language(), { type: "conjunction" }).format(parts);
}

/**
 * Format a share as the language does: "27%", "27 %".
 * @param {number} share
 */
export const formatPercent = (share) => new Intl.NumberFormat(language(), { style: "percent" }).format(share);

/**
 * Format an offset from now: "5 minutes ago", "in 2 days".
 * @param {number} seconds
 */
export function formatRelativeTime(seconds) {
  const words = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const steps = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ];
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size || unit === "second") {
      return words.format(Math.round(seconds / size), unit);
    }
  }
  return "";
}
